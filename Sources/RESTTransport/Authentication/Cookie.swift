#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A cookie ([RFC 6265 §5](https://www.rfc-editor.org/rfc/rfc6265#section-5)).
struct Cookie: Sendable {
    struct Key: Hashable, Sendable {
        let name: String
        let domain: String
        let path: String
    }

    let key: Key
    let value: String
    /// In seconds since 1970; nil for the end of the process.
    let expiry: Int?
    /// Whether it has a `Domain` attribute.
    private let isForSubdomains: Bool
    private let isSecure: Bool

    /// Reads a `Set-Cookie` field, such as `sid=31d4; Path=/; Secure; Max-Age=3600`.
    ///
    /// - Parameters:
    ///   - url: The URL that answered.
    ///   - time: Now, in seconds since 1970.
    /// - Returns: nil for a malformed field, or a cookie that the host may not set.
    init?(_ field: String, from url: URL, at time: Int) {
        guard let origin = Origin(url), field.utf8.count <= Self.longest, !field.utf8.contains(where: \.isControl)
        else {
            return nil
        }
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first.map(Self.pair), let value = pair.value, !pair.name.isEmpty else { return nil }
        let attributes = CookieAttributes(parts.dropFirst().map(Self.pair))
        guard let domain = Self.domain(attributes.domain, of: origin.host) else { return nil }
        guard !attributes.isSecure || origin.scheme == "https" else { return nil }
        self.value = value
        isSecure = attributes.isSecure
        isForSubdomains = attributes.domain != nil
        expiry = attributes.expiry(at: time)
        key = Key(name: pair.name, domain: domain, path: attributes.path ?? Self.defaultPath(of: url))
        guard isPrefixTrue else { return nil }
    }

    func matches(_ url: URL, at time: Int) -> Bool {
        guard let origin = Origin(url), !isExpired(at: time), !isSecure || origin.scheme == "https" else {
            return false
        }
        guard isForSubdomains ? Self.isHost(origin.host, in: key.domain) : origin.host == key.domain else {
            return false
        }
        return Self.isPath(url.requestPath, in: key.path)
    }

    func isExpired(at time: Int) -> Bool { expiry.map { $0 <= time } ?? false }

    // MARK: Rules

    /// The longest field in bytes; RFC 6265 §6.1 asks for at least 4096.
    private static let longest = 8192

    /// The rules of `__Host-` and `__Secure-` (RFC 6265bis §4.1.3).
    private var isPrefixTrue: Bool {
        let name = key.name.lowercased()
        if name.hasPrefix("__host-") { return isSecure && !isForSubdomains && key.path == "/" }
        return !name.hasPrefix("__secure-") || isSecure
    }

    /// Nil if the host may not set a cookie for the domain. Without a list of public suffixes, a single label such as
    /// `com` counts as one.
    private static func domain(_ attribute: String?, of host: String) -> String? {
        guard let attribute, attribute != host else { return host }
        return isHost(host, in: attribute) && attribute.contains(".") ? attribute : nil
    }

    /// Domain match (§5.1.3). An IP address matches only itself.
    private static func isHost(_ host: String, in domain: String) -> Bool {
        if host == domain { return true }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0.isDigit }
        return !isAddress && host.hasSuffix("." + domain)
    }

    /// Path match (§5.1.4).
    private static func isPath(_ path: String, in cookiePath: String) -> Bool {
        guard path.hasPrefix(cookiePath) else { return false }
        return path == cookiePath || cookiePath.hasSuffix("/") || path.dropFirst(cookiePath.count).hasPrefix("/")
    }

    /// The folder of the URL's path (§5.1.4).
    private static func defaultPath(of url: URL) -> String {
        let path = url.requestPath
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func pair(_ text: Substring) -> (name: String, value: String?) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0].trimmingSpaces, parts.count == 2 ? parts[1].trimmingSpaces : nil)
    }
}

/// A cookie's attributes. If one occurs twice, the last counts (§5.2).
private struct CookieAttributes {
    /// In lower case, without a leading dot.
    var domain: String?
    var path: String?
    var isSecure = false
    private var date: Int?
    private var age: Int?

    init(_ attributes: [(name: String, value: String?)]) {
        for (name, value) in attributes {
            let value = value ?? ""
            switch name.lowercased() {
            case "expires": date = CookieDate.seconds(value) ?? date
            case "max-age": age = Self.age(value) ?? age
            case "domain":
                let name = value.hasPrefix(".") ? String(value.dropFirst()) : value
                domain = name.isEmpty ? nil : name.lowercased()
            case "path": path = value.hasPrefix("/") ? value : nil
            case "secure": isSecure = true
            default: break
            }
        }
    }

    /// In seconds since 1970. `Max-Age` takes precedence over `Expires`.
    func expiry(at time: Int) -> Int? { age.map { time + $0 } ?? date }

    /// The value of `Max-Age` in seconds (§5.2.2), at most the 400 days that browsers keep a cookie; nil if malformed.
    private static func age(_ text: String) -> Int? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else { return nil }
        if text.hasPrefix("-") { return 0 }
        return min(Int(digits) ?? .max, 400 * 86_400)
    }
}

extension URL {
    /// The percent-encoded path; `/` if it is empty.
    fileprivate var requestPath: String {
        let path = path(percentEncoded: true)
        return path.hasPrefix("/") ? path : "/" + path
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    /// Whether cookies must not contain the byte. A tab is allowed.
    fileprivate var isControl: Bool { self < 0x20 && self != 0x09 || self == 0x7F }
}
