import RestfulData
import RestfulDataTesting
import Testing

@Model("/boards", key: "name")
final class Board {
    var identifier: Int?
    var name = ""
    /// Derived: `/boards/:name/cards`, the cards' own base URL.
    @Relationship(inverse: "board") var cards: [Card]
    /// The same URL, spelt out.
    @Relationship("/boards/:name/cards", inverse: nil) var open: [Card]
    @Relationship("/boards/:name/pinned", inverse: nil) var pinned: [Card]
    @Relationship("/boards/:name/drafts", inverse: nil, removal: .deletes) var drafts: [Card]
    @Relationship("/boards/:name/cards", inverse: nil, removal: .unlinks) var listed: [Card]
}

@Model("/boards/:board.name/cards", key: "number")
final class Card {
    var identifier: Int?
    var number: Int?
    var board: Board?
}

@Model("/columns")
private final class BoardColumn {
    var identifier: Int?
    @Relationship(inverse: "column", removal: .unlinks) var notes: [ColumnNote]
}

@Model("/columns/:column_id/notes")
private final class ColumnNote {
    var identifier: Int?
    var column: BoardColumn?
}

@Model("/racks")
private final class Rack {
    var identifier: Int?
    @Relationship("/racks/:identifier/contents", inverse: "rack") var books: [RackedBook]
}

@Model("/books")
private final class RackedBook {
    var identifier: Int?
    var rack: Rack?
}

/// `$list.delete` removes a member as by a DELETE of its URL, or as declared.
@MainActor @Suite struct MemberRemovalTests {
    private struct Setting {
        let service: Service
        let board: Board
        let card: Card
    }

    private func setting() async throws -> Setting {
        let service = try Service([Board.self, Card.self], stub: StubTransport { _ in .status(204) })
        let card = #"{"id": 2, "number": 5}"#
        let board = try await service.imported(
            Board.self,
            """
            {"id": 1, "name": "b", "cards": [\(card)], "open": [\(card)], "pinned": [\(card)], "drafts": [\(card)],
             "listed": [\(card)]}
            """)
        return Setting(service: service, board: board, card: board.cards[0])
    }

    @Test func `A removal at the object's own URL deletes the object`() async throws {
        for isDerived in [true, false] {
            let setting = try await setting()
            if isDerived {
                try await setting.board.$cards.delete(setting.card)
            } else {
                try await setting.board.$open.delete(setting.card)
            }
            #expect(setting.service.stub.log == ["DELETE /boards/b/cards/5"])
            #expect(setting.card.isDeleted && setting.board.cards.isEmpty && setting.board.open.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `A queued removal at the object's own URL deletes the object here at once`(isDerived: Bool) async throws {
        let setting = try await setting()
        if isDerived {
            try await setting.board.$cards.delete(setting.card, .queued)
        } else {
            try await setting.board.$open.delete(setting.card, .queued)
        }
        #expect(setting.card.isDeleted && setting.board.cards.isEmpty && setting.board.open.isEmpty)
        #expect(setting.service.stub.log.isEmpty)
        #expect(await setting.service.store.outbox.drain().sent == 1)
        #expect(setting.service.stub.log == ["DELETE /boards/b/cards/5"])
    }

    @Test func `Removing all members at the URL of their own collection deletes them`() async throws {
        let setting = try await setting()
        try await setting.board.$open.deleteAll()
        #expect(setting.service.stub.log == ["DELETE /boards/b/cards"])
        #expect(setting.card.isDeleted && setting.board.open.isEmpty && setting.board.cards.isEmpty)
    }

    /// The server still has the book in the first rack, and is sent that it is in none.
    @Test func `Removing a member with an unsent move unlinks it from its former owner too`() async throws {
        let service = try Service(
            [Rack.self, RackedBook.self],
            stub: StubTransport { request in
                request.method == .delete ? .status(204) : .json(#"{"id": 5, "rack": null}"#)
            })
        let first = try await service.imported(Rack.self, #"{"id": 1, "books": [{"id": 5}]}"#)
        let second = try await service.imported(Rack.self, #"{"id": 2, "books": []}"#)
        let book = first.books[0]
        book.rack = second
        try await service.main.save()
        try await second.$books.delete(book)
        #expect(book.rack == nil && first.books.isEmpty && second.books.isEmpty)
        #expect(book.unsentProperties == ["rack"])
        try await book.save()
        #expect(service.stub.log == ["DELETE /racks/2/contents/5", #"PATCH /books/5 {"rack_id":null}"#])
        #expect(book.unsentProperties.isEmpty)
    }

    @Test func `A removal at another URL unlinks the member`() async throws {
        let setting = try await setting()
        try await setting.board.$pinned.delete(setting.card)
        #expect(setting.service.stub.log == ["DELETE /boards/b/pinned/5"])
        #expect(!setting.card.isDeleted && setting.board.pinned.isEmpty && setting.board.open.count == 1)
    }

    @Test func `A declaration whether a removal deletes or unlinks overrides the URL`() async throws {
        let setting = try await setting()
        try await setting.board.$listed.delete(setting.card)
        #expect(!setting.card.isDeleted && setting.board.listed.isEmpty && setting.board.open.count == 1)
        try await setting.board.$drafts.delete(setting.card)
        #expect(setting.card.isDeleted && setting.board.drafts.isEmpty)
        #expect(setting.service.stub.log == ["DELETE /boards/b/cards/5", "DELETE /boards/b/drafts/5"])
        let explanation = setting.service.store.explain(Board.self)
        #expect(explanation.contains("it deletes the object") && explanation.contains("it only unlinks the object"))
    }

    @Test(arguments: ["open", "listed", "cards"])
    func `A removal is refused if the member's URL may name another owner's object`(_ list: String) async throws {
        let setting = try await setting()
        let body = #"{"id": 9, "name": "c", "open": [{"id": 2}], "listed": [{"id": 2}]}"#
        let other = try await setting.service.imported(Board.self, body)
        let error = await failure {
            switch list {
            case "open": try await other.$open.delete(setting.card)
            case "listed": try await other.$listed.delete(setting.card)
            default: try await other.$cards.delete(setting.card)
            }
        }
        guard case .route(.otherOwner(model: "Card", list: "Board.\(list)"))? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(setting.service.stub.log == [] && !setting.card.isDeleted)
        // The board's other lists are at URLs of their own.
        try await other.$pinned.delete(setting.card)
        #expect(setting.service.stub.log == ["DELETE /boards/c/pinned/5"])
    }

    @Test func `A list declared as unlinking is refused if its route is derived`() throws {
        #expect {
            try Service([BoardColumn.self, ColumnNote.self], stub: StubTransport { _ in .status(204) })
        } throws: { error in
            "\(error)".contains("BoardColumn.notes is to unlink its members, but its route is derived")
        }
    }
}
