/// Changes every reply before anything else reads it: turns other formats into JSON, or a success that isn't one into
/// the failure that it is.
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
/// The changed reply replaces the server's: its status decides whether it is a success, its body is imported or read
/// for errors by field, its header fields point to further pages. The first middleware written is the outermost: for
/// `Retry` and `BearerToken` to see mapped replies, write this one after them.
public struct MapResponse: Middleware {
    private let map: @Sendable (APIResponse) async throws(TransportError) -> APIResponse

    /// Maps replies.
    ///
    /// - Parameter map: Turns the reply that came into the one to return. A `TransportError` that it throws means that
    ///   there is no reply to return: `TransportError(.malformedResponse("no XML"), response.request)`. It is called
    ///   once for each reply, on no particular actor; if it is written after `Retry`, also for those that `Retry`
    ///   doesn't return.
    public init(_ map: @escaping @Sendable (APIResponse) async throws(TransportError) -> APIResponse) { self.map = map }

    /// Sends the request, and maps the reply.
    public func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        try await map(try await next(request))
    }
}
