#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import NIOCore
    import NIOHTTP1
    import NIOHTTPCompression

    /// Refuses a reply of HTTP/1.1 whose status is below 100, which HTTP doesn't have: AsyncHTTPClient takes it for the
    /// notice of another reply, and traps at its body. ``StreamCheck`` is for HTTP/2.
    final class StatusCheck: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private var hasRefused = false

        /// Puts one into a connection that the client has just made, on whose loop this is called.
        @Sendable static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                // Without it the connection is closed by now, and the client is told so.
                guard let decompressor = try? pipeline.handler(type: NIOHTTPResponseDecompressor.self) else { return }
                try pipeline.addHandler(StatusCheck(), position: .before(decompressor))
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head(let head) = unwrapInboundIn(data), head.status.code < 100, !hasRefused {
                hasRefused = true
                context.fireErrorCaught(HTTPParserError.invalidStatus)
                context.close(promise: nil)
            }
            if !hasRefused { context.fireChannelRead(data) }
        }
    }
#endif
