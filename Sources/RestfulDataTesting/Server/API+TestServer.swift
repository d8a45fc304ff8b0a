public import RestfulData

extension API {
    /// The API of a test server, without a network: its base URL and conventions.
    ///
    /// ```swift
    /// let store = try Store(.temporary, models: models, api: API(server))
    /// ```
    ///
    /// Middleware is passed as on the way to a real server. If the server was given a clock, the freshness of what the
    /// store has is told by that.
    ///
    /// - Parameters:
    ///   - server: what answers.
    ///   - policy: whether a fetch asks the server, where the call doesn't say it.
    ///   - middleware: what wraps it; the first one written is the outermost.
    public init(
        _ server: TestServer, policy: FetchPolicy = .revalidate,
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) {
        self.init(
            server.baseURL, conventions: server.conventions, policy: policy, transport: server, middleware: middleware)
        if server.hasOwnClock { now = { server.clock.seconds } }
    }
}
