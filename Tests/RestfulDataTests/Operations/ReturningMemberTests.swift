import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Members of lists are moved locally and by others, and then moved back locally: the result is compared with the
/// server's lists of the meantime.
@MainActor @Suite struct ReturningMemberTests {
    private let service: Service

    init() throws {
        service = try Service(
            Blog.models + [CardColumn.self, BoardCard.self],
            stub: StubTransport { request in
                request.method == .get ? .json("[]") : .status(204)
            })
    }

    private func authors() async throws -> (one: Author, other: Author, post: Post) {
        let body = #"[{"id": 1, "posts": [{"id": 11}]}, {"id": 2, "posts": []}]"#
        let one = try await service.imported(Author.self, body)
        return (one, try #require(try service.main.find(Author.self, 2)), one.posts[0])
    }

    nonisolated static let answers = [#"{"id": 1, "posts": []}"#, #"{"id": 1, "post_ids": []}"#, nil]

    /// The server reports, with the object or with the list itself, that the first author has no posts.
    private func say(_ answer: String?, of author: Author) async throws {
        if let answer { _ = try await service.imported(Author.self, answer) } else { try await author.$posts.fetch() }
    }

    @Test(arguments: answers, [false, true])
    func `A member moved locally, removed by others and moved back is sent back`(_ answer: String?, isSaved: Bool)
        async throws
    {
        let (one, other, post) = try await authors()
        post.author = other
        if isSaved { try await service.main.save() }
        try await say(answer, of: one)
        #expect(one.posts.isEmpty && post.author === other && post.unsentProperties == ["author"])
        post.author = one
        if isSaved { try await service.main.save() }
        try await post.save()
        #expect(service.stub.log.last == #"PATCH /posts/11 {"author_id":1}"#)
        #expect(post.unsentProperties.isEmpty && one.posts == [post])
    }

    @Test(arguments: [false, true])
    func `A member moved locally and by others, and moved back, is sent back`(isSaved: Bool) async throws {
        let (one, other, post) = try await authors()
        post.author = other
        if isSaved { try await service.main.save() }
        _ = try await service.imported(Author.self, #"{"id": 2, "post_ids": [11]}"#)
        post.author = one
        if isSaved { try await service.main.save() }
        try await post.save()
        #expect(service.stub.log.last == #"PATCH /posts/11 {"author_id":1}"#)
        #expect(post.unsentProperties.isEmpty && one.posts == [post])
    }

    @Test(arguments: [#"{"id": 2, "card_ids": []}"#, #"{"id": 2, "card_ids": [15]}"#])
    func `A member moved back between lists that are sent is sent back`(_ answer: String) async throws {
        let body = #"[{"id": 2, "card_ids": [14]}, {"id": 3, "card_ids": []}]"#
        let one = try await service.imported(CardColumn.self, body)
        let other = try #require(try service.main.find(CardColumn.self, 3))
        let cards = #"[{"id": 14, "column_id": 2}, {"id": 15, "column_id": null}]"#
        let card = try await service.imported(BoardCard.self, cards)
        one.cards.removeAll()
        other.cards.append(card)
        try await service.main.save()
        _ = try await service.imported(CardColumn.self, answer)
        other.cards.removeAll()
        one.cards.append(card)
        try await service.main.save()
        for column in [one, other] where !column.unsentProperties.isEmpty { try await column.save() }
        if !card.unsentProperties.isEmpty { try await card.save() }
        #expect(service.stub.log.contains { $0.contains("14") || $0.hasSuffix(#"/cards/14 {"column_id":2}"#) })
        #expect(card.column === one && card.unsentProperties.isEmpty)
    }

    @Test func `A member moved back to where the server has it isn't sent`() async throws {
        let (one, other, post) = try await authors()
        post.author = other
        try await service.main.save()
        _ = try await service.imported(Author.self, #"{"id": 1, "post_ids": [11]}"#)
        #expect(one.posts.isEmpty && post.author === other)
        post.author = one
        try await service.main.save()
        #expect(post.unsentProperties.isEmpty && one.posts == [post] && service.stub.log.isEmpty)
    }
}
