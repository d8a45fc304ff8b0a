#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Which URLs are an API's own, and what is below its base.
package struct OwnURLs: Sendable {
    /// The base URL's origin; nil for a base that is no `http` or `https` URL.
    package let origin: Origin?
    /// The base as most URLs have it, without a slash at its end.
    private let base: String
    private let basePath: String

    /// - Parameter api: the base URL.
    package init(api: URL) {
        origin = Origin(api)
        let path = api.path(percentEncoded: true)
        basePath = path.hasSuffix("/") ? String(path.dropLast()) : path
        base = (origin?.description ?? "") + basePath
    }

    /// Whether a URL is of the API's server.
    package func contain(_ url: URL) -> Bool {
        guard let origin else { return false }
        return isBelowBase(url.absoluteString) || Origin(url) == origin
    }

    /// Whether an absolute URL begins with the base. To compare texts costs a tenth of what it costs to take URLs
    /// apart.
    private func isBelowBase(_ url: String) -> Bool {
        guard url.hasPrefix(base) else { return false }
        // What follows is no port, and not the rest of a longer host name.
        return url.utf8.dropFirst(base.utf8.count).first.map { "/?#".utf8.contains($0) } ?? true
    }

    /// What comes behind the base URL, a query included; nil for another server's.
    func path(of url: URL) -> Substring? {
        guard origin != nil else { return nil }
        let whole = url.absoluteString
        if isBelowBase(whole) { return Substring(whole.utf8.dropFirst(base.utf8.count)) }
        guard contain(url) else { return nil }
        let path = url.path(percentEncoded: true)
        return Substring(path.hasPrefix(basePath) ? path.utf8.dropFirst(basePath.utf8.count) : path.utf8[...])
    }
}
