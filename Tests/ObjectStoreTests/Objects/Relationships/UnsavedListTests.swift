import RestfulData
import Testing

@testable import ObjectStore

/// Unsaved edits of lists are kept member by member, in each context.
@MainActor
@Suite struct UnsavedListTests {
    private let store: Store
    private let repositories: [Repository]
    private let topics: [Topic]

    init() async throws {
        store = try Store(of: World.models)
        repositories = try await store.main.take(
            Repository.self,
            #"[{"id": 10, "topics": [{"name": "a"}, {"name": "b"}]}, {"id": 11, "topics": [{"name": "c"}]}]"#
        ).objects
        topics = try store.main.query(Topic.self).order(by: { $0.name }).fetch()
    }

    private func names(_ repository: Repository?) -> [String] { repository?.topics.compactMap(\.name) ?? [] }

    private func elsewhere(_ names: [String]) async throws {
        try await store.background { context in
            let topics = try context.query(Topic.self).fetch()
            try context.find(Repository.self, 10)?.topics = names.compactMap { name in
                topics.first { $0.name == name }
            }
        }
    }

    @Test func `A draft's removal of a member stays when its context makes and reverts the same`() throws {
        let draft = try store.main.draft()
        let copy = try #require(draft.object(for: repositories[0]))
        copy.topics.removeAll { $0.name == "a" }
        repositories[0].topics = []
        #expect(names(copy) == [])
        repositories[0].rollback()
        #expect(names(repositories[0]) == ["a", "b"] && names(copy) == ["b"] && draft.hasChanges)
        try draft.save()
        #expect(names(repositories[0]) == ["b"])
    }

    @Test(arguments: [false, true])
    func `A draft may restore the file's order that its context has edited`(
        _ isByMove: Bool
    ) async throws {
        let user = try await store.main.take(
            User.self, #"{"id": 1, "repositories": [{"id": 1}, {"id": 2}, {"id": 3}]}"#
        ).objects[0]
        let draft = try store.main.draft()
        let copy = try #require(draft.object(for: user))
        func order(_ user: User) -> [Int] { user.repositories.compactMap(\.identifier) }
        user.repositories.insert(user.repositories.removeLast(), at: 0)
        #expect(order(user) == [3, 1, 2] && order(copy) == [3, 1, 2] && !draft.hasChanges)
        if isByMove {
            let moved = copy.repositories.removeFirst()
            #expect(order(copy) == [1, 2])
            copy.repositories.append(moved)
        } else {
            copy.repositories = copy.repositories.sorted { ($0.identifier ?? 0) < ($1.identifier ?? 0) }
        }
        #expect(order(copy) == [1, 2, 3] && draft.hasChanges)
        // The parent's order comes into the file, and the draft's stays.
        try await store.main.save()
        #expect(order(user) == [3, 1, 2] && order(copy) == [1, 2, 3] && draft.hasChanges)
        try draft.save()
        #expect(order(user) == [1, 2, 3] && !draft.hasChanges)
        try await store.main.save()
        let stored = try await store.background { try $0.find(User.self, 1)?.repositories.compactMap(\.identifier) }
        #expect(stored == [1, 2, 3])
    }

    @Test func `A draft's save keeps an addition that its context has made too`() throws {
        let draft = try store.main.draft()
        let copy = try #require(draft.object(for: repositories[0]))
        copy.topics.append(try #require(draft.object(for: topics[2])))
        repositories[0].topics = [topics[2]]
        try draft.save()
        #expect(names(repositories[0]) == ["c"])
    }

    @Test func `Members that others add and remove follow, together with own edits`() async throws {
        repositories[0].topics.append(topics[2])
        try await elsewhere(["b"])
        #expect(names(repositories[0]) == ["b", "c"])
        try await elsewhere(["b", "a"])
        #expect(Set(names(repositories[0])) == ["a", "b", "c"] && repositories[0].hasChanges)
    }

    @Test func `A list edit that another context has saved too is no longer an edit`() async throws {
        repositories[0].topics.append(topics[2])
        try await elsewhere(["a", "b", "c"])
        #expect(names(repositories[0]) == ["a", "b", "c"] && !store.main.hasChanges)
        try await elsewhere(["a"])
        #expect(names(repositories[0]) == ["a"])
    }

    @Test func `A list edit from the other side replaces an earlier one`() async throws {
        repositories[0].topics.append(topics[2])
        topics[2].repositories.removeAll { $0 === repositories[0] }
        #expect(!store.main.hasChanges)
        #expect(names(repositories[0]) == ["a", "b"] && topics[2].repositories.map(\.identifier) == [11])
        try await elsewhere(["a", "b", "c"])
        #expect(names(repositories[0]) == ["a", "b", "c"] && !store.main.hasChanges)
    }

    @Test func `Members changed during a save stay unsaved`() async throws {
        repositories[0].topics.append(topics[2])
        try await whileSaving(store) { repositories[0].topics.removeAll { $0 === topics[0] } }
        #expect(names(repositories[0]) == ["b", "c"])
        try await elsewhere(["a", "b"])
        #expect(names(repositories[0]) == ["b"])
        try await store.main.save()
        #expect(names(repositories[0]) == ["b"] && !store.main.hasChanges)
    }

    @Test func `A member that is removed and added again moves to the end`() async throws {
        repositories[0].topics.removeAll { $0 === topics[0] }
        repositories[0].topics.append(topics[0])
        #expect(store.main.hasChanges)
        try await store.main.save()
        #expect(names(repositories[0]) == ["b", "a"])
        #expect(repositories[0].unsentProperties == ["topics"])
    }

    @Test func `A pending member that a new list replaced stays out when its row is imported`() async throws {
        try await store.main.take(Repository.self, #"{"id": 10, "topics": [{"name": "a"}, {"name": "b"}, "w"]}"#)
        repositories[0].topics.removeAll { $0 === topics[1] }
        repositories[0].topics = [topics[2]]
        try await store.takeElsewhere(Topic.self, #"[{"name": "w"}]"#)
        #expect(names(repositories[0]) == ["c"])
    }
}
