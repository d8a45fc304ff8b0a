import Foundation
import HTTPTypes
import RESTTransport
import RestfulData
import Synchronization
import TestSupport
import Testing

/// A transport that sends parts of a body according to a script.
private final class PartialTransport: Transport {
    enum Step: Sendable {
        case head(HTTPResponse.Status, HTTPFields)
        case bytes(String)
        case lose
        /// Waits until the task is cancelled.
        case wait
    }

    private let script: @Sendable (Int) -> [Step]
    private let sent = Mutex<[APIRequest]>([])
    /// Signals that a request waits.
    let waiting = AsyncStream<Void>.makeStream()

    init(_ script: @escaping @Sendable (Int) -> [Step]) { self.script = script }

    var ranges: [String?] { sent.withLock { $0.map { $0.headerFields[.range] } } }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let number = sent.withLock { sent in
            sent.append(request)
            return sent.count - 1
        }
        var head = HTTPResponse(status: .ok)
        do {
            for step in script(number) {
                switch step {
                case .head(let status, let fields):
                    head = HTTPResponse(status: status, headerFields: fields)
                    _ = try request.transfer?.begin(head, to: request)
                case .bytes(let text):
                    // The bytes stay for as long as the closure runs.
                    try unsafe Array(text.utf8).withUnsafeBytes { try unsafe request.transfer?.write($0) }
                case .lose: throw TransportError(.connectionLost, request)
                case .wait:
                    waiting.continuation.yield()
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    throw TransportError(.cancelled, request)
                }
            }
            try request.transfer?.end()
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError((error as? TransferFailure)?.reason ?? .other("\(error)"), request)
        }
        var response = APIResponse(head, to: request)
        response.file = request.transfer?.file
        return response
    }
}

/// Downloads that end early.
@MainActor @Suite struct DownloadCallTests {
    private nonisolated static let version: HTTPFields = [.eTag: "\"1\"", .contentLength: "10"]

    private static func content(of folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private static func api(_ transport: PartialTransport) -> API {
        API("https://api.example.com", transport: transport)
    }

    @Test func `A cancelled download leaves no file`() async throws {
        try await withTemporaryFolder { folder in
            let transport = PartialTransport { _ in [.head(.ok, Self.version), .bytes("12345"), .wait] }
            let download = Task {
                try await Self.api(transport).download("/film", to: folder.appending(path: "film"))
            }
            for await _ in transport.waiting.stream { break }
            let hidden = try Self.content(of: folder)
            #expect(hidden.count == 1 && hidden[0].hasPrefix(".film."))
            download.cancel()
            let error = await failure { _ = try await download.value }
            #expect(error?.isCancellation == true)
            let rest = try Self.content(of: folder)
            #expect(rest.isEmpty)
        }
    }

    @Test func `A lost connection without a validator leaves no file`() async throws {
        try await withTemporaryFolder { folder in
            let transport = PartialTransport { _ in [.head(.ok, [.contentLength: "10"]), .bytes("12345"), .lose] }
            let error = await failure {
                try await Self.api(transport).download("/film", to: folder.appending(path: "film"))
            }
            guard case .transport(let error)? = error else {
                Testing.Issue.record("\(String(describing: error))")
                return
            }
            #expect(error.reason == .connectionLost && transport.ranges == [nil])
            let rest = try Self.content(of: folder)
            #expect(rest.isEmpty)
        }
    }

    @Test func `A lost connection is resumed with a range request`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            let transport = PartialTransport { number in
                number == 0
                    ? [.head(.ok, Self.version), .bytes("12345"), .lose]
                    : [.head(.partialContent, [.contentRange: "bytes 5-9/10"]), .bytes("67890")]
            }
            try await Self.api(transport).download("/film", to: file)
            #expect(try String(contentsOf: file, encoding: .utf8) == "1234567890")
            #expect(transport.ranges == [nil, "bytes=5-"])
            #expect(try Self.content(of: folder) == ["film"])
        }
    }

    /// Leaves the first five bytes of `/film`, version 1, as a partial download next to a file.
    private static func leavePart(of file: URL) async throws {
        let transport = PartialTransport { _ in [.head(.ok, Self.version), .bytes("12345"), .wait] }
        let download = Task { try await api(transport).download("/film", to: file, resumes: true) }
        for await _ in transport.waiting.stream { break }
        download.cancel()
        _ = await failure { _ = try await download.value }
    }

    @Test func `A resumed download continues where an earlier one was cancelled`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try await Self.leavePart(of: file)
            #expect(try Self.content(of: folder) == [".film.part", ".film.part.version"])

            let second = PartialTransport { _ in
                [.head(.partialContent, [.contentRange: "bytes 5-9/10"]), .bytes("67890")]
            }
            let seen = Mutex<[TransferProgress]>([])
            try await Self.api(second).download("/film", to: file, resumes: true) { progress in
                seen.withLock { $0.append(progress) }
            }
            #expect(second.ranges == ["bytes=5-"])
            #expect(try String(contentsOf: file, encoding: .utf8) == "1234567890")
            #expect(try Self.content(of: folder) == ["film"])
            #expect(seen.withLock { $0 }.map(\.completed) == [5, 10])
        }
    }

    @Test func `A resumed download of another version starts from the beginning`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try await Self.leavePart(of: file)
            let transport = PartialTransport { _ in [.head(.ok, [.eTag: "\"2\""]), .bytes("new")] }
            try await Self.api(transport).download("/film", to: file, resumes: true)
            #expect(transport.ranges == ["bytes=5-"])
            #expect(try String(contentsOf: file, encoding: .utf8) == "new")
            #expect(try Self.content(of: folder) == ["film"])
        }
    }

    @Test func `A part of another version is discarded, and the next download begins anew`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try await Self.leavePart(of: file)
            let transport = PartialTransport { number in
                number == 0
                    ? [
                        .head(.partialContent, [.eTag: "\"2\"", .contentRange: "bytes 5-11/12"]),
                        .bytes("fghijkl"),
                    ]
                    : [.head(.ok, [.eTag: "\"2\""]), .bytes("abcdefghijkl")]
            }
            let error = await failure {
                try await Self.api(transport).download("/film", to: file, resumes: true)
            }
            #expect(error != nil)
            #expect(try Self.content(of: folder) == [])
            try await Self.api(transport).download("/film", to: file, resumes: true)
            #expect(transport.ranges == ["bytes=5-", nil])
            #expect(try String(contentsOf: file, encoding: .utf8) == "abcdefghijkl")
        }
    }

    @Test(arguments: ["/other", "/film?format=b", "/film with a header"])
    func `A partial download isn't resumed for another resource or other headers`(_ path: String) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try await Self.leavePart(of: file)
            let transport = PartialTransport { _ in [.head(.ok, Self.version), .bytes("abcdefghij")] }
            let hasHeader = path.hasSuffix("header")
            try await Self.api(transport).download(
                URLTemplate(hasHeader ? "/film" : path), to: file, resumes: true,
                with: { if hasHeader { $0.headers[.acceptLanguage] = "de" } })
            #expect(transport.ranges == [nil])
            #expect(try String(contentsOf: file, encoding: .utf8) == "abcdefghij")
        }
    }

    @Test func `A complete download removes an earlier partial file`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try await Self.leavePart(of: file)
            let transport = PartialTransport { _ in [.head(.ok, Self.version), .bytes("abcdefghij")] }
            try await Self.api(transport).download("/film", to: file)
            #expect(try Self.content(of: folder) == ["film"])
        }
    }

    @Test(arguments: ["a folder", "a device", "no file URL"])
    func `A download to a folder, a device or a remote URL is refused before anything is sent`(_ kind: String)
        async throws
    {
        try await withTemporaryFolder { folder in
            let transport = PartialTransport { _ in [.head(.ok, Self.version), .bytes("1234567890")] }
            let places = [
                "a folder": folder, "a device": URL(filePath: "/dev/null"), "no file URL": URL(string: "x:y")!,
            ]
            let place = try #require(places[kind])
            let error = await failure { try await Self.api(transport).download("/film", to: place) }
            guard case .transport(let error)? = error, case .unwritableFile = error.reason else {
                Testing.Issue.record("\(String(describing: error))")
                return
            }
            #expect(transport.ranges.isEmpty)
            var status = stat()
            // The structure belongs to this function.
            #expect(unsafe stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        }
    }

    @Test func `A download keeps the replaced file's permissions and a link to it`() async throws {
        try await withTemporaryFolder { folder in
            let (file, link) = (folder.appending(path: "film"), folder.appending(path: "link"))
            try Data("old".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            let transport = PartialTransport { _ in [.head(.ok, Self.version), .bytes("1234567890")] }
            try await Self.api(transport).download("/film", to: link)
            #expect(try String(contentsOf: file, encoding: .utf8) == "1234567890")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test(arguments: [false, true])
    func `A partial file is readable by no more users than the file it replaces`(_ resumes: Bool) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            try Data("old".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o4700], ofItemAtPath: file.path)
            let transport = PartialTransport { _ in [.head(.ok, Self.version), .bytes("12345"), .wait] }
            let download = Task { try await Self.api(transport).download("/film", to: file, resumes: resumes) }
            for await _ in transport.waiting.stream { break }
            let part = try #require(try Self.content(of: folder).first { $0.hasSuffix(".part") })
            func mode(_ name: String) throws -> Int? {
                let path = folder.appending(path: name).path
                return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(part) == 0o700)
            download.cancel()
            _ = await failure { _ = try await download.value }
            #expect(try String(contentsOf: file, encoding: .utf8) == "old")

            let whole = PartialTransport { _ in [.head(.ok, Self.version), .bytes("1234567890")] }
            try await Self.api(whole).download("/film", to: file)
            #expect(try mode("film") == 0o700 && Self.content(of: folder) == ["film"])
        }
    }

    @Test func `A downloaded file's name can be as long as the system allows`() async throws {
        try await withTemporaryFolder { folder in
            let name = String(repeating: "文", count: 83) + ".pdf"
            let transport = PartialTransport { _ in [.head(.ok, Self.version), .bytes("1234567890")] }
            for resumes in [false, true] {
                try await Self.api(transport).download("/film", to: folder.appending(path: name), resumes: resumes)
            }
            #expect(try Self.content(of: folder) == [name])
        }
    }

    @Test func `Two concurrent downloads to one file have partial files of their own`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "film")
            let first = PartialTransport { _ in [.head(.ok, Self.version), .bytes("12345"), .wait] }
            let download = Task { try await Self.api(first).download("/film", to: file, resumes: true) }
            for await _ in first.waiting.stream { break }
            let second = PartialTransport { _ in [.head(.ok, Self.version), .bytes("abcdefghij")] }
            try await Self.api(second).download("/film", to: file, resumes: true)
            #expect(try String(contentsOf: file, encoding: .utf8) == "abcdefghij")
            download.cancel()
            _ = await failure { _ = try await download.value }
            let content = try Self.content(of: folder)
            #expect(content == [".film.part", ".film.part.version", "film"])
            #expect(try String(contentsOf: folder.appending(path: ".film.part"), encoding: .utf8) == "12345")
        }
    }

    @Test func `A body shorter than announced leaves no file`() async throws {
        try await withTemporaryFolder { folder in
            let transport = PartialTransport { _ in [.head(.ok, [.contentLength: "10"]), .bytes("12345")] }
            let error = await failure {
                try await Self.api(transport).download("/film", to: folder.appending(path: "film"))
            }
            #expect(error != nil)
            let rest = try Self.content(of: folder)
            #expect(rest.isEmpty)
        }
    }
}
