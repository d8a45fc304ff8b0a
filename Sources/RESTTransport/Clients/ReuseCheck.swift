#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import NIOCore
    import NIOHTTP1
    import NIOHTTPCompression

    /// A reused HTTP/1.1 connection was closed before the reply, most likely before the server received the request.
    struct StaleConnection: Error {}

    /// Reports ``StaleConnection``, so that requests without side effects are repeated ([RFC 9112
    /// §9.3.1](https://www.rfc-editor.org/rfc/rfc9112#section-9.3.1)).
    final class ReuseCheck: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        private var hasAnswered = false
        /// Whether a request was sent, without any part of its reply.
        private var isWaiting = false

        /// Call it on the connection's event loop.
        @Sendable static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                // Without a decompressor, the connection is closed already, and the client is informed.
                guard let decompressor = try? pipeline.handler(type: NIOHTTPResponseDecompressor.self) else { return }
                try pipeline.addHandler(ReuseCheck(), position: .before(decompressor))
            }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .head = unwrapOutboundIn(data) { isWaiting = true }
            context.write(data, promise: promise)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            isWaiting = false
            if case .end = unwrapInboundIn(data) { hasAnswered = true }
            context.fireChannelRead(data)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.fireErrorCaught(takesStale(error) ? StaleConnection() : error)
        }

        func channelInactive(context: ChannelHandlerContext) {
            if isStale { context.fireErrorCaught(StaleConnection()) }
            isWaiting = false
            context.fireChannelInactive()
        }

        private var isStale: Bool { isWaiting && hasAnswered }

        /// Whether an error means that a reused connection has ended. If so, resets the state.
        private func takesStale(_ error: any Error) -> Bool {
            guard isStale, error is IOError || error is ChannelError || error as? HTTPParserError == .invalidEOFState
            else { return false }
            isWaiting = false
            return true
        }
    }
#endif
