import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Follows redirects, by the same rule on every platform. Every client of this module has it built in.
///
/// 301, 302, 303, 307 and 308 with a `Location` are followed, as
/// [RFC 9110 §15.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4) and browsers do:
///
/// - 303 becomes a GET without a body (HEAD stays HEAD); so does a POST answered with 301 or 302. Every other method is
///   repeated as it is, body included.
/// - To another scheme, host or port go no credentials: `Authorization`, `Proxy-Authorization`, `Cookie`, and the
///   request's ``APIRequest/credentialFields`` are left out, and stay out on the way back.
/// - From `https` it never goes to `http`, and nowhere else than to `http` and `https`.
public struct FollowRedirects: Middleware {
    private let limit: Int

    /// Follows redirects.
    ///
    /// - Parameter limit: How many for one request at most; 0 hands every redirect to the caller as the reply it is.
    public init(limit: Int = 10) {
        self.limit = max(limit, 0)
    }

    /// Sends the request, and again where redirects lead.
    ///
    /// - Returns: The first reply that is no redirect; ``APIResponse/request`` is the request given here,
    ///   ``APIResponse/url`` the URL that answered.
    /// - Throws: What `next` throws, and ``TransportError`` for a redirect that is not followed. It names the original
    ///   request.
    public func intercept(
        _ request: APIRequest, next: @Sendable (APIRequest) async throws(TransportError) -> APIResponse
    ) async throws(TransportError) -> APIResponse {
        var current = request
        var visited: Set<Visit> = []
        while true {
            var reply = try await next(current)
            guard limit > 0, let location = reply.redirectLocation else {
                reply.request = request
                return reply
            }
            visited.insert(Visit(current))
            guard visited.count <= limit else { throw TransportError(.tooManyRedirects(limit: limit), request) }
            current = try current.redirected(to: location, status: reply.status.code, for: request)
            guard !visited.contains(Visit(current)) else {
                throw TransportError(.redirectLoop(to: RequestSummary(current).url), request)
            }
        }
    }
}

/// What makes a redirect a loop: the same method and URL again. (POST to a page that answers 303 to itself is none.)
private struct Visit: Hashable {
    let method: HTTPRequest.Method
    let url: URL

    init(_ request: APIRequest) {
        method = request.method
        url = request.url
    }
}

extension APIResponse {
    /// The `Location` of a reply that is a redirect to follow.
    fileprivate var redirectLocation: String? {
        guard [301, 302, 303, 307, 308].contains(status.code) else { return nil }
        let location = headerFields[.location]?.trimmingSpaces
        return location?.isEmpty == false ? location : nil
    }
}
