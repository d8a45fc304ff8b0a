import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Follows redirects, by the same rules on every platform. Every client of this module includes it.
///
/// 301, 302, 303, 307 and 308 with a `Location` are followed, as
/// [RFC 9110 §15.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4) and browsers do:
///
/// - 303 changes the request into a GET with an empty body. HEAD stays HEAD. ``APIResponse/method`` has the final
///   method. Conditions of a write, such as `If-Match`, are left out.
/// - 307 and 308 repeat the request with its body. 301 and 302 repeat a GET, HEAD or OPTIONS. For other methods, on
///   which servers disagree, they are an error.
/// - A redirect to another scheme, host or port removes credentials: `Authorization`, `Proxy-Authorization`, `Cookie`,
///   the request's ``APIRequest/credentialFields`` and an ``APIKey`` in the query, also if a later redirect leads back.
/// - Only `http` and `https` URLs are followed, and from `https` only `https`.
/// - If the GET after a 303 fails to connect, the error is ``TransportError/Reason/connectionLost``: the server has
///   acted.
public struct FollowRedirects: Middleware {
    private let limit: Int

    /// Follows redirects.
    ///
    /// - Parameter limit: The most redirects for one request; 0 returns every redirect to the caller as a reply.
    public init(limit: Int = 10) {
        self.limit = max(limit, 0)
    }

    /// Sends the request, and follows redirects.
    ///
    /// - Returns: The first reply that isn't a redirect. Its ``APIResponse/request`` is the original one, its
    ///   ``APIResponse/url`` the last.
    /// - Throws: The errors of `next`, and ``TransportError``, with the original request, for a refused redirect.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        var current = request
        var visited: Set<Visit> = []
        var hasLeftOrigin = false
        while true {
            var reply = try await Self.reply(to: current, redirectedFrom: request, next)
            guard limit > 0, !request.chainState.staysAtURL, let location = reply.redirectLocation else {
                reply.request = request
                reply.hasLeftOrigin = reply.hasLeftOrigin || hasLeftOrigin
                return reply
            }
            visited.insert(Visit(current))
            guard visited.count <= limit else { throw TransportError(.tooManyRedirects(limit: limit), request) }
            let origin = Origin(current.url)
            current = try current.redirected(to: location, status: reply.status.code, for: request)
            if Origin(current.url) != origin { hasLeftOrigin = true }
            guard !visited.contains(Visit(current)) else {
                throw TransportError(.redirectLoop(to: RequestSummary(current).url), request)
            }
        }
    }

    /// - Throws: The errors of `next`; `connectionLost` if the GET after a 303 fails, because the server has acted.
    private static func reply(
        to current: APIRequest, redirectedFrom original: APIRequest, _ next: Next
    ) async throws(TransportError) -> APIResponse {
        do throws(TransportError) { return try await next(current) } catch {
            guard current.method != original.method, error.saysUnsent else { throw error }
            throw TransportError(.connectionLost, original)
        }
    }
}

/// A method and URL. Visiting both again is a loop. A POST redirected by 303 to its own URL differs by method.
private struct Visit: Hashable {
    let method: HTTPRequest.Method
    let url: URL

    init(_ request: APIRequest) {
        method = request.method
        url = request.url
    }
}

extension APIResponse {
    fileprivate var redirectLocation: String? {
        guard [301, 302, 303, 307, 308].contains(status.code) else { return nil }
        let location = headerFields[.location]?.trimmingSpaces
        return location?.isEmpty == false ? location : nil
    }
}

extension APIRequest {
    /// - Parameters:
    ///   - location: Absolute, or relative to this request's URL.
    ///   - original: The caller's request, for errors.
    fileprivate func redirected(
        to location: String, status: Int, for original: APIRequest
    ) throws(TransportError) -> APIRequest {
        let target = try target(of: location, for: original)
        let isSafe = [.get, .head, .options].contains(method)
        if [301, 302].contains(status), !isSafe {
            let shown = RequestSummary(method: "", url: target.absoluteString).url
            throw TransportError(.redirectedWrite(to: shown), original)
        }
        var next = self
        next.url = target
        if status == 303 {
            if next.method != .head { next.method = .get }
            if next.method != method { next.dropConditions() }
            next.dropBody()
        }
        if Origin(target) != Origin(url) { next.dropCredentials() }
        return next
    }

    private func target(of location: String, for original: APIRequest) throws(TransportError) -> URL {
        let target = URL(string: location, relativeTo: url)?.absoluteURL
        guard let target, let origin = Origin(target), target.user() == nil, target.password() == nil else {
            let shown = RequestSummary(method: "", url: location).url
            throw TransportError(.invalidRedirect(to: shown, why: Self.problem(of: target)), original)
        }
        if url.scheme?.lowercased() == "https", origin.scheme == "http" {
            throw TransportError(
                .insecureRedirect(to: RequestSummary(method: "", url: target.absoluteString).url), original)
        }
        return target
    }

    /// The shown URL may hide the problem, because secrets are removed.
    private static func problem(of target: URL?) -> String {
        guard let target, ["http", "https"].contains(target.scheme?.lowercased()) else {
            return "which is no http or https URL"
        }
        if target.user() != nil || target.password() != nil {
            return "with a user name or password in the URL, which is left out here"
        }
        return target.host()?.isEmpty == false ? "whose port is none from 1 to 65535" : "which names no host"
    }

    private mutating func dropBody() {
        body = nil
        // The fields of https://fetch.spec.whatwg.org/#request-body-header-name.
        for name in [HTTPField.Name.contentEncoding, .contentLanguage, .contentLocation, .contentType] {
            headerFields[name] = nil
        }
    }

    /// The GET would fail the conditions, which were about the state before the write.
    private mutating func dropConditions() {
        for name in headerFields.map(\.name) where name.isCondition { headerFields[name] = nil }
    }

    private mutating func dropCredentials() {
        for name in credentialFields.union([.authorization, .proxyAuthorization, .cookie]) {
            headerFields[name] = nil
        }
        url = urlWithoutKey
        // Later middleware leaves credentials out, even if a redirect of the other origin leads back.
        apiOrigin = nil
    }
}
