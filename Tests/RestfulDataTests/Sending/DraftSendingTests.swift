import RestfulData
import RestfulDataTesting
import Testing

/// A draft's objects talk to the server as any others do: what it accepts is everybody's, what it refuses is in the draft alone.
@MainActor @Suite struct DraftSendingTests {
    @Test func `What the server refuses is in the draft alone, and can be mended there`() async throws {
        let answers = Box([StubTransport.Reply.json(#"{"errors": {"title": ["is taken"]}}"#, status: 422)])
        let service = try Service(
            stub: StubTransport { _ in
                answers.value.isEmpty ? .status(204) : answers.value.removeFirst()
            })
        let post = try await service.imported(Post.self, #"{"id": 1, "title": "old", "text": "t"}"#)
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: post))
        form.title = "new"
        #expect(await failure { try await form.save() }?.fields == ["title": ["is taken"]])
        #expect(form.title == "new" && draft.hasChanges && post.title == "old" && post.unsentProperties.isEmpty)
        form.title = "newer"
        try await form.save()
        #expect(form.title == "newer" && !form.hasChanges && !draft.hasChanges && form.unsentProperties.isEmpty)
        #expect(post.title == "newer" && !post.hasChanges && post.unsentProperties.isEmpty)
        #expect(service.stub.log == [#"PATCH /posts/1 {"title":"new"}"#, #"PATCH /posts/1 {"title":"newer"}"#])
    }

    @Test func `A draft's save and the context's own send what was edited`() async throws {
        let service = try Service(replies: ["PATCH /posts/1": .status(204)])
        let post = try await service.imported(Post.self, #"{"id": 1, "title": "old"}"#)
        let draft = try service.main.draft()
        draft.object(for: post)?.title = "new"
        try draft.save()
        #expect(service.stub.log.isEmpty && post.unsentProperties == ["title"])
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/1 {"title":"new"}"#])
        #expect(draft.object(for: post)?.title == "new" && !draft.hasChanges && !service.main.hasChanges)
    }

    @Test func `A new object is created from a draft, in all contexts`() async throws {
        let service = try Service(replies: [
            "POST /posts": .json(#"{"id": 7, "title": "made", "slug": "made"}"#, status: 201)
        ])
        let draft = try service.main.draft()
        let form = Post(in: draft.context)
        form.title = "made"
        try await form.create()
        #expect(form.identifier == 7 && form.slug == "made" && !form.isInserted && !draft.hasChanges)
        #expect(try service.main.find(Post.self, 7)?.slug == "made" && !service.main.hasChanges)
    }

    @Test func `What is sent is what the form shows, its context's edits included`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(
            Post.self, #"{"id": 1, "title": "t", "readers": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]}"#)
        let readers = post.readers
        post.text = "mine"
        post.readers = [readers[1], readers[2], readers[3]]
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: post))
        form.title = "form"
        form.readers.removeLast()
        try await form.save()
        #expect(
            service.stub.log == [
                #"PATCH /posts/1 {"title":"form","text":"mine","reader_ids":[2,3]}"#
            ])
        #expect(post.title == "form" && post.text == "mine" && post.readers.map(\.identifier) == [2, 3])
        #expect(!draft.hasChanges && post.unsentProperties.isEmpty && !service.main.hasChanges)
    }

    @Test func `What was refused of its context's lists stays the context's`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(500) })
        let post = try await service.imported(Post.self, #"{"id": 1, "readers": [{"id": 1}, {"id": 2}]}"#)
        let readers = post.readers
        post.readers = [readers[1]]
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: post))
        #expect(await failure { try await form.save() } != nil)
        #expect(!form.hasChanges && form.readers.map(\.identifier) == [2])
        post.readers = []
        #expect(form.readers.isEmpty && !draft.hasChanges)
        service.main.rollback()
        #expect(form.readers.map(\.identifier) == [1, 2] && !draft.hasChanges)
    }

    @Test func `A form whose draft is gone sends nothing, and says so`() async throws {
        let service = try Service(replies: ["PATCH /posts/1": .status(204)])
        let post = try await service.imported(Post.self, #"{"id": 1, "title": "old"}"#)
        let form: Post
        do {
            let draft = try service.main.draft()
            form = try #require(draft.object(for: post))
            form.title = "new"
        }
        #expect(await failure { try await form.save() } != nil)
        #expect(post.title == "old" && service.stub.log.isEmpty)
    }
}
