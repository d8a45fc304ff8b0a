import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Local changes while a request is in flight: all of the user's edits survive.
@MainActor @Suite struct InFlightTests {
    private let held = HeldTransport()
    private let store: Store

    init() throws {
        store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: held))
    }

    private func post(_ json: String = #"{"id": 5, "title": "Old", "text": "Words"}"#) async throws -> Post {
        try await store.main.import(Post.self, from: Array(json.utf8)).objects[0]
    }

    /// Starts a save, does something once its request is there, and answers.
    private func saving(_ post: Post, _ reply: StubTransport.Reply, meanwhile: () async throws -> Void) async throws {
        let saving = Task { try await post.save() }
        await held.wait(for: 1)
        try await meanwhile()
        held.answer(0, reply)
        try await saving.value
    }

    @Test func `Edits made during a save stay unsaved`() async throws {
        let post = try await post()
        post.title = "A"
        try await saving(post, .json(#"{"id": 5, "title": "A", "text": "Words"}"#)) {
            post.title = "B"
            post.text = nil
        }
        #expect(post.title == "B" && post.text == nil && post.changedProperties == ["title", "text"])
    }

    @Test func `An edit back to the old value during a save stays`() async throws {
        let post = try await post()
        post.title = "A"
        try await saving(post, .json(#"{"id": 5, "title": "A"}"#)) { post.title = "Old" }
        #expect(post.title == "Old" && post.changedProperties == ["title"])
    }

    @Test func `Setting an equal value during a save is no edit in any context`() async throws {
        let post = try await post()
        let other = store.context(on: MainActor.shared)
        let same = try #require(try other.context.find(Post.self, 5))
        post.title = "A"
        try await saving(post, .json(#"{"id": 5, "title": "A", "text": "Theirs"}"#)) {
            post.text = "Words"
            same.text = "Words"
            same.title = "Old"
            #expect(post.changedProperties == ["title"] && same.changedProperties == ["title"])
        }
        #expect(post.text == "Theirs" && !post.hasChanges && !store.main.hasChanges)
        // It merges when it is asked next, at the latest.
        #expect(try other.context.find(Post.self, 5) === same)
        #expect(same.text == "Theirs" && same.title == "Old" && same.changedProperties == ["title"])
    }

    @Test func `Setting an equal value during a PUT of the whole is no edit`() async throws {
        let post = try await post(#"{"id": 5, "title": "Old", "text": "Words", "readers": [{"id": 7}]}"#)
        post.title = "A"
        let saving = Task { try await post.save(using: .put) }
        await held.wait(for: 1)
        (post.text, post.readers) = ("Words", Array(post.readers))
        #expect(post.changedProperties == ["title"])
        held.answer(0, .json(#"{"id": 5, "title": "A", "text": "Theirs", "readers": []}"#))
        try await saving.value
        #expect(post.text == "Theirs" && post.readers.isEmpty && !store.main.hasChanges)
        #expect(post.unsentProperties.isEmpty)
    }

    @Test(arguments: [
        (StubTransport.Reply.json(#"{"id": 5, "title": "A", "text": "Words"}"#), "A"), (.status(204), "A"),
        (.status(500), "Old"), (.status(422), "Old"),
    ])
    func `A rollback during a save leaves the outcome of the save`(_ reply: StubTransport.Reply, _ title: String)
        async throws
    {
        let post = try await post()
        (post.title, post.text) = ("A", "B")
        let error = await failure {
            try await saving(post, reply) {
                post.rollback(\.title)
                #expect(post.title == "Old" && post.text == "B")
                post.rollback()
                post.text = "C"
            }
        }
        #expect((error == nil) == (title == "A"))
        #expect(post.title == title && post.text == "C" && post.changedProperties == ["text"])
    }

    @Test func `A new object rolled back during its creation exists if the server created it`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        let creating = Task { try await post.create() }
        await held.wait(for: 1)
        post.text = "B"
        post.rollback()
        held.answer(0, .json(#"{"id": 6, "title": "A"}"#, status: 201))
        try await creating.value
        #expect(post.identifier == 6 && post.title == "A" && post.text == nil && !post.isDeleted && !post.hasChanges)
        let refused = Post(in: store.main)
        refused.title = "A"
        let refusal = Task { try await refused.create() }
        await held.wait(for: 2)
        refused.rollback()
        held.answer(1, .status(422))
        _ = await failure { try await refusal.value }
        #expect(refused.isDeleted && !store.main.hasChanges)
    }

    @Test func `An edit that equals the reply's value is no longer an edit`() async throws {
        let post = try await post()
        post.title = "a"
        try await saving(post, .json(#"{"id": 5, "title": "A"}"#)) { post.title = "A" }
        #expect(post.title == "A" && !post.hasChanges)
    }

    @Test(arguments: [
        StubTransport.Reply.json(#"{"id": 5, "title": "A", "text": "Words"}"#), .status(204), .status(500),
    ])
    func `A newer value saved during a request stays pending`(_ reply: StubTransport.Reply) async throws {
        let post = try await post()
        post.title = "A"
        let error = await failure {
            try await saving(post, reply) {
                post.title = "B"
                try await store.main.save()
            }
        }
        #expect(error?.reply?.status == (reply.status == 500 ? 500 : nil) && (error == nil) == (reply.status != 500))
        #expect(post.title == "B")
        #expect(try await store.contents().contains("title = \"B\" (unsent)"))
    }

    @Test func `A newer value saved by another context during a request stays pending`() async throws {
        let post = try await post()
        post.title = "A"
        try await saving(post, .json(#"{"id": 5, "title": "A", "text": "Words"}"#)) {
            try await store.background { context in
                let same = try #require(try context.find(Post.self, 5))
                same.title = "B"
            }
        }
        #expect(post.title == "B")
        #expect(try await store.contents().contains("title = \"B\" (unsent)"))
    }

    @Test func `A list edited during a save keeps the edit`() async throws {
        let post = try await post(#"{"id": 5, "readers": [{"id": 7}, {"id": 8}, {"id": 9}]}"#)
        post.readers = Array(post.readers.prefix(2))
        try await saving(post, .json(#"{"id": 5, "readers": [{"id": 7}, {"id": 8}]}"#)) {
            post.readers = Array(post.readers.prefix(1))
        }
        #expect(post.readers.map(\.identifier) == [7] && post.changedProperties == ["readers"])
    }

    @Test func `A local save during a creation keeps its values pending`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        let creating = Task { try await post.create() }
        await held.wait(for: 1)
        post.text = "Words"
        try await store.main.save()
        held.answer(0, .json(#"{"id": 5, "title": "A"}"#, status: 201))
        try await creating.value
        #expect(post.identifier == 5 && post.title == "A" && post.text == "Words")
        #expect(try store.main.query(Post.self).count() == 1)
        #expect(try await store.contents().contains("text = \"Words\" (unsent)"))
        #expect(try await !store.contents().contains("title = \"A\" (unsent)"))
    }

    @Test func `A rollback during a save reverts later edits only`() async throws {
        let post = try await post()
        post.title = "A"
        try await saving(post, .status(204)) { store.main.rollback() }
        #expect(post.title == "A" && !post.hasChanges)
    }

    /// The outcome of a request if the store is closed before its reply.
    @Test(arguments: ["save", "create", "delete", "add"])
    func `A reply is stored even if the store was closed meanwhile`(_ verb: String) async throws {
        let file = try TemporaryFile()
        let models = Blog.models
        let api = API("https://api.example.com", transport: held)
        let store = try Store(.file(URL(filePath: file.path)), models: models, api: api)
        let author = try await store.imported(Author.self, #"{"id": 7, "name": "Ada"}"#)
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old", "text": "Words"}"#)
        let new = Post(in: store.main)
        (post.title, new.title) = ("A", "B")
        let sending = Task {
            switch verb {
            case "save": try await post.save()
            case "create": try await new.create()
            case "delete": try await author.delete()
            default: try await author.$posts.add(new)
            }
        }
        await held.wait(for: 1)
        store.close()
        let reply = verb == "save" ? #"{"id": 5, "title": "A", "text": "Theirs"}"# : #"{"id": 6, "title": "B"}"#
        held.answer(0, verb == "delete" ? .status(204) : .json(reply, status: verb == "save" ? 200 : 201))
        try await sending.value
        #expect(post.title == "A" && post.text == "Words" && new.author == nil, "as they last were")
        let later = try Store(.file(URL(filePath: file.path)), models: models, api: api)
        let same = try #require(try later.main.find(Post.self, 5))
        #expect(same.title == (verb == "save" ? "A" : "Old") && same.text == (verb == "save" ? "Theirs" : "Words"))
        #expect(same.unsentProperties.isEmpty)
        let created = try later.main.find(Post.self, 6)
        #expect(created?.title == (["create", "add"].contains(verb) ? "B" : nil))
        #expect(created?.unsentProperties ?? [] == [])
        #expect(try (later.main.find(Author.self, 7) == nil) == (verb == "delete"))
        #expect(created?.author?.identifier == (verb == "add" ? 7 : nil))
    }

    @Test func `A reply that comes after the timeout is stored`() async throws {
        // It takes no notice of being cancelled but to answer.
        let late = StubTransport { _ in
            await untilCancelled()
            return .json(#"{"id": 5, "title": "A", "text": "Theirs"}"#)
        }
        let api = API("https://api.example.com", timeout: .milliseconds(1), transport: late)
        let store = try Store(.temporary, models: Blog.models, api: api)
        let post = try await store.main.import(Post.self, from: Array(#"{"id": 5, "title": "Old"}"#.utf8)).objects[0]
        post.title = "A"
        try await post.save()
        #expect(post.text == "Theirs" && post.changedProperties.isEmpty && post.unsentProperties.isEmpty)
    }

    @Test func `Waiting saves can be cancelled in any order`() async throws {
        let post = try await post()
        post.title = "A"
        let first = Task { try await post.save() }
        await held.wait(for: 1)
        let others = (0..<100).map { _ in Task { try await post.save() } }
        await giveWay()
        post.title = "B"
        var random = SeededGenerator(seed: 1)
        for index in (0..<100).shuffled(using: &random) where index % 3 != 0 {
            others[index].cancel()
            #expect(await failure { try await others[index].value } != nil)
        }
        held.answer(0, .status(204))
        try await first.value
        await held.wait(for: 2)
        held.answer(1, .status(204))
        for index in stride(from: 0, to: 100, by: 3) { try await others[index].value }
        #expect(held.log.count == 2 && !post.hasChanges)
    }

    @Test func `Of two concurrent saves, the second has nothing to send`() async throws {
        let post = try await post()
        post.title = "A"
        let first = Task { try await post.save() }
        let second = Task { try await post.save() }
        await held.wait(for: 1)
        held.answer(0, .status(204))
        try await first.value
        try await second.value
        #expect(held.bodies == [#"{"title":"A"}"#])
    }

    @Test func `The last edit wins, whichever context saves it`() async throws {
        let post = try await post()
        post.title = "A"
        let first = Task { try await post.save() }
        await held.wait(for: 1)
        post.title = "B"
        let second = Task { try await post.save() }
        // The context is of this actor, so its merges are visible at once.
        let third = Task { [store] in
            try await store.background { context in
                let same = try #require(try context.find(Post.self, 5))
                same.text = "C"
                try await same.save()
            }
        }
        held.answer(0, .json(#"{"id": 5, "title": "A", "text": "Words"}"#))
        await held.wait(for: 2)
        held.answer(1, .status(204))
        await held.wait(for: 3)
        held.answer(2, .status(204))
        try await first.value
        try await second.value
        try await third.value
        #expect(Set(held.bodies) == [#"{"title":"A"}"#, #"{"title":"B"}"#, #"{"text":"C"}"#])
        #expect(post.title == "B" && post.text == "C" && !post.hasChanges)
    }

    @Test func `Two concurrent creations create one object`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        let first = Task { try await post.create() }
        await held.wait(for: 1)
        let second = Task { await failure { try await post.create() } }
        held.answer(0, .json(#"{"id": 5, "title": "A"}"#, status: 201))
        try await first.value
        guard case .alreadyCreated(model: "Post") = await second.value else {
            Testing.Issue.record("created twice")
            return
        }
        #expect(held.bodies.count == 1 && post.identifier == 5)
    }

    @Test func `A save that waits for a creation uses the new URL`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        let creating = Task { try await post.create() }
        await held.wait(for: 1)
        post.title = "B"
        let saving = Task { try await post.save() }
        held.answer(0, .json(#"{"id": 5, "title": "A"}"#, status: 201))
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await creating.value
        try await saving.value
        #expect(held.bodies == [#"{"title":"A"}"#, #"{"title":"B"}"#])
    }

    @Test func `A waiting save is cancelled at once`() async throws {
        let post = try await post()
        post.title = "A"
        let first = Task { try await post.save() }
        await held.wait(for: 1)
        let second = Task { await failure { try await post.save() } }
        second.cancel()
        #expect(await second.value?.isCancellation == true)
        held.answer(0, .status(204))
        try await first.value
        post.title = "B"
        let third = Task { try await post.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await third.value
        #expect(held.bodies.count == 2)
    }

    @Test func `A save that waits for a deletion throws`() async throws {
        let post = try await post()
        post.title = "A"
        let deleting = Task { try await post.delete() }
        await held.wait(for: 1)
        let saving = Task { await failure { try await post.save() } }
        held.answer(0, .status(204))
        try await deleting.value
        guard case .store(.deletedObject) = await saving.value else {
            Testing.Issue.record("saved a deleted object")
            return
        }
    }

    @Test func `A reply that came is stored even if the task was cancelled`() async throws {
        let post = Post(in: store.main)
        post.title = "A"
        let held = held
        let creating = Task { try await post.create() }
        await held.wait(for: 1)
        creating.cancel()
        held.answer(0, .json(#"{"id": 5, "title": "A"}"#, status: 201))
        _ = await creating.result
        // The deadline around the transport may have given up the wait for the answer: then the object is as it was.
        #expect(post.identifier == 5 && !post.hasChanges || post.isInserted && post.title == "A")
    }

    @Test func `Concurrently added members all become members`() async throws {
        let author = try await store.main.import(Author.self, from: Array(#"{"id": 7}"#.utf8)).objects[0]
        let posts = (0..<5).map { _ in Post(in: store.main) }
        let first = Task { try await author.$posts.add(posts[0]) }
        let rest = posts.dropFirst().map { post in Task { try await author.$posts.add(post) } }
        await held.wait(for: 5)
        for index in (0..<5).reversed() { held.answer(index, .json("{\"id\": \(index + 1)}", status: 201)) }
        try await first.value
        for adding in rest { try await adding.value }
        #expect(Set(author.posts.compactMap(\.identifier)) == [1, 2, 3, 4, 5])
        #expect(posts.allSatisfy { $0.author === author })
    }

    @Test func `Concurrently removed members all leave`() async throws {
        let author = try await store.main.import(
            Author.self, from: Array(#"{"id": 7, "friends": [{"id": 1}, {"id": 2}, {"id": 3}]}"#.utf8)
        ).objects[0]
        let removals = author.friends.prefix(2).map { friend in Task { try await author.$friends.delete(friend) } }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        held.answer(0, .status(204))
        for removal in removals { try await removal.value }
        #expect(author.friends.map(\.identifier) == [3])
    }
}
