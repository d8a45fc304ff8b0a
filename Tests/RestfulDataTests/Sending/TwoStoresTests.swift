import ObjectStore
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Two stores of one process on one file send as one.
@MainActor @Suite struct TwoStoresTests {
    private let held = HeldTransport()
    private let file: TemporaryFile
    private let first: Store
    private let second: Store

    init() throws {
        let api = API("https://api.example.com", transport: held)
        file = try TemporaryFile()
        first = try Store(.file(file.path), models: Blog.models, api: api)
        second = try Store(.file(file.path), models: Blog.models, api: api)
    }

    @Test func `A new object sent by two stores is created once`() async throws {
        let post = Post(in: first.main)
        post.title = "A"
        try await first.main.save()
        let other = try #require(try second.main.query(Post.self).fetch().first)
        let creation = Task { try await post.create() }
        await held.wait(for: 1)
        let again = Task { try await other.create() }
        await giveWay()
        held.answer(0, .json(#"{"id": 5, "title": "A"}"#, status: 201))
        try await creation.value
        let error = await failure { try await again.value }
        guard case .alreadyCreated(model: "Post")? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(held.log == [#"POST /posts {"title":"A"}"#])
        #expect(post.identifier == 5 && other.identifier == 5)
        #expect(try second.main.query(Post.self).count() == 1)
    }

    @Test func `A change sent by one store isn't overwritten or sent again by the other`() async throws {
        let post = try await first.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        let other = try #require(try second.main.find(Post.self, 5))
        post.title = "A"
        try await first.main.save()
        let saving = Task { try await post.save() }
        await held.wait(for: 1)
        let again = Task { try await other.save() }
        _ = try await second.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        held.answer(0, .json(#"{"id": 5, "title": "A"}"#))
        try await saving.value
        try await again.value
        #expect(held.log.count == 1)
        #expect(post.title == "A" && other.title == "A")
        #expect(post.unsentProperties.isEmpty && other.unsentProperties.isEmpty)
    }

    @Test func `Edits of two stores are merged by property`() async throws {
        let post = try await first.imported(Post.self, #"{"id": 5, "title": "Old", "text": "Words"}"#)
        let other = try #require(try second.main.find(Post.self, 5))
        (post.title, other.text) = ("A", "B")
        try await first.main.save()
        try await second.main.save()
        await until { post.text == "B" }
        #expect(post.title == "A" && other.title == "A")
    }
}
