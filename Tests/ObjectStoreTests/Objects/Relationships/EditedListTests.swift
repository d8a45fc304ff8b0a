import ObjectStore
import RestfulData
import Testing

/// A locally edited list that others change meanwhile: the save adds, removes and moves only the edited members.
@MainActor
@Suite struct EditedListTests {
    private static let body = #"""
        {"id": 1, "parts": [{"id": 2}, {"id": 3}, {"id": 4}], "notes": [{"id": 2}, {"id": 3}, {"id": 4}]}
        """#

    /// The local edit of members 2, 3 and 4, another context's change of the list, and the resulting list.
    @Test(
        arguments: [
            ([2, 3], [2, 3, 4, 5], [2, 3, 5]), ([4, 3, 2], [2, 3, 4, 5], [4, 3, 2, 5]),
            ([6, 2, 3, 4], [5, 2, 3, 4], [6, 2, 3, 4, 5]),
            ([], [2, 3, 4, 5], [5]), ([2, 3, 4, 5], [2, 3, 4, 5], [2, 3, 4, 5]), ([3, 2], [4, 3, 2], [3, 2]),
        ], [false, true])
    func `A save of an edited list keeps members that others have added`(_ lists: ([Int], [Int], [Int]), _ isJoin: Bool)
        async throws
    {
        let store = try Store(of: [Chapter.self, Note.self])
        let book = try #require(try await store.main.take(Chapter.self, Self.body).objects.first)
        if isJoin {
            try await store.main.take(Note.self, #"[{"id": 5}, {"id": 6}]"#)
            book.notes = try lists.0.compactMap { try store.main.find(Note.self, $0) }
        } else {
            try await store.main.take(Chapter.self, #"[{"id": 5}, {"id": 6}]"#)
            book.parts = try lists.0.compactMap { try store.main.find(Chapter.self, $0) }
        }
        try await store.background { context in
            let book = try #require(try context.find(Chapter.self, 1))
            if isJoin {
                book.notes = try lists.1.compactMap { try context.find(Note.self, $0) }
            } else {
                book.parts = try lists.1.compactMap { try context.find(Chapter.self, $0) }
            }
        }
        try await store.main.save()
        #expect((isJoin ? book.notes.compactMap(\.identifier) : book.parts.compactMap(\.identifier)) == lists.2)
        // Only removed objects that have lost their last owner are deleted.
        let table = isJoin ? "note" : "chapter WHERE identifier > 1"
        let left = try Database(store.path).rows("SELECT identifier FROM \(table) ORDER BY 1").compactMap {
            Int($0[0] ?? "")
        }
        #expect(Set(left).isSuperset(of: lists.2))
        #expect(Set(left).isDisjoint(with: Set([2, 3, 4]).subtracting(lists.2)))
        #expect(try store.check() == [])
    }

    @Test func `A save of an edited list leaves members moved to another owner there`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(
            User.self, #"[{"id": 1, "repositories": [{"id": 10}, {"id": 11}]}, {"id": 2}]"#
        ).objects
        users[0].repositories.reverse()
        try await store.background { context in
            try context.find(Repository.self, 10)?.owner = try context.find(User.self, 2)
        }
        try await store.main.save()
        #expect(users[0].repositories.map(\.identifier) == [11] && users[1].repositories.map(\.identifier) == [10])
    }

    @Test func `The server's list replaces a list without edits`() async throws {
        let store = try Store(of: [Chapter.self, Note.self])
        let book = try #require(try await store.main.take(Chapter.self, Self.body).objects.first)
        try await store.takeElsewhere(Chapter.self, #"{"id": 1, "notes": [{"id": 4}, {"id": 9}]}"#)
        #expect(book.notes.map(\.identifier) == [4, 9])
    }

    @Test func `A second edit of a list during a save is relative to the first`() async throws {
        let store = try Store(of: [Chapter.self, Note.self])
        let book = try #require(try await store.main.take(Chapter.self, Self.body).objects.first)
        let notes = book.notes
        book.notes = [notes[0], notes[1]]
        try await whileSaving(store) { book.notes = [notes[1], notes[0]] }
        try await store.takeElsewhere(Note.self, #"{"id": 9}"#)
        try await store.background { context in
            let book = try #require(try context.find(Chapter.self, 1))
            book.notes += try [#require(try context.find(Note.self, 9))]
        }
        try await store.main.save()
        #expect(book.notes.map(\.identifier) == [3, 2, 9])
    }
}
