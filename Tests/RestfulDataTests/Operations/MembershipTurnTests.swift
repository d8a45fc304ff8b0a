import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A save that carries a whole list, and requests that change the list member by member, do not undo each other at the
/// server: one waits for the other.
@MainActor @Suite(.timeLimit(.minutes(10))) struct MembershipTurnTests {
    @Model("/notes") final class Note {
        var identifier: Int?
        @Relationship("/notes/:id/marks", inverse: "notes") var marks: [Mark]
    }

    @Model("/marks") final class Mark {
        var identifier: Int?
        @Relationship("/marks/:id/notes", inverse: "marks") var notes: [Note]
    }

    @Model("/leaves", key: "slug") final class Leaf {
        var identifier: Int?
        var slug: String?
        var book: Book?
    }

    @Model("/books") final class Book {
        var identifier: Int?
        @Relationship("/leaves", inverse: "book") var leaves: [Leaf]
    }

    private static let models: [any Model.Type] = [Note.self, Mark.self]

    @Test(arguments: [false, true], [false, true])
    func `A save waits for a request that adds or removes a member`(_ joins: Bool, _ isSaved: Bool) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let note = try await store.imported(Note.self, #"{"id": 1, "marks": [{"id": 2}, {"id": 3}]}"#)
        let mark = joins ? try await store.imported(Mark.self, #"{"id": 4}"#) : note.marks[0]
        let added = try await store.imported(Mark.self, #"{"id": 5}"#)
        let changing = Task {
            if joins { try await note.$marks.add(mark) } else { try await note.$marks.delete(mark) }
        }
        await held.wait(for: 1)
        note.marks.append(added)
        if isSaved { try await store.main.save() }
        let saving = Task { try await note.save() }
        await giveWay()
        #expect(held.log.count == 1)
        held.answer(0, .status(204))
        try await changing.value
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        #expect(
            held.log == [
                joins ? #"POST /notes/1/marks {"mark_ids":[4]}"# : "DELETE /notes/1/marks/2",
                joins ? #"PATCH /notes/1 {"mark_ids":[2,3,5,4]}"# : #"PATCH /notes/1 {"mark_ids":[3,5]}"#,
            ])
        #expect(Set(note.marks.map(\.identifier)) == (joins ? [2, 3, 4, 5] : [3, 5]))
        #expect(note.unsentProperties.isEmpty && !store.main.hasChanges)
    }

    /// A change made at the server is already saved, so it survives a rollback and a restart.
    @Test(arguments: ["create", "add", "delete"])
    func `A membership change is saved together with a pending list edit`(_ deed: String) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let note = try await store.imported(Note.self, #"{"id": 1, "marks": [{"id": 2}, {"id": 3}]}"#)
        note.marks = [note.marks[0], try await store.imported(Mark.self, #"{"id": 4}"#)]
        try await store.main.save()
        let mark =
            switch deed {
            case "create": Mark(in: store.main)
            case "add": try await store.imported(Mark.self, #"{"id": 6}"#)
            default: note.marks[0]
            }
        let changing = Task {
            if deed == "delete" { try await note.$marks.delete(mark) } else { try await note.$marks.add(mark) }
        }
        await held.wait(for: 1)
        held.answer(0, deed == "create" ? .json(#"{"id": 7}"#, status: 201) : .status(204))
        try await changing.value
        #expect(note.changedProperties.isEmpty && note.unsentProperties == ["marks"])
        store.main.rollback()
        let members = deed == "delete" ? [4] : [2, 4, deed == "add" ? 6 : 7]
        #expect(note.marks.map(\.identifier) == members)
        let saving = Task { try await note.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        #expect(held.log.last == "PATCH /notes/1 {\"mark_ids\":\(members)}".replacingOccurrences(of: ", ", with: ","))
        #expect(note.marks.map(\.identifier) == members && note.unsentProperties.isEmpty)
    }

    @Test func `A deletion that waits for a renaming save uses the new URL`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Leaf.self, Book.self])
        let book = try await store.imported(Book.self, #"{"id": 1}"#)
        let leaf = try await store.imported(Leaf.self, #"{"id": 5, "slug": "old", "book": {"id": 1}}"#)
        leaf.slug = "new"
        let saving = Task { try await leaf.save() }
        await held.wait(for: 1)
        let deleting = Task { try await book.$leaves.delete(leaf) }
        await giveWay()
        held.answer(0, .json(#"{"id": 5, "slug": "new"}"#))
        try await saving.value
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await deleting.value
        #expect(held.log == [#"PATCH /leaves/old {"slug":"new"}"#, "DELETE /leaves/new"] && leaf.isDeleted)
    }

    @Test func `Concurrently removed members all leave the list`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let note = try await store.imported(Note.self, #"{"id": 1, "marks": [{"id": 2}, {"id": 3}]}"#)
        let marks = note.marks
        let removing = marks.map { mark in Task { try await note.$marks.delete(mark) } }
        await held.wait(for: 2)
        for index in 0..<2 { held.answer(index, .status(204)) }
        for task in removing { try await task.value }
        #expect(note.marks.isEmpty)
    }

    @Test func `Concurrent membership requests from both sides finish`() async throws {
        let stub = StubTransport { _ in .status(204) }
        let service = try Service(Self.models, stub: stub)
        _ = try await service.imported(Note.self, #"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]"#)
        _ = try await service.imported(Mark.self, #"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]"#)
        let (notes, marks) = (try service.main.query(Note.self).fetch(), try service.main.query(Mark.self).fetch())
        let telling = zip(notes, marks).flatMap { note, mark in
            [
                Task { try await note.$marks.add(mark) }, Task { try await mark.$notes.add(note) },
                Task { try await note.save() }, Task { try await mark.save() },
                Task { try await note.$marks.delete(mark) }, Task { try await mark.$notes.delete(note) },
            ]
        }
        for task in telling { try await task.value }
        #expect(notes.count == 4 && stub.log.count >= 16)
    }
}
