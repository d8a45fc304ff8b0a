import RestfulData
import RestfulDataTesting
import Testing

/// A list is sent, and a member of it is moved elsewhere before the answer comes.
@MainActor @Suite struct MovedMemberTests {
    private let held = HeldTransport()
    private let store: Store
    private let other: Author
    private let author: Author

    init() async throws {
        store = try Store.held(by: held)
        other = try await store.imported(Author.self, #"{"id": 2, "name": "O", "posts": []}"#)
        author = Author(in: store.main)
        author.name = "A"
    }

    private func expect(_ post: Post, of owner: Author) {
        let rest = owner === author ? other : author
        #expect(post.author === owner && owner.posts == [post] && rest.posts.isEmpty)
    }

    /// Creates the author, and does something before the reply comes.
    private func create(answering json: String, meanwhile body: () async throws -> Void) async throws {
        let creation = Task { try await author.create() }
        await held.wait(for: 1)
        try await body()
        held.answer(0, .json(json, status: 201))
        try await creation.value
    }

    nonisolated static let answers = [
        #"{"id": 1}"#, #"{"id": 1, "posts": []}"#, #"{"id": 1, "post_ids": []}"#, #"{"id": 1, "post_ids": [11]}"#,
    ]

    @Test(arguments: answers, [false, true])
    func `A new member created in another list during its owner's creation stays there`(_ answer: String, isSaved: Bool)
        async throws
    {
        let post = Post(in: store.main)
        author.posts = [post]
        try await create(answering: answer) {
            post.author = other
            if isSaved { try await store.main.save() }
            let creation = Task { try await post.create() }
            await held.wait(for: 2)
            held.answer(1, .json(#"{"id": 11, "author_id": 2}"#, status: 201))
            try await creation.value
            expect(post, of: other)
        }
        expect(post, of: other)
        #expect(post.unsentProperties.isEmpty && other.unsentProperties.isEmpty && author.unsentProperties.isEmpty)
        try await store.main.save()
        expect(post, of: other)
    }

    @Test(arguments: [false, true])
    func `A known member that moves elsewhere while its new owner is sent with it is moved after that`(isSaved: Bool)
        async throws
    {
        let post = try await store.imported(Post.self, #"{"id": 11, "title": "T", "author": null}"#)
        author.posts = [post]
        if isSaved { try await store.main.save() }
        var saving: Task<Void, any Error>?
        try await create(answering: #"{"id": 1}"#) {
            post.author = other
            saving = Task { try await post.save() }
        }
        held.answer(1, .status(204))
        try await saving?.value
        #expect(held.log.map { $0.prefix(12) } == ["POST /author", "PATCH /posts"])
        expect(post, of: other)
        #expect(post.unsentProperties.isEmpty && author.unsentProperties.isEmpty)
    }

    @Test(arguments: answers) func `A new member that stays in place during its owner's creation is a member`(
        _ answer: String
    ) async throws {
        let post = Post(in: store.main)
        author.posts = [post]
        try await create(answering: answer) { try await store.main.save() }
        expect(post, of: author)
        let creation = Task { try await post.create() }
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 11}"#, status: 201))
        try await creation.value
        expect(post, of: author)
        #expect(held.log.last?.hasSuffix(#""author_id":1}"#) == true)
    }

    @Test func `A member moved away and back during a request is sent again`()
        async throws
    {
        let store = try Store.held(by: held, [CardColumn.self, BoardCard.self])
        let body = #"[{"id": 2, "card_ids": [14, 15]}, {"id": 3, "card_ids": []}]"#
        let columns = try await store.main.import(CardColumn.self, from: Array(body.utf8)).objects
        let cards = #"[{"id": 14, "column_id": 2}, {"id": 15, "column_id": 2}]"#
        let card = try await store.main.import(BoardCard.self, from: Array(cards.utf8)).objects[0]
        columns[0].cards.removeFirst()
        columns[1].cards.append(card)
        let saving = Task { try await columns[0].save() }
        await held.wait(for: 1)
        columns[0].cards.append(card)
        held.answer(0, .json(#"{"id": 2, "card_ids": [15]}"#))
        try await saving.value
        #expect(columns.map { $0.cards.map(\.identifier) } == [[15, 14], []] && card.column === columns[0])
        let again = Task { try await columns[0].save() }
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 2, "card_ids": [15, 14]}"#))
        try await again.value
        #expect(held.bodies == [#"{"card_ids":[15]}"#, #"{"card_ids":[15,14]}"#])
        #expect(columns.map { $0.cards.map(\.identifier) } == [[15, 14], []])
        #expect(card.unsentProperties.isEmpty && columns[0].unsentProperties.isEmpty)
    }

    /// Three columns with the cards 11, 12 and 13, 14 and 15, 16, and the cards in that order.
    private func board() async throws -> (store: Store, columns: [CardColumn], cards: [BoardCard]) {
        let store = try Store.held(by: held, [CardColumn.self, BoardCard.self])
        let body = """
            [{"id": 1, "card_ids": [11, 12, 13]}, {"id": 2, "card_ids": [14, 15]}, {"id": 3, "card_ids": [16]}]
            """
        let columns = try await store.main.import(CardColumn.self, from: Array(body.utf8)).objects
        let links = [(11, 1), (12, 1), (13, 1), (14, 2), (15, 2), (16, 3)]
        let cards = "[" + links.map { #"{"id": \#($0), "column_id": \#($1)}"# }.joined(separator: ",") + "]"
        return (store, columns, try await store.main.import(BoardCard.self, from: Array(cards.utf8)).objects)
    }

    private func ids(_ columns: [CardColumn]) -> [[Int?]] { columns.map { $0.cards.map(\.identifier) } }

    /// Sends a column's cards, and does something before the reply comes, which names them.
    private func send(
        _ column: CardColumn, naming cards: [Int], meanwhile body: () async throws -> Void = {}
    ) async throws {
        try #require(column.unsentProperties == ["cards"])
        let count = held.bodies.count
        let saving = Task { try await column.save() }
        await held.wait(for: count + 1)
        try await body()
        held.answer(count, .json(#"{"id": \#(column.identifier ?? 0), "card_ids": \#(cards)}"#))
        try await saving.value
    }

    @Test(arguments: [false, true])
    func `A member moved back into a list with another saved edit is sent again`(isSaved: Bool) async throws {
        let (store, columns, cards) = try await board()
        columns[0].cards.removeLast()
        columns[2].cards.insert(cards[2], at: 0)
        try await store.main.save()
        columns[2].cards.insert(cards[1], at: 1)
        try await send(columns[0], naming: [11]) {
            columns[0].cards.insert(cards[1], at: 0)
            if isSaved { try await store.main.save() }
        }
        #expect(ids(columns) == [[12, 11], [14, 15], [13, 16]] && cards[1].column === columns[0])
        try await send(columns[0], naming: [12, 11])
        #expect(held.bodies.last == #"{"card_ids":[12,11]}"#)
        #expect(ids(columns) == [[12, 11], [14, 15], [13, 16]] && cards[1].unsentProperties.isEmpty)
    }

    @Test(arguments: [false, true])
    func `A member acknowledged as removed and set back is sent again`(isSaved: Bool) async throws {
        let (store, columns, cards) = try await board()
        columns[0].cards.removeLast()
        columns[2].cards.insert(cards[2], at: 1)
        if isSaved { try await store.main.save() }
        try await send(columns[0], naming: [11, 12])
        cards[2].column = columns[0]
        try await store.main.save()
        #expect(cards[2].unsentProperties == ["column"])
        _ = try await store.imported(BoardCard.self, #"{"id": 13, "column_id": null}"#)
        #expect(ids(columns) == [[11, 12, 13], [14, 15], [16]] && cards[2].column === columns[0])
    }
}
