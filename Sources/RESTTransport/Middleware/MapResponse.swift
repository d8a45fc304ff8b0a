/// Changes every reply before other code reads it: converts formats to JSON, or corrects a status.
///
/// ```swift
/// // {"status": 401, "error": "…"}, with HTTP 200
/// MapResponse { response in
///     var response = response
///     if let status = statusInside(response.body) { response.head.status = .init(code: status) }
///     return response
/// }
/// ```
///
/// The changed reply replaces the server's: status, body, errors, and links to pages. Write `MapResponse` after `Retry`
/// and `BearerToken` if they should see mapped replies.
///
/// A reply in pieces (``APIRequest/delivery``) stays as it is.
public struct MapResponse: Middleware {
    private let map: @Sendable (APIResponse) async throws(TransportError) -> APIResponse

    /// Maps replies.
    ///
    /// - Parameter map: Returns the changed reply, or throws to discard it:
    ///   `TransportError(.malformedResponse("no XML"), response.request)`. It is called once for each reply, outside of
    ///   any actor; after `Retry`, also for those that `Retry` discards.
    public init(_ map: @escaping @Sendable (APIResponse) async throws(TransportError) -> APIResponse) { self.map = map }

    /// Sends the request, and maps a reply that isn't in pieces.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        let reply = try await next(request)
        return reply.pieces == nil ? try await map(reply) : reply
    }
}
