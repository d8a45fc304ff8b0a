#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTPCompression

    /// Owns one client and its connections, and closes them when nobody uses them any more.
    final class ConnectionPool: Sendable {
        let client: HTTPClient

        init(responseLimit: Int, connectTimeout: Duration) {
            var configuration = HTTPClient.Configuration(
                redirectConfiguration: .disallow,
                timeout: .init(connect: TimeAmount(min(max(connectTimeout, .milliseconds(1)), .seconds(86_400)))),
                decompression: .enabled(limit: .size(responseLimit)))
            // Whether to try again is for middleware to say, which knows how long the caller waits.
            configuration.connectionPool.retryConnectionEstablishment = false
            client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        }

        deinit {
            // A request in flight keeps the pool, so this ends idle connections only. The closure keeps the client
            // until it is shut down, as it must be before it goes.
            client.shutdown { [client] _ in _ = client }
        }
    }
#endif
