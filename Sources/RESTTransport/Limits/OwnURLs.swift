#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which URLs are an API's own, and what is below its base.
struct OwnURLs: Sendable {
    private let origin: Origin?
    /// The base as most URLs have it, without a slash at its end.
    private let base: String
    private let basePath: String

    init(api: URL) {
        origin = Origin(api)
        let path = api.path(percentEncoded: true)
        basePath = path.hasSuffix("/") ? String(path.dropLast()) : path
        base = (origin?.description ?? "") + basePath
    }

    /// Whether a URL is of the API's server.
    func contain(_ url: URL) -> Bool { origin != nil && Origin(url) == origin }

    /// What comes behind the base URL, a query included; nil for another server's. To compare texts costs a tenth of
    /// what it costs to take URLs apart.
    func path(of url: URL) -> Substring? {
        guard origin != nil else { return nil }
        let whole = url.absoluteString
        if whole.hasPrefix(base) {
            let rest = whole.utf8.dropFirst(base.utf8.count)
            // Not a port, or the rest of a longer host name.
            if rest.first.map({ "/?#".utf8.contains($0) }) ?? true { return Substring(rest) }
        }
        guard contain(url) else { return nil }
        let path = url.path(percentEncoded: true)
        return Substring(path.hasPrefix(basePath) ? path.utf8.dropFirst(basePath.utf8.count) : path.utf8[...])
    }
}
