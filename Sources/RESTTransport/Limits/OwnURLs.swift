#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

package struct OwnURLs: Sendable {
    /// Nil unless the base is an `http` or `https` URL.
    package let origin: Origin?
    /// Without a trailing slash.
    private let base: String
    private let basePath: String

    package init(api: URL) {
        origin = Origin(api)
        let path = api.path(percentEncoded: true)
        basePath = path.hasSuffix("/") ? String(path.dropLast()) : path
        base = (origin?.description ?? "") + basePath
    }

    package func contain(_ url: URL) -> Bool {
        guard let origin else { return false }
        return isBelowBase(url.absoluteString) || Origin(url) == origin
    }

    /// Comparing texts costs a tenth of parsing the URL.
    private func isBelowBase(_ url: String) -> Bool {
        guard url.hasPrefix(base) else { return false }
        // `api.example.com` doesn't match `api.example.com:81` and `api.example.community`.
        return url.utf8.dropFirst(base.utf8.count).first.map { "/?#".utf8.contains($0) } ?? true
    }

    /// The path after the base URL, with the query; nil for other servers.
    func path(of url: URL) -> Substring? {
        guard origin != nil else { return nil }
        let whole = url.absoluteString
        if isBelowBase(whole) { return Substring(whole.utf8.dropFirst(base.utf8.count)) }
        guard contain(url) else { return nil }
        let path = url.path(percentEncoded: true)
        return Substring(path.hasPrefix(basePath) ? path.utf8.dropFirst(basePath.utf8.count) : path.utf8[...])
    }
}
