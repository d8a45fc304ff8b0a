import RestfulData
import RestfulDataTesting
import Testing

/// A list of a many-to-many relationship is also a part of its members' lists: an answer doesn't undo a change of one
/// side, made since its request, through the other side.
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
    func `A membership saved from one side survives an older answer of the other side`(
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

    @Test func `A membership in a later request's answer survives an older answer`() async throws {
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

    /// The edit of the topic's list concerns another post.
    @Test(arguments: [true, false]) func `A removal survives an edit of the other side's list`(
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
        // The server has changed since, so restoring the former value is an edit.
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
    func `A removal cancels an older edit of the other side but not a newer one`(
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
