import ObjectStore
import RestfulData
import Testing

/// `owns: true`: objects that leave the relationship, or lose their owner, are deleted.
@MainActor
@Suite struct OwningTests {
    private static let models: [any Model.Type] = [Chapter.self, Note.self]
    private static let body = #"""
        {"id": 1, "cover": {"id": 1}, "notes": [{"id": 2}, {"id": 3}],
         "parts": [{"id": 2, "notes": [{"id": 4}], "parts": [{"id": 3, "cover": {"id": 5}}]}, {"id": 4}]}
        """#

    private func makeBook(_ store: Store) async throws -> Chapter {
        try #require(try await store.main.take(Chapter.self, Self.body).objects.first)
    }

    private func numbers(_ store: Store) throws -> String {
        let database = try Database(store.path)
        let chapters = try database.rows("SELECT identifier FROM chapter ORDER BY 1").compactMap { $0[0] }
        let notes = try database.rows("SELECT identifier FROM note ORDER BY 1").compactMap { $0[0] }
        return "chapters \(chapters.joined(separator: " ")), notes \(notes.joined(separator: " "))"
    }

    struct Step: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let edit: @Sendable (Chapter, ObjectContext) throws -> Void
        let left: String

        init(_ description: String, _ edit: @escaping @Sendable (Chapter, ObjectContext) throws -> Void, _ left: String)
        {
            testDescription = description
            self.edit = edit
            self.left = left
        }
    }

    @Test(arguments: [
        Step("nothing", { _, _ in }, "chapters 1 2 3 4, notes 1 2 3 4 5"),
        Step("delete the whole", { book, context in context.delete(book) }, "chapters , notes "),
        Step("leave a list of rows", { book, _ in book.parts.removeFirst() }, "chapters 1 4, notes 1 2 3"),
        Step("lose the owner", { book, _ in book.parts[0].parent = nil }, "chapters 1 4, notes 1 2 3"),
        Step("leave a list of links", { book, _ in book.notes = [book.notes[1]] }, "chapters 1 2 3 4, notes 1 3 4 5"),
        Step("leave a link", { book, _ in book.cover = nil }, "chapters 1 2 3 4, notes 2 3 4 5"),
        Step("another in a link", { book, _ in book.cover = book.notes[0] }, "chapters 1 2 3 4, notes 2 3 4 5"),
        Step(
            "move to another owner, list first",
            { book, _ in
                let part = book.parts[0].parts[0]
                book.parts[0].parts = []
                book.parts[1].parts = [part]
            }, "chapters 1 2 3 4, notes 1 2 3 4 5"),
        Step(
            "move to another owner by its link", { book, _ in book.parts[0].parts[0].parent = book.parts[1] },
            "chapters 1 2 3 4, notes 1 2 3 4 5"),
        Step(
            "move a note to another owner",
            { book, _ in
                book.parts[1].notes = [book.notes[0]]
                book.notes = []
            }, "chapters 1 2 3 4, notes 1 2 4 5"),
        Step(
            "a note that two own stays with the other",
            { book, context in
                book.parts[1].notes = [book.notes[0]]
                book.parts[1].cover = book.cover
                book.notes = []
                book.cover = nil
            }, "chapters 1 2 3 4, notes 1 2 4 5"),
        Step(
            "owners of each other",
            { book, context in
                let (middle, inner) = (book.parts[0], book.parts[0].parts[0])
                inner.parts = [middle]
                middle.parent = inner
                context.delete(inner)
            }, "chapters 1 4, notes 1 2 3"),
    ])
    func `A save deletes objects that lost their last owner`(_ step: Step) async throws {
        let store = try Store(of: Self.models)
        let book = try await makeBook(store)
        try step.edit(book, store.main)
        try await store.main.save()
        #expect(!store.main.hasChanges)
        let left = try numbers(store)
        #expect(left == step.left)
        #expect(try store.check() == [])
        // The live objects show the same.
        let chapters = try store.main.query(Chapter.self).fetch().compactMap(\.identifier).sorted()
        #expect(step.left.hasPrefix("chapters \(chapters.map { "\($0)" }.joined(separator: " "))"))
    }

    @Test(arguments: [
        (#"{"id": 1, "parts": [{"id": 4}]}"#, "chapters 1 4, notes 1 2 3"),
        (#"{"id": 1, "parts": null, "notes": [], "cover": null}"#, "chapters 1, notes "),
        (#"{"id": 1, "notes": [{"id": 3}]}"#, "chapters 1 2 3 4, notes 1 3 4 5"),
        (#"{"id": 1, "cover": {"id": 9}}"#, "chapters 1 2 3 4, notes 2 3 4 5 9"),
        (#"{"id": 2, "parent": null}"#, "chapters 1 4, notes 1 2 3"),
        (#"{"id": 3, "parent": {"id": 4}}"#, "chapters 1 2 3 4, notes 1 2 3 4 5"),
        (#"{"id": 1}"#, "chapters 1 2 3 4, notes 1 2 3 4 5"),
    ])
    func `An import deletes objects that lost their last owner`(_ body: String, _ left: String) async throws {
        let store = try Store(of: Self.models)
        _ = try await makeBook(store)
        try await store.main.take(Chapter.self, body)
        let rest = try numbers(store)
        #expect(rest == left)
        #expect(try store.check() == [])
    }

    @Test func `A chain of two thousand owners is deleted`() async throws {
        let store = try Store(of: Self.models)
        let count = 2_000
        let body =
            "["
            + (1...count).map { #"{"id": \#($0), "parent": \#($0 == 1 ? "null" : "\($0 - 1)")}"# }
            .joined(separator: ",") + "]"
        try await store.main.importReporting(Chapter.self, from: Array(body.utf8))
        store.main.delete(try #require(try store.main.find(Chapter.self, 1)))
        try await store.main.save()
        #expect(try numbers(store) == "chapters , notes ")
    }
}
