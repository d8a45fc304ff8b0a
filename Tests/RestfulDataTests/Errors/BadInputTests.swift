import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Replies that are hostile or broken: a typed error in bounded time, and the store and its objects as they were.
@MainActor @Suite(.timeLimit(.minutes(10))) struct BadInputTests {
    nonisolated struct Body: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            testDescription = name
            self.bytes = bytes
        }

        init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
    }

    private static func service(answering bytes: [UInt8]) async throws -> (Service, Post) {
        let service = try Service(stub: StubTransport { _ in .init(status: 200, body: bytes) })
        let post = try await service.imported(Post.self, Self.stored)
        post.text = "Edited"
        return (service, post)
    }

    private static let stored = """
        {"id": 5, "title": "Old", "rating": 1.5, "author": {"id": 7, "name": "Ada", "posts": [{"id": 5}]},
         "readers": [{"id": 8}, {"id": 7}], "comments": [{"number": 1, "text": "First"}]}
        """

    /// The visible values of the object.
    private static func text(_ post: Post) -> String {
        """
        \(post.identifier ?? 0) \(post.title) \(post.text ?? "") \(post.rating) \(post.author?.name ?? "") \
        \(post.readers.map(\.identifier)) \(post.comments.map(\.text)) \(post.changedProperties)
        """
    }

    // MARK: Encoded bodies

    @Test(arguments: [false, true])
    func `A body in an unsupported encoding is reported by its name`(_ isSaved: Bool) async throws {
        let service = try Service(
            stub: StubTransport { _ in
                .init(status: 200, headerFields: [.contentEncoding: "br"], body: [0x0B, 0x02, 0x80, 0x7B, 0x7D, 0x03])
            })
        let post = try await service.imported(Post.self, Self.stored)
        post.text = "Edited"
        let error = await failure {
            if isSaved { try await post.save() } else { _ = try await Post.fetch(key: 5, in: service.main) }
        }
        guard case .transport(let problem) = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(problem.reason == .undecoded(encoding: "br"))
        #expect(problem.description.contains("encoded as br, which can't be decoded here; have the server send gzip"))
        #expect(post.unsentProperties == ["text"])
    }

    @Test func `A body with the identity encoding is read`() async throws {
        let stub = StubTransport { _ in
            .init(status: 200, headerFields: [.contentEncoding: "identity"], body: Array(#"{"id": 5}"#.utf8))
        }
        let service = try Service(stub: stub)
        #expect(try await Post.fetch(key: 5, in: service.main).identifier == 5)
    }

    // MARK: Bodies that aren't JSON

    nonisolated static let notJSON: [Body] = [
        Body("nothing", ""), Body("spaces", " \n\t "),
        Body("a page", "<!DOCTYPE html><html><body>Sign in</body></html>"),
        Body("text", "OK"), Body("a comment", "// no\n[]"), Body("NaN", #"{"id": 5, "rating": NaN}"#),
        Body("single quotes", "{'id': 5}"), Body("a comma too many", #"[{"id": 5},]"#),
        Body("no comma", #"[{"id": 5} {"id": 6}]"#),
        Body("no colon", #"{"id" 5}"#), Body("no key", "{5}"), Body("what follows", #"{"id": 5} {"id": 6}"#),
        Body("a wrong bracket", #"[{"id": 5}}"#), Body("a leading zero", #"{"id": 05}"#),
        Body("a plus", #"{"id": +5}"#),
        Body("a byte order mark in UTF-16", [0xFE, 0xFF, 0x00, 0x5B, 0x00, 0x5D]),
        Body("UTF-16", Array("[{\"id\": 5}]".utf16).flatMap { [UInt8($0 & 0xFF), 0] }),
        Body("gzip", [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3]), Body("a NUL", "{\"id\": 5}\u{0}"),
        Body("a NUL in a string", "{\"id\": 5, \"title\": \"a\u{0}b\"}"),
        Body("a line break in a string", "{\"id\": 5, \"title\": \"a\nb\"}"),
        Body("an escape that is none", #"{"id": 5, "title": "\x41"}"#),
        Body("half an escape", #"{"id": 5, "title": "\u00"}"#),
        Body("UTF-8 that is cut off", Array(#"{"id": 5, "title": ""#.utf8) + [0xE2, 0x82] + Array("\"}".utf8)),
        Body("UTF-8 that is too long", Array(#"{"id": 5, "title": ""#.utf8) + [0xC0, 0xAF] + Array("\"}".utf8)),
        Body("a surrogate in UTF-8", Array(#"{"id": 5, "title": ""#.utf8) + [0xED, 0xA0, 0x80] + Array("\"}".utf8)),
        Body("brackets without end", [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)),
        Body("braces without end", String(repeating: #"{"a":"#, count: 200_000)),
        Body(
            "nesting in a key of nobody's",
            #"{"id": 5, "x": "# + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}"),
        Body("nesting of objects", String(repeating: #"{"id": 7, "friends": ["#, count: 50_000)),
    ]

    @Test(arguments: notJSON) func `A reply that isn't JSON changes nothing`(_ body: Body) async throws {
        let (service, post) = try await Self.service(answering: body.bytes)
        let text = Self.text(post)
        let files = StoreFiles(service.store)
        let author = try #require(post.author)
        let failures = [
            await failure { try await post.fetch() },
            await failure { _ = try await Post.fetch("/posts/5", in: service.main) },
            await failure { _ = try await Post.fetchAll(in: service.main) },
            await failure { try await author.$posts.fetch(pages: .all()) },
            await failure { try await author.$friends.fetch(1) },
            await failure { _ = try await author.$favourite.fetch() },
        ]
        for error in failures {
            guard case .body(_, let request) = error else {
                Testing.Issue.record("\(error as Any)")
                continue
            }
            #expect(request.method == "GET")
            #expect("\(error as Any)".count < 400)
        }
        #expect(Self.text(post) == text)
        #expect(StoreFiles(service.store) == files)
    }

    @Test(arguments: ["", " ", "\t", "\r\n", " \n\t\r ", "\u{FEFF}", "\u{FEFF}\n"])
    func `A reply of white space alone is reported as empty`(_ body: String) async throws {
        let (service, post) = try await Self.service(answering: Array(body.utf8))
        let author = try #require(post.author)
        let files = StoreFiles(service.store)
        for error in [
            await failure { try await post.fetch() },
            await failure { _ = try await Post.fetch("/posts/5", in: service.main) },
            await failure { _ = try await Post.fetchAll(in: service.main) },
            await failure { try await author.$friends.fetch() },
            await failure { _ = try await author.$favourite.fetch() },
        ] {
            guard case .body(let json, _)? = error else {
                Testing.Issue.record("\(error as Any)")
                continue
            }
            #expect(json.reason == .emptyDocument)
        }
        await #expect(throws: StoreError.self) {
            do {
                try await service.main.importReporting(Post.self, from: Array(body.utf8))
            } catch StoreError.json(let json) {
                #expect(json.reason == .emptyDocument)
                throw StoreError.json(json)
            }
        }
        #expect(StoreFiles(service.store) == files)
    }

    nonisolated static let duplicates: [Body] = [
        Body("an identity", #"{"id": 5, "id": 6}"#), Body("an attribute", #"{"id": 5, "title": "a", "title": "b"}"#),
        Body("an escaped key", #"{"id": 5, "title": "a", "t\u0069tle": "b"}"#),
        Body("an attribute within", #"{"id": 5, "author": {"id": 7, "name": "a", "name": "b"}}"#),
        Body("a list", #"{"id": 5, "readers": [], "readers": [{"id": 8}]}"#),
        Body("an object", #"{"id": 5, "author": {"id": 7}, "author": {"id": 8}}"#),
    ]

    @Test(arguments: duplicates) func `A reply with a duplicate key of two values changes nothing`(_ body: Body)
        async throws
    {
        let (service, post) = try await Self.service(answering: body.bytes)
        let text = Self.text(post)
        let files = StoreFiles(service.store)
        for error in [
            await failure { try await post.fetch() },
            await failure { _ = try await Post.fetch("/posts/5", in: service.main) },
            await failure { _ = try await Post.fetchAll(in: service.main) },
        ] {
            guard case .body = error else {
                Testing.Issue.record("\(error as Any)")
                continue
            }
        }
        #expect(Self.text(post) == text)
        #expect(StoreFiles(service.store) == files)
    }

    @Test(
        arguments: [
            #""id": 5, "id": 5"#, #""title": "A", "title": "A""#, #""title": "A", "t\u0069tle": "\u0041""#,
            #""author": {"id": 7, "name": "Ada", "name": "Ada"}"#, #""readers": [{"id": 8}], "readers": [{"id": 8}]"#,
            #""author": {"id": 7}, "author": {"id": 7}"#, #""author_id": 7, "author_id": 7"#,
        ])
    func `A duplicate key with one value is read`(_ members: String) async throws {
        let (service, post) = try await Self.service(answering: Array(#"{"id": 5, \#(members)}"#.utf8))
        try await post.fetch()
        #expect(try service.main.find(Post.self, 5) === post)
        if members.contains("title") { #expect(post.title == "A") }
        if members.contains("author") { #expect(post.author?.identifier == 7) }
        if members.contains("readers") { #expect(post.readers.map(\.identifier) == [8]) }
    }

    @Test func `A truncated reply changes nothing at any length`() async throws {
        let whole = Array(Self.stored.utf8)
        let beginning = Box<[UInt8]>([])
        let service = try Service(stub: StubTransport { _ in .init(status: 200, body: beginning.value) })
        let post = try await service.imported(Post.self, Self.stored)
        let files = StoreFiles(service.store)
        for count in 0..<whole.count {
            beginning.value = Array(whole[..<count])
            guard case .body = await failure({ try await post.fetch() }), StoreFiles(service.store) == files else {
                Testing.Issue.record("the first \(count) bytes were taken for a reply")
                return
            }
        }
    }

    @Test func `A damaged reply throws or is imported whole`() async throws {
        let whole = Array(Self.stored.utf8)
        var generator = SeededGenerator(seed: 1)
        let (service, post) = try await Self.service(answering: whole)
        for _ in 0..<400 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let files = StoreFiles(service.store)
            do {
                try await service.main.importReporting(Post.self, from: bytes)
            } catch StoreError.json {
                #expect(StoreFiles(service.store) == files)
            } catch StoreError.constraint {
                #expect(StoreFiles(service.store) == files)
            }
        }
        #expect(post.text == "Edited")
    }

    // MARK: JSON without the expected meaning

    nonisolated static let mismatches: [(value: String, property: String)] = [
        (#""title": {}"#, "title"), (#""title": []"#, "title"), (#""rating": 1e999"#, "rating"),
        (#""rating": "much""#, "rating"),
        (#""is_public": 2"#, "is_public"), (#""published_at": "soon""#, "published_at"),
        (#""published_at": "2025-02-30T00:00:00Z""#, "published_at"), (#""tags": {"a": 1}"#, "tags"),
        (#""tags": [1, null]"#, "tags"), (#""meta": {"wordCount": 1.5}"#, "meta.wordCount"),
        (#""meta": {"wordCount": 99999999999999999999}"#, "meta.wordCount"), (#""author": true"#, "author"),
        (#""author": []"#, "author"), (#""readers": {}"#, "readers"), (#""readers": "all""#, "readers"),
    ]

    @Test(arguments: mismatches) func `A value of the wrong type is left out and reported`(
        _ value: String, _ property: String
    ) async throws {
        let (service, post) = try await Self.service(answering: [])
        let text = Self.text(post)
        let report = try await service.main.importReporting(Post.self, from: Array("{\"id\": 5, \(value)}".utf8))
        #expect(report.mismatched.map(\.path) == [property])
        #expect(Self.text(post) == text)
    }

    @Test(arguments: [
        "null", "1.5", "true", "[]", "{}", "\"\"", "\"five\"", "1e40", "99999999999999999999", "-9223372036854775809",
    ])
    func `An object with an invalid identity is rejected alone`(_ identity: String) async throws {
        let (service, post) = try await Self.service(answering: [])
        let text = Self.text(post)
        let body = "[{\"id\": \(identity), \"title\": \"Nobody\"}, {\"id\": 9, \"title\": \"Somebody\"}]"
        let report = try await service.main.importReporting(Post.self, from: Array(body.utf8))
        #expect(report.rejected.map(\.path) == ["[0]"] && report.inserted == 1)
        #expect(try service.main.find(Post.self, 9)?.title == "Somebody")
        #expect(Self.text(post) == text)
    }

    @Test func `Text with control and special characters is kept`() async throws {
        let (service, post) = try await Self.service(answering: [])
        let body = #"{"id": 5, "title": "a\u0000b \ud83d\ude80 \u2028 é \"\\\/", "meta": {"source": ""}}"#
        try await service.main.importReporting(Post.self, from: Array(body.utf8))
        #expect(post.title == "a\u{0}b 🚀 \u{2028} é \"\\/" && post.source == "")
        let store = service.store
        #expect(try await store.background { try $0.find(Post.self, 5)?.title } == post.title)
    }

    @Test func `Nested objects are imported up to the depth limit`() async throws {
        let (service, _) = try await Self.service(answering: [])
        let depth = 200
        let body =
            (1...depth).map { "{\"id\": \($0), \"friends\": [" }.joined() + String(repeating: "]}", count: depth)
        let report = try await service.main.importReporting(Author.self, from: Array(body.utf8))
        #expect(report.inserted == 49 && report.mismatched.map(\.expected) == ["objects nested less deeply"])
        #expect(try service.main.find(Author.self, 40)?.friends.first?.identifier == 41)
    }

    @Test func `A list of a hundred thousand invalid elements is counted but not kept`() async throws {
        let (service, _) = try await Self.service(answering: [])
        let body = "[" + String(repeating: "7,", count: 100_000) + "7]"
        let report = try await service.main.importReporting(Post.self, from: Array(body.utf8))
        #expect(report.rejectedCount == 100_001 && report.rejected.count == ImportReport.listLimit)
    }

    @Test func `A text of four megabytes is imported`() async throws {
        let (service, post) = try await Self.service(answering: [])
        let title = String(repeating: "ü", count: 2_000_000)
        try await service.main.importReporting(Post.self, from: Array("{\"id\": 5, \"title\": \"\(title)\"}".utf8))
        #expect(post.title == title)
    }
}
