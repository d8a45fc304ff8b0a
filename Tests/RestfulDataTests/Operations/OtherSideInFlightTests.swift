import RestfulData
import RestfulDataTesting
import Testing

/// Both sides of a link agree while one of them is in flight: an undo from the other side meanwhile is a newer edit.
@MainActor @Suite struct OtherSideInFlightTests {
    @Model("/notes") final class Note {
        var identifier: Int?
        @Relationship("/notes/:id/tags", inverse: "notes") var tags: [Mark]
    }

    @Model("/marks") final class Mark {
        var identifier: Int?
        @Relationship("/marks/:id/notes", inverse: "tags") var notes: [Note]
    }

    @Model("/columns") final class Column {
        var identifier: Int?
        @Relationship(inverse: "column") var cards: [Card]
    }

    @Model("/cards") final class Card {
        var identifier: Int?
        var column: Column?
    }

    private let held = HeldTransport()
    private let store: Store

    init() throws { store = try Store.held(by: held, [Note.self, Mark.self, Column.self, Card.self]) }

    private func during(
        _ object: some Model, request: Int, _ reply: StubTransport.Reply, meanwhile: () async throws -> Void
    ) async throws -> APIError? {
        let sending = Task { await failure { try await object.save() } }
        await held.wait(for: request + 1)
        try await meanwhile()
        held.answer(request, reply)
        return await sending.value
    }

    @Test(arguments: [200, 204, 500], [false, true])
    func `A member removed by its own list while the other side is sent stays out`(_ status: Int, _ readsMark: Bool)
        async throws
    {
        let note = try await store.imported(Note.self, #"{"id": 1, "tag_ids": []}"#)
        let mark = try await store.imported(Mark.self, #"{"id": 2, "note_ids": []}"#)
        note.tags.append(mark)
        let reply = status == 200 ? StubTransport.Reply.json(#"{"id": 1, "tag_ids": [2]}"#) : .status(status)
        let error = try await during(note, request: 0, reply) { mark.notes = [] }
        #expect((error == nil) == (status != 500))
        if readsMark { #expect(mark.notes.isEmpty) }
        #expect(note.tags.isEmpty && mark.notes.isEmpty && note.unsentProperties == ["tags"])
        try await store.main.save()
        #expect(note.tags.isEmpty && mark.notes.isEmpty && note.unsentProperties == ["tags"])
        #expect(try await during(note, request: 1, .status(204)) {} == nil)
        #expect(held.bodies == [#"{"tag_ids":[2]}"#, #"{"tag_ids":[]}"#])
        #expect(note.tags.isEmpty && mark.notes.isEmpty && !store.main.hasChanges)
    }

    @Test(arguments: [200, 204, 500], [false, true])
    func `A card moved back during the request of its new list is sent back`(
        _ status: Int, _ isSaved: Bool
    )
        async throws
    {
        let first = try await store.imported(Column.self, #"{"id": 1, "cards": [{"id": 5}]}"#)
        let second = try await store.imported(Column.self, #"{"id": 2, "cards": []}"#)
        let card = try #require(first.cards.first)
        second.cards.append(card)
        let reply = status == 200 ? StubTransport.Reply.json(#"{"id": 2, "card_ids": [5]}"#) : .status(status)
        let error = try await during(second, request: 0, reply) {
            first.cards.append(card)
            if isSaved { try await store.main.save() }
        }
        #expect((error == nil) == (status != 500))
        #expect(first.cards.map(\.identifier) == [5] && second.cards.isEmpty && card.column === first)
        #expect(card.unsentProperties == ["column"])
        try await store.main.save()
        #expect(first.cards.map(\.identifier) == [5] && second.cards.isEmpty && card.column === first)
        #expect(try await during(card, request: 1, .status(204)) {} == nil)
        #expect(held.log.last == #"PATCH /cards/5 {"column_id":1}"#)
        #expect(card.column === first && card.unsentProperties == [])
    }

    @Test func `A live list shows an imported row and the object created meanwhile once`() async throws {
        let card = Card(in: store.main)
        let live = try store.main.query(Card.self).live()
        let count = try store.main.query(Card.self).liveCount()
        let creating = Task { await failure { try await card.create() } }
        await held.wait(for: 1)
        let other = try await store.imported(Card.self, #"{"id": 5}"#)
        #expect(live.count == 2 && count.value == 2)
        held.answer(0, .json(#"{"id": 5}"#, status: 201))
        #expect(await creating.value == nil)
        #expect(live.map(\.identifier) == [5] && count.value == 1)
        #expect(card.identifier == 5 && other.identifier == 5)
    }
}
