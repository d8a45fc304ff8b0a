import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// The bodies of requests, as bytes.
@Suite struct RequestBodyTests {
    /// Written by urllib3 2.6 (`encode_multipart_formdata`) for the same parts and boundary.
    private static let form =
        "--xx-boundary\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nSun \"set\"\nnow ü\r\n"
        + "--xx-boundary\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"s%22un.png\"\r\n"
        + "Content-Type: image/png\r\n\r\nPNG\r\n\r\n"
        + "--xx-boundary\r\nContent-Disposition: form-data; name=\"notes\"; filename=\"n.txt\"\r\n"
        + "Content-Type: text/plain\r\n\r\na\r\n--xx\r\n--xx-boundary--\r\n"

    @Test func `A multipart form has the same bytes as another implementation's`() async throws {
        try await withTemporaryFolder { folder in
            let notes = folder.appending(path: "n.txt")
            try Data("a\r\n--xx".utf8).write(to: notes)
            let body = RequestBody.multipart(
                [
                    .field("title", "Sun \"set\"\nnow ü"),
                    .data("photo", Data("PNG\r\n".utf8), filename: "s\"un.png"),
                    .file("notes", notes),
                ], boundary: "xx-boundary")
            #expect(body.contentType == "multipart/form-data; boundary=xx-boundary")
            #expect(String(decoding: try await body.readAll(), as: UTF8.self) == Self.form)
            #expect(body.length == Self.form.utf8.count)
            #expect(body.bytes == nil)
        }
    }

    @Test func `Two multipart forms have different boundaries`() {
        #expect(RequestBody.multipart([]).contentType != RequestBody.multipart([]).contentType)
    }

    @Test(arguments: ["a\r\nX: y", "a\nb"])
    func `A part's name can't add a header line`(_ name: String) async throws {
        let body = RequestBody.multipart([.field(name, "1")], boundary: "b")
        let lines = String(decoding: try await body.readAll(), as: UTF8.self).components(separatedBy: "\r\n")
        #expect(lines.count == 6 && lines[1].hasSuffix("\"") && lines[2].isEmpty)
    }

    @Test func `A large file is read in pieces, whole and in order`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film.mp4")
            let bytes = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try Data(bytes).write(to: file)
            let body = RequestBody.file(file)
            #expect(body.contentType == "video/mp4" && body.length == bytes.count)
            var pieces: [[UInt8]] = []
            for try await piece in try body.chunks() { pieces.append(piece) }
            #expect(pieces.count == 11 && pieces.flatMap(\.self) == bytes)
        }
    }

    @Test func `A file's content type is that of its extension, or a general one`() {
        #expect(RequestBody.file(URL(filePath: "/x/data.unheard")).contentType == "application/octet-stream")
        #expect(RequestBody.file(URL(filePath: "/x/Photo.JPG")).contentType == "image/jpeg")
    }

    @Test func `A stream that can be sent only once can't be opened again`() async throws {
        let body = RequestBody.stream(isRepeatable: false) { Pieces([[1], [], [2, 3]]) }
        #expect(body.canBeSentAgain)
        #expect(try await body.readAll() == [1, 2, 3])
        #expect(!body.canBeSentAgain)
        await #expect(throws: (any Error).self) { try await body.readAll() }
    }

    @Test func `A stream without errors can be a body`() async throws {
        let body = RequestBody.stream {
            AsyncStream<[UInt8]> { continuation in
                for byte in 1...3 as ClosedRange<UInt8> { continuation.yield([byte]) }
                continuation.finish()
            }
        }
        #expect(try await body.readAll() == [1, 2, 3])
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", String(repeating: "x", count: 71)])
    func `An invalid boundary is replaced`(_ boundary: String) async throws {
        let body = RequestBody.multipart([.field("a", "b")], boundary: boundary)
        let type = try #require(body.contentType)
        let used = try #require(type.components(separatedBy: "boundary=").last)
        #expect(used != boundary && !used.isEmpty && !type.contains("\r"))
        #expect(String(decoding: try await body.readAll(), as: UTF8.self).hasPrefix("--\(used)\r\n"))
    }

    @Test func `Control characters in names of parts are escaped`() async throws {
        let body = RequestBody.multipart([
            .data("a\0b\"c", Data(), filename: "x\r\ny\u{7F}.png", type: "image/png\r\nX: y")
        ])
        let text = String(decoding: try await body.readAll(), as: UTF8.self)
        #expect(text.contains("name=\"a%00b%22c\"; filename=\"x%0D%0Ay%7F.png\"\r\nContent-Type: image/pngX: y\r\n"))
    }

    @Test func `A quotation mark in a part's name is escaped, also below an accent`() async throws {
        let body = RequestBody.multipart(
            [.data("a", Data(), filename: "x\"\u{301}; name=\"admin", type: "a/b")], boundary: "b")
        let expected =
            "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"x%22\u{301}; name=%22admin\"\r\n"
            + "Content-Type: a/b\r\n\r\n\r\n--b--\r\n"
        #expect(try await body.readAll() == Array(expected.utf8))
    }

    @Test func `Bodies with equal content are equal`() {
        let stream = RequestBody.stream { Pieces([]) }
        #expect(RequestBody.bytes([1]) == .bytes([1]) && RequestBody.bytes([1]) != .bytes([2]))
        #expect(RequestBody.file(URL(filePath: "/a")) != .file(URL(filePath: "/b")))
        #expect(stream == stream && stream != .stream { Pieces([]) })
    }

    /// A gzip member, decompressed by the system's gzip.
    private static func gunzip(_ bytes: [UInt8]) async throws -> [UInt8] {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "body.gz")
            try Data(bytes).write(to: file)
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["gzip", "-d", file.path]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            return [UInt8](try Data(contentsOf: folder.appending(path: "body")))
        }
    }

    @Test(arguments: [0, 1, 70_000, 700_001])
    func `A compressed body is decompressed by another implementation`(_ count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 &* 31) }
        let inMemory = RequestBody.bytes(bytes, type: "text/csv").gzipped()
        #expect(inMemory.contentType == "text/csv" && inMemory.contentEncoding == "gzip")
        #expect(try await Self.gunzip(inMemory.bytes ?? []) == bytes)
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "log.csv")
            try Data(bytes).write(to: file)
            let body = RequestBody.file(file).gzipped()
            #expect(body.length == nil && body.contentType == "text/csv")
            // Twice, as a retry reads it again.
            for _ in 0..<2 { #expect(try await Self.gunzip(try await body.readAll()) == bytes) }
        }
    }

    @Test func `A body of many pieces is compressed whole`() async throws {
        let bytes = [UInt8](repeating: 7, count: (2 << 24) + 5)
        let body = RequestBody.bytes(bytes).gzipped()
        #expect(try await Self.gunzip(body.bytes ?? []).elementsEqual(bytes))
    }

    @Test func `A request with a compressed body has a Content-Encoding`() throws {
        let request = try APIRequest(.post, "https://api.example.com/", body: .text("x").gzipped().gzipped())
        #expect(request.headerFields[.contentEncoding] == "gzip")
    }

    @Test func `A body's description doesn't show its content`() {
        for body in [RequestBody.text("s3cr3t"), .multipart([.field("pin", "s3cr3t")])] {
            var dumped = ""
            dump(body, to: &dumped)
            #expect(!"\(body)\(dumped)".contains("s3cr3t"))
        }
        #expect("\(RequestBody.text("four"))" == "bytes, 4 bytes")
    }
}

/// A stream of given pieces.
struct Pieces: AsyncSequence, Sendable {
    typealias Element = [UInt8]
    typealias Failure = any Error

    private let pieces: [[UInt8]]

    init(_ pieces: [[UInt8]]) { self.pieces = pieces }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<[UInt8]>

        mutating func next() async throws -> [UInt8]? { rest.popFirst() }
        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
            rest.popFirst()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pieces[...]) }
}
