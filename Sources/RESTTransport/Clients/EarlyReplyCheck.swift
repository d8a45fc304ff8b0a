#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import NIOCore
    import NIOHTTP1
    import NIOHTTPCompression

    /// Ends an HTTP/1.1 request with its reply, even if the server hasn't read the whole body. For example, a server
    /// may reply 413 and stop reading ([RFC 9112 §9.5](https://www.rfc-editor.org/rfc/rfc9112#section-9.5)).
    ///
    /// AsyncHTTPClient would wait until the rest is sent, and so lose the reply with the connection. It would also send
    /// its next request after the rest, where it could wait forever. So the connection is closed at the end of the
    /// reply. ``StreamCheck`` is for HTTP/2.
    final class EarlyReplyCheck: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        /// Whether a request has started and is still being sent.
        private var isSending = false
        /// The promise that the client awaits until the request is sent.
        private var sent: EventLoopPromise<Void>?

        /// Adds a check to a new connection. Call it on the connection's event loop.
        @Sendable static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                // If the decompressor is missing, the connection is already closed, and the client is informed.
                guard let decompressor = try? pipeline.handler(type: NIOHTTPResponseDecompressor.self) else { return }
                try pipeline.addHandler(EarlyReplyCheck(), position: .before(decompressor))
            }
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            isSending = true
            guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
            sent = promise
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { self.end($0) }
            context.write(data, promise: written)
        }

        /// Reports the end of the request to the client.
        private func end(_ result: Result<Void, any Error>) {
            isSending = false
            let promise = sent
            sent = nil
            promise?.completeWith(result)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(var head) where isSending && head.status.code >= 200:
                head.headers.replaceOrAdd(name: "connection", value: "close")
                context.fireChannelRead(wrapInboundOut(.head(head)))
            case .end:
                if sent != nil { end(.success(())) }
                context.fireChannelRead(data)
            default:
                context.fireChannelRead(data)
            }
        }
    }
#endif
