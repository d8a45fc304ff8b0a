import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// Replies with a body in pieces.
@Suite(.timeLimit(.minutes(10))) struct PieceTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    private static let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> String {
        "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }

    private static func request(
        _ base: String, timeout: Duration = patience
    ) throws -> APIRequest {
        var request = try APIRequest(.get, base + "/events", timeout: timeout)
        request.delivery = .pieces
        return request
    }

    private static func text(_ pieces: BodyPieces?) async throws(TransportError) -> String {
        var bytes: [UInt8] = []
        if let pieces { for try await piece in pieces { bytes += piece } }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: TransportKind.allCases)
    func `A streamed reply is returned with its head, and its connection is closed with the iterator`(
        kind: TransportKind
    ) async throws {
        try await RawServer.run { _ in
            [.send(Self.chunked + Self.chunk("one")), .waitForClose]
        } _: { server, base in
            let reply = try await kind.make().send(try Self.request(base))
            #expect(reply.status == .ok && reply.body == [] && reply.phases.bytesReceived == nil)
            for try await piece in try #require(reply.pieces) {
                #expect(piece == Array("one".utf8))
                break
            }
            await server.waitForClose()
            #expect("\(reply)".contains("in pieces"))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A streamed body that nobody reads closes its connection`(kind: TransportKind) async throws {
        try await RawServer.run { _ in
            [.send(Self.chunked + Self.chunk("one")), .waitForClose]
        } _: { server, base in
            let status = try await kind.make().send(try Self.request(base)).status
            #expect(status == .ok)
            await server.waitForClose()
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A cancelled reading task closes the connection at once`(kind: TransportKind) async throws {
        try await RawServer.run { _ in
            [.send(Self.chunked + Self.chunk("one")), .waitForClose]
        } _: { server, base in
            let (arrival, arrived) = AsyncStream.makeStream(of: Void.self)
            let reading = Task { () -> TransportError? in
                let pieces = try await kind.make().send(try Self.request(base)).pieces
                do throws(TransportError) {
                    if let pieces { for try await _ in pieces { arrived.yield() } }
                    return nil
                } catch {
                    return error
                }
            }
            for await _ in arrival { break }
            reading.cancel()
            let error = try await reading.value
            #expect(error?.reason == .cancelled)
            await server.waitForClose()
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `The pieces of a streamed body are the whole body`(kind: TransportKind) async throws {
        let parts = (0..<50).map { "data: \($0)\n\n" }
        try await RawServer.run { _ in
            [.send(Self.chunked)] + parts.map { .send(Self.chunk($0)) } + [.send("0\r\n\r\n")]
        } _: { _, base in
            let reply = try await kind.make().send(try Self.request(base))
            #expect(try await Self.text(reply.pieces) == parts.joined())
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A compressed piece is decoded before the body ends`(kind: TransportKind) async throws {
        let first = [UInt8](try #require(Data(base64Encoded: "H4sIAAAAAAACA0pJLEm0UsjPS+XiAgAAAP//")))
        try await RawServer.run { _ in
            [.send(Self.head + "Content-Encoding: gzip\r\n\r\n"), .sendBytes(first), .waitForClose]
        } _: { server, base in
            let reply = try await kind.make().send(try Self.request(base))
            var text = ""
            for try await piece in try #require(reply.pieces) {
                text += String(decoding: piece, as: UTF8.self)
                if text == "data: one\n\n" { break }
            }
            #expect(reply.headerFields[.contentEncoding] == nil)
            await server.waitForClose()
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A compressed streamed body is decoded whole, and a truncated one is malformed`(kind: TransportKind)
        async throws
    {
        let first = [UInt8](try #require(Data(base64Encoded: "H4sIAAAAAAACA0pJLEm0UsjPS+XiAgAAAP//")))
        let second = [UInt8](try #require(Data(base64Encoded: "SwEzS8rzubgAog1KPxYAAAA=")))
        try await RawServer.run { number in
            [.send(Self.head + "Connection: close\r\nContent-Encoding: gzip\r\n\r\n"), .sendBytes(first)]
                + (number == 0 ? [.sendBytes(second)] : [])
        } _: { _, base in
            let whole = try await kind.make().send(try Self.request(base))
            #expect(try await Self.text(whole.pieces) == "data: one\n\ndata: two\n\n")
            let cut = try await kind.make().send(try Self.request(base))
            do throws(TransportError) {
                _ = try await Self.text(cut.pieces)
                Issue.record("the body that was cut off is whole")
            } catch {
                guard case .malformedResponse = error.reason else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A streamed body that breaks off is a lost connection after its pieces`(kind: TransportKind) async throws {
        try await RawServer.run { _ in
            [.send(Self.chunked + Self.chunk("one"))]
        } _: { _, base in
            let reply = try await kind.make().send(try Self.request(base))
            var bytes: [UInt8] = []
            do throws(TransportError) {
                if let pieces = reply.pieces { for try await piece in pieces { bytes += piece } }
                Issue.record("the body is whole")
            } catch {
                #expect(error.reason == .connectionLost)
            }
            #expect(bytes == Array("one".utf8))
        }
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone", "HTTP/1.1 204 No Content\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
        ]) func `A streaming request gets replies without a body, and errors, whole`(kind: TransportKind, said: String)
        async throws
    {
        try await RawServer.run { _ in
            [.send(said)]
        } _: { _, base in
            let reply = try await kind.make().send(try Self.request(base))
            #expect(reply.pieces == nil)
            #expect(String(decoding: reply.body, as: UTF8.self) == (said.hasSuffix("gone") ? "gone" : ""))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `Only the head of a streamed reply must arrive within the timeout`(kind: TransportKind) async throws {
        let (permission, permit) = AsyncStream.makeStream(of: Void.self)
        try await RawServer.run { _ in
            [
                .send(Self.chunked + Self.chunk("one")), .await { for await _ in permission { break } },
                .send(Self.chunk("two") + "0\r\n\r\n"),
            ]
        } _: { _, base in
            try await RawServer.run { _ in
                [.waitForClose]
            } _: { _, silent in
                var (timeout, answer) = (Duration.milliseconds(150), nil as APIResponse?)
                // A busy machine may take longer than that for the head.
                while answer == nil, timeout < patience {
                    answer = try? await kind.make().send(try Self.request(base, timeout: timeout))
                    if answer == nil { timeout *= 2 }
                }
                // The time is over when a request of the same timeout, which is sent later, has ended.
                let limit = timeout
                let late = await failure { () async throws(TransportError) -> APIResponse in
                    try await kind.make().send(APIRequest(.get, silent + "/", timeout: limit))
                }
                #expect(late?.reason == .timedOut(after: limit))
                permit.finish()
                let pieces = try #require(answer).pieces
                #expect(try await Self.text(pieces) == "onetwo")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A server that sends more than is read must wait`(kind: TransportKind) async throws {
        let megabyte = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        try await RawServer.run { _ in
            [.send(Self.head + "Connection: close\r\n\r\n")]
                + [RawServer.Step](repeating: .sendBytes(megabyte), count: 256)
        } _: { server, base in
            let reply = try await kind.make().send(try Self.request(base))
            await until { server.stepsDone > 1 }
            await giveWay()
            var iterator = try #require(reply.pieces).makeAsyncIterator()
            let first = try await iterator.next()
            #expect((first?.count ?? 0) > 0 && (first?.count ?? 0) <= 1 << 20)
            // The sockets' buffers have some megabytes.
            #expect(server.stepsDone < 64)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A redirect is followed to a streamed body`(kind: TransportKind) async throws {
        try await RawServer.run { number in
            number == 0
                ? [
                    .send(
                        "HTTP/1.1 302 Found\r\nLocation: /other\r\nConnection: close\r\nContent-Length: 5\r\n\r\nmoved")
                ]
                : [.send(Self.chunked + Self.chunk("here") + "0\r\n\r\n")]
        } _: { server, base in
            let reply = try await kind.make().send(try Self.request(base))
            #expect(reply.url.path == "/other")
            #expect(try await Self.text(reply.pieces) == "here")
            #expect(server.requests.count == 2)
        }
    }

    @Test func `A streamed body continues after the transport is released`() async throws {
        let (permission, permit) = AsyncStream.makeStream(of: Void.self)
        try await RawServer.run { _ in
            [
                .send(Self.chunked + Self.chunk("one")), .await { for await _ in permission { break } },
                .send(Self.chunk("two") + "0\r\n\r\n"),
            ]
        } _: { _, base in
            let pieces = try #require(try await TransportKind.client.make().send(try Self.request(base)).pieces)
            var iterator = pieces.makeAsyncIterator()
            #expect(try await iterator.next() == Array("one".utf8))
            await giveWay()
            permit.yield()
            #expect(try await iterator.next() == Array("two".utf8))
            #expect(try await iterator.next() == nil)
        }
    }

    @Test func `Progress counts the pieces of a streamed body`() async throws {
        try await RawServer.run { _ in
            [.send(Self.head + "Content-Length: 6\r\n\r\n"), .send("onetwo")]
        } _: { _, base in
            let (progress, reported) = AsyncStream.makeStream(of: TransferProgress.self)
            var request = try Self.request(base)
            request.transfer = Transfer { reported.yield($0) }
            let reply = try await TransportKind.chain.make().send(request)
            #expect(try await Self.text(reply.pieces) == "onetwo")
            reported.finish()
            var last: TransferProgress?
            for await one in progress where one.direction == .receiving { last = one }
            #expect(last?.completed == 6 && last?.total == 6)
        }
    }
}
