#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import NIOCore
    import NIOHPACK
    import NIOHTTP1
    import NIOHTTP2

    /// Protects an HTTP/2 stream from replies at which AsyncHTTPClient and SwiftNIO trap, and releases streams that
    /// they would keep open.
    ///
    /// - A reply with an invalid status, or one that HTTP/2 forbids, is malformed. The libraries trap if the status is
    ///   empty or negative, or if only one of them treats it as informational.
    /// - A reply that ends before its request also ends the request. The libraries would keep the stream open as long
    ///   as the connection, which has few streams, and trap when it is reset, as servers may do ([RFC 9113
    ///   §8.1](https://www.rfc-editor.org/rfc/rfc9113#section-8.1)).
    final class StreamCheck: ChannelDuplexHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundIn = HTTP2Frame.FramePayload

        private var hasRefused = false
        private var hasReplyEnded = false
        private var hasRequestEnded = false

        /// Call it on the stream's event loop.
        @Sendable static func add(to stream: any Channel) -> EventLoopFuture<Void> {
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(StreamCheck(), position: .first)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasRefused else { return }
            let frame = unwrapInboundIn(data)
            if case .headers(let head) = frame, !Self.isInOrder(head) {
                hasRefused = true
                context.fireErrorCaught(HTTPParserError.invalidStatus)
                context.close(promise: nil)
                return
            }
            if frame.isLast { hasReplyEnded = true }
            context.fireChannelRead(data)
            if hasReplyEnded, !hasRequestEnded { context.close(promise: nil) }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard unwrapOutboundIn(data).isLast else { return context.write(data, promise: promise) }
            // The server's window may hold back a part of the body.
            let promise = promise ?? context.eventLoop.makePromise()
            promise.futureResult.assumeIsolated().whenSuccess { self.hasRequestEnded = true }
            context.write(data, promise: promise)
        }

        // After the end of the reply, the client has all of it, and errors are dropped.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if !hasReplyEnded { context.fireErrorCaught(error) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            if !hasReplyEnded { context.fireChannelInactive() }
        }

        private static func isInOrder(_ head: HTTP2Frame.FramePayload.Headers) -> Bool {
            // SwiftNIO rejects a head that lacks a status, and trailers that have one.
            guard let status = head.headers.first(name: ":status") else { return true }
            guard status.utf8.count == 3, let code = Int(status), code >= 100 else { return false }
            // An informational reply precedes the final one.
            return code >= 200 || (code != 101 && !head.endStream)
        }
    }

    extension HTTP2Frame.FramePayload {
        /// Whether this is the last frame in its direction.
        fileprivate var isLast: Bool {
            switch self {
            case .headers(let head): head.endStream
            case .data(let data): data.endStream
            default: false
            }
        }
    }

    /// Closes an HTTP/2 connection after an error that concerns all of it. SwiftNIO only sends a GOAWAY, which
    /// AsyncHTTPClient ignores, so requests would wait until their timeouts.
    final class ConnectionCheck: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame

        /// Call it on the connection's event loop.
        @Sendable static func add(to connection: any Channel) -> EventLoopFuture<Void> {
            connection.eventLoop.makeCompletedFuture {
                try connection.pipeline.syncOperations.addHandler(ConnectionCheck())
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if !Self.concernsOneStream(error) { context.close(promise: nil) }
        }

        /// A malformed reply, or an error in opening or writing one stream. Other streams can continue.
        private static func concernsOneStream(_ error: any Error) -> Bool {
            switch error {
            case is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.ContentLengthHeadersMismatch,
                is NIOHTTP2Errors.ContentLengthHeaderNegative, is NIOHTTP2Errors.ContentLengthHeaderMalformedValue,
                is NIOHTTP2Errors.MissingPseudoHeader, is NIOHTTP2Errors.DuplicatePseudoHeader,
                is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
                is NIOHTTP2Errors.UnsupportedPseudoHeader, is NIOHTTP2Errors.InvalidPseudoHeaders,
                is NIOHTTP2Errors.InvalidPseudoHeaderValue, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName,
                is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue, is NIOHTTP2Errors.ForbiddenHeaderField,
                is NIOHTTP2Errors.TrailersWithoutEndStream, is NIOHTTP2Errors.BadStreamStateTransition,
                is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.StreamClosed, is NIOHTTP2Errors.NoSuchStream,
                is NIOHTTP2Errors.CreatedStreamAfterGoaway, is NIOHTTP2Errors.NoStreamIDAvailable,
                is NIOHTTP2Errors.MaxStreamsViolation:
                true
            default: false
            }
        }
    }
#endif
