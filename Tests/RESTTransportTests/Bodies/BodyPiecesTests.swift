import Foundation
import HTTPTypes
import RESTTransport
import Synchronization
import TestSupport
import Testing

/// Bodies in pieces, in memory.
@Suite(.timeLimit(.minutes(10))) struct BodyPiecesTests {
    private let request: APIRequest

    init() throws {
        var request = try APIRequest(.get, "https://api.example.com/v1/events?token=s3cr3t")
        request.delivery = .pieces
        self.request = request
    }

    /// A transport that delivers two pieces.
    private struct Streaming: Transport {
        var fields: HTTPFields = [.contentType: "text/event-stream"]

        func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            var reply = APIResponse(HTTPResponse(status: .ok, headerFields: fields), to: request)
            let pieces = AsyncStream<[UInt8]> { continuation in
                for piece in [[1, 2], [], [3]] as [[UInt8]] { continuation.yield(piece) }
                continuation.finish()
            }
            reply.pieces = BodyPieces(pieces, to: request)
            return reply
        }
    }

    private static func read(_ pieces: BodyPieces?) async throws(TransportError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        if let pieces { for try await piece in pieces { all.append(piece) } }
        return all
    }

    @Test func `Body pieces pass all middleware unchanged and uncounted`() async throws {
        let (log, history) = (CapturedLog(), RequestHistory())
        let chain = TransportChain(api: apiURL, transport: Streaming()) {
            RequestLog(log.logger)
            history
            Retry()
            BearerToken("secret")
            MapResponse { response throws(TransportError) in
                throw TransportError(.malformedResponse("the body is empty"), response.request)
            }
            FollowRedirects()
            Governor(api: apiURL)
        }
        let reply = try await chain.send(request)
        #expect(try await Self.read(reply.pieces) == [[1, 2], [3]])
        let body = try #require(history.entries.first?.receivedBody)
        #expect(body.type == "text/event-stream" && body.length == nil)
        #expect(log.lines.count == 1 && log.lines[0].contains("→ 200 in ") && log.lines[0].contains("a body in pieces"))
        #expect(try #require(JSONSerialization.jsonObject(with: history.har) as? [String: Any]).keys.contains("log"))
    }

    @Test func `A streaming request gets a whole body from a transport without pieces`() async throws {
        let reply = try await TransportChain(Stub(.status(.ok, body: "all"))) { Retry() }.send(request)
        #expect(reply.pieces == nil && reply.body == Array("all".utf8))
        #expect(try await Self.read(BodyPieces(reply.body, to: request)) == [Array("all".utf8)])
        #expect(try await Self.read(BodyPieces([UInt8](), to: request)) == [])
    }

    @Test(arguments: [true, false])
    func `The bytes of a whole body are counted once, by the transport or the reader`(isCounted: Bool) async throws {
        let seen = Mutex<[Int]>([])
        let transfer = Transfer { progress in seen.withLock { $0.append(progress.completed) } }
        var request = request
        request.transfer = transfer
        if isCounted { transfer.noteReceived(3) }
        let body: [UInt8] = [1, 2, 3]
        #expect(try await Self.read(BodyPieces(body, to: request)) == [body])
        #expect(seen.withLock { $0 } == [3])
    }

    @Test func `Body pieces can be read only once`() async throws {
        let pieces = BodyPieces([1], to: request)
        #expect(try await Self.read(pieces) == [[1]])
        let error = await failure { () async throws(TransportError) -> APIResponse in
            _ = try await Self.read(pieces)
            return APIResponse(HTTPResponse(status: .ok), to: request)
        }
        #expect(error?.reason == .other("the pieces of the reply's body are read already"))
        #expect(error.map { "\($0)".contains("s3cr3t") } == false)
    }

    @Test func `A transport's error reaches the reader of pieces, any other is named by its type`()
        async throws
    {
        struct Secret: Error { let text = "s3cr3t" }
        for (thrown, reason) in [
            (TransportError(.tls("x"), request) as any Error, TransportError.Reason.tls("x")),
            (Secret(), .other("the pieces of the reply's body ended with Secret")), (CancellationError(), .cancelled),
        ] {
            let failing = AsyncThrowingStream<[UInt8], any Error> { continuation in
                continuation.yield([1])
                continuation.finish(throwing: thrown)
            }
            var iterator = BodyPieces(failing, to: request).makeAsyncIterator()
            #expect(try await iterator.next() == [1])
            do throws(TransportError) {
                _ = try await iterator.next()
                Issue.record("nothing was thrown")
            } catch {
                #expect(error.reason == reason)
            }
            #expect(try await iterator.next() == nil)
        }
    }

    @Test func `Replies that differ only in their pieces are equal, and no description shows the request`() {
        var reply = APIResponse(HTTPResponse(status: .ok), to: request)
        let other = reply
        reply.pieces = BodyPieces([1], to: request)
        #expect(reply == other && "\(reply)".contains("a body in pieces"))
        var text = ""
        dump(reply, to: &text)
        dump(reply.pieces, to: &text)
        #expect(!text.contains("s3cr3t"))
    }

    @Test func `Body pieces in an undecoded encoding are refused`() throws {
        var reply = APIResponse(HTTPResponse(status: .ok, headerFields: [.contentEncoding: "br"]), to: request)
        try reply.checkEncoding()
        reply.pieces = BodyPieces([1], to: request)
        #expect(throws: TransportError(.undecoded(encoding: "br"), request)) { try reply.checkEncoding() }
    }
}

/// The channel of pieces from a client that pushes them.
@Suite(.timeLimit(.minutes(10))) struct PieceChannelTests {
    private let request: APIRequest
    private let calls = Calls()
    private let channel: PieceChannel

    private final class Calls: Sendable {
        private let made = Mutex<[String]>([])
        var all: [String] { made.withLock { $0 } }
        func add(_ call: String) { made.withLock { $0.append(call) } }
    }

    init() throws {
        request = try APIRequest(.get, "https://api.example.com/events")
        channel = PieceChannel(
            to: request,
            from: .init(
                pause: { [calls] in calls.add("pause") }, resume: { [calls] in calls.add("resume") },
                cancel: { [calls] in calls.add("cancel") }))
    }

    @Test func `Body pieces are read in order, then the end`() async throws {
        var iterator = BodyPieces(channel.pieces, to: request).makeAsyncIterator()
        channel.push([1, 2])
        channel.push([])
        channel.push([3])
        #expect(try await iterator.next() == [1, 2, 3])
        channel.push([4])
        channel.finish(nil)
        channel.push([5])
        #expect(try await iterator.next() == [4])
        #expect(try await iterator.next() == nil)
        #expect(calls.all == [])
    }

    @Test func `A waiting reader gets the next piece, the end, or the error`() async throws {
        for ending in [nil, TransportError(.connectionLost, request)] {
            let channel = PieceChannel(to: request, from: .init(pause: {}, resume: {}, cancel: {}))
            let pieces = BodyPieces(channel.pieces, to: request)
            let reading = Task { () -> ([[UInt8]], TransportError?) in
                var all: [[UInt8]] = []
                do throws(TransportError) {
                    for try await piece in pieces { all.append(piece) }
                    return (all, nil)
                } catch {
                    return (all, error)
                }
            }
            await giveWay()
            channel.push([1])
            await giveWay()
            channel.finish(ending)
            let (all, error) = await reading.value
            #expect(all.flatMap(\.self) == [1] && error == ending)
        }
    }

    @Test func `A client that pushes more than is read is paused, then resumed once it is read`() async throws {
        var iterator = BodyPieces(channel.pieces, to: request).makeAsyncIterator()
        let piece = [UInt8](repeating: 7, count: PieceChannel.limit)
        channel.push(piece)
        #expect(calls.all == [])
        channel.push([1])
        channel.push([2])
        #expect(calls.all == ["pause"])
        #expect(try await iterator.next() == piece + [1, 2])
        #expect(calls.all == ["pause", "resume"])
    }

    @Test func `The client is cancelled when the reader ends early, not after the body's end`() async throws {
        do {
            var iterator = BodyPieces(channel.pieces, to: request).makeAsyncIterator()
            channel.push([1])
            #expect(try await iterator.next() == [1])
            #expect(calls.all == [])
        }
        #expect(calls.all == ["cancel"])
        let ended = PieceChannel(
            to: request, from: .init(pause: {}, resume: {}, cancel: { [calls] in calls.add("late") }))
        let pieces = BodyPieces(ended.pieces, to: request)
        ended.finish(nil)
        for try await _ in pieces {}
        #expect(calls.all == ["cancel"])
    }

    @Test func `The client is cancelled with the reading task`() async throws {
        let pieces = BodyPieces(channel.pieces, to: request)
        let reading = Task { () -> TransportError? in
            do throws(TransportError) {
                for try await _ in pieces {}
                return nil
            } catch {
                return error
            }
        }
        await giveWay()
        reading.cancel()
        #expect(await reading.value?.reason == .cancelled)
        await until { calls.all == ["cancel"] }
        channel.push([1])
        channel.finish(nil)
    }
}
