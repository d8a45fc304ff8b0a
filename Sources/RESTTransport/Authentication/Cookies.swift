import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps the cookies that the API sets, and sends them back: for APIs with sessions
/// ([RFC 6265](https://www.rfc-editor.org/rfc/rfc6265)).
///
/// They are in memory until the process ends. Use one instance per account: APIs with the same instance share its
/// cookies.
///
/// - Only the API's own origin sets and gets cookies, subject to their domain, path, `Secure` attribute and expiry. A
///   foreign domain is refused, and so is a single label, such as `com`, unless it is the host.
/// - A request's own `Cookie` field stays.
/// - Write it after the authentication, so that a cookie set with a challenge is sent with the answer.
/// - To keep cookies of redirects, write `FollowRedirects()` before it, and use an ``HTTPTransport`` with
///   `redirects: FollowRedirects(limit: 0)`.
/// - At most 180 cookies are kept. The oldest are dropped.
public final class Cookies: Middleware {
    private static let mostCookies = 180

    /// Cookies in the order of first setting.
    private let kept = Mutex<[Cookie]>([])
    private let time: TimeSource

    /// Creates an empty set of cookies.
    public convenience init() { self.init(time: .system) }

    package init(time: TimeSource) { self.time = time }

    /// Removes all cookies. The server's session may continue.
    public func removeAll() { kept.withLock { $0 = [] } }

    /// The sorted names of the unexpired cookies.
    public var names: [String] {
        let now = time.localTime()
        return kept.withLock { $0.filter { !$0.isExpired(at: now) }.map(\.key.name).sorted() }
    }

    /// Sends the request with a `Cookie` field, and keeps the reply's cookies.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard request.mayCarryCredentials else { return try await next(request) }
        var sent = request
        if !request.headerFields.contains(.cookie), let field = field(for: request.url) {
            // HTTP/1.1 requires one field (RFC 6265 §5.4). Assigning the value would split it.
            sent.headerFields.append(HTTPField(name: .cookie, value: field))
        }
        let reply = try await next(sent)
        if reply.isOfAPI(of: request) { keep(reply) }
        return reply
    }

    /// The `Cookie` field: longer paths first, then in the order of setting (§5.4); nil if no cookie matches.
    private func field(for url: URL) -> String? {
        let now = time.localTime()
        let matching = kept.withLock { $0.filter { $0.matches(url, at: now) } }
        guard !matching.isEmpty else { return nil }
        // The sort is stable.
        return matching.sorted { $0.key.path.utf8.count > $1.key.path.utf8.count }
            .map { "\($0.key.name)=\($0.value)" }.joined(separator: "; ")
    }

    private func keep(_ reply: APIResponse) {
        let now = time.localTime()
        let set = SetCookieFields.values(of: reply.headerFields)
            .compactMap { Cookie($0, from: reply.url, at: now) }
        guard !set.isEmpty else { return }
        kept.withLock { kept in
            for cookie in set {
                if let index = kept.firstIndex(where: { $0.key == cookie.key }) {
                    kept[index] = cookie
                } else {
                    kept.append(cookie)
                }
            }
            // A date in the past removes a cookie.
            kept.removeAll { $0.isExpired(at: now) }
            if kept.count > Self.mostCookies { kept.removeFirst(kept.count - Self.mostCookies) }
        }
    }
}

extension Cookies: CustomStringConvertible, CustomReflectable {
    /// The cookies' names, without their values.
    public var description: String { "Cookies(\(names.joined(separator: ", ")))" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .class) }
}

/// `Set-Cookie` fields stay separate, because their dates contain commas.
package enum SetCookieFields {
    static func values(of fields: HTTPFields) -> [String] {
        let values = fields[values: .setCookie]
        #if canImport(Darwin)
            // URLSession joins the fields.
            return values.flatMap(split)
        #else
            return values
        #endif
    }

    /// Splits at each comma that a name and `=` follow.
    package static func split(_ joined: String) -> [String] {
        joined.split(separator: ",", omittingEmptySubsequences: false).reduce(into: [String]()) { fields, part in
            let name = part.prefix { $0 != "=" && $0 != ";" }
            let isNext = name.endIndex < part.endIndex && part[name.endIndex] == "=" && isName(name)
            if isNext || fields.isEmpty { fields.append(String(part)) } else { fields[fields.count - 1] += "," + part }
        }
    }

    private static func isName(_ text: Substring) -> Bool {
        let name = text.trimmingSpaces
        return !name.isEmpty && HTTPField.Name(name) != nil
    }
}
