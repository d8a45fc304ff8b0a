#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import NIOCore
    import NIOHPACK
    import NIOHTTP1
    import NIOHTTP2

    /// Keeps from a stream of HTTP/2 what AsyncHTTPClient and SwiftNIO trap at, and gives back what they keep.
    ///
    /// - A status that is none, or that has no place in HTTP/2, makes the reply malformed: they trap where it is empty,
    ///   negative, or that of a notice to one of them and of a reply to the other.
    /// - A reply that ends before its request ends the request too: they would send nothing more of it, and leave the
    ///   stream open for as long as the connection, whose streams are few; and they trap when such a stream is reset,
    ///   as servers may do ([RFC 9113 §8.1](https://www.rfc-editor.org/rfc/rfc9113#section-8.1)).
    final class StreamCheck: ChannelDuplexHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundIn = HTTP2Frame.FramePayload

        private var hasRefused = false
        private var hasReplyEnded = false
        private var hasRequestEnded = false

        /// Puts one into a stream that the client has just made, on whose loop this is called.
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
            // The server may take no more of a body than its window has room for: it has ended when all is sent.
            let promise = promise ?? context.eventLoop.makePromise()
            promise.futureResult.assumeIsolated().whenSuccess { self.hasRequestEnded = true }
            context.write(data, promise: promise)
        }

        // Who has the whole reply is told of no end any more.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if !hasReplyEnded { context.fireErrorCaught(error) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            if !hasReplyEnded { context.fireChannelInactive() }
        }

        private static func isInOrder(_ head: HTTP2Frame.FramePayload.Headers) -> Bool {
            // SwiftNIO refuses a head without a status, and trailers with one.
            guard let status = head.headers.first(name: ":status") else { return true }
            guard status.utf8.count == 3, let code = Int(status), code >= 100 else { return false }
            // There is no 101 in HTTP/2, and a notice isn't the end.
            return code >= 200 || (code != 101 && !head.endStream)
        }
    }

    extension HTTP2Frame.FramePayload {
        /// Whether nothing comes after it in its direction.
        fileprivate var isLast: Bool {
            switch self {
            case .headers(let head): head.endStream
            case .data(let data): data.endStream
            default: false
            }
        }
    }

    /// Closes a connection of HTTP/2 that can't go on: SwiftNIO says goodbye to the server, and leaves the rest to
    /// AsyncHTTPClient, which does nothing, so that its requests, and later ones, would wait until their time is up.
    final class ConnectionCheck: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame

        /// Puts one into a connection that the client has just made, on whose loop this is called.
        @Sendable static func add(to connection: any Channel) -> EventLoopFuture<Void> {
            connection.eventLoop.makeCompletedFuture {
                try connection.pipeline.syncOperations.addHandler(ConnectionCheck())
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if !Self.concernsOneStream(error) { context.close(promise: nil) }
        }

        /// Whether the others go on: a stream's reply is malformed, or it can't be opened or written to any more.
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
