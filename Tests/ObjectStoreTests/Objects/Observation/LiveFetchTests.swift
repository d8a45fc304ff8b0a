import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The values of `@Fetch` outside a view.
@MainActor
@Suite struct LiveFetchTests {
    private func store() async throws -> Store {
        let store = try Store(of: World.models)
        try await store.main.take(
            Issue.self,
            #"""
            [{"id": 1, "title": "a", "repository": {"id": 1, "name": "x"}},
             {"id": 2, "title": "b", "state": "closed", "repository": {"id": 2, "name": "y"}}, {"id": 3, "title": "c"}]
            """#)
        return store
    }

    @Test func `A live fetch keeps its results for an equal query and follows changes`() async throws {
        let store = try await store()
        let fetch = LiveFetch<Issue>()
        let shown = Tracker {
            fetch.elements(of: store.main.query(Issue.self).where { $0.state == .open }.liveRequest).map(\.title)
        }
        #expect(shown.value == ["a", "c"])
        let results = fetch.results.map { ObjectIdentifier($0) }
        try store.main.find(Issue.self, 2)?.state = .open
        #expect(shown.takeWakings() == 1)
        #expect(shown.value == ["a", "b", "c"])
        #expect(fetch.results.map { ObjectIdentifier($0) } == results)
        #expect(fetch.error == nil)
    }

    @Test func `A live fetch runs again for another query or context`() async throws {
        let store = try await store()
        let fetch = LiveFetch<Issue>()
        let issues = store.main.query(Issue.self)
        func titles(_ query: ObjectQuery<Issue>) -> String {
            fetch.elements(of: query.liveRequest).map(\.title).joined()
        }
        let repositories = try store.main.query(Repository.self).fetch()
        for _ in 0..<2 {
            #expect(titles(issues.where { $0.title == "a" }) == "a")
            #expect(titles(issues.where { $0.title == "b" }) == "b")
            #expect(titles(issues.where { $0.repository == repositories[0] }) == "a")
            #expect(titles(issues.where { $0.repository == repositories[1] }) == "b")
            #expect(titles(issues.order(by: { $0.title }, .descending)) == "cba")
            #expect(titles(issues.order(by: { $0.repository.name }, .descending)) == "bac")
            #expect(titles(issues.limit(1)) == "a")
            #expect(titles(issues.limit(1, offset: 1)) == "b")
        }
        let other = try await self.store()
        try other.main.find(Issue.self, 1)?.title = "z"
        #expect(titles(other.main.query(Issue.self)) == "zbc")
        #expect(!store.main.watch.isFollowing)
    }

    @Test func `A live fetch of sections keeps its results for an equal query`() async throws {
        let store = try await store()
        let byState = LiveFetch<LiveSection<Issue, Issue.State>>()
        let issues = store.main.query(Issue.self)
        func states(_ direction: ObjectQuery<Issue>.Direction) -> [Issue.State] {
            byState.elements(of: issues.liveRequest(by: { $0.state }, direction)).map(\.value)
        }
        #expect(states(.ascending) == [.closed, .open])
        #expect(states(.descending) == [.open, .closed])
        let results = byState.results.map { ObjectIdentifier($0) }
        #expect(states(.descending) == [.open, .closed])
        #expect(byState.results.map { ObjectIdentifier($0) } == results)
        let byRepository = LiveFetch<LiveSection<Issue, Repository?>>()
        let request = issues.liveRequest(by: { $0.repository }, order: { $0.name }, .descending)
        #expect(byRepository.elements(of: request).map { $0.value?.name } == ["y", "x", nil])
    }

    @Test func `A live fetch runs again for another order of sections`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(
            Comment.self,
            #"""
            [{"id": 1, "issue": {"id": 1, "title": "x", "state": "open", "repository": {"id": 1, "name": "a"}}},
             {"id": 2, "issue": {"id": 2, "title": "y", "state": "closed", "repository": {"id": 2, "name": "b"}}}]
            """#)
        let fetch = LiveFetch<LiveSection<Comment, Issue?>>()
        let comments = store.main.query(Comment.self)
        for _ in 0..<2 {
            let byState = comments.liveRequest(by: { $0.issue }, order: { $0.state }, .ascending)
            #expect(fetch.elements(of: byState).map { $0.value?.title } == ["y", "x"])
            let byName = comments.liveRequest(by: { $0.issue }, order: { $0.repository.name }, .ascending)
            #expect(fetch.elements(of: byName).map { $0.value?.title } == ["x", "y"])
        }
    }

    @Test func `A live fetch that fails shows no objects, has an error, and recovers`() async throws {
        let fetch = LiveFetch<Issue>()
        let few = try Store(of: [Label.self])
        #expect(fetch.elements(of: few.main.query(Issue.self).liveRequest).isEmpty)
        #expect(fetch.error != nil)
        #expect(fetch.elements(of: LiveRequest(failing: .endedContext)).isEmpty)
        let store = try await store()
        #expect(fetch.elements(of: store.main.query(Issue.self).liveRequest).count == 3)
        #expect(fetch.error == nil)
    }
}
