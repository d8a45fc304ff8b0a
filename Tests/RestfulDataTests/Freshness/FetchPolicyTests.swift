import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// When the server is asked, and when the store answers.
@MainActor @Suite struct FetchPolicyTests {
    private static let posts = #"[{"id": 1, "title": "one"}, {"id": 2, "title": "two"}]"#

    private func subscriber(_ policy: FetchPolicy = .revalidate, _ fields: HTTPFields = [:]) throws -> Subscriber {
        let newsstand = Newsstand(["/posts": Self.posts, "/posts/1": #"{"id": 1, "title": "one"}"#])
        newsstand.fields.value["/posts"] = fields
        return try Subscriber(newsstand, policy: policy)
    }

    /// Fetches the list, and tells where it came from.
    private func source(_ subscriber: Subscriber, _ policy: FetchPolicy? = nil) async throws -> AnswerSource? {
        let fetched = try await Post.fetchAllReporting(policy: policy, in: subscriber.main)
        #expect(fetched.objects.map(\.identifier) == [1, 2])
        return fetched.source
    }

    @Test func `What is younger than that is not asked for`() async throws {
        let subscriber = try subscriber()
        let start = subscriber.newsstand.clock.value
        let policy = FetchPolicy.ifOlder(than: .seconds(300))
        #expect(try await source(subscriber, policy) == .network)
        subscriber.newsstand.clock.value = start + 299
        #expect(try await source(subscriber, policy) == .store)
        let fetched = try await Post.fetchAllReporting(policy: policy, in: subscriber.main)
        #expect(fetched.fetchedAt == Date(timeIntervalSince1970: start))
        subscriber.newsstand.clock.value = start + 301
        #expect(try await source(subscriber, policy) == .validated)
        // It counts from then on.
        subscriber.newsstand.clock.value = start + 600
        #expect(try await source(subscriber, policy) == .store)
        #expect(subscriber.log() == ["GET /posts", "GET /posts ?tag"])
        // What was changed here is not what the server said, and a clock that was set back tells nothing.
        try await subscriber.main.importReporting(Post.self, from: Data(#"{"id": 2, "title": "x"}"#.utf8))
        #expect(try await source(subscriber, policy) == .network)
        subscriber.newsstand.clock.value = start
        #expect(try await source(subscriber, policy) == .validated)
    }

    @Test func `An object is fetched by its policy, too`() async throws {
        let subscriber = try subscriber()
        let post = try await Post.fetch(key: 1, in: subscriber.main)
        try await post.fetch(.ifOlder(than: .seconds(10)))
        try await post.fetch(.cached)
        try await post.fetch(.offline)
        #expect(subscriber.log() == ["GET /posts/1"])
        subscriber.newsstand.clock.value += 11
        try await post.fetch(.ifOlder(than: .seconds(10)))
        try await post.fetch(.reload)
        #expect(subscriber.log() == ["GET /posts/1 ?tag", "GET /posts/1"])
        subscriber.newsstand.pages.value["/posts/1"] = #"{"id": 1, "title": "new"}"#
        try await post.fetch()
        #expect(post.title == "new")
    }

    @Test func `What was never fetched is not there offline`() async throws {
        let subscriber = try subscriber(.offline)
        let error = await failure { _ = try await Post.fetchAll(in: subscriber.main) }
        guard case .notStored = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(subscriber.log().isEmpty && "\(error!)".contains("offline"))
        #expect(try await source(subscriber, .cached) == .network)
        // Also when something of it has changed.
        try await subscriber.main.importReporting(Post.self, from: Data(#"{"id": 2, "title": "x"}"#.utf8))
        let fetched = try await Post.fetchAllReporting(in: subscriber.main)
        #expect(fetched.source == .store && fetched.objects.map(\.title) == ["one", "x"])
        #expect(subscriber.log() == ["GET /posts"])
    }

    @Test(arguments: [
        ("max-age=60", 59, AnswerSource.store), ("max-age=60", 60, .validated), ("max-age=0", 0, .validated),
        ("max-age=99999999999", 1_000_000, .store), ("max-age=soon", 0, .validated),
        ("private, max-age=60", 30, .store),
        ("no-cache, max-age=60", 0, .validated), ("no-store, max-age=60", 0, .network), ("s-maxage=60", 0, .validated),
        ("max-age=\"60\"", 30, .store), ("ext=\"a, max-age=0\", max-age=60", 30, .store),
        ("max-age=60, max-age=0", 30, .store),
        ("", 0, .validated),
    ])
    func `The server says how long an answer is fresh`(
        _ control: String, _ seconds: Double, _ expected: AnswerSource
    ) async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: control])
        #expect(try await source(subscriber) == .network)
        subscriber.newsstand.clock.value += seconds
        #expect(try await source(subscriber) == expected)
    }

    @Test func `An answer was so old when it came`() async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: "max-age=60", HTTPField.Name("Age")!: "50"])
        #expect(try await source(subscriber) == .network)
        subscriber.newsstand.clock.value += 9
        #expect(try await source(subscriber) == .store)
        subscriber.newsstand.clock.value += 1
        #expect(try await source(subscriber) == .validated)
    }

    @Test func `When the server can't be reached, the store answers where it may, and says so`() async throws {
        let subscriber = try subscriber()
        #expect(try await source(subscriber) == .network)
        subscriber.newsstand.isAway.value = true
        #expect(await failure { _ = try await source(subscriber) } != nil)
        #expect(try await source(subscriber, .revalidate.orStored) == .store)
        subscriber.newsstand.isAway.value = false
        subscriber.newsstand.failing.value = 503
        #expect(try await source(subscriber, .revalidate.orStored) == .store)
        #expect(await failure { _ = try await source(subscriber, .reload) } != nil)
        // What the server understands and refuses is its answer.
        subscriber.newsstand.failing.value = 403
        #expect(await failure { _ = try await source(subscriber, .revalidate.orStored) } != nil)
    }

    @Test(arguments: [
        ("max-age=10, stale-if-error=60", 69.0, true), ("max-age=10, stale-if-error=60", 70, false),
        ("max-age=10", 11, false), ("max-age=10, must-revalidate, stale-if-error=60", 11, false),
    ])
    func `The server says for how long the store may answer when it fails`(
        _ control: String, _ seconds: Double, _ isAnswered: Bool
    ) async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: control])
        #expect(try await source(subscriber) == .network)
        subscriber.newsstand.clock.value += seconds
        subscriber.newsstand.failing.value = 500
        #expect((await failure { _ = try await source(subscriber) } == nil) == isAnswered)
    }
}
