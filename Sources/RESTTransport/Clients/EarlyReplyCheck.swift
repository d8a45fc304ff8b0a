#if canImport(AsyncHTTPClient) && !canImport(Darwin)
    import NIOCore
    import NIOHTTP1
    import NIOHTTPCompression

    /// Ends a request of HTTP/1.1 with its reply, though the server has not taken all of its body: as one does that
    /// says 413 and reads no more ([RFC 9112 §9.5](https://www.rfc-editor.org/rfc/rfc9112#section-9.5)).
    ///
    /// AsyncHTTPClient would wait for the rest to be sent, so that the reply would be lost with the connection; and it
    /// would send its next request behind that rest, where it may wait for good. So the connection is closed at the
    /// reply's end. ``StreamCheck`` is for HTTP/2.
    final class EarlyReplyCheck: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        /// Whether a request has begun that isn't all sent.
        private var isSending = false
        /// What the client waits for until the request is all sent.
        private var sent: EventLoopPromise<Void>?

        /// Puts one into a connection that the client has just made, on whose loop this is called.
        @Sendable static func add(to channel: any Channel) -> EventLoopFuture<Void> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                // Without it the connection is closed by now, and the client is told so.
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

        /// The request has ended, as far as the client needs to know.
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
