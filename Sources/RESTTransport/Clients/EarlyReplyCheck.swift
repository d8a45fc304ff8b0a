#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import NIOCore
    import NIOHTTP1
    import NIOHTTPCompression

    /// Ends an HTTP/1.1 request with its reply, even if the server, as for a 413, stops reading the body ([RFC 9112
    /// §9.5](https://www.rfc-editor.org/rfc/rfc9112#section-9.5)).
    ///
    /// AsyncHTTPClient would first send the rest, and so lose the reply with the connection, or let the next request
    /// wait forever. So the connection is closed with the reply. ``StreamCheck`` is for HTTP/2.
    final class EarlyReplyCheck: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        private var isSending = false
        /// The client awaits this promise until the request is sent.
        private var sent: EventLoopPromise<Void>?

        /// Call it on the connection's event loop.
        @Sendable static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                // Without a decompressor, the connection is closed already, and the client is informed.
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
