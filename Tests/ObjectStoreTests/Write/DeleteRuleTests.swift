import GRDBSQLite
import ObjectStore
import RestfulData
import TestSupport
import Testing

/// `onDelete:`: the effect of an object's deletion on linked objects, in the context, the file, and where another
/// context deletes the row.
@MainActor
@Suite struct DeleteRuleTests {
    private static let models: [any Model.Type] = [Shelf.self, Book.self, Page.self, Tool.self]
    private static let bodies = #"""
        [{"id": 1, "books": [{"id": 1}, {"id": 2}]}, {"id": 2, "tools": [{"id": 1}]}, {"id": 3, "keeper": {"id": 2}},
         {"id": 4}]
        """#
    private static let books = #"""
        [{"id": 1, "pages": [{"id": 1}, {"id": 2, "next": {"id": 3, "next": {"id": 2}}}], "tools": [{"id": 3}, {"id": 4}],
          "cover": {"id": 5}},
         {"id": 2, "pages": [{"id": 4, "next": 4}]}, {"id": 3, "pages": [{"id": 5, "pinned_by": {"id": 6}}]}]
        """#

    private func makeStore() async throws -> Store {
        let store = try Store(of: Self.models)
        try await store.main.take(Shelf.self, Self.bodies)
        try await store.main.take(Book.self, Self.books)
        return store
    }

    private func left(_ store: Store) throws -> String {
        let database = try Database(store.path)
        return try ["shelf", "book", "page", "tool"].map { table in
            try table + "s "
                + database.rows("SELECT identifier FROM \(table) ORDER BY 1").compactMap { $0[0] }
                .joined(separator: " ")
        }.joined(separator: ", ")
    }

    nonisolated private static let all = "shelfs 1 2 3 4, books 1 2 3, pages 1 2 3 4 5, tools 1 2 3 4 5 6"

    struct Step: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let edit: @Sendable (ObjectContext) throws -> Void
        let left: String
        /// The save's error.
        let error: String?

        init(
            _ description: String, left: String = DeleteRuleTests.all, error: String? = nil,
            _ edit: @escaping @Sendable (ObjectContext) throws -> Void
        ) {
            testDescription = description
            self.edit = edit
            self.left = left
            self.error = error
        }
    }

    private nonisolated static func delete<M: Model>(_ type: M.Type, _ id: Int, in context: ObjectContext) throws {
        context.delete(try #require(try context.find(type, id)))
    }

    nonisolated static let steps: [Step] = [
        Step("a shelf that leads nowhere", left: "shelfs 1 2 3, books 1 2 3, pages 1 2 3 4 5, tools 1 2 3 4 5 6") {
            try delete(Shelf.self, 4, in: $0)
        },
        Step("denied by a list of rows", error: "Shelf identifier 1 books 2") { try delete(Shelf.self, 1, in: $0) },
        Step("denied by a list of links", error: "Shelf identifier 2 tools 1") { try delete(Shelf.self, 2, in: $0) },
        Step("denied by a link", error: "Shelf identifier 3 keeper 1") { try delete(Shelf.self, 3, in: $0) },
        Step("unlinked in the same save", left: "shelfs 2 3 4, books 1 2 3, pages 1 2 3 4 5, tools 1 2 3 4 5 6") {
            try #require(try $0.find(Shelf.self, 1)).books = []
            try delete(Shelf.self, 1, in: $0)
        },
        Step("unlinked by the other side", error: "Shelf identifier 1 books 1") {
            try #require(try $0.find(Book.self, 1)).shelf = nil
            try delete(Shelf.self, 1, in: $0)
        },
        Step("what it leads to goes with it", left: "shelfs 1 3 4, books 1 2 3, pages 1 2 3 4 5, tools 2 3 4 5 6") {
            try delete(Shelf.self, 2, in: $0)
            try delete(Tool.self, 1, in: $0)
        },
        Step("everything of a cascade, whose cycle ends", left: "shelfs 1 2 3 4, books 2 3, pages 4 5, tools 1 2 6") {
            try delete(Book.self, 1, in: $0)
        },
        Step("an object that leads to itself", left: "shelfs 1 2 3 4, books 1 3, pages 1 2 3 5, tools 1 2 3 4 5 6") {
            try delete(Book.self, 2, in: $0)
        },
        Step("a cascade that meets a denial", error: "Page identifier 5 pinnedBy 1") {
            try delete(Book.self, 3, in: $0)
        },
        Step("what is deleted by a cascade denies nothing", left: "shelfs 2 3 4, books 3, pages 5, tools 1 2 6") {
            try delete(Book.self, 1, in: $0)
            try delete(Book.self, 2, in: $0)
            try delete(Shelf.self, 1, in: $0)
        },
    ]

    private func denial(_ body: () async throws(StoreError) -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            guard case .deleteDenied(let model, let identity, let relationship, let count) = error else {
                return "\(error)"
            }
            return "\(model) \(identity.map { "\($0) \($1)" }.joined()) \(relationship) \(count)"
        }
    }

    @Test func `A denied deletion keeps edits that lead to the object`() async throws {
        let store = try await makeStore()
        let shelf = try #require(try store.main.find(Shelf.self, 1))
        let book = try #require(try store.main.find(Book.self, 3))
        book.shelf = shelf
        store.main.delete(shelf)
        await #expect(throws: StoreError.self) { try await store.main.save() }
        #expect(book.shelf == nil)
        shelf.rollback()
        #expect(book.shelf === shelf)
        try await store.main.save()
        #expect(book.shelf === shelf && !store.main.hasChanges)
    }

    @Test func `A failed save keeps deleted members of an edited list`() async throws {
        let store = try await makeStore()
        let shelf = try #require(try store.main.find(Shelf.self, 4))
        let tools = try store.main.query(Tool.self).order(by: { $0.identifier }).limit(2).fetch()
        shelf.tools = tools
        store.main.delete(tools[0])
        let twins = [Tool(in: store.main), Tool(in: store.main)]
        for twin in twins { twin.identifier = 77 }
        await #expect(throws: StoreError.self) { try await store.main.save() }
        #expect(shelf.tools.map(\.identifier) == [2])
        tools[0].rollback()
        #expect(shelf.tools.map(\.identifier) == [1, 2])
        twins[0].rollback()
        try await store.main.save()
        #expect(shelf.tools.map(\.identifier) == [1, 2] && !store.main.hasChanges)
    }

    @Test func `A deletion that can't be queued keeps new objects that it would delete`() async throws {
        let store = try await makeStore()
        let book = try #require(try store.main.find(Book.self, 1))
        let page = Page(in: store.main)
        page.identifier = 9
        page.book = book
        _ = try Database(store.path).rows(
            "CREATE TRIGGER refuse BEFORE INSERT ON _outbox BEGIN SELECT RAISE(ABORT, 'full'); END")
        await #expect(throws: StoreError.self) { try await store.main.deleteQueued(book, account: "") }
        #expect(!book.isDeleted && book.pages.map(\.identifier) == [1, 2, 9])
        #expect(!page.isDeleted && page.isInserted && page.identifier == 9 && page.book === book)
    }

    @Test(arguments: steps)
    func `A save follows the delete rules`(_ step: Step) async throws {
        let store = try await makeStore()
        try step.edit(store.main)
        let error = await denial { () throws(StoreError) in try await store.main.save() }
        #expect(error == step.error)
        if error != nil {
            store.main.rollback()
            try await store.main.save()
        }
        #expect(!store.main.hasChanges)
        let rows = try left(store)
        #expect(rows == step.left)
        #expect(try store.check() == [])
        let books = try store.main.query(Book.self).fetch().compactMap { $0.identifier.map(String.init) }
        #expect(rows.contains("books \(books.sorted().joined(separator: " ")),"))
    }

    @Test func `A context stays usable after a denied deletion`() async throws {
        let store = try await makeStore()
        let shelf = try #require(try store.main.find(Shelf.self, 1))
        let books = shelf.books
        store.main.delete(shelf)
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        #expect(
            "\(error.map(String.init(describing:)) ?? "")".hasPrefix(
                "The Shelf with identifier 1 can't be deleted while its books leads to 2 objects."))
        #expect(shelf.isDeleted && store.main.hasChanges)
        for book in books { book.shelf = nil }
        try await store.main.save()
        #expect(try store.main.find(Shelf.self, 1) == nil)
        #expect(books.allSatisfy { $0.shelf == nil && !$0.isDeleted })
    }

    @Test func `A cascade is visible at once and rolled back as a whole`() async throws {
        let store = try await makeStore()
        let book = try #require(try store.main.find(Book.self, 1))
        let pages = book.pages
        let new = Page(in: store.main)
        new.book = book
        store.main.delete(book)
        #expect(pages.allSatisfy(\.isDeleted) && new.isDeleted)
        #expect(try store.main.query(Page.self).count() == 2)
        store.main.rollback()
        #expect(!book.isDeleted && pages.allSatisfy { !$0.isDeleted })
        #expect(book.pages.map(\.identifier) == [1, 2])
    }

    @Test(arguments: [
        ("shelf", 1, "FOREIGN KEY constraint failed"), ("shelf", 2, "Shelf.tools denies the deletion"),
        ("shelf", 3, "Shelf.keeper denies the deletion"), ("book", 3, "Page.pinnedBy denies the deletion"),
    ])
    func `The file denies deletions by other programs`(_ table: String, _ id: Int, _ reason: String) async throws {
        let store = try await makeStore()
        let database = try Database(store.path)
        try database.execute("PRAGMA foreign_keys = ON")
        #expect {
            try database.execute("DELETE FROM \(table) WHERE identifier = \(id)")
        } throws: { error in
            guard case .sqlite(let code, let message)? = error as? Database.Failure else { return false }
            return code == SQLITE_CONSTRAINT && message == reason
        }
        #expect(try left(store) == Self.all)
    }

    @Test func `The file cascades deletions by other programs`() async throws {
        let store = try await makeStore()
        let database = try Database(store.path)
        try database.execute("PRAGMA foreign_keys = ON")
        try database.execute("DELETE FROM book WHERE identifier = 1")
        #expect(try left(store) == "shelfs 1 2 3 4, books 2 3, pages 4 5, tools 1 2 6")
        #expect(try store.check() == [])
    }

    @Test func `Removed delete rules lose their triggers`() async throws {
        let file = try TemporaryFile()
        _ = try Store(.file(file.path), models: Self.models)
        let triggers = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"
        #expect(try Database(file.path).value(triggers) == "6")
        _ = try Store(.file(file.path), models: [Tool.self])
        #expect(try Database(file.path).value(triggers) == "0")
        _ = try Store(.file(file.path), models: Self.models)
        #expect(try Database(file.path).value(triggers) == "6")
    }
}
