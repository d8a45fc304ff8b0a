#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import NIOCore
    import NIOHTTP1
    import NIOHTTPCompression

    /// Rejects HTTP/1.1 replies with a status below 100, which AsyncHTTPClient would take as informational, and trap at
    /// its body. ``StreamCheck`` is for HTTP/2.
    final class StatusCheck: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart

        private var hasRefused = false

        /// Call it on the connection's event loop.
        @Sendable static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                // Without a decompressor, the connection is closed already, and the client is informed.
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
