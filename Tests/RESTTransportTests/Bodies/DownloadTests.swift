import Foundation
import HTTPTypes
import RESTTransport
import Synchronization
import TestSupport
import Testing

/// Replies with a body that goes to a file.
@Suite struct DownloadTests {
    private static let whole = String(repeating: "0123456789", count: 100)

    /// The request of a file, and its outcome.
    private struct Outcome {
        var status: Int?
        var reason: TransportError.Reason?
        var content: String?
        var requests: [String]
        var progress: [TransferProgress]
    }

    /// Downloads from a server that answers each request by a script.
    private static func download(
        attempts: Int = 10, fields: HTTPFields = [:], _ script: @escaping @Sendable (_ request: Int) -> [RawServer.Step]
    ) async throws -> Outcome {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            let seen = Mutex<[TransferProgress]>([])
            return try await RawServer.run(script) { server, base in
                var request = try APIRequest(.get, base + "/film", headerFields: fields, timeout: patience)
                request.transfer = Transfer(to: file) { progress in seen.withLock { $0.append(progress) } }
                let chain = TransportChain(api: URL(string: base)!, transport: TransportKind.client.make()) {
                    ResumeDownloads(attempts: attempts)
                }
                var outcome = Outcome(requests: [], progress: [])
                do throws(TransportError) {
                    let reply = try await chain.send(request)
                    outcome.status = reply.status.code
                    outcome.content =
                        reply.file == nil
                        ? String(decoding: reply.body, as: UTF8.self)
                        : try? String(contentsOf: file, encoding: .utf8)
                } catch {
                    outcome.reason = error.reason
                    outcome.content = try? String(contentsOf: file, encoding: .utf8)
                }
                outcome.requests = server.requests
                outcome.progress = seen.withLock { $0 }
                return outcome
            }
        }
    }

    private static func head(_ status: String = "200 OK", length: Int, _ fields: String...) -> RawServer.Step {
        .send(
            "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: \(length)\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n"
        )
    }

    private static func range(_ requests: [String], _ index: Int) -> [String] {
        requests[index].components(separatedBy: "\r\n").map { $0.lowercased() }
            .filter { $0.hasPrefix("range:") || $0.hasPrefix("if-range:") }.sorted()
    }

    @Test func `A download's body is in the file, and progress counts up to its length`() async throws {
        let outcome = try await Self.download { _ in [Self.head(length: 1000), .send(Self.whole)] }
        #expect(outcome.status == 200 && outcome.content == Self.whole)
        #expect(outcome.progress.last == TransferProgress(.receiving, completed: 1000, of: 1000))
        #expect(outcome.progress.map(\.completed) == outcome.progress.map(\.completed).sorted())
    }

    @Test func `The log and the description of a download have its length`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try await RawServer.run { _ in
                [Self.head(length: 1000), .send(Self.whole)]
            } _: { _, base in
                var request = try APIRequest(.get, base + "/film", timeout: patience)
                request.transfer = Transfer(to: file)
                let (log, history) = (CapturedLog(), RequestHistory())
                let chain = TransportChain(api: URL(string: base)!, transport: TransportKind.client.make()) {
                    RequestLog(log.logger)
                    history
                }
                let reply = try await chain.send(request)
                #expect(log.lines.count == 1 && log.lines[0].contains(" ms, 1000 bytes"))
                #expect("\(reply)".hasPrefix("200 with 1000 bytes to GET "))
                #expect(history.entries.first?.receivedBody?.length == 1000)
            }
        }
    }

    @Test func `An error's body stays in memory and isn't written to the file`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try await RawServer.run { _ in
                [Self.head("404 Not Found", length: 4), .send("gone")]
            } _: { _, base in
                var request = try APIRequest(.get, base + "/film", timeout: patience)
                request.transfer = Transfer(to: file)
                let reply = try await TransportKind.client.make().send(request)
                #expect(reply.file == nil && reply.body == Array("gone".utf8))
                #expect(!FileManager.default.fileExists(atPath: file.path))
            }
        }
    }

    @Test func `A download that breaks off is resumed at its last byte`() async throws {
        let outcome = try await Self.download { number in
            number == 0
                ? [Self.head(length: 1000, "ETag: \"v1\""), .send(String(Self.whole.prefix(600)))]
                : [
                    Self.head("206 Partial Content", length: 400, "Content-Range: bytes 600-999/1000", "ETag: \"v1\""),
                    .send(String(Self.whole.suffix(400))),
                ]
        }
        #expect(outcome.content == Self.whole && outcome.requests.count == 2)
        #expect(Self.range(outcome.requests, 0).isEmpty)
        #expect(Self.range(outcome.requests, 1) == ["if-range: \"v1\"", "range: bytes=600-"])
        #expect(outcome.progress.last == TransferProgress(.receiving, completed: 1000, of: 1000))
    }

    @Test func `A resumed download of a changed file gets all of the new version`() async throws {
        let outcome = try await Self.download { number in
            number == 0
                ? [Self.head(length: 1000, "ETag: \"v1\""), .send(String(Self.whole.prefix(600)))]
                : [Self.head(length: 3, "ETag: \"v2\""), .send("new")]
        }
        #expect(outcome.status == 200 && outcome.content == "new")
    }

    @Test func `A download whose rest is refused starts again`() async throws {
        let outcome = try await Self.download { number in
            switch number {
            case 0: [Self.head(length: 1000, "ETag: \"v1\""), .send(String(Self.whole.prefix(600)))]
            case 1: [Self.head("416 Range Not Satisfiable", length: 0)]
            default: [Self.head(length: 3), .send("new")]
            }
        }
        #expect(outcome.content == "new" && Self.range(outcome.requests, 2).isEmpty)
    }

    @Test func `A download whose rest is refused repeatedly starts again only once`() async throws {
        let outcome = try await Self.download { number in
            number.isMultiple(of: 2)
                ? [Self.head(length: 1000, "ETag: \"v1\""), .send(String(Self.whole.prefix(600)))]
                : [Self.head("416 Range Not Satisfiable", length: 0)]
        }
        #expect(outcome.status == 416 && outcome.requests.count == 4)
    }

    @Test(arguments: [
        ("bytes 600-999/1000", 1000), ("bytes 600-999/1500", 400), ("bytes 500-999/1000", 500), ("bytes 600", 400),
        ("bytes 999-600/1000", 400), ("bytes 600-9223372036854775807/*", 400),
    ])
    func `A part that contradicts itself or the first part ends the download`(
        _ range: String, _ length: Int
    ) async throws {
        let outcome = try await Self.download { number in
            number == 0
                ? [Self.head(length: 1000, "ETag: \"v1\""), .send(String(Self.whole.prefix(600)))]
                : [
                    Self.head("206 Partial Content", length: length, "Content-Range: \(range)"),
                    .send(String(Self.whole.prefix(length))),
                ]
        }
        guard case .malformedResponse? = outcome.reason else {
            Issue.record("\(outcome)")
            return
        }
        #expect(outcome.requests.count == 2 && outcome.content == String(Self.whole.prefix(600)))
    }

    @Test(arguments: ["bytes 0-599/1000", "bytes 400-999/1000", "bytes 0-599/*", "bytes 0", ""])
    func `A part that wasn't asked for ends the download`(_ range: String) async throws {
        let outcome = try await Self.download { _ in
            [
                Self.head("206 Partial Content", length: 600, "Content-Range: \(range)"),
                .send(String(Self.whole.prefix(600))),
            ]
        }
        #expect(outcome.reason == .malformedResponse("it has a part of the body, and all was asked for"))
        #expect(outcome.requests.count == 1 && outcome.content == nil)
    }

    @Test func `A part that is the whole body is the whole download`() async throws {
        let outcome = try await Self.download { _ in
            [Self.head("206 Partial Content", length: 1000, "Content-Range: bytes 0-999/1000"), .send(Self.whole)]
        }
        #expect(outcome.status == 206 && outcome.content == Self.whole)
    }

    @Test func `A range that the caller asks for is the whole download, and isn't resumed`() async throws {
        for sent in [600, 300] {
            let outcome = try await Self.download(fields: [.range: "bytes=400-"]) { _ in
                [
                    Self.head("206 Partial Content", length: 600, "Content-Range: bytes 400-999/1000", "ETag: \"v1\""),
                    .send(String(Self.whole.suffix(600).prefix(sent))),
                ]
            }
            #expect(outcome.requests.count == 1 && outcome.content == String(Self.whole.suffix(600).prefix(sent)))
            #expect(outcome.reason == (sent == 600 ? nil : .connectionLost))
        }
    }

    @Test func `A downloaded compressed body may exceed the limit of bodies in memory`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            let body = try await RequestBody.bytes([UInt8](repeating: 65, count: 300_000)).gzipped().readAll()
            try await RawServer.run { _ in
                [Self.head(length: body.count, "Content-Encoding: gzip"), .sendBytes(body)]
            } _: { _, base in
                var request = try APIRequest(.get, base + "/film", timeout: patience)
                request.transfer = Transfer(to: file)
                _ = try await TransportKind.client.make(responseLimit: 1000).send(request)
                #expect(try Data(contentsOf: file).count == 300_000)
            }
        }
    }

    @Test func `An error's body between two parts isn't written to the file`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try await RawServer.run { number in
                switch number {
                case 0: [Self.head(length: 1000, "ETag: \"v1\""), .send(String(Self.whole.prefix(600)))]
                case 1: [Self.head("503 Service Unavailable", length: 900), .send(String(repeating: "!", count: 900))]
                default:
                    [
                        Self.head("206 Partial Content", length: 400, "Content-Range: bytes 600-999/1000"),
                        .send(String(Self.whole.suffix(400))),
                    ]
                }
            } _: { server, base in
                var request = try APIRequest(.get, base + "/film", timeout: patience)
                request.transfer = Transfer(to: file)
                let chain = TransportChain(api: URL(string: base)!, transport: TransportKind.client.make()) {
                    Retry(time: FakeTime().source)
                    ResumeDownloads()
                }
                #expect(try await chain.send(request).status == .partialContent)
                #expect(try String(contentsOf: file, encoding: .utf8) == Self.whole)
                #expect(Self.range(server.requests, 2) == ["if-range: \"v1\"", "range: bytes=600-"])
            }
        }
    }

    @Test func `A download's timeout counts from its last byte`() {
        let transfer = Transfer()
        #expect(transfer.rest(of: .seconds(60), at: 0) == nil)
        transfer.noteReceived(1)
        #expect(transfer.rest(of: .seconds(60), at: 0) == .seconds(60))
        #expect(transfer.rest(of: .seconds(60), at: .max).map { $0 < .zero } == true)
    }

    @Test func `A download has its whole timeout left while bytes arrive, another request doesn't`() throws {
        var request = try APIRequest(.get, "https://api.example.com/film", timeout: .seconds(60))
        #expect(request.timeLeft(since: .zero, at: .seconds(600)) == .seconds(-540))
        request.transfer = Transfer(to: URL(filePath: "/dev/null"))
        #expect(request.timeLeft(since: .zero, at: .seconds(50)) == .seconds(10), "nothing has moved")
        request.transfer?.noteReceived(1)
        #expect(request.timeLeft(since: .zero, at: .seconds(600)) > .zero)
    }

    @Test(arguments: [
        [], ["ETag: W/\"v1\""], ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"],
        ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 1994 08:49:37 GMT"],
    ])
    func `A download without an exact version is not resumed`(_ fields: [String]) async throws {
        let outcome = try await Self.download { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\(fields.map { $0 + "\r\n" }.joined())\r\n"),
                .send("01234"),
            ]
        }
        #expect(outcome.reason == .connectionLost && outcome.requests.count == 1)
    }

    @Test func `A download with an exact date is resumed`() async throws {
        let modified = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"
        let outcome = try await Self.download { number in
            number == 0
                ? [
                    Self.head(length: 1000, modified, "Date: Sun, 06 Nov 1994 08:49:38 GMT"),
                    .send(String(Self.whole.prefix(10))),
                ]
                : [
                    Self.head("206 Partial Content", length: 990, "Content-Range: bytes 10-999/1000"),
                    .send(String(Self.whole.suffix(990))),
                ]
        }
        #expect(outcome.content == Self.whole)
        #expect(
            Self.range(outcome.requests, 1) == [
                "if-range: sun, 06 nov 1994 08:49:37 gmt", "range: bytes=10-",
            ])
    }

    @Test func `A download whose attempts bring almost nothing ends`() async throws {
        let outcome = try await Self.download(attempts: 3) { number in
            number == 0
                ? [Self.head(length: 1000, "ETag: \"v1\""), .send("0")]
                : [
                    Self.head(
                        "206 Partial Content", length: 1000 - number, "Content-Range: bytes \(number)-999/1000",
                        "ETag: \"v1\""),
                    .send("0"),
                ]
        }
        #expect(outcome.reason == .connectionLost && outcome.requests.count == 4)
    }

    @Test func `A part other than the requested one is an error`() async throws {
        let outcome = try await Self.download { number in
            number == 0
                ? [Self.head(length: 1000, "ETag: \"v1\""), .send(String(Self.whole.prefix(600)))]
                : [
                    Self.head("206 Partial Content", length: 500, "Content-Range: bytes 500-999/1000"),
                    .send(String(Self.whole.suffix(500))),
                ]
        }
        guard case .malformedResponse? = outcome.reason else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test(arguments: [
        ("ETag: \"v1\"", "ETag: \"v2\""), ("ETag: \"v1\"", "ETag: W/\"v1\""),
        ("Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Last-Modified: Sun, 06 Nov 1994 08:49:50 GMT"),
    ])
    func `A part of another version, of a server without If-Range, is not appended`(
        _ first: String, _ second: String
    ) async throws {
        let outcome = try await Self.download { number in
            number == 0
                ? [
                    Self.head(length: 1000, first, "Date: Sun, 06 Nov 1994 08:50:00 GMT"),
                    .send(String(Self.whole.prefix(600))),
                ]
                : [
                    Self.head("206 Partial Content", length: 400, "Content-Range: bytes 600-999/1000", second),
                    .send(String(repeating: "!", count: 400)),
                ]
        }
        guard case .malformedResponse? = outcome.reason else {
            Issue.record("\(outcome)")
            return
        }
        #expect(outcome.requests.count == 2 && outcome.content == String(Self.whole.prefix(600)))
    }

    #if os(Linux)
        @Test func `A full disk is an error with the reason`() async throws {
            try await RawServer.run { _ in
                [Self.head(length: 1000), .send(Self.whole)]
            } _: { _, base in
                var request = try APIRequest(.get, base + "/film", timeout: patience)
                // A device that is always full.
                request.transfer = Transfer(to: URL(filePath: "/dev/full"))
                let error = await failure { [request] () throws(TransportError) in
                    try await TransportKind.client.make().send(request)
                }
                #expect(error?.reason == .unwritableFile("\"full\" can't be written: No space left on device"))
            }
        }
    #endif

    @Test func `A missing folder is an error with the reason`() async throws {
        try await withTemporaryFolder { folder in
            try await RawServer.run { _ in
                [Self.head(length: 1000), .send(Self.whole)]
            } _: { _, base in
                var request = try APIRequest(.get, base + "/film", timeout: patience)
                request.transfer = Transfer(to: folder.appending(path: "none/film"))
                let error = await failure { [request] () throws(TransportError) in
                    try await TransportKind.client.make().send(request)
                }
                #expect(error?.reason == .unwritableFile("\"film\" can't be written: No such file or directory"))
            }
        }
    }

    @Test func `A downloaded file may exceed the limit of bodies in memory`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try await RawServer.run { _ in
                [Self.head(length: 1000), .send(Self.whole)]
            } _: { _, base in
                var request = try APIRequest(.get, base + "/film", timeout: patience)
                request.transfer = Transfer(to: file)
                let reply = try await TransportKind.client.make(responseLimit: 10).send(request)
                #expect(reply.file == file)
                #expect(try Data(contentsOf: file).count == 1000)
            }
        }
    }

    @Test func `An existing file is replaced, also by a shorter one`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try Data(count: 5000).write(to: file)
            try await RawServer.run { _ in
                [Self.head(length: 3), .send("new")]
            } _: { _, base in
                var request = try APIRequest(.get, base + "/film", timeout: patience)
                request.transfer = Transfer(to: file)
                _ = try await TransportKind.client.make().send(request)
                #expect(try String(contentsOf: file, encoding: .utf8) == "new")
            }
        }
    }
}
