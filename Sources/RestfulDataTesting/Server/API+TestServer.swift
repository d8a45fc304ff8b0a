public import RestfulData

extension API {
    /// Creates the API of a test server in the process, with its base URL and conventions.
    ///
    /// If you gave the server a clock, all times follow it; see
    /// ``init(_:conventions:policy:limits:clock:transport:middleware:)``.
    ///
    /// - Parameters:
    ///   - limits: The limits on requests; nil for the conventions'.
    ///   - middleware: The middleware, from the outermost on.
    public init(
        _ server: TestServer, policy: FetchPolicy = .revalidate, limits: RequestLimits? = nil,
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) {
        self.init(
            server.baseURL, conventions: server.conventions, policy: policy, limits: limits, transport: server,
            time: server.hasOwnClock ? server.clock.timeSource : .system, middleware: middleware)
    }

    /// Creates an API whose times follow a clock that a test moves: freshness, waits for ``RequestLimits`` or
    /// `Retry-After`, reconnections of streams, and the waits of the outbox of a store whose first API this is.
    /// Timeouts follow the machine's clock.
    ///
    /// Random waits are half of their maximum. Middleware has its own clock, as ``Retry`` has.
    ///
    /// - Parameters:
    ///   - limits: The limits on requests; nil for the conventions'.
    ///   - middleware: The middleware, from the outermost on.
    public init(
        _ baseURL: String, conventions: APIConventions = .default, policy: FetchPolicy = .revalidate,
        limits: RequestLimits? = nil, clock: TestClock, transport: any Transport,
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) {
        self.init(
            baseURL, conventions: conventions, policy: policy, limits: limits, transport: transport,
            time: clock.timeSource, middleware: middleware)
    }
}
