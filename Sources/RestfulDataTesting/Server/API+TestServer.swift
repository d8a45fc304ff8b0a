public import RestfulData

extension API {
    /// Creates the API of a test server, without a network: its base URL and conventions.
    ///
    /// ```swift
    /// let store = try Store(.temporary, models: models, api: API(server))
    /// ```
    ///
    /// Requests pass the same middleware as to a real server. If you gave the server a clock, the freshness of stored
    /// answers follows it.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - policy: Whether a fetch asks the server, unless the call sets its own policy.
    ///   - middleware: The middleware around the server. The first one is the outermost.
    public init(
        _ server: TestServer, policy: FetchPolicy = .revalidate,
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) {
        self.init(
            server.baseURL, conventions: server.conventions, policy: policy, transport: server, middleware: middleware)
        if server.hasOwnClock { now = { server.clock.seconds } }
    }
}
