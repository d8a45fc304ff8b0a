#if !canImport(AsyncHTTPClient) || canImport(Darwin)
    import Foundation
    import HTTPTypes

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Sends requests by URLSession, the client of Apple platforms, with the system's proxies and trust.
    ///
    /// Keeps no cookies, no credentials and no cache. Bodies in gzip are asked for and decompressed. Redirects are
    /// followed as ``FollowRedirects`` says. Copies share the connections; when the last copy goes, they are closed.
    public struct URLSessionTransport: Transport {
        /// One for the whole process, with the standard limits.
        public static let standard = URLSessionTransport()

        private let session: SessionOwner
        private let redirects: FollowRedirects

        /// Makes a client with connections of its own.
        ///
        /// - Parameters:
        ///   - responseLimit: The most bytes that a body may have, counted after decompression; 64 MiB unless told
        ///     otherwise. A larger one ends in ``TransportError/Reason/tooLarge(limit:)`` as soon as it is seen.
        ///   - redirects: Which redirects to follow.
        public init(responseLimit: Int = 64 << 20, redirects: FollowRedirects = FollowRedirects()) {
            self.session = SessionOwner(responseLimit: max(responseLimit, 0))
            self.redirects = redirects
        }

        /// Sends a request, follows redirects, and reads the whole reply. Runs off the caller's actor.
        @concurrent
        public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            try await withDeadline(of: request) { () async throws(TransportError) -> APIResponse in
                try await redirects.intercept(request) { request async throws(TransportError) -> APIResponse in
                    try request.checkURL()
                    return try await session.exchange(request)
                }
            }
        }
    }

    /// Owns one session, and ends it when nobody uses it any more.
    private final class SessionOwner: Sendable {
        private let session: URLSession
        private let exchanges: URLSessionExchanges

        init(responseLimit: Int) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpShouldSetCookies = false
            configuration.httpCookieStorage = nil
            configuration.urlCredentialStorage = nil
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            // The time that a request may take is enforced around the session; its own limits must not come first.
            configuration.timeoutIntervalForRequest = 366 * 86_400
            configuration.timeoutIntervalForResource = 366 * 86_400
            exchanges = URLSessionExchanges(responseLimit: responseLimit)
            session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        }

        deinit {
            // A request in flight keeps this owner, so this ends idle connections only.
            session.finishTasksAndInvalidate()
        }

        func exchange(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            let task = session.dataTask(with: URLRequest(request))
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    exchanges.begin(task, request, continuation)
                }
            } onCancel: {
                task.cancel()
            }
            return try result.get()
        }
    }

    extension URLRequest {
        /// The session's form of a request.
        fileprivate init(_ request: APIRequest) {
            self.init(url: request.url)
            httpMethod = request.method.rawValue
            for field in request.headerFields {
                addValue(field.value, forHTTPHeaderField: field.name.rawName)
            }
            httpBody = request.body.map { Data($0) }
            httpShouldHandleCookies = false
        }
    }
#endif
