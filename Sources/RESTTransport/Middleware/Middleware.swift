/// Wraps the sending of a request: changes the request or reply, repeats the request, or answers it itself.
///
/// ```swift
/// struct Localized: Middleware {
///     func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
///         var request = request
///         request.headerFields[.acceptLanguage] = "de"
///         return try await next(request)
///     }
/// }
/// ```
public protocol Middleware: Sendable {
    /// Passes a request on, outside of the caller's actor.
    ///
    /// In a module with the feature `NonisolatedNonsendingByDefault`, the spelled-out type needs `@concurrent`. This
    /// name is correct in all modules.
    typealias Next = @concurrent @Sendable (APIRequest) async throws(TransportError) -> APIResponse

    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request as the outer middleware passed it on.
    ///   - next: Passes a request to the inner middleware, and finally to the transport. You may call it any number of
    ///     times.
    /// - Returns: The reply for the outer middleware.
    /// - Throws: ``TransportError`` if the reply fails to arrive.
    func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse
}

/// Middleware that only changes requests. A chain calls `edited(_:)`, and passes the reply by.
package protocol RequestEditing: Middleware {
    func edited(_ request: APIRequest) -> APIRequest
}

/// Middleware that concerns few requests. A chain skips it for all others.
package protocol OccasionalMiddleware: Middleware {
    func acts(on request: APIRequest) -> Bool
}

/// Builds a list of middleware from statements. The first statement is the outermost middleware.
///
/// ```swift
/// RequestLog(logger)
/// if let token { BearerToken(token) }
/// Retry()
/// ```
@resultBuilder
public enum MiddlewareBuilder {
    /// One middleware, as a list.
    public static func buildExpression(_ middleware: some Middleware) -> [any Middleware] { [middleware] }
    /// One middleware of an unknown type, as a list.
    public static func buildExpression(_ middleware: any Middleware) -> [any Middleware] { [middleware] }
    /// A list made elsewhere.
    public static func buildExpression(_ middleware: [any Middleware]) -> [any Middleware] { middleware }
    /// Statements in their order.
    public static func buildBlock(_ parts: [any Middleware]...) -> [any Middleware] { parts.flatMap(\.self) }
    /// An `if` without `else`.
    public static func buildOptional(_ part: [any Middleware]?) -> [any Middleware] { part ?? [] }
    /// The first branch of an `if` or `switch`.
    public static func buildEither(first part: [any Middleware]) -> [any Middleware] { part }
    /// The other branch of an `if` or `switch`.
    public static func buildEither(second part: [any Middleware]) -> [any Middleware] { part }
    /// A `for` loop.
    public static func buildArray(_ parts: [[any Middleware]]) -> [any Middleware] { parts.flatMap(\.self) }
    /// An `if #available`.
    public static func buildLimitedAvailability(_ part: [any Middleware]) -> [any Middleware] { part }
}
