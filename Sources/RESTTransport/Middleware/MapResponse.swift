/// Changes every reply before other code reads it: for example, converts other formats to JSON, or gives an error sent
/// with status 200 its real status.
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
/// The changed reply replaces the server's. Its status decides whether it is a success. Its body is imported, or read
/// for errors by field. Its header fields link to further pages. The first middleware that you write is the outermost:
/// write `MapResponse` after `Retry` and `BearerToken` if they should see mapped replies.
///
/// A reply in pieces (``APIRequest/delivery``) stays as it is, as its body is still to come.
public struct MapResponse: Middleware {
    private let map: @Sendable (APIResponse) async throws(TransportError) -> APIResponse

    /// Maps replies.
    ///
    /// - Parameter map: Returns the changed reply. It may throw a `TransportError` to discard the reply:
    ///   `TransportError(.malformedResponse("no XML"), response.request)`. It is called once for each reply, outside of
    ///   any actor. If you write it after `Retry`, it also gets the replies that `Retry` discards.
    public init(_ map: @escaping @Sendable (APIResponse) async throws(TransportError) -> APIResponse) { self.map = map }

    /// Sends the request, and maps the reply, unless that comes in pieces.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        let reply = try await next(request)
        return reply.pieces == nil ? try await map(reply) : reply
    }
}
