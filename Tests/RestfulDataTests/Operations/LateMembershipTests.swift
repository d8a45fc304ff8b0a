import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// Two questions about one list that are open at once: the answer to the one that was asked later has the last word.
@MainActor @Suite struct LateMembershipTests {
    private let held = HeldTransport()
    private let store: Store

    init() throws {
        store = try Store.held(by: held)
    }

    /// Fetches an author twice, and answers the second request first.
    private func ask(_ older: String, _ newer: String) async throws {
        let main = store.main
        let first = Task { _ = try await Author.fetchAll(in: main) }
        await held.wait(for: 1)
        let second = Task { _ = try await Author.fetchAll("/authors", query: ["q": "a"], in: main) }
        await held.wait(for: 2)
        held.answer(1, .json(newer))
        try await second.value
        held.answer(0, .json(older))
        try await first.value
    }

    @Test(
        arguments: [
            ("[]", "[1, 2, 3]", [1, 2, 3]), ("[1, 2]", "[1, 2, 3]", [1, 2, 3]), ("[1, 2, 3]", "[1]", [1]),
            ("[1, 2, 3]", "[]", []), ("[1, 2]", "[2, 1]", [2, 1]), ("[2, 4]", "[1, 2]", [1, 2]),
        ])
    func `A list has the members of the later request's answer`(older: String, newer: String, members: [Int])
        async throws
    {
        let author = try await store.imported(
            Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}], "posts": [{"id": 2}]}"#)
        func body(_ ids: String) -> String {
            let objects = ids.dropFirst().dropLast().split(separator: ", ").map { "{\"id\": \($0)}" }
                .joined(separator: ",")
            return "[{\"id\": 7, \"friends\": [\(objects)], \"posts\": [\(objects)]}]"
        }
        try await ask(body(older), body(newer))
        #expect(author.friends.map(\.identifier) == members)
        #expect(author.posts.map(\.identifier) == members)
        #expect(author.posts.allSatisfy { $0.author === author })
    }

    @Test func `Lists that only the older answer has are taken from it`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        try await ask(
            #"[{"id": 7, "friends": [{"id": 1}], "posts": [{"id": 5}]}]"#, #"[{"id": 7, "friends": [{"id": 2}]}]"#)
        #expect(author.friends.map(\.identifier) == [2] && author.posts.map(\.identifier) == [5])
    }

    @Test func `A list is partial if the later answer is a part and shows other members`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        try await ask(
            #"[{"id": 7, "friends": [{"id": 1}]}]"#, #"[{"id": 7, "friends": [{"id": 2}], "friends_count": 9}]"#)
        #expect(author.$friends.isPartial && Set(author.friends.map(\.identifier)) == [1, 2])
    }

    @Test func `A list is whole if the later answer is whole`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        try await ask(
            #"[{"id": 7, "friends": [{"id": 1}], "friends_count": 9}]"#, #"[{"id": 7, "friends": [{"id": 2}]}]"#)
        #expect(!author.$friends.isPartial && author.friends.map(\.identifier) == [2])
    }

    @Test func `A later part of a list keeps an older whole answer's members`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}]}"#)
        try await ask(
            #"[{"id": 7, "friends": [{"id": 1}]}]"#, #"[{"id": 7, "friends": [{"id": 2}], "friends_count": 9}]"#)
        #expect(author.friends.map(\.identifier) == [1, 2])
    }

    @Test func `A member's own link in an older answer doesn't replace a newer list`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7}"#)
        let main = store.main
        let first = Task { _ = try await Post.fetch("/posts/:id", ["id": 5], in: main) }
        await held.wait(for: 1)
        let second = Task { _ = try await author.$posts.fetch() }
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"id": 5}]"#))
        try await second.value
        held.answer(0, .json(#"{"id": 5, "title": "A", "author_id": null}"#))
        try await first.value
        #expect(author.posts.map(\.identifier) == [5] && author.posts[0].title == "A")
    }

    @Test func `Pages begun before a whole list was fetched don't change it`() async throws {
        let author = try await store.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}]}"#)
        let main = store.main
        let pages = Task { _ = try await author.$friends.fetch(pages: .all()) }
        await held.wait(for: 1)
        let next: HTTPFields = [.init("Link")!: #"</authors/7/friends?page=2>; rel="next""#]
        held.answer(0, .json(#"[{"id": 1}]"#, headerFields: next))
        await held.wait(for: 2)
        let whole = Task { _ = try await Author.fetch("/authors/:id", ["id": 7], in: main) }
        await held.wait(for: 3)
        held.answer(2, .json(#"{"id": 7, "friends": [{"id": 3}]}"#))
        try await whole.value
        held.answer(1, .json(#"[{"id": 2}]"#))
        // As one is missing, it is listed again.
        await held.wait(for: 4)
        #expect(author.friends.contains { $0.identifier == 3 })
        held.answer(3, .json(#"[{"id": 3}]"#))
        try await pages.value
        #expect(author.friends.map(\.identifier) == [3])
    }
}
