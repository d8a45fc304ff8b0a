import RestfulData
import RestfulDataTesting
import Testing

/// Lists, pages and objects in flight during local changes: changes since the request are kept.
@MainActor @Suite struct LateListTests {
    private let held = HeldTransport()
    private let store: Store

    init() throws {
        store = try Store.held(by: held)
    }

    /// A member that the server accepts while request `index` is in flight.
    private func adding(_ post: Post, to author: Author, as id: Int, request index: Int) async throws {
        let adding = Task { try await author.$posts.add(post) }
        await held.wait(for: index + 1)
        held.answer(index, .json("{\"id\": \(id)}", status: 201))
        try await adding.value
    }

    private nonisolated static let next: HTTPFields = [.init("Link")!: #"</authors/7/posts?page=2>; rel="next""#]

    // MARK: Objects

    @Test func `An object requested before a save keeps the saved values`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old", "readers": [{"id": 1}]}"#)
        let main = store.main
        let asking = Task { _ = try await Post.fetch("/posts/:id", ["id": 5], in: main) }
        await held.wait(for: 1)
        post.title = "New"
        post.readers = []
        let saving = Task { try await post.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        held.answer(0, .json(#"{"id": 5, "title": "Old", "text": "Words", "readers": [{"id": 1}]}"#))
        try await asking.value
        #expect(post.title == "New" && post.readers.isEmpty && !post.hasChanges)
    }

    @Test func `A link requested before a save keeps the saved target`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "favourite": {"id": 5}}"#)
        let other = try await store.imported(Post.self, #"{"id": 6}"#)
        let asking = Task { _ = try await author.$favourite.fetch() }
        await held.wait(for: 1)
        author.favourite = other
        let saving = Task { try await author.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        held.answer(0, .json(#"{"id": 5}"#))
        try await asking.value
        #expect(author.favourite === other && !author.hasChanges && author.unsentProperties.isEmpty)
    }

    @Test func `A fetch of a link throws if its owner is deleted meanwhile`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        let error = try await deletingOwner(during: { try await author.$favourite.fetch() }, .json(#"{"id": 5}"#))
        #expect(isDeletion(error), "\(String(describing: error))")
    }

    @Test(arguments: [false, true])
    func `A pending link to an object deleted since the request isn't set`(_ isDocument: Bool) async throws {
        var conventions = APIConventions.default
        if isDocument { conventions = .jsonAPI }
        let store = try Store(
            .temporary, models: [Club.self, Fellow.self],
            api: API("https://api.example.com", conventions: conventions, transport: held))
        let said: String
        if isDocument {
            func link(_ id: Int) -> String { #"{"type": "fellows", "id": "\#(id)"}"# }
            let relationships = #"{"head": {"data": \#(link(6))}, "fellows": {"data": [\#(link(8)), \#(link(9))]}}"#
            said = #"{"data": [{"type": "clubs", "id": "1", "relationships": \#(relationships)}]}"#
            _ = try await store.imported(Fellow.self, #"{"data": [\#(link(6)), \#(link(8))]}"#)
        } else {
            said = #"[{"id": 1, "head_id": 6, "fellow_ids": [8, 9]}]"#
            _ = try await store.imported(Fellow.self, #"[{"id": 6}, {"id": 8}]"#)
        }
        let club = try await store.imported(Club.self, said)
        let gone = [try #require(club.head), club.fellows[0]]
        let main = store.main
        let asking = Task { _ = try await Club.fetchAll(in: main) }
        await held.wait(for: 1)
        for (n, fellow) in gone.enumerated() {
            let deleting = Task { try await fellow.delete() }
            await held.wait(for: n + 2)
            held.answer(n + 1, .status(204))
            try await deleting.value
        }
        held.answer(0, .json(said))
        try await asking.value
        #expect(club.$head.identity == nil && club.$fellows.identities.count == 1)
        // An answer to a new request is stored.
        _ = try await store.imported(Club.self, said)
        #expect(club.$head.identity != nil && club.$fellows.identities.count == 2)
    }

    // MARK: Lists within objects

    @Test func `An owner requested before a member was added keeps the member`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "posts": [{"id": 5}]}"#)
        let main = store.main
        let asking = Task { _ = try await Author.fetchAll(in: main) }
        await held.wait(for: 1)
        let post = Post(in: main)
        try await adding(post, to: author, as: 6, request: 1)
        held.answer(0, .json(#"[{"id": 7, "posts": [{"id": 5}]}]"#))
        try await asking.value
        #expect(Set(author.posts.compactMap(\.identifier)) == [5, 6] && post.author === author)
    }

    @Test func `An owner requested before a member was removed leaves it out`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "friends": [{"id": 8}, {"id": 9}]}"#)
        let friend = author.friends[0]
        let main = store.main
        let asking = Task { _ = try await Author.fetchAll(in: main) }
        await held.wait(for: 1)
        let removing = Task { try await author.$friends.delete(friend) }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await removing.value
        held.answer(0, .json(#"[{"id": 7, "friends": [{"id": 8}, {"id": 9}]}]"#))
        try await asking.value
        #expect(author.friends.map(\.identifier) == [9])
    }

    // MARK: Pages

    @Test func `A member added between two pages stays`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "posts": [{"id": 4}, {"id": 5}]}"#)
        let asking = Task { _ = try await author.$posts.fetch(pages: .all()) }
        await held.wait(for: 1)
        held.answer(0, .json(#"[{"id": 5}]"#, headerFields: Self.next))
        await held.wait(for: 2)
        let post = Post(in: store.main)
        try await adding(post, to: author, as: 6, request: 2)
        held.answer(1, .json(#"[{"id": 9}]"#))
        // As a member is missing, the list is fetched again. The server is slow to list new objects.
        await held.wait(for: 4)
        held.answer(3, .json(#"[{"id": 5}]"#, headerFields: Self.next))
        await held.wait(for: 5)
        held.answer(4, .json(#"[{"id": 9}]"#))
        try await asking.value
        #expect(Set(author.posts.compactMap(\.identifier)) == [5, 6, 9], "4 is gone")
    }

    @Test func `A member deleted between two pages doesn't return`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "posts": [{"id": 5}], "friends": [{"id": 1}]}"#)
        let (post, friend) = (author.posts[0], author.friends[0])
        let posts = Task { try await author.$posts.fetch(pages: .all()).map(\.identifier) }
        await held.wait(for: 1)
        held.answer(0, .json(#"[{"id": 5}, {"id": 6}]"#, headerFields: Self.next))
        await held.wait(for: 2)
        let friends = Task { try await author.$friends.fetch(pages: .all()).map(\.identifier) }
        await held.wait(for: 3)
        held.answer(2, .json(#"[{"id": 1}, {"id": 2}]"#, headerFields: Self.next))
        await held.wait(for: 4)
        store.main.delete(post)
        store.main.delete(friend)
        try await store.main.save()
        held.answer(1, .json(#"[{"id": 5}, {"id": 9}]"#))
        held.answer(3, .json(#"[{"id": 1}, {"id": 3}]"#))
        #expect(try await posts.value == [6, 9])
        #expect(try await friends.value == [2, 3])
        #expect(author.posts.map(\.identifier) == [6, 9] && author.friends.map(\.identifier) == [2, 3])
        #expect(post.isDeleted && friend.isDeleted)
        #expect(try store.main.query(Post.self).count() == 2)
    }

    // MARK: Owners

    private func isDeletion(_ error: APIError?) -> Bool {
        if case .store(.deletedObject("Author")) = error { true } else { false }
    }

    /// Deletes an author in another context while a request about its list is in flight, and answers that.
    private func deletingOwner(
        during operation: @escaping @MainActor () async throws -> Void, _ reply: StubTransport.Reply
    ) async throws -> APIError? {
        let running = Task { await failure { try await operation() } }
        await held.wait(for: 1)
        try await store.background { context in
            if let same = try context.find(Author.self, 7) { context.delete(same) }
        }
        held.answer(0, reply)
        return await running.value
    }

    @Test func `A fetch of a list throws if its owner is deleted meanwhile`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "posts": [{"id": 5}], "friends": [{"id": 1}]}"#)
        let error = try await deletingOwner(
            during: { try await author.$friends.fetch() }, .json(#"[{"id": 1}, {"id": 2}]"#))
        #expect(isDeletion(error), "\(String(describing: error))")
        #expect(author.isDeleted)
        #expect(try store.main.find(Author.self, 2) == nil)
    }

    @Test func `A fetch of a two-sided list or its member throws if its owner is deleted meanwhile`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        let error = try await deletingOwner(during: { try await author.$posts.fetch() }, .json(#"[{"id": 5}]"#))
        #expect(isDeletion(error), "\(String(describing: error))")
        let other = try await store.imported(Author.self, #"{"id": 7}"#)
        let running = Task { await failure { try await other.$posts.fetch(5) } }
        await held.wait(for: 2)
        store.main.delete(other)
        try await store.main.save()
        held.answer(1, .json(#"{"id": 5}"#))
        let second = await running.value
        #expect(isDeletion(second), "\(String(describing: second))")
    }

    @Test func `A fetch of further pages throws if the owner is deleted meanwhile`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        let running = Task { await failure { try await author.$friends.fetch(pages: .all()) } }
        await held.wait(for: 1)
        held.answer(0, .json(#"[{"id": 1}]"#, headerFields: Self.next))
        await held.wait(for: 2)
        store.main.delete(author)
        try await store.main.save()
        held.answer(1, .json(#"[{"id": 2}]"#))
        let error = await running.value
        #expect(isDeletion(error), "\(String(describing: error))")
    }

    @Test func `A member created for an owner that is deleted meanwhile stays`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        let post = Post(in: store.main)
        post.title = "A"
        let error = try await deletingOwner(
            during: { try await author.$posts.add(post) }, .json(#"{"id": 5, "title": "A"}"#, status: 201))
        #expect(error == nil, "\(String(describing: error))")
        #expect(post.identifier == 5 && post.author == nil && post.unsentProperties.isEmpty)
        let friend = Author(in: store.main)
        let other = try await store.imported(Author.self, #"{"id": 7}"#)
        let adding = Task { await failure { try await other.$friends.add(friend) } }
        await held.wait(for: 2)
        store.main.delete(other)
        try await store.main.save()
        held.answer(1, .json(#"{"id": 9}"#, status: 201))
        #expect(await adding.value == nil)
        #expect(friend.identifier == 9)
    }
}

@Model("/clubs") private final class Club {
    var identifier: Int?
    @Relationship(inverse: nil) var head: Fellow?
    @Relationship(inverse: nil) var fellows: [Fellow]
}

@Model("/fellows") private final class Fellow {
    var identifier: Int?
}
