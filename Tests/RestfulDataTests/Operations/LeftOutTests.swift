import Foundation
import Logging
import RestfulData
import RestfulDataTesting
import Synchronization
import Testing

/// Reports of the parts of a reply that are left out, by every operation.
@MainActor @Suite struct LeftOutTests {
    /// An API's reports, one line each.
    private final class Ear: Sendable {
        private let heard = Mutex<[String]>([])
        var lines: [String] { heard.withLock { $0 } }

        var reports: ReplyReports {
            .silent.telling { report, request in
                let parts = report.mismatched.map(\.path) + report.rejected.map(\.path)
                self.heard.withLock { $0.append("\(request.method) \(parts.joined(separator: " "))") }
            }
        }
    }

    private nonisolated static let odd =
        #"{"id": 5, "title": 7, "rating": "good", "tags": "a", "author": {"name": "Ada"}}"#

    private func store(_ reports: ReplyReports, _ answer: @escaping @Sendable (APIRequest) -> String) throws -> Store {
        let stub = StubTransport { request in .json(answer(request)) }
        return try Store(
            .temporary, models: Blog.models, api: API("https://api.example.com", reports: reports, transport: stub))
    }

    /// An operation that gets a reply with an odd value.
    struct Operation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @MainActor @Sendable (ObjectContext) async throws -> Void
    }

    nonisolated static let operations: [Operation] = [
        Operation(testDescription: "GET an object") { _ = try await Post.fetch("/posts/5", in: $0) },
        Operation(testDescription: "GET by key") { _ = try await Post.fetch(key: 5, in: $0) },
        Operation(testDescription: "GET a list") { _ = try await Post.fetchAll(in: $0) },
        Operation(testDescription: "GET anew") { context in
            let post = try #require(try context.find(Post.self, 5))
            try await post.fetch()
        },
        Operation(testDescription: "POST an object") { context in
            let post = Post(in: context)
            post.title = "A"
            try await post.create()
        },
        Operation(testDescription: "PATCH an object") { context in
            let post = try #require(try context.find(Post.self, 5))
            post.text = "Words"
            try await post.save()
        },
        Operation(testDescription: "GET a relationship's list") { context in
            let author = try #require(try context.find(Author.self, 7))
            let posts: [Post] = try await author.$posts.fetch()
            _ = posts
        },
        Operation(testDescription: "GET a member") { context in
            let author = try #require(try context.find(Author.self, 7))
            let post: Post = try await author.$posts.fetch(5)
            _ = post
        },
        Operation(testDescription: "GET what a link leads to") { context in
            let author = try #require(try context.find(Author.self, 7))
            let post: Post? = try await author.$favourite.fetch()
            _ = post
        },
        Operation(testDescription: "POST a member") { context in
            let author = try #require(try context.find(Author.self, 7))
            let post = Post(in: context)
            post.title = "A"
            try await author.$posts.add(post)
        },
        Operation(testDescription: "PATCH a member's link") { context in
            let author = try #require(try context.find(Author.self, 7))
            try await author.$posts.add(try #require(try context.find(Post.self, 5)))
        },
        Operation(testDescription: "GET a response") { context in
            _ = try await OddPage.fetch("/page", in: context)
        },
        Operation(testDescription: "POST for a response") { context in
            _ = try await OddPage.send(.post, "/page", in: context)
        },
    ]

    private func seeded(_ reports: ReplyReports) async throws -> Store {
        let store = try store(reports) { request in
            let isList = request.method == .get && request.url.path().hasSuffix("posts")
            if request.url.path().hasSuffix("page") { return #"{"post": \#(Self.odd)}"# }
            return isList ? "[\(Self.odd)]" : Self.odd
        }
        _ = try await store.main.import(Post.self, from: Array(#"{"id": 5, "title": "Old"}"#.utf8))
        _ = try await store.main.import(Author.self, from: Array(#"{"id": 7}"#.utf8))
        return store
    }

    @Test(arguments: operations)
    func `A report of rejected values goes to the API's handler with request and paths`(_ operation: Operation)
        async throws
    {
        let ear = Ear()
        let store = try await seeded(ear.reports)
        try await operation.run(store.main)
        #expect(ear.lines.count == 1, "\(ear.lines)")
        let method = try #require(operation.testDescription.split(separator: " ").first)
        #expect(ear.lines.first?.hasPrefix(method) == true)
        for path in ["rating", "tags", "author"] { #expect(ear.lines.first?.contains(path) == true, "\(ear.lines)") }
    }

    @Test(arguments: operations)
    func `A caller that collects the report receives it instead of the API's handler`(_ operation: Operation)
        async throws
    {
        let ear = Ear()
        let store = try await seeded(ear.reports)
        let report = try await API.reporting { try await operation.run(store.main) }.report
        #expect(report.mismatchedCount == 2 && report.rejectedCount == 1 && !report.isComplete, "\(report)")
        #expect(ear.lines == [])
    }

    @Test(arguments: operations)
    func `A strict API throws on rejected values, and stores the reply`(_ operation: Operation) async throws {
        let store = try await seeded(.strict)
        let error = await failure { try await operation.run(store.main) }
        guard case .leftOut(let report, let request) = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(report.mismatchedCount == 2 && report.rejectedCount == 1)
        let told = error?.description ?? ""
        #expect(told.contains("rating: text where a number was expected") && !told.contains("good"), "\(told)")
        let post = try #require(try store.main.find(Post.self, 5))
        #expect(
            post.title == (request.method == "GET" || operation.testDescription.hasSuffix("response") ? "Old" : "7"))
        #expect(!post.hasChanges && post.unsentProperties == [])
    }

    @Test func `Nested report collectors both receive a report`() async throws {
        let store = try await seeded(.silent)
        let (inner, outer) = try await API.reporting {
            try await API.reporting { try await Post.fetch("/posts/5", in: store.main) }.report
        }
        #expect(inner.mismatchedCount == 2 && outer == inner)
    }

    @Test func `A report is passed to the API's handler if the collecting closure throws`() async throws {
        struct Stop: Error {}
        let ear = Ear()
        let store = try await seeded(ear.reports)
        await #expect(throws: Stop.self) {
            try await API.reporting {
                _ = try await Post.fetch("/posts/5", in: store.main)
                throw Stop()
            }
        }
        #expect(ear.lines.count == 1)
    }

    @Test func `Functions that return a report don't call the API's handler`() async throws {
        let ear = Ear()
        let store = try await seeded(ear.reports)
        #expect(try await Post.fetchAllReporting(in: store.main).report.mismatchedCount == 2)
        let author = try #require(try store.main.find(Author.self, 7))
        #expect(try await author.$posts.fetchReporting().report.mismatchedCount == 2)
        #expect(try await OddPage.fetchReporting("/page", in: store.main).report.mismatchedCount == 2)
        #expect(ear.lines == [])
    }

    /// The first page has an odd value, the second does not come.
    private func failingOnPageTwo(_ reports: ReplyReports) async throws -> Store {
        let stub = StubTransport { request in
            guard request.url.query() == nil else { return .json("{}", status: 500) }
            return .json(
                "[\(Self.odd)]", headerFields: [.init("Link")!: "<\(request.url.path())?page=2>; rel=next"])
        }
        let api = API("https://api.example.com", reports: reports, transport: stub)
        let store = try Store(.temporary, models: Blog.models, api: api)
        _ = try await store.main.import(Author.self, from: Array(#"{"id": 7}"#.utf8))
        return store
    }

    nonisolated static let walks: [Operation] = [
        Operation(testDescription: "GET all") { _ = try await Post.fetchAll(pages: .all(), in: $0) },
        Operation(testDescription: "GET all, reporting") { context in
            _ = try await Post.fetchAllReporting(pages: .all(), in: context)
        },
        Operation(testDescription: "GET all of a relationship, reporting") { context in
            let author = try #require(try context.find(Author.self, 7))
            _ = try await author.$posts.fetchReporting(pages: .all())
        },
    ]

    @Test(arguments: walks)
    func `Rejected values of pages before a failing one are reported`(_ walk: Operation) async throws {
        let ear = Ear()
        let store = try await failingOnPageTwo(ear.reports)
        let error = await failure { try await walk.run(store.main) }
        #expect(error?.reply?.status == 500)
        #expect(ear.lines.count == 1, "\(ear.lines)")
        #expect(ear.lines.first?.contains("rating") == true)
    }

    @Test(arguments: walks)
    func `Rejected values of failing calls are in the outer collector's report`(_ walk: Operation) async throws {
        let ear = Ear()
        let store = try await failingOnPageTwo(ear.reports)
        let report = await API.reporting {
            let error = await failure { _ = try await API.reporting { try await walk.run(store.main) } }
            #expect(error?.reply?.status == 500)
        }.report
        #expect(report.mismatchedCount == 2)
        #expect(ear.lines == [])
    }

    @Test func `A collected report tells whether a list has more pages`() async throws {
        let stub = StubTransport { request in
            .json("[]", headerFields: request.url.query() == nil ? [.init("Link")!: "</posts?page=2>; rel=next"] : [:])
        }
        let store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: stub))
        #expect(try await API.reporting { try await Post.fetchAll(in: store.main) }.report.hasMore)
        #expect(try await !API.reporting { try await Post.fetchAll(pages: .all(), in: store.main) }.report.hasMore)
    }

    @Test func `A reply without rejected values isn't reported`() async throws {
        let ear = Ear()
        let store = try store(ear.reports) { _ in #"{"id": 5, "title": "A"}"# }
        _ = try await Post.fetch("/posts/5", in: store.main)
        let report = try await API.reporting { try await Post.fetch("/posts/6", in: store.main) }.report
        #expect(ear.lines == [] && report.isComplete && report.unchanged == 1)
    }

    @Test func `The log warns with paths and without values`() async throws {
        let log = Box<[String]>([])
        var logger = Logger(label: "test") { _ in Lines(log) }
        logger.logLevel = .trace
        let store = try await seeded(.logged(to: logger))
        _ = try await Post.fetch("/posts/5", in: store.main)
        #expect(
            log.value == [
                """
                warning GET https://api.example.com/posts/5: left out of the reply: author: an Author without an identity \
                ("id"); rating: text where a number was expected; tags: text where an array, each element a string was \
                expected
                """
            ])
    }

    @Test func `The log warns if a list is cut at the default page limit`() async throws {
        let log = Box<[String]>([])
        let logger = Logger(label: "test") { _ in Lines(log) }
        let stub = StubTransport { request in
            let page = Int(request.url.query()?.dropFirst("page=".count) ?? "1") ?? 1
            return .json("[]", headerFields: [.init("Link")!: "</posts?page=\(page + 1)>; rel=next"])
        }
        let api = API("https://api.example.com", reports: .logged(to: logger), transport: stub)
        let store = try Store(.temporary, models: Blog.models, api: api)
        _ = try await Post.fetchAllReporting(pages: .all(), in: store.main)
        _ = try await Post.fetchAll(in: store.main)
        _ = try await Post.fetchAll(pages: .all(limit: 2), in: store.main)
        #expect(log.value == [])
        _ = try await Post.fetchAll(pages: .all(), in: store.main)
        let last = "https://api.example.com/posts?page=1000"
        #expect(log.value == ["warning GET \(last): left out of the reply: the pages after it"])
    }

    private struct Lines: LogHandler {
        let lines: Box<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(_ lines: Box<[String]>) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.value.append("\(event.level) \(event.message)") }
    }
}

@ResponseBody
struct OddPage {
    var post: Post?
}
