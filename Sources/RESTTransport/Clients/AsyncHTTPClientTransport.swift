#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    public import AsyncHTTPClient
    import HTTPTypes
    import NIOCore
    import NIOHTTP1
    import NIOHTTP2
    import NIOHTTPCompression
    import NIOPosix
    import NIOSSL

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #endif

    /// Sends requests with AsyncHTTPClient, over pooled connections, by HTTP/2 if possible.
    ///
    /// It keeps no cookies and no cache, and uses a proxy only if you set one (``ConnectionOptions``). Bodies in gzip
    /// are requested and decompressed. Redirects are followed as ``FollowRedirects`` describes. Copies share the
    /// connections, which close with the last copy.
    public struct AsyncHTTPClientTransport: Transport {
        /// A shared transport for the whole process.
        public static let standard = AsyncHTTPClientTransport()

        private let pool: ConnectionPool
        private let responseLimit: Int
        private let redirects: FollowRedirects

        /// Creates a transport with its own connections.
        ///
        /// - Parameters:
        ///   - responseLimit: The most bytes of a decompressed body, 64 MiB by default. A larger one ends in
        ///     ``TransportError/Reason/tooLarge(limit:)``.
        ///   - connectTimeout: The most time for connecting, besides the request's timeout.
        public init(
            responseLimit: Int = 64 << 20, connectTimeout: Duration = .seconds(10),
            redirects: FollowRedirects = FollowRedirects()
        ) {
            var options = ConnectionOptions()
            options.timeout = connectTimeout
            self.responseLimit = max(responseLimit, 0)
            self.redirects = redirects
            pool = ConnectionPool(options, tls: nil)
        }

        /// Creates a transport with its own connections, through a proxy, or with your own certificates.
        ///
        /// - Parameter responseLimit: The most bytes of a decompressed body in memory.
        /// - Throws: ``ConnectionOptionsError`` for an invalid certificate or key.
        public init(
            connecting options: ConnectionOptions, responseLimit: Int = 64 << 20,
            redirects: FollowRedirects = FollowRedirects()
        ) throws(ConnectionOptionsError) {
            self.responseLimit = max(responseLimit, 0)
            self.redirects = redirects
            pool = ConnectionPool(options, tls: try TLSConfiguration(options.tls))
        }

        /// Creates a transport with your own client, its connections, proxy and TLS settings.
        ///
        /// The client must leave redirects to this transport, and decompress replies. You shut it down yourself.
        ///
        /// - Parameter responseLimit: The most bytes of a decompressed body in memory.
        public init(
            client: HTTPClient, responseLimit: Int = 64 << 20, redirects: FollowRedirects = FollowRedirects()
        ) {
            self.responseLimit = max(responseLimit, 0)
            self.redirects = redirects
            pool = ConnectionPool(client)
        }

        /// Sends a request, follows redirects, and returns the reply, with its body as the request asks. Runs off the
        /// caller's actor.
        @concurrent
        public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            let request = request.measured
            let start = Alarms.time(after: .zero)
            return try await withDeadline(of: request, from: start) { () async throws(TransportError) -> APIResponse in
                try await redirects.intercept(request) { request async throws(TransportError) -> APIResponse in
                    try await exchange(request, since: start)
                }
            }
        }

        /// Sends one request. A redirect is returned as its reply.
        ///
        /// - Parameter start: The uptime in nanoseconds when the request was received.
        private func exchange(_ request: APIRequest, since start: UInt64) async throws(TransportError) -> APIResponse {
            try request.checkURL()
            let upload = Upload()
            do {
                // The client's own deadline would end with the head of the reply.
                let reply = try await executed(request, uploading: upload)
                let answered = Alarms.time(after: .zero)
                var response = APIResponse(HTTPResponse(reply), to: request)
                let length: Int?
                if request.takesPieces(of: HTTPResponse(reply, isRaw: true)) {
                    _ = try request.transfer?.begin(HTTPResponse(reply, isRaw: true), to: request)
                    response.pieces = BodyPieces(
                        ReplyPieces(
                            body: reply.body, request: request, connection: KeptConnection(pool: pool, upload: upload)),
                        to: request)
                    length = nil
                } else if let transfer = request.transfer,
                    try transfer.begin(HTTPResponse(reply, isRaw: true), to: request)
                {
                    let held = transfer.stored
                    try await write(reply.body, to: transfer)
                    response.file = transfer.file
                    length = transfer.stored - held
                } else {
                    response.body = try await body(of: reply, to: request)
                    length = response.body.count
                }
                if response.pieces == nil { upload.end() }
                response.phases = RequestPhases(of: reply, to: request, receiving: length)
                response.phases.waiting = Alarms.duration(from: start, to: answered)
                if length != nil {
                    response.phases.receiving = Alarms.duration(from: answered, to: Alarms.time(after: .zero))
                }
                return response
            } catch {
                upload.end()
                throw TransportError(error, of: request, responseLimit: responseLimit)
            }
        }

        /// If a kept connection has ended before a reply, repeats a request without side effects, at most once for each
        /// possible kept connection.
        private func executed(
            _ request: APIRequest, uploading upload: Upload
        ) async throws -> HTTPClientResponse {
            let client = try pool.client(for: request.url)
            for _ in 0..<ConnectionPool.mostConnections where request.isSafe && request.body == nil {
                do {
                    return try await client.execute(HTTPClientRequest(request, upload), deadline: .distantFuture)
                } catch is StaleConnection {}
            }
            return try await client.execute(HTTPClientRequest(request, upload), deadline: .distantFuture)
        }

        private func write(_ body: HTTPClientResponse.Body, to transfer: Transfer) async throws {
            for try await part in body {
                // Safe: the bytes stay in place while the closure runs.
                try unsafe part.withUnsafeReadableBytes { try unsafe transfer.write($0) }
            }
            // A cancelled stream may end as if it were complete.
            try Task.checkCancellation()
            try transfer.end()
        }

        private func body(of reply: HTTPClientResponse, to request: APIRequest) async throws -> [UInt8] {
            let promised = reply.headers.first(name: "content-length").flatMap { Int($0) }
            let isBodiless = request.method == .head || [204, 304].contains(reply.status.code) || promised == 0
            if let promised, promised > responseLimit, !isBodiless { throw BodyError.tooLarge }
            var body: [UInt8] = []
            do {
                if let promised, !isBodiless { body.reserveCapacity(promised) }
                for try await part in reply.body {
                    guard part.readableBytes <= responseLimit - body.count else { throw BodyError.tooLarge }
                    body.append(contentsOf: part.readableBytesView)
                    request.transfer?.noteReceived(part.readableBytes)
                }
                // A cancelled stream may end as if it were complete.
                try Task.checkCancellation()
            } catch  where isBodiless && body.isEmpty && !Task.isCancelled {
                // The decompressor reports an absent body as truncated if the head announces a compressed one.
            }
            return body
        }
    }

    /// The mirror omits the connections, which lead to all requests of the process and may have secrets.
    extension AsyncHTTPClientTransport: CustomReflectable {
        /// The description alone.
        public var customMirror: Mirror {
            Mirror(self, children: ["responseLimit": responseLimit, "redirects": redirects])
        }
    }

    /// Releasing the iterator closes its connection.
    private struct ReplyPieces: AsyncSequence, Sendable {
        typealias Element = [UInt8]
        typealias Failure = any Error

        let body: HTTPClientResponse.Body
        let request: APIRequest
        let connection: KeptConnection

        struct AsyncIterator: AsyncIteratorProtocol {
            var body: HTTPClientResponse.Body.AsyncIterator
            let request: APIRequest
            let connection: KeptConnection

            mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
                do { return try await body.next(isolation: actor).map { [UInt8](buffer: $0) } } catch {
                    throw TransportError(error, of: request, responseLimit: 0)
                }
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(body: body.makeAsyncIterator(), request: request, connection: connection)
        }
    }

    /// Keeps the connections while pieces are read, and then ends the request's body.
    private final class KeptConnection: Sendable {
        private let pool: ConnectionPool
        private let upload: Upload

        init(pool: ConnectionPool, upload: Upload) { (self.pool, self.upload) = (pool, upload) }

        deinit { upload.end() }
    }

    private enum BodyError: Error {
        case tooLarge
    }

    extension HTTPClientRequest {
        /// - Parameter upload: Reads the body if it is a stream.
        /// - Throws: ``BodyFailure``.
        fileprivate init(_ request: APIRequest, _ upload: Upload) throws {
            self.init(url: request.url.absoluteString)
            method = HTTPMethod(rawValue: request.method.rawValue)
            for field in request.headerFields {
                headers.add(name: field.name.rawName, value: field.value)
            }
            // Not deflate, as servers disagree on whether it has a zlib header.
            if !headers.contains(name: "accept-encoding") { headers.add(name: "accept-encoding", value: "gzip") }
            if !headers.contains(name: "user-agent") { headers.add(name: "user-agent", value: UserAgent.standard) }
            guard let sent = request.body else { return }
            let observed = request.transfer.flatMap { $0.hasObserver || request.isTransfer ? $0 : nil }
            if observed == nil, let bytes = sent.bytes {
                body = .bytes(ByteBuffer(bytes: bytes))
            } else {
                let chunks = try sent.chunks()
                body = .stream(
                    Buffers(chunks: chunks, upload: upload, transfer: observed),
                    length: chunks.length.map { .known(Int64($0)) } ?? .unknown)
            }
        }
    }

    /// A body in the client's form, with progress.
    private struct Buffers: AsyncSequence, Sendable {
        typealias Element = ByteBuffer

        let chunks: BodyChunks
        let upload: Upload
        let transfer: Transfer?

        struct AsyncIterator: AsyncIteratorProtocol {
            let chunks: ChunkReader
            let length: Int?
            let transfer: Transfer?
            var count = 0

            mutating func next() async throws -> ByteBuffer? {
                // A request for the next piece means that the last one was sent.
                if count > 0 { transfer?.noteSent(count, of: length) }
                guard let chunk = try await chunks.next() else { return nil }
                count += chunk.count
                return ByteBuffer(bytes: chunk)
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(chunks: ChunkReader(chunks, upload), length: chunks.length, transfer: transfer)
        }
    }

    extension RequestPhases {
        /// - Parameter length: The length of the decompressed body; nil if it follows later.
        fileprivate init(of reply: HTTPClientResponse, to request: APIRequest, receiving length: Int?) {
            self.init()
            let isEncoded = reply.headers.contains(name: "content-encoding")
            bytesSent = request.body.map(\.length) ?? 0
            let announced = reply.headers.first(name: "content-length").flatMap { Int($0) }
            bytesReceived = length.flatMap { isEncoded && $0 > 0 ? announced : $0 }
            httpVersion = reply.version.major > 1 ? "HTTP/\(reply.version.major)" : "\(reply.version)"
        }
    }

    extension HTTPResponse {
        /// The head without the fields of the compressed body, unless it is raw.
        fileprivate init(_ reply: HTTPClientResponse, isRaw: Bool = false) {
            let code = (0...999).contains(Int(reply.status.code)) ? Int(reply.status.code) : 999
            var fields = HTTPFields()
            for (name, value) in reply.headers {
                guard let name = HTTPField.Name(name) else { continue }
                fields.append(HTTPField(name: name, value: value))
            }
            if !isRaw, let encoding = fields[.contentEncoding]?.lowercased(),
                encoding == "gzip" || encoding == "deflate"
            {
                fields[.contentEncoding] = nil
                fields[.contentLength] = nil
            }
            self.init(status: Status(code: code, reasonPhrase: reply.status.reasonPhrase), headerFields: fields)
        }
    }

    extension TransportError {
        /// Only texts that are known to be free of the request's contents are used.
        fileprivate init(_ error: any Error, of request: APIRequest, responseLimit: Int) {
            self.init(Self.reason(of: error, responseLimit: responseLimit), request)
        }

        private static func reason(of error: any Error, responseLimit: Int) -> Reason {
            switch error {
            case let error as TransportError: error.reason
            case let error as BodyFailure: .unreadableBody(error.reason)
            case let error as TransferFailure: error.reason
            case is CancellationError: .cancelled
            case BodyError.tooLarge: .tooLarge(limit: responseLimit)
            case is StaleConnection: .connectionLost
            case let error as UnusableProxy: .connectionFailed(error.text)
            case is UnknownKey: .tls("the server has another key than those that are pinned")
            case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
                .malformedResponse("its body can't be decompressed")
            case let error as HTTPClientError: reason(of: error)
            case let error as NIOConnectionError: reason(of: error)
            case let error as IOError: reason(of: error, isConnected: true)
            case let error as HTTPParserError: reason(of: error)
            case ChannelError.connectTimeout: .connectionFailed("nobody answered in time")
            case is ChannelError: .connectionLost
            case NIOSSLError.uncleanShutdown: .connectionLost
            case NIOSSLError.handshakeFailed(BoringSSLError.sslError(let stack)):
                .tls(
                    "the handshake failed: \(stack.map { withoutSourceFiles($0.description) }.joined(separator: ", "))")
            case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .tls(withoutSourceFiles("\(error)"))
            // The reply contradicts itself, or the request is invalid for the server.
            case let error as NIOHTTP2Errors.StreamClosed where error.errorCode == .protocolError:
                .malformedResponse("the stream was reset, as it broke the protocol")
            // All other errors of HTTP/2, which are dozens of types, mean that the stream or its connection ended
            // early.
            case let error where String(reflecting: type(of: error)).hasPrefix("NIOHTTP2."): .connectionLost
            default: .other("the client failed with \(type(of: error))")
            }
        }

        private static func reason(of error: HTTPClientError) -> Reason {
            switch error {
            // Also reported if a request reaches an HTTP/2 connection while the server closes it.
            case .cancelled: Task.isCancelled ? .cancelled : .connectionLost
            case .connectTimeout, .getConnectionFromPoolTimeout: .connectionFailed("nobody answered in time")
            case .tlsHandshakeTimeout: .tls("the handshake did not end in time")
            case .proxyAuthenticationRequired:
                .connectionFailed("the proxy wants a user name and a password, or others than those that it got")
            case .invalidProxyResponse: .connectionFailed("the proxy refused to lead to the server")
            case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled: .connectionLost
            case .invalidURL, .emptyHost, .emptyScheme: .invalidURL(error.shortDescription)
            // The long description quotes header fields.
            default: .other("the client failed: \(error.shortDescription)")
            }
        }

        private static func reason(of error: NIOConnectionError) -> Reason {
            let reasons = error.connectionErrors.map { failure in
                (failure.error as? IOError).map { reason(of: $0, isConnected: false) }
                    ?? reason(of: failure.error, responseLimit: 0)
            }
            if reasons.contains(.connectionRefused) { return .connectionRefused }
            if let first = reasons.first { return first }
            return .connectionFailed("there is no host \(error.host)")
        }

        private static let unreachable = [ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN]

        /// - Parameter isConnected: Whether the request may have been sent.
        private static func reason(of error: IOError, isConnected: Bool) -> Reason {
            switch error.errnoCode {
            case ECONNREFUSED: .connectionRefused
            case ECONNRESET, EPIPE, ENOTCONN, ECONNABORTED: .connectionLost
            case let code where isConnected && Self.unreachable.contains(code): .connectionLost
            case ETIMEDOUT: .connectionFailed("nobody answered in time")
            case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN: .connectionFailed("there is no route to the host")
            case EMFILE, ENFILE: .connectionFailed("the process has as many files and connections open as it may")
            default: .connectionFailed("system error \(error.errnoCode)")
            }
        }

        /// Removes the paths of the machine that compiled BoringSSL: `… CERTIFICATE_VERIFY_FAILED at
        /// /build/…/handshake.cc:297`.
        static func withoutSourceFiles(_ text: String) -> String {
            text.replacing(#/ at [^",]*?\.(?:cc|c|h|S|swift):[0-9]+/#, with: "")
        }

        private static func reason(of error: HTTPParserError) -> Reason {
            error == .invalidEOFState ? .connectionLost : .malformedResponse("\(error)")
        }
    }
#endif
