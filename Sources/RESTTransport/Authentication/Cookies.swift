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
/// Without this middleware no cookies are kept. They are in memory, and gone when the process ends. Each account needs
/// `Cookies` of its own; an API that is given these shares them.
///
/// - Only the API's own origin sets cookies and gets them, by the rules about domain, path, `Secure` and expiry. A
///   cookie for a domain of one label is refused, and so is one for another domain than the host's.
/// - A request that has a `Cookie` already keeps it.
/// - Write it after the middleware that authenticates, so that a cookie set with a challenge goes out with the answer.
/// - The cookies of redirects are kept only if redirects are followed outside of this: write `FollowRedirects()` before
///   it, and use an ``HTTPTransport`` with `redirects: FollowRedirects(limit: 0)`.
/// - At most 180 cookies are kept; those set first go first.
public final class Cookies: Middleware {
    private static let mostCookies = 180

    /// In the order in which they were first set.
    private let kept = Mutex<[Cookie]>([])
    private let time: TimeSource

    /// Begins without cookies.
    public convenience init() { self.init(time: .system) }

    package init(time: TimeSource) { self.time = time }

    /// Forgets all cookies, which ends the session here; the server may keep it.
    public func removeAll() { kept.withLock { $0 = [] } }

    /// The names of the cookies that are kept and have not expired, sorted.
    public var names: [String] {
        let now = time.localTime()
        return kept.withLock { $0.filter { !$0.isExpired(at: now) }.map(\.key.name).sorted() }
    }

    /// Sends the request with `Cookie` added, and keeps the cookies of the reply.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard request.mayCarryCredentials else { return try await next(request) }
        var sent = request
        if !request.headerFields.contains(.cookie), let field = field(for: request.url) {
            // Assigning it would make one field of each cookie, which HTTP/1.1 doesn't allow (RFC 6265 §5.4).
            sent.headerFields.append(HTTPField(name: .cookie, value: field))
        }
        let reply = try await next(sent)
        if reply.isOfAPI(of: request) { keep(reply) }
        return reply
    }

    /// The value of `Cookie`: longer paths first, then those set first (§5.4); nil for none.
    private func field(for url: URL) -> String? {
        let now = time.localTime()
        let matching = kept.withLock { $0.filter { $0.matches(url, at: now) } }
        guard !matching.isEmpty else { return nil }
        // Sorting is stable.
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
            // One that is set with a date in the past is removed.
            kept.removeAll { $0.isExpired(at: now) }
            if kept.count > Self.mostCookies { kept.removeFirst(kept.count - Self.mostCookies) }
        }
    }
}

extension Cookies: CustomStringConvertible, CustomReflectable {
    /// The names of the cookies; their values are left out.
    public var description: String { "Cookies(\(names.joined(separator: ", ")))" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .class) }
}

/// The `Set-Cookie` fields of a reply, which may not be joined by commas, as a date has one.
package enum SetCookieFields {
    static func values(of fields: HTTPFields) -> [String] {
        let values = fields[values: .setCookie]
        #if canImport(Darwin)
            // URLSession joins them.
            return values.flatMap(split)
        #else
            return values
        #endif
    }

    /// Divides what was joined by commas: before each name with a `=` behind it.
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
