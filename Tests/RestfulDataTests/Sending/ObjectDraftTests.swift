import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A form's draft of one object, with the error of its last save.
@MainActor @Suite struct ObjectDraftTests {
    private let replies = Box<[StubTransport.Reply]>([])
    private let service: Service

    init() throws {
        service = try Service(
            stub: StubTransport { [replies] _ in replies.value.isEmpty ? .status(204) : replies.value.removeFirst() })
    }

    private func post() async throws -> Post { try await service.imported(Post.self, #"{"id": 1, "title": "old"}"#) }

    private static let taken = StubTransport.Reply.json(#"{"errors": {"title": ["is taken"]}}"#, status: 422)

    @Test func `A form's edits are visible elsewhere once they are saved`() async throws {
        let post = try await post()
        let form = try service.main.draft(of: post)
        #expect(!form.hasChanges && form.object !== post && form.object.context === form.draft.context)
        form.object.title = "new"
        #expect(form.hasChanges && post.title == "old")
        try await form.save()
        #expect(!form.hasChanges && !form.isSaving && form.error == nil && post.title == "new")
        #expect(service.stub.log == [#"PATCH /posts/1 {"title":"new"}"#])
    }

    @Test func `A refused save keeps the edits, and has the messages by property`() async throws {
        let form = try service.main.draft(of: try await post())
        form.object.title = "new"
        replies.value = [Self.taken]
        let error = await failure { try await form.save() }
        #expect(error?.fields == ["title": ["is taken"]] && form.error?.fields == error?.fields)
        #expect(form.messages(for: \.title) == ["is taken"] && form.messages(for: \.text) == [])
        #expect(form.hasChanges && !form.isSaving)
        form.object.title = "newer"
        try await form.save()
        #expect(form.error == nil && form.messages(for: \.title) == [] && !form.hasChanges)
    }

    @Test func `A form for a new object creates it`() async throws {
        let author = try await service.imported(Author.self, #"{"id": 3, "name": "A"}"#)
        let form = try service.main.draft(making: { draft in
            let post = Post(in: draft.context)
            post.author = draft.object(for: author)
            return post
        })
        form.object.title = "made"
        #expect(form.hasChanges && author.posts.isEmpty)
        replies.value = [.json(#"{"id": 7, "title": "made", "author_id": 3}"#, status: 201)]
        try await form.save()
        #expect(service.stub.log == [#"POST /posts {"title":"made","author_id":3}"#])
        #expect(author.posts.map(\.identifier) == [7] && !form.hasChanges)
    }

    @Test func `A rollback drops a form's edits and its error`() async throws {
        let form = try service.main.draft(of: try await post())
        form.object.title = "new"
        replies.value = [Self.taken]
        _ = await failure { try await form.save() }
        form.rollback()
        #expect(form.object.title == "old" && form.error == nil && !form.hasChanges)
    }

    @Test func `A form of an object whose queued change was refused has the server's messages`() async throws {
        let post = try await post()
        post.title = "new"
        try await post.save(.queued)
        replies.value = [Self.taken]
        await service.store.outbox.drain()
        let form = try service.main.draft(of: post)
        #expect(form.messages(for: \.title) == ["is taken"])
        form.object.title = "newer"
        try await form.save(.queued)
        #expect(form.messages(for: \.title) == [] && post.title == "newer")
        await service.store.outbox.drain()
        #expect(service.stub.log.last == #"PATCH /posts/1 {"title":"newer"}"#)
    }

    @Test func `A form saves as the store's option says`() async throws {
        let stub = StubTransport { _ in .status(204) }
        let store = try Store(
            .temporary, models: Blog.models, api: API("https://api.example.com", transport: stub),
            options: StoreOptions(writes: .queued))
        let form = try store.main.draft(of: try await store.imported(Post.self, #"{"id": 1, "title": "old"}"#))
        form.object.title = "new"
        try await form.save()
        #expect(stub.log.isEmpty && store.main.outboxCount == 1)
    }

    @Test func `A form is saving until the last of several saves ends`() async throws {
        let transport = HeldTransport()
        let store = try Store.held(by: transport)
        let form = try store.main.draft(of: try await store.imported(Post.self, #"{"id": 1, "title": "old"}"#))
        form.object.title = "new"
        let first = Task { try await form.save() }
        await transport.wait(for: 1)
        form.object.title = "newer"
        let second = Task { try await form.save() }
        await giveWay()
        transport.answer(0, .status(204))
        try await first.value
        await transport.wait(for: 2)
        #expect(form.isSaving)
        transport.answer(1, .status(204))
        try await second.value
        #expect(!form.isSaving)
    }

    // MARK: Missing objects

    private func problem(_ body: () throws(StoreError) -> Void) -> String {
        do throws(StoreError) {
            try body()
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `A draft says why it has no object`() async throws {
        let (post, context) = (try await post(), service.main)
        let draft = try context.draft()
        #expect(try draft.existingObject(for: post) === draft.object(for: post))
        let new = Post(in: try context.draft().context)
        #expect(draft.object(for: new) == nil)
        #expect(
            problem { () throws(StoreError) in _ = try draft.existingObject(for: new) }
                == StoreError.foreignObject(model: "Post").description)
        context.delete(post)
        #expect(draft.object(for: post) == nil)
        let deleted = StoreError.deletedObject(model: "Post").description
        #expect(problem { () throws(StoreError) in _ = try draft.existingObject(for: post) } == deleted)
        #expect(problem { () throws(StoreError) in _ = try context.existingObject(for: post) } == deleted)
        #expect(problem { () throws(StoreError) in _ = try context.draft(of: post) } == deleted)
    }
}
