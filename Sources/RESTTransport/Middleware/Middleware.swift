/// What wraps the sending of a request: it may change the request, the reply, send several times, or not at all.
///
/// ```swift
/// struct Localized: Middleware {
///     func intercept(
///         _ request: APIRequest, next: @Sendable (APIRequest) async throws(TransportError) -> APIResponse
///     ) async throws(TransportError) -> APIResponse {
///         var request = request
///         request.headerFields[.acceptLanguage] = "de"
///         return try await next(request)
///     }
/// }
/// ```
public protocol Middleware: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request as the middleware further out left it.
    ///   - next: Sends a request on, inwards and at last to the transport. May be called any number of times.
    /// - Returns: The reply to hand outwards.
    /// - Throws: ``TransportError`` when there is no reply to hand outwards.
    func intercept(
        _ request: APIRequest,
        next: @Sendable (APIRequest) async throws(TransportError) -> APIResponse
    ) async throws(TransportError) -> APIResponse
}
