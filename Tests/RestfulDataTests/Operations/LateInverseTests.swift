import RestfulData
import RestfulDataTesting
import Testing

/// A list of a many-to-many relationship is the lists of its members as well: what has happened to the one since a
/// question was asked, its answer does not undo in the other.
@MainActor @Suite(.timeLimit(.minutes(10))) struct LateInverseTests {
    @Model("/posts") final class Post {
        var identifier: Int?
        var title = ""
        @Relationship("/posts/:id/topics", inverse: "posts") var topics: [Topic]
    }

    @Model("/topics") final class Topic {
        var identifier: Int?
        @Relationship("/topics/:id/posts", inverse: "topics") var posts: [Post]
    }

    private static let models: [any Model.Type] = [Post.self, Topic.self]

    private func ids(_ topics: [Topic]) -> [Int?] { topics.map(\.identifier) }

    @Test(arguments: [true, false])
    func `A membership that was saved from one side stays when an older answer of the other has come`(
        _ isAdded: Bool
    ) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let post = try await store.imported(Post.self, #"{"id": 2, "topics": [{"id": 8}]}"#)
        let body = isAdded ? #"{"id": 9, "posts": []}"# : #"{"id": 8, "posts": [{"id": 2}]}"#
        let topic = try await store.imported(Topic.self, body)
        let asking = Task { try await post.fetch() }
        await held.wait(for: 1)
        topic.posts = isAdded ? [post] : []
        let saving = Task { try await topic.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        held.answer(0, .json(#"{"id": 2, "title": "A", "topics": [{"id": 8}]}"#))
        try await asking.value
        #expect(post.title == "A")
        #expect(ids(post.topics) == (isAdded ? [8, 9] : []))
        #expect(topic.posts.count == (isAdded ? 1 : 0))
        #expect(post.unsentProperties.isEmpty && topic.unsentProperties.isEmpty)
    }

    @Test func `The answer to a later question stays as well`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let post = try await store.imported(Post.self, #"{"id": 2, "topics": [{"id": 8}]}"#)
        let topic = try await store.imported(Topic.self, #"{"id": 9, "posts": []}"#)
        let older = Task { try await post.fetch() }
        await held.wait(for: 1)
        let newer = Task { try await topic.fetch() }
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 9, "posts": [{"id": 2}]}"#))
        try await newer.value
        held.answer(0, .json(#"{"id": 2, "topics": [{"id": 8}]}"#))
        try await older.value
        #expect(ids(post.topics) == [8, 9] && topic.posts.count == 1)
    }

    /// The edit of the topic's list says nothing of that post.
    @Test(arguments: [true, false]) func `A removal stays beside an edit of the other side's list`(
        isSaved: Bool
    ) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let topic = try await store.imported(Topic.self, #"{"id": 8, "posts": [{"id": 2}, {"id": 4}]}"#)
        let posts = topic.posts
        let joining = try await store.imported(Post.self, #"{"id": 3}"#)
        topic.posts.removeLast()
        topic.posts.append(joining)
        if isSaved { try await store.main.save() }
        let removing = Task { try await posts[0].$topics.delete(topic) }
        await held.wait(for: 1)
        held.answer(0, .status(204))
        try await removing.value
        #expect(posts[0].topics.isEmpty && topic.posts.map(\.identifier) == [3])
        // To go back to what the server had before is not to go back to what it has.
        topic.posts = posts
        if isSaved { try await store.main.save() }
        #expect(topic.unsentProperties == ["posts"])
        topic.posts = [joining]
        let saving = Task { try await topic.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        #expect(held.bodies.last == #"{"post_ids":[3]}"# && topic.unsentProperties.isEmpty)
    }

    /// The newer of the two is the last word on the link.
    @Test(arguments: [true, false])
    func `A removal from one side takes back an older edit of the other, and no newer one`(
        isOlder: Bool
    ) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let topic = try await store.imported(Topic.self, #"{"id": 8, "posts": []}"#)
        let post = try await store.imported(Post.self, #"{"id": 2, "topics": []}"#)
        topic.posts = [post]
        try await store.main.save()
        let removing = Task { try await post.$topics.delete(topic) }
        await held.wait(for: 1)
        if !isOlder {
            topic.posts = []
            topic.posts = [post]
            try await store.main.save()
        }
        held.answer(0, .status(204))
        try await removing.value
        #expect(topic.posts.map(\.identifier) == (isOlder ? [] : [2]))
        #expect(topic.unsentProperties == (isOlder ? [] : ["posts"]))
    }
}
