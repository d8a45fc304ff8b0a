#if !canImport(AsyncHTTPClient) || canImport(Darwin)
    import HTTPTypes

    #if canImport(FoundationNetworking)
        import Foundation
        public import FoundationNetworking
    #else
        public import Foundation
    #endif

    /// Sends requests with URLSession, the client of Apple platforms, with the system's proxies and trust.
    ///
    /// It keeps no cookies, no credentials and no cache. Bodies in gzip are requested and decompressed. Redirects are
    /// followed as ``FollowRedirects`` describes. Copies share the connections, which close with the last copy.
    public struct URLSessionTransport: Transport {
        /// A shared transport for the whole process.
        public static let standard = URLSessionTransport()

        private let session: SessionOwner
        private let redirects: FollowRedirects

        /// Creates a transport with its own connections.
        ///
        /// - Parameter responseLimit: The most bytes of a decompressed body, 64 MiB by default. A larger one ends in
        ///   ``TransportError/Reason/tooLarge(limit:)``.
        public init(responseLimit: Int = 64 << 20, redirects: FollowRedirects = FollowRedirects()) {
            session = SessionOwner(.withoutTraces, responseLimit: max(responseLimit, 0), challenge: nil)
            self.redirects = redirects
        }

        /// Answers an authentication challenge of TLS or a proxy.
        public typealias ChallengeHandler =
            @Sendable (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

        /// Creates a transport with your own session configuration: proxies, cookies, TLS versions and network access.
        ///
        /// ```swift
        /// let transport = URLSessionTransport(configuration: .default) { challenge in
        ///     isPinned(challenge) ? (.performDefaultHandling, nil) : (.cancelAuthenticationChallenge, nil)
        /// }
        /// ```
        ///
        /// `.cancelAuthenticationChallenge` ends the request with ``TransportError/Reason/tls(_:)``; with
        /// ``TransportError/Reason/credentialUnavailable(_:)`` if a password was asked for.
        ///
        /// The session's timeouts end a request, too. Background configurations aren't supported.
        ///
        /// - Parameters:
        ///   - responseLimit: The most bytes of a decompressed body in memory.
        ///   - challenge: Answers challenges, for pinned keys and client certificates; nil leaves them to the system.
        public init(
            configuration: URLSessionConfiguration, responseLimit: Int = 64 << 20,
            redirects: FollowRedirects = FollowRedirects(), challenge: ChallengeHandler? = nil
        ) {
            session = SessionOwner(configuration, responseLimit: max(responseLimit, 0), challenge: challenge)
            self.redirects = redirects
        }

        /// Sends a request, follows redirects, and returns the reply, with its body as the request asks. Runs off the
        /// caller's actor.
        @concurrent
        public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            let request = request.measured
            return try await withDeadline(of: request) { () async throws(TransportError) -> APIResponse in
                try await redirects.intercept(request) { request async throws(TransportError) -> APIResponse in
                    try request.checkURL()
                    return try await session.exchange(request)
                }
            }
        }
    }

    /// The mirror omits the connections, which lead to all requests of the process and may have secrets.
    extension URLSessionTransport: CustomReflectable {
        /// The description alone.
        public var customMirror: Mirror { Mirror(self, children: ["redirects": redirects]) }
    }

    /// Invalidates the session with the last copy of the transport.
    private final class SessionOwner: Sendable {
        private let session: URLSession
        private let exchanges: URLSessionExchanges
        private let handlesCookies: Bool

        init(
            _ configuration: URLSessionConfiguration, responseLimit: Int,
            challenge: URLSessionTransport.ChallengeHandler?
        ) {
            exchanges = URLSessionExchanges(responseLimit: responseLimit, challenge: challenge)
            handlesCookies = configuration.httpShouldSetCookies
            session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
        }

        deinit {
            // A request in flight keeps this owner alive, so this ends idle connections only.
            session.finishTasksAndInvalidate()
        }

        func exchange(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            let file: BodyFile?
            do {
                file = try await BodyFile(request.body)
            } catch {
                throw TransportError(.unreadableBody((error as? BodyFailure)?.reason ?? "\(error)"), request)
            }
            defer { file?.remove() }
            var urlRequest = URLRequest(request)
            urlRequest.httpShouldHandleCookies = handlesCookies
            let task: URLSessionDataTask =
                if let file { session.uploadTask(with: urlRequest, fromFile: file.url) } else {
                    session.dataTask(with: urlRequest)
                }
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    exchanges.begin(task, for: request, resuming: continuation)
                }
            } onCancel: {
                task.cancel()
            }
            if case .failure(let error) = result, error.reason == .cancelled, !Task.isCancelled {
                // The session gives up all tasks of a refused connection.
                throw TransportError(.connectionLost, request)
            }
            return try result.get()
        }
    }

    extension URLSessionConfiguration {
        fileprivate static var withoutTraces: URLSessionConfiguration {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpShouldSetCookies = false
            configuration.httpCookieStorage = nil
            configuration.urlCredentialStorage = nil
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            // Deadlines are enforced around the session, whose own limits must be longer.
            configuration.timeoutIntervalForRequest = 366 * 86_400
            configuration.timeoutIntervalForResource = 366 * 86_400
            return configuration
        }
    }

    /// The session reads only files, so a form or stream is copied to disk.
    private struct BodyFile {
        let url: URL
        private let isCopy: Bool

        /// - Returns: Nil for a body in memory.
        /// - Throws: An error of reading the body or writing the copy.
        init?(_ body: RequestBody?) async throws {
            guard let body, !body.isInMemory else { return nil }
            if case .file(let file) = body.content {
                _ = try body.chunks()
                (url, isCopy) = (file, false)
                return
            }
            url = FileManager.default.temporaryDirectory.appending(path: "body-\(UUID().uuidString)")
            isCopy = true
            do {
                let copy = try OpenFile(writing: url, keeping: 0)
                for try await chunk in try body.chunks() {
                    // Safe: the array keeps its bytes in place while the closure runs.
                    try unsafe chunk.withUnsafeBytes { try unsafe copy.write($0) }
                }
            } catch {
                remove()
                throw error
            }
        }

        func remove() {
            if isCopy { try? FileManager.default.removeItem(at: url) }
        }
    }

    extension URLRequest {
        fileprivate init(_ request: APIRequest) {
            self.init(url: request.url)
            httpMethod = request.method.rawValue
            for field in request.headerFields {
                addValue(field.value, forHTTPHeaderField: field.name.rawName)
            }
            httpBody = request.body?.bytes.map { Data($0) }
        }
    }

    extension TransportError {
        /// The error without the session's texts, which contain the URL.
        init(_ error: any Error, of request: APIRequest) {
            self.init(Self.reason(of: error), request)
        }

        private static func reason(of error: any Error) -> Reason {
            guard let error = error as? URLError else { return .other("the client failed with \(type(of: error))") }
            return switch error.code {
            case .cancelled: .cancelled
            case .cannotConnectToHost: .connectionRefused
            case .cannotFindHost, .dnsLookupFailed: .connectionFailed("there is no such host")
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
                .connectionFailed("there is no network")
            case .timedOut: .connectionFailed("nobody answered in time")
            case .networkConnectionLost: .connectionLost
            case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData,
                .zeroByteResource:
                .malformedResponse("code \(error.code.rawValue)")
            case .badURL, .unsupportedURL: .invalidURL("code \(error.code.rawValue)")
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
                .tls("code \(error.code.rawValue)")
            default: .other("the client failed with code \(error.code.rawValue)")
            }
        }
    }
#endif
