import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// After a lost reply, the facts of the request are at risk, even after a restart of the program: an edit that restores
/// the former value is sent.
@MainActor @Suite struct SentFactTests {
    @Model("/decks") final class Deck {
        var identifier: Int?
        @Relationship(inverse: "deck") var leaves: [Leaf]
    }

    @Model("/leaves") final class Leaf {
        var identifier: Int?
        var text: String?
        var deck: Deck?
    }

    @Model("/shelves") final class Shelf {
        var identifier: Int?
        var name: String?
        @Relationship(inverse: nil, sentAs: .nested) var leaf: Leaf?
    }

    enum Later {
        @Model("/decks", renamedFrom: "Deck") final class Pile {
            var identifier: Int?
            @Relationship(inverse: "pile", renamedFrom: "leaves") var pages: [Page]
        }

        @Model("/leaves", renamedFrom: "Leaf") final class Page {
            var identifier: Int?
            var text: String?
            @Relationship(renamedFrom: "deck") var pile: Pile?
        }
    }

    private let file: Box<TemporaryFile>
    private static let models: [any Model.Type] = [Deck.self, Leaf.self, Shelf.self]

    init() throws { file = try Box(TemporaryFile()) }

    /// A program that opens the file of the one before, which ended without a word.
    private func program(answering status: Int, _ models: [any Model.Type] = Self.models) throws -> Service {
        file.value = try file.value.copy()
        return try Service(models, location: .file(file.value.path), stub: StubTransport { _ in .status(status) })
    }

    /// How many facts the file has marked as sent.
    private func marks() throws -> Int {
        let copy = try file.value.copy()
        return try Database(copy.path).rows("SELECT 1 FROM _send").count
    }

    /// A request that moves leaf 11 out of deck 1.
    enum Request: CaseIterable {
        case list, otherList, link, add
    }

    /// Moves leaf 11 from deck 1 to deck 2, saves that, and sends it once.
    private func move(by request: Request, answering status: Int) async throws {
        let service = try program(answering: status)
        let decks = try await service.main.import(
            Deck.self, from: Array(#"[{"id": 1, "leaves": [{"id": 11}, {"id": 12}]}, {"id": 2, "leaves": []}]"#.utf8)
        ).objects
        let leaf = decks[0].leaves[0]
        switch request {
        case .list, .otherList:
            decks[0].leaves.removeFirst()
            decks[1].leaves = [leaf]
        case .link, .add: leaf.deck = decks[1]
        }
        try await service.main.save()
        _ = await failure {
            switch request {
            case .list: try await decks[0].save()
            case .otherList: try await decks[1].save()
            case .link: try await leaf.save()
            case .add: try await decks[1].$leaves.add(leaf)
            }
        }
        #expect(service.stub.log.count == 1)
        #expect(leaf.deck === decks[1])
    }

    @Test(arguments: Request.allCases)
    func `A link set back after a restart is sent if the reply was lost`(_ request: Request) async throws {
        try await move(by: request, answering: 500)
        #expect(try marks() > 0)
        let service = try program(answering: 204)
        let leaf = try #require(try service.main.find(Leaf.self, 11))
        leaf.deck = try service.main.find(Deck.self, 1)
        try await service.main.save()
        #expect(leaf.unsentProperties == ["deck"])
        _ = try await service.imported(Leaf.self, #"{"id": 11, "deck_id": null}"#)
        #expect(leaf.deck?.identifier == 1 && leaf.unsentProperties == ["deck"])
        try await leaf.save()
        #expect(service.stub.log == [#"PATCH /leaves/11 {"deck_id":1}"#])
        #expect(leaf.unsentProperties == [] && !service.main.hasChanges)
    }

    @Test(arguments: Request.allCases)
    func `A link set back after a restart is no edit if the request was rejected`(
        _ request: Request
    ) async throws {
        try await move(by: request, answering: 422)
        #expect(try marks() == 0)
        let service = try program(answering: 204)
        let leaf = try #require(try service.main.find(Leaf.self, 11))
        leaf.deck = try service.main.find(Deck.self, 1)
        try await service.main.save()
        #expect(leaf.unsentProperties == [] && !service.main.hasChanges)
    }

    @Test(arguments: Request.allCases)
    func `An accepted request leaves no send mark`(_ request: Request) async throws {
        try await move(by: request, answering: 204)
        #expect(try marks() == 0)
    }

    @Test func `A link's send mark follows renamed models and relationships`() async throws {
        try await move(by: .list, answering: 500)
        let count = try marks()
        let service = try program(answering: 204, [Later.Pile.self, Later.Page.self])
        #expect(try marks() == count)
        let page = try #require(try service.main.find(Later.Page.self, 11))
        page.pile = try service.main.find(Later.Pile.self, 1)
        try await service.main.save()
        #expect(page.unsentProperties == ["pile"])
    }

    @Test func `A later acceptance ends the risk of a request before the restart`() async throws {
        try await move(by: .list, answering: 500)
        do {
            let service = try program(answering: 204)
            try await #require(try service.main.find(Leaf.self, 11)).save()
            #expect(service.stub.log == [#"PATCH /leaves/11 {"deck_id":2}"#])
        }
        let service = try program(answering: 204)
        let leaf = try #require(try service.main.find(Leaf.self, 11))
        leaf.deck = try service.main.find(Deck.self, 1)
        leaf.deck = try service.main.find(Deck.self, 2)
        try await service.main.save()
        #expect(leaf.unsentProperties == [])
    }

    /// Another user may change the value later, which the edit must not overwrite.
    @Test func `A fetch after a restart that shows the sent value ends its edit`() async throws {
        do {
            let service = try program(answering: 500)
            let leaf = try await service.imported(Leaf.self, #"{"id": 11, "text": "A"}"#)
            leaf.text = "B"
            try await service.main.save()
            _ = await failure { try await leaf.save() }
        }
        #expect(try marks() == 1)
        let service = try program(answering: 204)
        let leaf = try await service.imported(Leaf.self, #"{"id": 11, "text": "B"}"#)
        #expect(leaf.unsentProperties == [])
        #expect(try marks() == 0)
        _ = try await service.imported(Leaf.self, #"{"id": 11, "text": "C"}"#)
        #expect(leaf.text == "C")
    }

    @Test func `A send mark of an earlier file format is kept`() async throws {
        do {
            let service = try program(answering: 500)
            let leaf = try await service.imported(Leaf.self, #"{"id": 11, "text": "A"}"#)
            leaf.text = "B"
            try await service.main.save()
            _ = await failure { try await leaf.save() }
            service.store.close()
        }
        file.value = try file.value.copy()
        let database = try Database(file.value.path)
        for statement in [
            """
            UPDATE leaf SET _unsent = '{"?":{},' || substr(_unsent, 2)
            """,
            "DROP TABLE _send", "PRAGMA user_version = 10",
        ] {
            _ = try database.rows(statement)
        }
        #expect(try database.rows("SELECT substr(_unsent, 1, 8) FROM leaf") == [[#"{"?":{},"#]])
        let service = try program(answering: 204)
        #expect(try marks() == 1)
        let leaf = try #require(try service.main.find(Leaf.self, 11))
        leaf.text = "A"
        try await service.main.save()
        #expect(leaf.unsentProperties == ["text"])
    }

    /// A success without a body doesn't show whether the server took the values within.
    @Test(arguments: [500, 422, 204])
    func `An object sent within another one is at risk unless rejected`(_ status: Int) async throws {
        do {
            let service = try program(answering: status)
            let shelf = try await service.imported(
                Shelf.self, #"{"id": 1, "name": "S", "leaf": {"id": 11, "text": "A"}}"#)
            shelf.name = "T"
            shelf.leaf?.text = "B"
            try await service.main.save()
            _ = await failure { try await shelf.save(using: .put) }
            #expect(service.stub.log == [#"PUT /shelves/1 {"id":1,"name":"T","leaf":{"id":11,"text":"B"}}"#])
        }
        #expect(try marks() == [500: 2, 422: 0, 204: 1][status])
        let service = try program(answering: 204)
        let leaf = try #require(try service.main.find(Leaf.self, 11))
        leaf.text = "A"
        try await service.main.save()
        #expect(leaf.unsentProperties == (status == 422 ? [] : ["text"]))
    }

    @Test func `A deleted object leaves no send mark`() async throws {
        try await move(by: .list, answering: 500)
        let service = try program(answering: 204)
        let leaf = try #require(try service.main.find(Leaf.self, 11))
        service.main.delete(leaf)
        try service.main.find(Deck.self, 1).map { service.main.delete($0) }
        try await service.main.save()
        #expect(try marks() == 0)
    }
}
