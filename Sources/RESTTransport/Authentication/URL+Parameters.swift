import Conventions

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension URL {
    func hasParameter(_ name: String) -> Bool { parameters.contains { $0.name == name } }

    /// The rest stays as it is written.
    func adding(_ value: String, as name: String) -> URL {
        settingQuery(parameters.map(\.text) + ["\(name.percentEncoded)=\(value.percentEncoded)"])
    }

    func removingParameters(valued value: String) -> URL {
        let kept = parameters.filter { $0.value != value }
        return kept.count == parameters.count ? self : settingQuery(kept.map(\.text))
    }

    /// The text as it is written, with decoded name and value.
    private var parameters: [(text: String, name: String, value: String)] {
        guard let query = URLComponents(url: self, resolvingAgainstBaseURL: true)?.percentEncodedQuery else {
            return []
        }
        return query.split(separator: "&").map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map(RedactedURL.decoded)
            return (String(text), decoded.first ?? "", decoded.count == 2 ? decoded[1] : "")
        }
    }

    private func settingQuery(_ parameters: [String]) -> URL {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        components.percentEncodedQuery = parameters.isEmpty ? nil : parameters.joined(separator: "&")
        return components.url ?? self
    }
}
