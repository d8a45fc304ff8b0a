import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// Stored objects that are returned at once, and their age.
@MainActor @Suite struct CachedThenFreshTests {
    private func subscriber() throws -> Subscriber {
        try Subscriber(
            Newsstand([
                "/posts":
                    #"[{"id": 1, "title": "one", "author": {"id": 1, "name": "Ada"}}, {"id": 2, "title": "two"}]"#,
                "/authors/1": #"{"id": 1, "name": "Ada"}"#, "/authors/1/posts": #"[{"id": 1, "title": "one"}]"#,
            ]))
    }

    @Test func `A cached-then-fresh fetch gives the stored answer before the server's`() async throws {
        let subscriber = try subscriber()
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        func round() async throws -> [String] {
            var all: [String] = []
            for try await posts in author.$posts.cachedThenFresh() {
                all.append("\(posts.source!) \(posts.objects.map(\.title).joined(separator: ","))")
            }
            return all
        }
        #expect(try await round() == ["network one"])
        #expect(try await round() == ["store one", "validated one"])
        subscriber.newsstand.pages.value["/authors/1/posts"] = #"[{"id": 1, "title": "new"}, {"id": 3, "title": "b"}]"#
        #expect(try await round() == ["store one", "network new,b"])
        subscriber.newsstand.isAway.value = true
        var all: [[Post]] = []
        await #expect(throws: APIError.self) {
            for try await posts in author.$posts.cachedThenFresh() { all.append(posts.objects) }
        }
        #expect(all.map { $0.map(\.title) } == [["new", "b"]])
        subscriber.newsstand.isAway.value = false
        var sources: [AnswerSource?] = []
        for _ in 0..<2 {
            for try await posts in Post.cachedThenFresh(in: subscriber.main) { sources.append(posts.source) }
        }
        #expect(sources.last == .validated && sources.dropLast().last == .store)
    }

    @Test func `A cached-then-fresh fetch gives stored pages at once`() async throws {
        let link = HTTPField.Name("Link")!
        let stub = StubTransport { request in
            let isFirst = request.url.query() == nil
            let next: HTTPFields = isFirst ? [link: "<https://api.example.com/posts?page=2>; rel=\"next\""] : [:]
            return .json(isFirst ? #"[{"id": 1}]"# : #"[{"id": 2}]"#, headerFields: next)
        }
        let service = try Service(stub: stub)
        _ = try await Post.fetchAll(in: service.main)
        var seen: [String] = []
        for _ in 0..<2 {
            for try await posts in Post.cachedThenFresh(pages: .all(), in: service.main) {
                seen.append("\(posts.source!) \(posts.objects.map { $0.identifier ?? 0 }) \(posts.report.hasMore)")
            }
        }
        #expect(
            seen == ["store [1] true", "network [1, 2] false", "store [1, 2] false", "network [1, 2] false"], "\(seen)")
        await #expect(throws: APIError.self) {
            _ = try await Post.fetchAll(query: ["state": "open"], policy: .offline, in: service.main)
        }
    }

    @Test func `An object's fetchedAt is the time of the server's last answer about it`() async throws {
        let subscriber = try subscriber()
        let start = subscriber.newsstand.clock.value
        let posts = try await Post.fetchAll(in: subscriber.main)
        func seconds(_ object: some Model) -> Double? { object.fetchedAt.map { $0.timeIntervalSince1970 - start } }
        #expect(posts.map(seconds) == [0, 0] && posts[0].author.flatMap(seconds) == 0)
        subscriber.newsstand.clock.value = start + 10
        let author = try await Author.fetch(key: 1, in: subscriber.main)
        #expect(seconds(author) == 10 && posts.map(seconds) == [0, 0])
        subscriber.newsstand.clock.value = start + 20
        #expect(try await Post.fetchAllReporting(in: subscriber.main).source == .validated)
        #expect(posts.map(seconds) == [20, 20] && seconds(author) == 20)
        let mine = Post(in: subscriber.main)
        #expect(mine.fetchedAt == nil)
        try await subscriber.main.save()
        let other = try await subscriber.main.import(Post.self, from: Data(#"{"id": 9}"#.utf8)).objects[0]
        #expect(mine.fetchedAt == nil && other.fetchedAt == nil)
    }
}
