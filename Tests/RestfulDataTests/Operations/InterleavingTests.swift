import RestfulData
import RestfulDataTesting
import Testing

/// Edits, saves and deletions while a request about the same objects is in flight: all survive older data, and each is
/// sent once.
@MainActor @Suite struct InterleavingTests {
    private let held = HeldTransport()
    private let store: Store

    init() throws {
        store = try Store.held(by: held)
    }

    @MainActor private struct Operation {
        let run: @MainActor () async throws -> Void

        static func creating(_ object: some Model) -> Operation { Operation { try await object.create() } }
        static func saving(_ object: some Model) -> Operation { Operation { try await object.save() } }
    }

    /// Begins an operation, does something once its request is there, and answers it.
    private func during(
        _ operation: Operation, _ reply: StubTransport.Reply, request: Int = 0, meanwhile: () async throws -> Void
    ) async throws {
        let task = Task { try await operation.run() }
        await held.wait(for: request + 1)
        try await meanwhile()
        held.answer(request, reply)
        try await task.value
    }

    // MARK: Links

    @Test func `A creation whose link's target is deleted meanwhile is sent once, without the link`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        let post = Post(in: store.main)
        post.title = "A"
        post.author = author
        try await during(.creating(post), .json(#"{"id": 5, "title": "A"}"#, status: 201)) {
            try await store.background { context in
                if let same = try context.find(Author.self, 7) { context.delete(same) }
            }
        }
        #expect(held.bodies.count == 1 && post.identifier == 5 && post.author == nil)
        #expect(!post.hasChanges)
    }

    @Test func `A list in flight drops a member that another context deletes`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "readers": [{"id": 7}, {"id": 8}]}"#)
        post.readers = post.readers.reversed()
        try await during(.saving(post), .status(204)) {
            try await store.background { context in
                if let same = try context.find(Author.self, 8) { context.delete(same) }
            }
        }
        #expect(post.readers.map(\.identifier) == [7] && !post.hasChanges)
    }

    // MARK: Creating

    @Test func `Edits saved during a creation stay pending`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        try await during(.creating(post), .json(#"{"id": 5}"#, status: 201)) {
            post.title = "B"
            post.text = "Words"
            try await store.main.save()
        }
        #expect(post.title == "B" && post.text == "Words")
        #expect(Set(post.unsentProperties) == ["title", "text"])
        try await during(.saving(post), .status(204), request: 1) {}
        #expect(held.bodies[1] == #"{"title":"B","text":"Words"}"#)
        #expect(post.unsentProperties.isEmpty)
    }

    @Test func `An edit survives when a creation's reply names an imported row`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        try await during(.creating(post), .json(#"{"id": 5, "title": "A"}"#, status: 201)) {
            try await store.main.save()
            _ = try await store.imported(Post.self, #"{"id": 5, "title": "A", "text": null}"#)
            post.text = "Words"
        }
        #expect(post.identifier == 5 && post.text == "Words" && post.changedProperties == ["text"])
        try await store.main.save()
        #expect(post.unsentProperties == ["text"])
        try await during(.saving(post), .status(204), request: 1) {}
        #expect(held.bodies[1] == #"{"text":"Words"}"#)
    }

    @Test func `A new object deleted during its creation doesn't return`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        try await during(.creating(post), .json(#"{"id": 5, "title": "A"}"#, status: 201)) {
            store.main.delete(post)
        }
        try await store.main.save()
        #expect(post.isDeleted)
        #expect(try store.main.query(Post.self).count() == 0)
        #expect(try await store.contents() == "")
    }

    @Test func `A new owner deleted during its member's creation doesn't return`() async throws {
        let author = Author(in: store.main)
        author.identifier = 7
        let post = Post(in: store.main)
        post.author = author
        try await during(.creating(post), .json(#"{"id": 5}"#, status: 201)) {
            store.main.delete(author)
        }
        #expect(post.author == nil)
        #expect(try await !store.contents().contains("Author"))
        try await store.main.save()
        #expect(try await !store.contents().contains("Author"))
    }

    @Test func `A new object rolled back during its creation exists with the sent values`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        try await during(.creating(post), .json(#"{"id": 5}"#, status: 201)) {
            post.title = "B"
            store.main.rollback()
        }
        #expect(!post.isDeleted && post.identifier == 5 && post.title == "A" && !post.hasChanges)
        #expect(try store.main.find(Post.self, 5) === post)
    }

    @Test func `A new object rolled back during a failing creation is gone`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        await #expect(throws: APIError.self) {
            try await during(.creating(post), .status(500)) { store.main.rollback() }
        }
        #expect(post.isDeleted && !store.main.hasChanges)
        #expect(try store.main.query(Post.self).count() == 0)
    }

    @Test func `An edit after the rollback of a failing creation is reported by the next save`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        await #expect(throws: APIError.self) {
            try await during(.creating(post), .status(500)) {
                store.main.rollback()
                post.title = "B"
            }
        }
        #expect(post.isDeleted && !store.main.hasChanges)
        await #expect { try await store.main.save() } throws: { error in
            if case StoreError.deletedObject("Post") = error { true } else { false }
        }
        try await store.main.save()
    }

    @Test func `An edit after the rollback of a successful creation stays`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        try await during(.creating(post), .json(#"{"id": 5}"#, status: 201)) {
            store.main.rollback()
            post.title = "B"
        }
        #expect(!post.isDeleted && post.identifier == 5 && post.title == "B" && post.hasChanges)
        try await store.main.save()
        #expect(post.unsentProperties == ["title"])
    }

    // MARK: Saving

    @Test func `A value set back and saved during a request is sent next`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "A"
        try await during(.saving(post), .json(#"{"id": 5, "title": "A"}"#)) {
            post.title = "Old"
            try await store.main.save()
        }
        #expect(post.title == "Old" && post.unsentProperties == ["title"])
        try await during(.saving(post), .status(204), request: 1) {}
        #expect(held.bodies[1] == #"{"title":"Old"}"#)
    }

    @Test func `A list edited and saved during a request is sent next`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "readers": [{"id": 7}, {"id": 8}, {"id": 9}]}"#)
        let readers = post.readers
        post.readers = [readers[0], readers[1]]
        try await during(.saving(post), .json(#"{"id": 5, "readers": [{"id": 7}, {"id": 8}]}"#)) {
            post.readers = [readers[1]]
            try await store.main.save()
        }
        #expect(post.readers.map(\.identifier) == [8] && post.unsentProperties == ["readers"])
    }

    @Test func `A list that another context extends during its request keeps all members`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "readers": [{"id": 7}]}"#)
        _ = try await store.imported(Author.self, #"{"id": 9}"#)
        post.readers.append(try await store.imported(Author.self, #"{"id": 8}"#))
        try await during(.saving(post), .status(204)) {
            try await store.background { context in
                guard let same = try context.find(Post.self, 5), let reader = try context.find(Author.self, 9) else {
                    return
                }
                same.readers.append(reader)
            }
        }
        #expect(Set(post.readers.map(\.identifier)) == [7, 8, 9] && post.unsentProperties == ["readers"])
        #expect(!post.hasChanges)
    }

    @Test func `A member removed again during its list's request stays out`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "readers": [{"id": 7}]}"#)
        post.readers.append(try await store.imported(Author.self, #"{"id": 8}"#))
        try await during(.saving(post), .status(204)) {
            post.readers.removeLast()
            try await store.main.save()
        }
        #expect(post.readers.map(\.identifier) == [7] && post.unsentProperties == ["readers"])
    }

    @Test(arguments: [false, true])
    func `Members added and removed by requests change an edited list`(isSaved: Bool) async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}, {"id": 9}]}"#)
        let new = try await store.imported(Author.self, #"{"id": 10}"#)
        author.friends.reverse()
        if isSaved { try await store.main.save() }
        let friend = author.friends[0]
        try await during(Operation { try await author.$friends.delete(friend) }, .status(204)) {}
        #expect(author.friends.map(\.identifier) == [8] && author.unsentProperties == ["friends"])
        try await during(Operation { try await author.$friends.add(new) }, .status(204), request: 1) {}
        #expect(author.friends.map(\.identifier) == [8, 10] && author.unsentProperties == ["friends"])
    }

    @Test func `A save's reply doesn't revert another object saved meanwhile`() async throws {
        let post = try await store.imported(
            Post.self, #"{"id": 5, "title": "Old", "author": {"id": 7, "name": "Old"}}"#)
        let author = try #require(post.author)
        post.title = "New"
        let reply = #"{"id": 5, "title": "New!", "author": {"id": 7, "name": "Old"}}"#
        try await during(.saving(post), .json(reply)) {
            author.name = "New"
            let saving = Task { try await author.save() }
            await held.wait(for: 2)
            held.answer(1, .status(204))
            try await saving.value
        }
        #expect(author.name == "New" && post.title == "New!" && !author.hasChanges)
    }

    @Test func `A value set back after an unanswered request is sent`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "A"
        await #expect(throws: APIError.self) {
            try await during(.saving(post), .status(500)) {}
        }
        post.title = "Old"
        #expect(post.unsentProperties == ["title"])
        try await store.main.save()
        try await during(.saving(post), .status(204), request: 1) {}
        #expect(held.bodies[1] == #"{"title":"Old"}"# && post.unsentProperties.isEmpty)
    }

    @Test func `An acknowledged list leaves links of other pending members pending`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "posts": [{"id": 5}]}"#)
        _ = try await store.imported(Post.self, #"{"id": 6}"#)
        author.posts = author.posts.reversed()
        author.name = "Ada"
        try await during(.saving(author), .status(204)) {
            try await store.background { context in
                guard let post = try context.find(Post.self, 6) else { return }
                post.author = try context.find(Author.self, 7)
            }
        }
        let post = try #require(try store.main.find(Post.self, 6))
        #expect(post.author === author && post.unsentProperties == ["author"])
    }

    @Test func `A value set back to the server's isn't sent and follows imports`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old", "readers": [{"id": 7}]}"#)
        let readers = post.readers
        post.title = "A"
        post.readers = []
        try await store.main.save()
        #expect(Set(post.unsentProperties) == ["title", "readers"])
        post.title = "Old"
        post.readers = readers
        try await store.main.save()
        #expect(post.unsentProperties.isEmpty)
        _ = try await store.imported(Post.self, #"{"id": 5, "title": "New", "readers": [{"id": 8}]}"#)
        #expect(post.title == "New" && post.readers.map(\.identifier) == [8])
    }

    @Test func `An acknowledged list acknowledges its members' links`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        let post = try await store.imported(Post.self, #"{"id": 5}"#)
        author.posts = [post]
        try await store.main.save()
        #expect(post.unsentProperties == ["author"])
        try await during(.saving(author), .status(204)) {}
        #expect(post.unsentProperties.isEmpty && author.unsentProperties.isEmpty)
    }

    @Test func `An acknowledged list acknowledges its former members' links`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "posts": [{"id": 5}, {"id": 6}]}"#)
        let post = author.posts[0]
        author.posts.removeFirst()
        try await store.main.save()
        #expect(post.unsentProperties == ["author"])
        try await during(.saving(author), .status(204)) {}
        #expect(post.author == nil && post.unsentProperties.isEmpty && author.unsentProperties.isEmpty)
    }

    // MARK: Lists

    @Test func `A member that others remove from an edited list stays out`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "readers": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        let fourth = try await store.imported(Author.self, #"{"id": 4}"#)
        post.readers.append(fourth)
        try await store.background { context in
            guard let same = try context.find(Post.self, 5) else { return }
            same.readers.removeAll { $0.identifier == 2 }
        }
        #expect(post.readers.map(\.identifier) == [1, 3, 4])
        try await store.main.save()
        #expect(post.readers.map(\.identifier) == [1, 3, 4])
    }

    @Test func `A member removed locally and moved by others stays with its new owner`() async throws {
        let first = try await store.imported(Author.self, #"{"id": 1, "posts": [{"id": 5}]}"#)
        let post = first.posts[0]
        _ = try await store.imported(Author.self, #"{"id": 2}"#)
        first.posts = []
        try await store.background { context in
            guard let same = try context.find(Post.self, 5) else { return }
            same.author = try context.find(Author.self, 2)
        }
        try await store.main.save()
        #expect(post.author?.identifier == 2)
    }
}

/// An answer to a request that was sent before a local change is older than the change, and leaves it as it is.
@MainActor @Suite struct LateAnswerTests {
    private let held = HeldTransport()
    private let store: Store

    init() throws {
        store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: held))
    }

    private func imported<M: Model>(_ type: M.Type, _ json: String) async throws -> M {
        try await store.main.import(M.self, from: Array(json.utf8)).objects[0]
    }

    /// Asks, does something that sends one request of its own and is answered, and only then answers the question.
    private func asking(
        _ question: @escaping @MainActor () async throws -> Void, _ answer: String,
        meanwhile operation: @escaping @MainActor () async throws -> Void, _ reply: StubTransport.Reply
    ) async throws {
        let asking = Task { try await question() }
        await held.wait(for: 1)
        let doing = Task { try await operation() }
        await held.wait(for: 2)
        held.answer(1, reply)
        try await doing.value
        held.answer(0, .json(answer))
        try await asking.value
    }

    @Test func `A list requested before a save doesn't bring the old value back`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "New"
        let main = store.main
        try await asking(
            { _ = try await Post.fetchAll(in: main) }, #"[{"id": 5, "title": "Old"}, {"id": 6, "title": "Other"}]"#,
            meanwhile: { try await post.save() }, .status(204))
        #expect(post.title == "New" && post.unsentProperties.isEmpty)
        #expect(try main.find(Post.self, 6)?.title == "Other")
    }

    @Test func `A list requested before a deletion doesn't bring the object back`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        let main = store.main
        try await asking(
            { _ = try await Post.fetchAll(in: main) }, #"[{"id": 5, "title": "Old"}, {"id": 6}]"#,
            meanwhile: { try await post.delete() }, .status(204))
        #expect(post.isDeleted)
        #expect(try main.query(Post.self).fetch().map(\.identifier) == [6])
    }

    @Test func `A list requested before a member was added keeps the member`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "posts": [{"id": 5}], "friends": [{"id": 8}]}"#)
        let main = store.main
        let post = Post(in: main)
        post.title = "New"
        try await asking(
            { _ = try await author.$posts.fetch() }, #"[{"id": 5}]"#,
            meanwhile: { try await author.$posts.add(post) }, .json(#"{"id": 6}"#, status: 201))
        #expect(author.posts.map(\.identifier) == [5, 6] && post.author === author)
    }

    @Test func `A list requested before a member was removed leaves it out`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}, {"id": 9}]}"#)
        let friend = author.friends[0]
        try await asking(
            { _ = try await author.$friends.fetch() }, #"[{"id": 8}, {"id": 9}, {"id": 10}]"#,
            meanwhile: { try await author.$friends.delete(friend) }, .status(204))
        #expect(author.friends.map(\.identifier) == [9, 10])
    }

    @Test func `An older request's answer doesn't replace a newer one's values`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old", "text": "Words"}"#)
        let main = store.main
        let older = Task { _ = try await Post.fetchAll(in: main) }
        await held.wait(for: 1)
        // An equal one would be the same.
        let newer = Task { _ = try await Post.fetchAll(query: ["order": "new"], in: main) }
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"id": 5, "title": "Newer"}, {"id": 6, "title": "Newer"}]"#))
        try await newer.value
        held.answer(0, .json(#"[{"id": 5, "title": "Older", "text": "More"}, {"id": 6, "text": "More"}]"#))
        try await older.value
        #expect(post.title == "Newer" && post.text == "More")
        let other = try #require(try main.find(Post.self, 6))
        #expect(other.title == "Newer" && other.text == "More")
    }

    @Test func `A request sent after a save brings the server's value`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "New"
        let saving = Task { try await post.save() }
        await held.wait(for: 1)
        held.answer(0, .status(204))
        try await saving.value
        let main = store.main
        let asking = Task { _ = try await Post.fetchAll(in: main) }
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"id": 5, "title": "Newer"}]"#))
        try await asking.value
        #expect(post.title == "Newer")
    }
}
