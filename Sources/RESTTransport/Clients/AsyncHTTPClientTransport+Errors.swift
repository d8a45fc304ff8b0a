#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1
    import NIOHTTPCompression
    import NIOPosix
    import NIOSSL

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Android)
        import Android
    #endif

    extension TransportError {
        /// The one error type made of whatever the client throws.
        ///
        /// Texts are taken only from errors that are known to hold no part of the request.
        init(_ error: any Error, of request: APIRequest, responseLimit: Int) {
            self.init(Self.reason(of: error, responseLimit: responseLimit), request)
        }

        private static func reason(of error: any Error, responseLimit: Int) -> Reason {
            switch error {
            case let error as TransportError: error.reason
            case is CancellationError: .cancelled
            case BodyError.tooLarge, NIOHTTPDecompression.DecompressionError.limit: .tooLarge(limit: responseLimit)
            case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
                .malformedResponse("its body can't be decompressed")
            case let error as HTTPClientError: reason(of: error)
            case let error as NIOConnectionError: reason(of: error)
            case let error as IOError: reason(of: error)
            case let error as HTTPParserError: reason(of: error)
            case ChannelError.connectTimeout: .connectionFailed("nobody answered in time")
            case is ChannelError: .connectionLost
            case NIOSSLError.uncleanShutdown: .connectionLost
            case NIOSSLError.handshakeFailed(BoringSSLError.sslError(let stack)):
                .tls("the handshake failed: \(stack.map(\.description).joined(separator: ", "))")
            case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: .tls("\(error)")
            // HTTP/2 has dozens of error types; all of them mean that the stream or its connection ended early.
            case let error where String(reflecting: type(of: error)).hasPrefix("NIOHTTP2."): .connectionLost
            default: .other("the client failed with \(type(of: error))")
            }
        }

        private static func reason(of error: HTTPClientError) -> Reason {
            switch error {
            case .cancelled: .cancelled
            case .connectTimeout, .getConnectionFromPoolTimeout: .connectionFailed("nobody answered in time")
            case .tlsHandshakeTimeout: .tls("the handshake did not end in time")
            case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled: .connectionLost
            case .invalidURL, .emptyHost, .emptyScheme: .invalidURL(error.shortDescription)
            // The short description, since the long one quotes header fields.
            default: .other("the client failed: \(error.shortDescription)")
            }
        }

        private static func reason(of error: NIOConnectionError) -> Reason {
            let reasons = error.connectionErrors.map { reason(of: $0.error, responseLimit: 0) }
            if reasons.contains(.connectionRefused) { return .connectionRefused }
            if let first = reasons.first { return first }
            return .connectionFailed("there is no host \(error.host)")
        }

        private static func reason(of error: IOError) -> Reason {
            switch error.errnoCode {
            case ECONNREFUSED: .connectionRefused
            case ECONNRESET, EPIPE, ENOTCONN, ECONNABORTED: .connectionLost
            case ETIMEDOUT: .connectionFailed("nobody answered in time")
            case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN: .connectionFailed("there is no route to the host")
            default: .connectionFailed("system error \(error.errnoCode)")
            }
        }

        private static func reason(of error: HTTPParserError) -> Reason {
            error == .invalidEOFState ? .connectionLost : .malformedResponse("\(error)")
        }
    }
#endif
