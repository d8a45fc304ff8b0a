import ObjectStore
import RestfulData
import Testing

/// Lists on both sides (`Repository.topics` and `Topic.repositories`), and on one (`Issue.labels`).
@MainActor
@Suite struct ManyToManyTests {
    private func makeTopics(_ store: Store) async throws -> (repositories: [Repository], topics: [Topic]) {
        let repositories = try await store.main.take(
            Repository.self,
            """
            [{"id": 10, "topics": [{"name": "b"}, {"name": "a"}, {"name": "c"}]},
             {"id": 11, "topics": [{"name": "c"}, {"name": "a"}]}]
            """
        ).objects
        return (repositories, try store.main.query(Topic.self).order(by: { $0.name }).fetch())
    }

    private func names(_ repository: Repository) -> [String] { repository.topics.compactMap(\.name) }
    private func numbers(_ topic: Topic) -> [Int] { topic.repositories.compactMap(\.identifier) }

    @Test func `A member removed and added again by the other side keeps its place`() async throws {
        let store = try Store(of: World.models)
        let (repositories, topics) = try await makeTopics(store)
        #expect(numbers(topics[0]) == [10, 11])
        let former = repositories[0].topics
        repositories[0].topics.remove(at: 1)
        #expect(numbers(topics[0]) == [11])
        repositories[0].topics = former
        #expect(numbers(topics[0]) == [10, 11] && !store.main.hasChanges)
    }

    @Test func `Both sides of a many-to-many import keep the given order`() async throws {
        let store = try Store(of: World.models)
        let (repositories, topics) = try await makeTopics(store)
        #expect(repositories.map(names) == [["b", "a", "c"], ["c", "a"]])
        #expect(topics.map(numbers) == [[10, 11], [10], [10, 11]])
        try await store.takeElsewhere(
            Topic.self, #"[{"name": "a", "repositories": [{"id": 11}, {"id": 12}, {"id": 10}]}]"#)
        #expect(topics.map(numbers) == [[11, 12, 10], [10], [10, 11]])
        #expect(repositories.map(names) == [["b", "a", "c"], ["c", "a"]])
        try expect(
            store,
            holds: """
                repository
                  10 name= stars=0 is_private=0
                  11 name= stars=0 is_private=0
                  12 name= stars=0 is_private=0
                repository_topics
                  (10) - (a) 1 2
                  (10) - (b) 0 -
                  (10) - (c) 2 -
                  (11) - (a) 1 0
                  (11) - (c) 0 -
                  (12) - (a) - 1
                """, of: Repository.self)
    }

    @Test func `An edit of one side of a many-to-many list shows on the other`() async throws {
        let store = try Store(of: World.models)
        let (repositories, topics) = try await makeTopics(store)
        repositories[1].topics = [topics[1], topics[0]]
        #expect(topics.map(numbers) == [[10, 11], [10, 11], [10]])
        topics[0].repositories = [repositories[0]]
        #expect(names(repositories[1]) == ["b"])
        topics[2].repositories = [repositories[1], repositories[0]]
        #expect(repositories.map(names) == [["b", "a", "c"], ["b", "c"]])
        let before = (repositories.map(names), topics.map(numbers))
        try await store.main.save()
        #expect(!store.main.hasChanges)
        #expect(repositories.map(names) == before.0)
        #expect(topics.map(numbers) == before.1)
        #expect(try store.check() == [])
    }

    @Test func `A many-to-many list read after edits of the other side includes them`() async throws {
        let store = try Store(of: World.models)
        try await store.takeElsewhere(
            Repository.self, #"[{"id": 10, "topics": [{"name": "a"}]}, {"id": 11, "topics": [{"name": "a"}]}]"#)
        let repository = try #require(try store.main.find(Repository.self, 10))
        repository.topics = []
        let new = Repository(in: store.main)
        new.identifier = 12
        let topic = try #require(try store.main.find(Topic.self, "a"))
        new.topics = [topic]
        #expect(numbers(topic) == [11, 12])
        store.main.rollback()
        #expect(numbers(topic) == [10, 11])
    }

    @Test func `New objects are linked from both sides of a many-to-many list`() async throws {
        let store = try Store(of: World.models)
        let repository = Repository(in: store.main)
        repository.identifier = 1
        let topics = ["x", "y"].map { name in
            let topic = Topic(in: store.main)
            topic.name = name
            return topic
        }
        topics[1].repositories = [repository]
        repository.topics += [topics[0]]
        #expect(names(repository) == ["y", "x"])
        #expect(topics.map(numbers) == [[1], [1]])
        try await store.main.save()
        #expect(names(repository) == ["y", "x"])
        #expect(topics.map(numbers) == [[1], [1]])
    }

    @Test func `A deleted object leaves its many-to-many lists`() async throws {
        let store = try Store(of: World.models)
        let (repositories, topics) = try await makeTopics(store)
        try await store.background { context in
            if let topic = try context.find(Topic.self, "a") { context.delete(topic) }
        }
        #expect(repositories.map(names) == [["b", "c"], ["c"]])
        store.main.delete(repositories[0])
        #expect(numbers(topics[2]) == [11])
        try await store.main.save()
        #expect(numbers(topics[2]) == [11] && numbers(topics[1]) == [])
        try expect(
            store,
            holds: """
                repository
                  11 name= stars=0 is_private=0
                repository_topics
                  (11) - (c) 0 -
                """, of: Repository.self)
    }

    @Test func `A many-to-many edit in another context is merged on both sides`() async throws {
        let store = try Store(of: World.models)
        let (repositories, topics) = try await makeTopics(store)
        _ = (repositories.map(names), topics.map(numbers))
        try await store.background { context in
            let topic = try #require(try context.find(Topic.self, "b"))
            topic.repositories = try context.query(Repository.self).order(by: { $0.identifier }, .descending).fetch()
        }
        #expect(numbers(topics[1]) == [11, 10])
        #expect(names(repositories[1]) == ["c", "a", "b"])
    }

    @Test func `A one-sided list keeps its order and shares members with other lists`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(
            Issue.self,
            """
            [{"id": 1, "labels": [{"id": 3}, {"id": 1}, {"id": 3}, {"id": 2}]}, {"id": 2, "labels": [{"id": 2}, {"id": 3}]}]
            """
        ).objects
        #expect(issues.map { $0.labels.map(\.identifier) } == [[3, 1, 2], [2, 3]])
        let labels = issues[0].labels
        // A list set with a repeated member is refused.
        issues[1].labels = [labels[0], labels[0], labels[1]]
        #expect(issues[1].labels.map(\.identifier) == [2, 3])
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        #expect(error?.description.hasPrefix("Issue.labels was given a member twice") == true)
        issues[1].labels = [labels[0], labels[1]]
        #expect(issues[1].labels.map(\.identifier) == [3, 1])
        try await store.main.save()
        #expect(issues.map { $0.labels.map(\.identifier) } == [[3, 1, 2], [3, 1]])
        try await store.takeElsewhere(Issue.self, #"[{"id": 1, "labels": []}]"#)
        #expect(issues.map { $0.labels.map(\.identifier) } == [[], [3, 1]])
        #expect(try store.main.query(Label.self).count() == 3)
    }

    @Test func `Others may add a member that was added on one side and removed on the other`() async throws {
        let store = try Store(of: World.models)
        let (repositories, topics) = try await makeTopics(store)
        repositories[1].topics.append(topics[1])
        topics[1].repositories.removeAll { $0 === repositories[1] }
        #expect(names(repositories[1]) == ["c", "a"] && numbers(topics[1]) == [10])
        try await store.background { context in
            let topic = try #require(try context.find(Topic.self, "b"))
            topic.repositories.append(try #require(try context.find(Repository.self, 11)))
        }
        #expect(numbers(topics[1]) == [10, 11] && names(repositories[1]) == ["c", "a", "b"])
        // The reverse: a member that was removed and put back may be removed by others.
        topics[0].repositories.removeAll { $0 === repositories[1] }
        repositories[1].topics.append(topics[0])
        try await store.background { context in
            let topic = try #require(try context.find(Topic.self, "a"))
            topic.repositories.removeLast()
        }
        #expect(numbers(topics[0]) == [10] && names(repositories[1]) == ["c", "b"])
        try await store.main.save()
        #expect(numbers(topics[0]) == [10] && names(repositories[1]) == ["c", "b"])
    }
}
