/// Changes every reply before anything else looks at it: turns other formats into JSON, or a success that is none into the
/// failure that it is.
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
/// The changed reply takes the place of the server's: its status decides whether it is a success, its body is imported or read
/// for errors by field, its header fields lead to further pages. The first middleware written is the outermost: what `Retry` and
/// `BearerToken` are to see is mapped by one written after them.
public struct MapResponse: Middleware {
    private let map: @Sendable (APIResponse) async throws(TransportError) -> APIResponse

    /// Maps replies.
    ///
    /// - Parameter map: Makes the reply to hand outwards of the one that came. A `TransportError` of its own says that there is
    ///   no reply to hand outwards: `TransportError(.malformedResponse("no XML"), response.request)`. It is called once for each
    ///   reply, those that `Retry` does not hand on included where it is written after that, on no particular actor.
    public init(_ map: @escaping @Sendable (APIResponse) async throws(TransportError) -> APIResponse) { self.map = map }

    /// Sends the request, and maps the reply.
    public func intercept(
        _ request: APIRequest, next: @Sendable (APIRequest) async throws(TransportError) -> APIResponse
    ) async throws(TransportError) -> APIResponse {
        try await map(try await next(request))
    }
}
