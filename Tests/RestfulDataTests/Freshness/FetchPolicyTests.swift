import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// When the server is asked, and when the store answers.
@MainActor @Suite struct FetchPolicyTests {
    private static let posts = #"[{"id": 1, "title": "one"}, {"id": 2, "title": "two"}]"#

    private func subscriber(_ policy: FetchPolicy = .revalidate, _ fields: HTTPFields = [:]) throws -> Subscriber {
        let newsstand = Newsstand(["/posts": Self.posts, "/posts/1": #"{"id": 1, "title": "one"}"#])
        newsstand.fields.value["/posts"] = fields
        return try Subscriber(newsstand, policy: policy)
    }

    /// Fetches the list, and returns the source of the answer.
    private func source(
        _ subscriber: Subscriber, _ policy: FetchPolicy? = nil, ids: [Int] = [1, 2]
    ) async throws -> AnswerSource? {
        let fetched = try await Post.fetchAllReporting(policy: policy, in: subscriber.main)
        #expect(fetched.objects.map(\.identifier) == ids)
        return fetched.source
    }

    @Test func `An answer younger than the policy's age is used without a request`() async throws {
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
        // A local change makes the stored rows differ from the server's answer.
        try await subscriber.main.importReporting(Post.self, from: Data(#"{"id": 2, "title": "x"}"#.utf8))
        #expect(try await source(subscriber, policy) == .network)
    }

    @Test(arguments: [FetchPolicy.ifOlder(than: .seconds(300)), .cacheControl])
    func `An answer dated in the future counts as new and then ages`(_ policy: FetchPolicy) async throws {
        let subscriber = try subscriber(policy, [.cacheControl: "max-age=301"])
        let clock = subscriber.newsstand.clock
        #expect(try await source(subscriber) == .network)
        let posts = try await Post.fetchAll(in: subscriber.main)
        clock.value -= 86_400
        let start = clock.value
        #expect(try await source(subscriber) == .store)
        #expect(posts[0].fetchedAt == Date(timeIntervalSince1970: start))
        clock.value = start + 300
        let fetched = try await Post.fetchAllReporting(in: subscriber.main)
        #expect(fetched.source == .store && fetched.fetchedAt == Date(timeIntervalSince1970: start))
        clock.value = start + 302
        #expect(try await source(subscriber) == .validated)
        #expect(posts[0].fetchedAt == Date(timeIntervalSince1970: start + 302))
        // Set back once more, by less than it was before.
        clock.value = start + 10
        #expect(try await source(subscriber) == .store)
        clock.value = start + 309
        #expect(try await source(subscriber) == .store)
        clock.value = start + 312
        #expect(try await source(subscriber) == .validated)
        #expect(subscriber.log() == ["GET /posts", "GET /posts ?tag", "GET /posts ?tag"])
    }

    @Test func `A request with no-cache is sent while the stored answer is fresh`() async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: "max-age=300"])
        for expected in [AnswerSource.network, .validated] {
            let fetched = try await Post.fetchAllReporting(in: subscriber.main) {
                $0.headers[.cacheControl] = "no-cache"
            }
            #expect(fetched.source == expected)
        }
    }

    @Test func `The corrected time of an answer from the future is stored`() async throws {
        let file = try TemporaryFile()
        let newsstand = Newsstand(["/posts": Self.posts])
        func subscriber() throws -> Subscriber {
            try Subscriber(newsstand, location: .file(URL(filePath: file.path)))
        }
        let policy = FetchPolicy.ifOlder(than: .seconds(300))
        #expect(try await source(subscriber(), policy) == .network)
        newsstand.clock.value -= 86_400
        #expect(try await source(subscriber(), policy) == .store)
        newsstand.clock.value += 299
        #expect(try await source(subscriber(), policy) == .store)
        newsstand.clock.value += 2
        #expect(try await source(subscriber(), policy) == .validated)
        newsstand.clock.value += 299
        #expect(try await source(subscriber(), policy) == .store)
    }

    @Test func `An answer from the future obeys stale-if-error`() async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: "max-age=0, stale-if-error=60"])
        #expect(try await source(subscriber) == .network)
        subscriber.newsstand.clock.value -= 86_400
        subscriber.newsstand.failing.value = 500
        #expect(try await source(subscriber) == .store)
        subscriber.newsstand.clock.value += 59
        #expect(try await source(subscriber) == .store)
        subscriber.newsstand.clock.value += 2
        #expect(await failure { _ = try await source(subscriber) } != nil)
    }

    @Model("/countries", policy: .ifOlder(than: .seconds(60))) final class Country {
        var identifier: Int?
        @Relationship("/countries/:id/cities") var cities: [City]
    }

    @Model(policy: .cached) final class City {
        var identifier: Int?
    }

    @Test func `A model's policy comes before the API's and after the call's`() async throws {
        let tag: HTTPFields = [.eTag: "\"a\""]
        let stub = StubTransport([
            "GET /countries": .json(#"[{"id": 1}]"#, headerFields: tag),
            "GET /countries/1": .json(#"{"id": 1}"#, headerFields: tag),
            "GET /countries/1/cities": .json(#"[{"id": 5}]"#, headerFields: tag),
        ])
        let service = try Service([Country.self, City.self], stub: stub)
        for _ in 0..<2 {
            let country = try await Country.fetchAll(in: service.main)[0]
            try await country.fetch()
            try await country.$cities.fetch()
        }
        #expect(stub.log == ["GET /countries", "GET /countries/1", "GET /countries/1/cities"])
        stub.forgetRequests()
        _ = try await Country.fetchAll(policy: .reload, in: service.main)
        #expect(stub.log == ["GET /countries"])
    }

    @Test func `An object's fetch follows its policy`() async throws {
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

    @Test func `An offline fetch without a stored answer throws`() async throws {
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

    @Test func `A newer no-store answer replaces stored ones`() async throws {
        let subscriber = try subscriber()
        let newsstand = subscriber.newsstand
        let policy = FetchPolicy.ifOlder(than: .seconds(300))
        #expect(try await source(subscriber, policy) == .network)
        newsstand.clock.value += 10
        newsstand.pages.value["/posts"] = #"[{"id": 1, "title": "one"}]"#
        newsstand.fields.value["/posts"] = [.cacheControl: "no-store"]
        #expect(try await source(subscriber, .reload, ids: [1]) == .network)
        #expect(try await source(subscriber, policy, ids: [1]) == .network)
        newsstand.fields.value["/posts"] = [:]
        #expect(try await source(subscriber, policy, ids: [1]) == .network)
        #expect(try await source(subscriber, policy, ids: [1]) == .store)
    }

    @Test func `An answer stored under other conventions isn't used`() async throws {
        let file = try TemporaryFile()
        let newsstand = Newsstand(["/posts": #"[{"id": 1, "title": "a"}, {"id": 2, "title": "b", "gone": true}]"#])
        var conventions = APIConventions.default
        for ids in [[1, 2], [1], [1]] {
            let subscriber = try Subscriber(
                newsstand, location: .file(URL(filePath: file.path)), conventions: conventions)
            #expect(try await Post.fetchAll(in: subscriber.main).map(\.identifier) == ids)
            conventions.tombstones = ["gone"]
        }
    }

    private struct KeyInQuery: Middleware {
        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            var request = request
            request.url.append(queryItems: [URLQueryItem(name: "key", value: "k")])
            return try await next(request)
        }
    }

    @Test func `An offline fetch sends nothing even if middleware changes the query`() async throws {
        let newsstand = Newsstand(["/posts?key=k": Self.posts])
        let subscriber = try Subscriber(newsstand) { KeyInQuery() }
        #expect(try await source(subscriber) == .network)
        #expect(subscriber.log() == ["GET /posts?key=k"])
        let error = await failure { _ = try await Post.fetchAll(policy: .offline, in: subscriber.main) }
        guard case .notStored = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(subscriber.log().isEmpty)
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
    func `Cache-Control decides how long an answer is fresh`(
        _ control: String, _ seconds: Double, _ expected: AnswerSource
    ) async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: control])
        #expect(try await source(subscriber) == .network)
        subscriber.newsstand.clock.value += seconds
        #expect(try await source(subscriber) == expected)
    }

    /// Cache fields that allow the use of a stored answer during its revalidation, whether it is used, and the requests
    /// sent by then.
    @Test(arguments: [
        ("max-age=60, stale-while-revalidate=30", 89, true), ("max-age=60, stale-while-revalidate=30", 90, false),
        ("max-age=60, stale-while-revalidate=30, must-revalidate", 61, false),
        ("stale-while-revalidate=30", 1, false), ("max-age=60, stale-while-revalidate=soon", 61, false),
    ])
    func `stale-while-revalidate uses the stored answer during the request`(
        _ control: String, _ seconds: Double, _ isUsed: Bool
    ) async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: control])
        let newsstand = subscriber.newsstand
        newsstand.fields.value["/posts/1"] = [.cacheControl: control]
        let posts = try await Post.fetchAll(in: subscriber.main)
        let post = try await Post.fetch(key: 1, in: subscriber.main)
        newsstand.clock.value += seconds
        newsstand.pages.value["/posts"] = #"[{"id": 1, "title": "one"}, {"id": 2, "title": "new"}, {"id": 3}]"#
        #expect(subscriber.log() == ["GET /posts", "GET /posts/1"])
        let fetched = try await Post.fetchAllReporting(in: subscriber.main)
        #expect(fetched.source == (isUsed ? .store : .network) && fetched.objects.count == (isUsed ? 2 : 3))
        while posts[1].title != "new" { await Task.yield() }
        #expect(try subscriber.main.find(Post.self, 3) != nil)
        // Now it is fresh, unless it is so for no time.
        if control.hasPrefix("max-age") { #expect(try await source(subscriber, ids: [1, 2, 3]) == .store) }
        newsstand.pages.value["/posts/1"] = #"{"id": 1, "title": "newer"}"#
        try await post.fetch()
        #expect(post.title == (isUsed ? "one" : "newer"))
        while post.title != "newer" { await Task.yield() }
        #expect(subscriber.log() == ["GET /posts ?tag", "GET /posts/1 ?tag"])
    }

    @Test func `A stale answer is revalidated once at a time, and again after a failure`() async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: "max-age=60, stale-while-revalidate=600"])
        let newsstand = subscriber.newsstand
        #expect(try await source(subscriber) == .network)
        newsstand.clock.value += 61
        newsstand.failing.value = 503
        subscriber.stub.forgetRequests()
        for _ in 0..<10 { #expect(try await source(subscriber) == .store) }
        while subscriber.stub.log.isEmpty { await Task.yield() }
        await giveWay()
        newsstand.failing.value = nil
        newsstand.pages.value["/posts"] = #"[{"id": 1, "title": "one"}, {"id": 2, "title": "new"}]"#
        let posts = try await Post.fetchAll(in: subscriber.main)
        while posts[1].title != "new" {
            await Task.yield()
            _ = try await source(subscriber)
        }
    }

    @Test func `A 304 renews a stored answer's time across restarts`() async throws {
        let file = try TemporaryFile()
        let newsstand = Newsstand(["/posts": Self.posts])
        func subscriber() throws -> Subscriber {
            try Subscriber(newsstand, location: .file(URL(filePath: file.path)))
        }
        let policy = FetchPolicy.ifOlder(than: .seconds(300))
        do {
            let subscriber = try subscriber()
            #expect(try await source(subscriber, policy) == .network)
            newsstand.clock.value += 301
            #expect(try await source(subscriber, policy) == .validated)
        }
        newsstand.clock.value += 299
        #expect(try await source(subscriber(), policy) == .store)
    }

    @Test func `An answer's Age counts towards its age`() async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: "max-age=60", HTTPField.Name("Age")!: "50"])
        #expect(try await source(subscriber) == .network)
        subscriber.newsstand.clock.value += 9
        #expect(try await source(subscriber) == .store)
        subscriber.newsstand.clock.value += 1
        #expect(try await source(subscriber) == .validated)
    }

    @Test func `orStored uses the stored answer when the server can't be reached, and says so`() async throws {
        let subscriber = try subscriber()
        #expect(try await source(subscriber) == .network)
        subscriber.newsstand.isAway.value = true
        #expect(await failure { _ = try await source(subscriber) } != nil)
        #expect(try await source(subscriber, .revalidate.orStored) == .store)
        subscriber.newsstand.isAway.value = false
        subscriber.newsstand.failing.value = 503
        #expect(try await source(subscriber, .revalidate.orStored) == .store)
        #expect(await failure { _ = try await source(subscriber, .reload) } != nil)
        // A request that the server refuses has an answer.
        subscriber.newsstand.failing.value = 403
        #expect(await failure { _ = try await source(subscriber, .revalidate.orStored) } != nil)
    }

    @Test(arguments: [
        ("max-age=10, stale-if-error=60", 69.0, true), ("max-age=10, stale-if-error=60", 70, false),
        ("max-age=10", 11, false), ("max-age=10, must-revalidate, stale-if-error=60", 11, false),
    ])
    func `stale-if-error decides how long an answer is used when the server fails`(
        _ control: String, _ seconds: Double, _ isAnswered: Bool
    ) async throws {
        let subscriber = try subscriber(.cacheControl, [.cacheControl: control])
        #expect(try await source(subscriber) == .network)
        subscriber.newsstand.clock.value += seconds
        subscriber.newsstand.failing.value = 500
        #expect((await failure { _ = try await source(subscriber) } == nil) == isAnswered)
    }
}
