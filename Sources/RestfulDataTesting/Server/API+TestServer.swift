public import RestfulData

extension API {
    /// Creates the API of a test server in the process, with its base URL and conventions.
    ///
    /// ```swift
    /// let store = try Store(.temporary, models: models, api: API(server))
    /// ```
    ///
    /// Requests pass the same middleware as to a real server. If you gave the server a clock, all times follow it; see
    /// ``init(_:conventions:policy:limits:clock:transport:middleware:)``.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - policy: Whether a fetch asks the server, unless the call sets its own policy.
    ///   - limits: How fast requests may follow each other; nil for the conventions' limits.
    ///   - middleware: The middleware around the server. The first one is the outermost.
    public init(
        _ server: TestServer, policy: FetchPolicy = .revalidate, limits: RequestLimits? = nil,
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) {
        self.init(
            server.baseURL, conventions: server.conventions, policy: policy, limits: limits, transport: server,
            time: server.hasOwnClock ? server.clock.timeSource : .system, middleware: middleware)
    }

    /// Creates an API whose times follow a clock that a test moves: the freshness of stored answers, waits between
    /// requests because of ``RequestLimits`` or `Retry-After`, reconnections of streams, and the waits of a store's
    /// outbox if this is the store's first API. Time limits of requests follow the machine's clock.
    ///
    /// ```swift
    /// let clock = TestClock()
    /// let api = API("https://api.example.com", clock: clock, transport: stub)
    /// let store = try Store(.temporary, models: models, api: api)
    /// ```
    ///
    /// Random waits are half of their maximum. Middleware has its own clock, as ``Retry`` has.
    ///
    /// - Parameters:
    ///   - baseURL: An absolute `http` or `https` URL.
    ///   - conventions: The conventions of the service.
    ///   - policy: Whether a fetch asks the server, unless the call sets its own policy.
    ///   - limits: How fast requests may follow each other; nil for the conventions' limits.
    ///   - clock: The clock.
    ///   - transport: Sends or answers the requests, such as a ``StubTransport``.
    ///   - middleware: The middleware around the transport. The first one is the outermost.
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
