/// What wraps the sending of a request: it may change the request or the reply, send several times, or not at all.
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
    /// Passes a request on, off the caller's actor. A module whose functions run where their caller does (the feature
    /// `NonisolatedNonsendingByDefault`) can't spell the type without `@concurrent`; the name is right in all.
    typealias Next = @concurrent @Sendable (APIRequest) async throws(TransportError) -> APIResponse

    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request as the outer middleware left it.
    ///   - next: Passes a request on, inwards and finally to the transport. May be called any number of times.
    /// - Returns: The reply for the outer middleware.
    /// - Throws: ``TransportError`` if there is no reply.
    func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse
}

/// Middleware that only changes requests: a chain passes it without a call of its own for the reply.
package protocol RequestEditing: Middleware {
    /// The request as it goes on.
    func edited(_ request: APIRequest) -> APIRequest
}

/// Middleware that lets most requests pass as they are: a chain leaves it out for them.
package protocol OccasionalMiddleware: Middleware {
    /// Whether there is something to do.
    func acts(on request: APIRequest) -> Bool
}

/// Builds a list of middleware from statements; the first one written is the outermost.
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
    /// One middleware of a type not known here, as a list.
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
