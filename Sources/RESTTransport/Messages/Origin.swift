#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Scheme, host and port. URLs with equal origins belong to one server ([RFC
/// 6454](https://www.rfc-editor.org/rfc/rfc6454)).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    public let scheme: String
    /// The host in lower case, with non-ASCII letters in Punycode; an IPv6 address without its brackets.
    public let host: String
    /// The port: the given one, or 80 or 443.
    public let port: Int

    /// The origin of an absolute `http` or `https` URL; nil for any other URL.
    public init?(_ url: URL) {
        let scheme = url.scheme?.lowercased()
        guard scheme == "http" || scheme == "https", let scheme else { return nil }
        guard let host = Self.host(of: url)?.lowercased(), !host.isEmpty else { return nil }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        self.scheme = scheme
        self.host = String(host.drop { $0 == "[" }.prefix { $0 != "]" })
        self.port = port
    }

    /// In Punycode; `URL` percent-encodes non-ASCII hosts.
    private static func host(of url: URL) -> String? {
        let host = url.host()
        return host?.contains("%") == true ? URL(string: url.absoluteString)?.host() ?? host : host
    }

    /// The origin as a URL with an empty path, for example `https://api.github.com`.
    public var description: String { "\(scheme)://\(authority)" }

    /// Host and port, without the scheme's default port.
    var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
    }
}
