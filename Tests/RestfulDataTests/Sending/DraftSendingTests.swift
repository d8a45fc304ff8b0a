import RestfulData
import RestfulDataTesting
import Testing

/// A draft's objects are sent like any others: accepted values are everyone's, rejected ones are in the draft alone.
@MainActor @Suite struct DraftSendingTests {
    @Test func `A rejected edit stays in the draft and can be corrected there`() async throws {
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

    @Test func `Edits saved from a draft are sent by the context's own save`() async throws {
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

    private func held() async throws -> (HeldTransport, Store, Post) {
        let held = HeldTransport()
        let store = try Store.held(by: held)
        return (held, store, try await store.imported(Post.self, #"{"id": 1, "title": "old"}"#))
    }

    @Test func `An edit of the context during a draft's request shows in the draft`() async throws {
        let (held, store, post) = try await held()
        let (draft, other) = (try store.main.draft(), try store.main.draft())
        let form = try #require(draft.object(for: post))
        other.object(for: post)?.title = "other"
        form.title = "form"
        let saving = Task { try await form.save() }
        await held.wait(for: 1)
        try other.save()
        #expect(form.title == "form" && post.title == "other")
        held.answer(0, .status(204))
        try await saving.value
        #expect(post.title == "other" && post.unsentProperties == ["title"])
        #expect(form.title == "other" && !draft.hasChanges)
    }

    @Test(arguments: [false, true])
    func `A draft's edit is later than the context's, even if that is saved meanwhile`(isNested: Bool) async throws {
        let (held, store, post) = try await held()
        post.title = "below"
        let base = try store.main.draft()
        let draft = try isNested ? base.context.draft() : base
        let form = try #require(draft.object(for: post))
        form.title = "over"
        let saving = Task { try await form.save() }
        await held.wait(for: 1)
        try await store.main.save()
        #expect(form.title == "over" && post.title == "below")
        held.answer(0, .status(204))
        try await saving.value
        #expect(held.bodies == [#"{"title":"over"}"#])
        #expect(form.title == "over" && post.title == "over")
        #expect(post.unsentProperties == [] && !store.main.hasChanges && !draft.hasChanges)
    }

    @Test func `A new object created in a draft exists in all contexts`() async throws {
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

    @Test func `A draft's save sends its context's edits of the same properties`() async throws {
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

    @Test func `A rejected save of a draft leaves its context's list edits there`() async throws {
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

    @Test func `An object of a released draft can't be sent`() async throws {
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

    @Test func `A draft's request is stored even if the draft is released meanwhile`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held)
        let post = try await store.imported(Post.self, #"{"id": 1, "title": "old"}"#)
        let new = Post(in: store.main)
        var draft: Draft? = try store.main.draft()
        weak let context = draft?.context
        let (form, copy) = (try #require(draft?.object(for: post)), try #require(draft?.object(for: new)))
        form.title = "new"
        let saving = Task { try await form.save() }
        let creating = Task { try await copy.create() }
        await held.wait(for: 2)
        draft = nil
        let isFirst = held.log.first?.hasPrefix("PATCH") == true
        held.answer(isFirst ? 0 : 1, .json(#"{"id": 1, "title": "new"}"#))
        held.answer(isFirst ? 1 : 0, .json(#"{"id": 2, "title": "made"}"#, status: 201))
        try await saving.value
        try await creating.value
        #expect(post.title == "new" && !post.hasChanges && post.unsentProperties.isEmpty)
        #expect(new.identifier == 2 && !new.isInserted)
        #expect(form.context == nil && context?.hasChanges != true)
    }

    @Test func `An edit that a draft has sent since isn't sent again by its context`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(
            Post.self, #"{"id": 1, "title": "old", "readers": [{"id": 1}, {"id": 2}]}"#)
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: post))
        (post.title, post.text) = ("context", "context")
        form.title = "form"
        try await form.save()
        #expect(post.title == "form" && !post.hasChanges && form.title == "form" && !draft.hasChanges)
        #expect(post.text == "context" && post.unsentProperties.isEmpty)
        #expect(service.stub.log == [#"PATCH /posts/1 {"title":"form","text":"context"}"#])
    }

    @Test func `A draft's membership request doesn't send its context's list edits`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let author = try await service.imported(Author.self, #"{"id": 1, "friends": [{"id": 2}, {"id": 3}]}"#)
        let extra = try await service.imported(Author.self, #"{"id": 4}"#)
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: author))
        author.friends.removeFirst()
        try await form.$friends.add(try #require(draft.object(for: extra)))
        #expect(author.friends.map(\.identifier) == [3, 4] && author.unsentProperties == ["friends"])
        try await author.save()
        #expect(
            service.stub.log == [
                #"POST /authors/1/friends {"friend_ids":[4]}"#, #"PATCH /authors/1 {"friend_ids":[3,4]}"#,
            ])
    }

    @Test func `The server's reply to the context's save shows in its draft`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 1, "title": "NEW"}"#) })
        let post = try await service.imported(Post.self, #"{"id": 1, "title": "old"}"#)
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: post))
        (form.title, form.password) = ("new", "secret")
        try draft.save()
        try await post.save()
        #expect(post.title == "NEW" && form.title == "NEW" && form.password == nil && !draft.hasChanges)
    }

    @Test func `Undo reverts neither a reply's values nor a cleared password`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"id": 1, "title": "NEW"}"#) })
        let post = try await service.imported(Post.self, #"{"id": 1, "title": "old"}"#)
        let history = service.main.recordUndo()
        history.group("Rename") { (post.title, post.password) = ("new", "secret") }
        try await post.save()
        #expect(history.undoName == "Rename" && history.undo() && post.title == "old" && post.password == nil)
        #expect(!history.canUndo)
    }

    @Test func `A new object rolled back while a draft creates it exists once created`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held)
        let post = Post(in: store.main)
        post.title = "p"
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: post))
        let creating = Task { try await form.create() }
        await held.wait(for: 1)
        store.main.rollback()
        held.answer(0, .json(#"{"id": 7, "title": "p"}"#, status: 201))
        try await creating.value
        #expect(try store.main.query(Post.self).fetch().map(\.identifier) == [7])
        #expect(try draft.context.query(Post.self).fetch().map(\.identifier) == [7])
    }
}
