import Foundation
import HTTPTypes
import RESTTransport
import Synchronization
import TestSupport
import Testing

/// Bodies that are read while they are sent.
@Suite(.timeLimit(.minutes(10))) struct UploadTests {
    /// Answers with the received method, announced length and body.
    private static func echo(_ request: ServerRequest) -> ServerReply {
        let length = request.fields["content-length"] ?? request.fields["transfer-encoding"] ?? "-"
        return ServerReply(body: "\(request.method) \(request.fields["content-type"] ?? "-") \(length) \(request.body)")
    }

    private static func send(
        _ body: RequestBody, by kind: TransportKind = .client, transfer: Transfer? = nil
    ) async throws -> String {
        try await withWebServer {
            Self.echo($0)
        } _: { base in
            var request = try APIRequest(.put, base + "/file", body: body, timeout: patience)
            request.transfer = transfer
            return String(decoding: try await kind.make().send(request).body, as: UTF8.self)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `An uploaded file is received with its length and type`(kind: TransportKind) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "notes.txt")
            try Data("some notes".utf8).write(to: file)
            #expect(try await Self.send(.file(file), by: kind) == "PUT text/plain 10 some notes")
        }
    }

    @Test func `A stream of known length has a Content-Length`() async throws {
        let body = RequestBody.stream(type: "text/csv", length: 4) { Pieces([Array("a,".utf8), Array("b\n".utf8)]) }
        #expect(try await Self.send(body) == "PUT text/csv 4 a,b\n")
    }

    @Test func `A stream of unknown length is sent in chunks`() async throws {
        let body = RequestBody.stream(type: "text/csv") { Pieces([Array("a,".utf8), Array("b\n".utf8)]) }
        #expect(try await Self.send(body) == "PUT text/csv chunked a,b\n")
    }

    @Test func `An upload's progress counts up to its length`() async throws {
        let seen = Mutex<[TransferProgress]>([])
        let text = String(repeating: "x", count: 600_000)
        let transfer = Transfer { progress in
            if progress.direction == .sending { seen.withLock { $0.append(progress) } }
        }
        _ = try await Self.send(.text(text), transfer: transfer)
        let counts = seen.withLock { $0 }
        #expect(counts.map(\.completed) == counts.map(\.completed).sorted())
        #expect(counts.count == 10 && counts.last?.completed == 600_000 && counts.last?.fraction == 1)
    }

    @Test(arguments: [307, 308])
    func `A redirect sends a file again from its beginning`(_ status: Int) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "notes.txt")
            try Data("some notes".utf8).write(to: file)
            try await withWebServer { request in
                request.target == "/old" ? .redirect(status, to: "/new") : Self.echo(request)
            } _: { base in
                let request = try APIRequest(.put, base + "/old", body: .file(file), timeout: patience)
                let reply = try await TransportKind.client.make().send(request)
                #expect(String(decoding: reply.body, as: UTF8.self) == "PUT text/plain 10 some notes")
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A cancelled request ends a stream that waits for its next piece`(kind: TransportKind) async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Void.self)
        let body = RequestBody.stream {
            AsyncStream<[UInt8]>(unfolding: {
                asking.yield()
                await untilCancelled()
                ending.yield()
                return nil
            })
        }
        try await RawServer.run { _ in
            [.waitForClose]
        } _: { _, base in
            let sending = Task {
                await failure { () async throws(TransportError) -> APIResponse in
                    try await kind.make().send(APIRequest(.put, base + "/", body: body))
                }
            }
            for await _ in asked { break }
            sending.cancel()
            #expect(await sending.value?.reason == .cancelled)
            for await _ in ended { break }
        }
    }

    @Test func `A redirect of a stream that can be sent only once is an error`() async throws {
        try await withWebServer { _ in
            .redirect(307, to: "/new")
        } _: { base in
            let body = RequestBody.stream(isRepeatable: false) { Pieces([[65]]) }
            let request = try APIRequest(.put, base + "/old", body: body, timeout: patience)
            let error = await failure { () throws(TransportError) in
                try await TransportKind.client.make().send(request)
            }
            #expect(error?.reason == .unreadableBody("it is a stream that can be sent only once"))
        }
    }

    @Test func `Only a body that can be sent again is retried`() async throws {
        for (isRepeatable, count) in [(true, 2), (false, 1)] {
            let stub = Stub(.status(.serviceUnavailable), .status(.ok))
            let body = RequestBody.stream(isRepeatable: isRepeatable) { Pieces([[65]]) }
            let chain = TransportChain(api: apiURL, transport: ReadingStub(inner: stub)) {
                Retry(attempts: 2, time: FakeTime().source)
            }
            let reply = try await chain.send(APIRequest(.put, apiURL, body: body))
            #expect(stub.requests.count == count)
            #expect(reply.status == (isRepeatable ? .ok : .serviceUnavailable))
        }
    }

    @Test(arguments: [
        ("missing.txt", "\"missing.txt\" can't be opened: No such file or directory"), ("", nil),
    ])
    func `A file that can't be read is an error with the reason`(_ name: String, _ reason: String?) async throws {
        try await withTemporaryFolder { folder in
            let file = name.isEmpty ? folder : folder.appending(path: name)
            let error = await failure { () throws(TransportError) in
                try await TransportKind.client.make().send(
                    APIRequest(.put, "http://127.0.0.1:1/", body: .file(file), timeout: patience))
            }
            let expected = reason ?? "\"\(folder.lastPathComponent)\" is a folder"
            #expect(error?.reason == .unreadableBody(expected))
        }
    }

    @Test func `A pipe can't be uploaded as a file`() async throws {
        try await withTemporaryFolder { folder in
            let pipe = folder.appending(path: "pipe")
            // Safe: the path lives as long as the call.
            #expect(unsafe mkfifo(pipe.path, 0o600) == 0)
            let error = await failure { () throws(TransportError) in
                try await TransportKind.client.make().send(
                    APIRequest(.put, "http://127.0.0.1:1/", body: .file(pipe), timeout: patience))
            }
            #expect(error?.reason == .unreadableBody("\"pipe\" is no regular file"))
        }
    }

    @Test func `An error of a stream body is reported by its type only`() async throws {
        struct Secret: Error {}
        let body = RequestBody.stream { AsyncThrowingStream<[UInt8], any Error> { $0.finish(throwing: Secret()) } }
        try await withWebServer {
            Self.echo($0)
        } _: { base in
            let error = await failure { () throws(TransportError) in
                try await TransportKind.client.make().send(
                    APIRequest(.put, base + "/", body: body, timeout: patience))
            }
            #expect(error?.reason == .unreadableBody("its stream threw Secret"))
        }
    }

    @Test func `An error of making a stream body is reported by its type only`() async throws {
        struct Secret: Error {}
        let body = RequestBody.stream { () throws -> Pieces in throw Secret() }
        for sent in [body, body.gzipped()] {
            let error = await failure { () throws(TransportError) in
                try await TransportKind.client.make().send(
                    APIRequest(.put, "http://127.0.0.1:1/", body: sent, timeout: patience))
            }
            #expect(error?.reason == .unreadableBody("its stream threw Secret"))
        }
    }

    @Test func `A compressed body that ends early is an error with the reason`() async throws {
        let body = RequestBody.stream(length: 9) { Pieces([[65, 66], [67, 68]]) }.gzipped()
        try await withWebServer {
            Self.echo($0)
        } _: { base in
            let error = await failure { () throws(TransportError) in
                try await TransportKind.client.make().send(
                    APIRequest(.put, base + "/", body: body, timeout: patience))
            }
            #expect(error?.reason == .unreadableBody("it ended after 4 of 9 bytes"))
        }
    }

    @Test(arguments: [
        (3, "it has more than the 3 bytes that were announced"), (9, "it ended after 4 of 9 bytes"),
        (-1, "its length is announced as -1 bytes"),
    ])
    func `A stream of another length than announced is an error`(_ length: Int, _ reason: String) async throws {
        let body = RequestBody.stream(length: length) { Pieces([[65, 66], [67, 68]]) }
        try await withWebServer {
            Self.echo($0)
        } _: { base in
            let error = await failure { () throws(TransportError) in
                try await TransportKind.client.make().send(
                    APIRequest(.put, base + "/", body: body, timeout: patience))
            }
            #expect(error?.reason == .unreadableBody(reason))
        }
    }
}

#if os(Linux)
    extension UploadTests {
        @Test func `A file of unknown length is an error, not an empty body`() async throws {
            let error = await failure { () throws(TransportError) in
                let file = URL(filePath: "/proc/self/status")
                return try await TransportKind.client.make().send(
                    APIRequest(.put, "http://127.0.0.1:1/", body: .file(file), timeout: patience))
            }
            #expect(error?.reason == .unreadableBody("\"status\" has more than the 0 bytes of its length"))
        }
    }
#endif

/// Reads the request's body, as a client does, before it answers.
private struct ReadingStub: Transport {
    let inner: Stub

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        do { _ = try await request.body?.readAll() } catch { throw TransportError(.other("\(error)"), request) }
        return try await inner.send(request)
    }
}
