#if !canImport(Darwin)
    import NIOCore
    import NIOHPACK
    import NIOHTTP2
    import NIOPosix
    import NIOSSL
    import Synchronization

    /// A server with HTTP/2 over TLS that sends a test's exact frames on each stream.
    final class HTTP2Server: Sendable {
        enum Step: Sendable {
            /// A head; trailers if the status is missing.
            case head(_ status: String?, [(String, String)] = [], ends: Bool = false)
            case data(String, ends: Bool = false)
            case reset(HTTP2ErrorCode)
            /// Announces that streams opened later than this one, or this one too, are not answered.
            case goAway(answersThis: Bool)
            /// A raw frame, past the protocol's state machine.
            case frame(type: UInt8, flags: UInt8 = 0, isOfConnection: Bool = false, [UInt8] = [])
            /// Continues only when so many streams of the connection wait like this.
            case waitForOthers(Int)
            /// Continues only when the client has reset a stream of the connection.
            case waitForReset
            /// Ends the connection, optionally with TLS's farewell.
            case close(isClean: Bool)
        }

        struct Request: Sendable {
            var connection: Int
            var method = ""
            var path = ""
            var authority = ""
            /// By names in lower case.
            var fields: [String: String] = [:]
            var bodyLength = 0
        }

        /// How the server takes requests.
        struct Manner: Sendable {
            var streams = 100
            /// Whether only clients with the tests' certificate are served.
            var asksForCertificate = false
            /// Whether it answers as soon as the head has come, and takes no more than 65,535 bytes of a body.
            var answersHeads = false
            /// The bytes sent in place of its settings and everything else, before it ends the connection.
            var opening: [UInt8]?
        }

        /// The events so far.
        struct Seen: Sendable {
            /// The requests that are whole, or of which only the head counts, in the order in which they came.
            var requests: [Request] = []
            var resets: [HTTP2ErrorCode] = []
            /// The most streams that were open on one connection.
            var mostOpen = 0
            var connections = 0
        }

        private typealias Waiter = (isMet: @Sendable (Seen) -> Bool, continuation: CheckedContinuation<Void, Never>)

        fileprivate let manner: Manner
        fileprivate let script: @Sendable (_ request: Int, Request) -> [Step]
        private let state = Mutex<(seen: Seen, waiters: [Waiter])>((Seen(), []))

        var seen: Seen { state.withLock(\.seen) }

        private init(_ manner: Manner, _ script: @escaping @Sendable (_ request: Int, Request) -> [Step]) {
            self.manner = manner
            self.script = script
        }

        /// Runs a server on a free loopback port for the length of `body`.
        ///
        /// - Parameters:
        ///   - script: The answer to each request, counted from 0.
        ///   - body: Gets the server and its base URL without a slash.
        static func run<Result>(
            _ manner: Manner = Manner(), _ script: @escaping @Sendable (_ request: Int, Request) -> [Step],
            _ body: (_ server: HTTP2Server, _ base: String) async throws -> Result
        ) async throws -> Result {
            let server = HTTP2Server(manner, script)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(LoopbackCertificate.certificate.utf8))
                    .map { .certificate($0) },
                privateKey: .privateKey(
                    try NIOSSLPrivateKey(bytes: Array(LoopbackCertificate.privateKey.utf8), format: .pem)))
            tls.applicationProtocols = ["h2"]
            if manner.asksForCertificate {
                // The tests' one certificate is its own authority.
                tls.certificateVerification = .noHostnameVerification
                tls.trustRoots = .certificates(
                    try NIOSSLCertificate.fromPEMBytes(Array(LoopbackCertificate.certificate.utf8)))
            }
            let context = try NIOSSLContext(configuration: tls)
            let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(NIOSSLServerHandler(context: context))
                        if server.manner.opening == nil {
                            try pipeline.addHandler(
                                NIOHTTP2Handler(
                                    mode: .server,
                                    initialSettings: [
                                        HTTP2Setting(parameter: .maxConcurrentStreams, value: server.manner.streams)
                                    ], headerBlockValidation: .disabled, contentLengthValidation: .disabled))
                        }
                        try pipeline.addHandler(Connection(of: server))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            guard let port = listener.localAddress?.port else { throw NoPort() }
            let result: Result
            do {
                result = try await body(server, "https://127.0.0.1:\(port)")
            } catch {
                try await listener.close()
                throw error
            }
            try await listener.close()
            return result
        }

        /// Waits until the events are as described.
        func wait(until isMet: @escaping @Sendable (Seen) -> Bool) async {
            await withCheckedContinuation { continuation in
                let isMetNow = state.withLock { state in
                    if isMet(state.seen) { return true }
                    state.waiters.append((isMet, continuation))
                    return false
                }
                if isMetNow { continuation.resume() }
            }
        }

        fileprivate func note<Result: Sendable>(_ change: (inout Seen) -> Result) -> Result {
            let (result, met) = state.withLock { state in
                let result = change(&state.seen)
                let seen = state.seen
                let met = state.waiters.filter { $0.isMet(seen) }.map(\.continuation)
                state.waiters.removeAll { $0.isMet(seen) }
                return (result, met)
            }
            for continuation in met { continuation.resume() }
            return result
        }
    }

    /// One connection of the server.
    private final class Connection: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame
        typealias OutboundOut = HTTP2Frame

        private let server: HTTP2Server
        private let number: Int
        private var open: [HTTP2StreamID: HTTP2Server.Request] = [:]
        private var waiting: [() -> Void] = []
        private var waitingForReset: [() -> Void] = []

        init(of server: HTTP2Server) {
            self.server = server
            number = server.note { seen in
                defer { seen.connections += 1 }
                return seen.connections
            }
        }

        func channelActive(context: ChannelHandlerContext) {
            if let opening = server.manner.opening {
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: opening)), promise: nil)
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard server.manner.opening == nil else { return context.close(promise: nil) }
            let frame = unwrapInboundIn(data)
            switch frame.payload {
            case .headers(let head):
                open[frame.streamID] = request(head.headers)
                server.note { [count = open.count] in $0.mostOpen = max($0.mostOpen, count) }
                if head.endStream || server.manner.answersHeads { answer(frame.streamID, context) }
            case .data(let body):
                let length = body.data.readableBytes
                open[frame.streamID]?.bodyLength += length
                guard !server.manner.answersHeads else { return }
                let update = HTTP2Frame.FramePayload.windowUpdate(windowSizeIncrement: max(length, 1))
                write(update, on: .rootStream, context)
                if body.endStream {
                    answer(frame.streamID, context)
                } else {
                    write(update, on: frame.streamID, context)
                }
            case .rstStream(let code):
                open[frame.streamID] = nil
                server.note { $0.resets.append(code) }
                let going = waitingForReset
                waitingForReset = []
                for go in going { go() }
            default: break
            }
        }

        // Errors here are the end of the client's connection, or caused by the test.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {}

        private func request(_ fields: HPACKHeaders) -> HTTP2Server.Request {
            var request = HTTP2Server.Request(connection: number)
            for (name, value, _) in fields {
                switch name {
                case ":method": request.method = value
                case ":path": request.path = value
                case ":authority": request.authority = value
                default: request.fields[name] = value
                }
            }
            return request
        }

        private func answer(_ stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
            guard let request = open[stream] else { return }
            let count = server.note { seen in
                seen.requests.append(request)
                return seen.requests.count - 1
            }
            say(server.script(count, request)[...], on: stream, context)
        }

        /// Takes one step after the other, until one waits.
        private func say(
            _ steps: ArraySlice<HTTP2Server.Step>, on stream: HTTP2StreamID, _ context: ChannelHandlerContext
        ) {
            guard let step = steps.first else { return context.flush() }
            let rest = { self.say(steps.dropFirst(), on: stream, context) }
            switch step {
            case .head(let status, let fields, let ends):
                let all = (status.map { [(":status", $0)] } ?? []) + fields
                if ends { open[stream] = nil }
                write(.headers(.init(headers: HPACKHeaders(all), endStream: ends)), on: stream, context)
            case .data(let text, let ends):
                if ends { open[stream] = nil }
                write(.data(.init(data: .byteBuffer(ByteBuffer(string: text)), endStream: ends)), on: stream, context)
            case .reset(let code):
                open[stream] = nil
                write(.rstStream(code), on: stream, context)
            case .goAway(let answersThis):
                let last = answersThis ? stream : HTTP2StreamID(max(Int(stream) - 2, 0))
                write(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil), on: .rootStream, context)
            case .frame(let type, let flags, let isOfConnection, let payload):
                writeFrame(type, flags, on: isOfConnection ? .rootStream : stream, payload, context)
            case .waitForOthers(let count):
                waiting.append(rest)
                guard waiting.count == count else { return }
                let going = waiting
                waiting = []
                for go in going { go() }
                return
            case .waitForReset:
                waitingForReset.append(rest)
                return
            case .close(let isClean):
                context.flush()
                close(isClean: isClean, context)
                return
            }
            rest()
        }

        private func write(
            _ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, _ context: ChannelHandlerContext
        ) {
            context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
        }

        /// Past the handler of HTTP/2: its own context writes to the one before it.
        private func writeFrame(
            _ type: UInt8, _ flags: UInt8, on stream: HTTP2StreamID, _ payload: [UInt8],
            _ context: ChannelHandlerContext
        ) {
            context.flush()
            var frame = ByteBuffer()
            frame.writeBytes([UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255)])
            frame.writeInteger(type)
            frame.writeInteger(flags)
            frame.writeInteger(UInt32(Int(stream)))
            frame.writeBytes(payload)
            let protocolContext = try? context.pipeline.syncOperations.context(handlerType: NIOHTTP2Handler.self)
            protocolContext?.writeAndFlush(NIOAny(frame), promise: nil)
        }

        /// Unclean from the context of TLS, which only closes the handlers before it.
        private func close(isClean: Bool, _ context: ChannelHandlerContext) {
            let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            (isClean ? context : tls ?? context).close(promise: nil)
        }
    }
#endif
