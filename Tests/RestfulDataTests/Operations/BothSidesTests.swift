import RestfulData
import RestfulDataTesting
import Testing

@testable import ObjectStore

/// A many-to-many relationship that is edited from both sides, saved, sent and fetched in any order: the last edit of
/// each link counts, on whichever side it was made.
@MainActor @Suite(.timeLimit(.minutes(10))) struct BothSidesTests {
    @Model("/notes") final class Note {
        var identifier: Int?
        @Relationship("/notes/:id/tags", inverse: "notes") var tags: [Mark]
    }

    @Model("/marks") final class Mark {
        var identifier: Int?
        var title: String?
        @Relationship("/marks/:id/notes", inverse: "tags") var notes: [Note]
    }

    private let held = HeldTransport()
    private let store: Store
    private let second: ActorContext
    private var other: ObjectContext { second.context }

    init() throws {
        store = try Store.held(by: held, [Note.self, Mark.self])
        second = store.context(on: MainActor.shared)
    }

    // MARK: With unsent edits

    @Test(arguments: [true, false]) func `A tag added from its side stays along with the note's own pending edit`(
        _ isNamed: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        notes[2].tags.append(marks[0])
        try await store.main.save()
        marks[1].notes.append(notes[2])
        let sending = Task { await failure { try await marks[1].save() } }
        await held.wait(for: 1)
        held.answer(0, isNamed ? .json(#"{"id": 2, "note_ids": [2, 3]}"#) : .status(204))
        #expect(await sending.value == nil)
        #expect(tags(notes) == [[1], [2], [3, 1, 2]] && marks[1].unsentProperties == [])
        try await send(notes[2], #"{"tag_ids":[3,1,2]}"#)
        // The edit is based on the server's current list, so removing the added members is an edit as well.
        notes[2].tags.removeAll { $0 === marks[1] || $0 === marks[0] }
        try await send(notes[2], #"{"tag_ids":[3]}"#)
    }

    @Test func `A tag added at the server joins a list with a pending edit`() async throws {
        let (notes, marks) = try await (notes([[1], [2], [1, 3]]), marks())
        notes[2].tags.removeAll { $0 === marks[0] }
        try await store.main.save()
        _ = try await store.imported(Mark.self, #"{"id": 2, "note_ids": [2, 3]}"#)
        _ = try await store.imported(Mark.self, #"{"id": 1, "note_ids": [1, 3]}"#)
        #expect(tags(notes) == [[1], [2], [3, 2]])
        try await send(notes[2], #"{"tag_ids":[3,2]}"#)
    }

    @Test func `A tag added in one context survives another context's save of the note`() async throws {
        let (notes, marks) = try await (notes([[1], [1, 2], [3]]), marks())
        notes[1].tags.removeAll { $0 === marks[1] }
        try await store.main.save()
        let sending = Task { await failure { try await notes[1].save() } }
        await held.wait(for: 1)
        try theirNote(2).tags.append(theirMark(3))
        marks[1].notes.append(notes[1])
        try await other.save()
        held.answer(0, .json(#"{"id": 2, "tag_ids": [1]}"#))
        #expect(await sending.value == nil)
        try await send(marks[1], #"{"note_ids":[2]}"#, answer: #"{"id": 2, "note_ids": [2]}"#)
        #expect(Set(notes[1].tags.map(\.identifier)) == [1, 2, 3])
        try await send(notes[1], #"{"tag_ids":[1,2,3]}"#)
    }

    /// Its list would be sent without the mark that is being added.
    @Test func `A list's save waits for a request that edits a membership from the other side`() async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        marks[1].notes.append(notes[0])
        let sending = Task { await failure { try await marks[1].save() } }
        await held.wait(for: 1)
        let note = try theirNote(1)
        note.tags.append(try theirMark(3))
        let waiting = Task { await failure { try await note.save() } }
        held.answer(0, .json(#"{"id": 2, "note_ids": [2, 1]}"#))
        #expect(await sending.value == nil)
        await held.wait(for: 2)
        // In which order the two were added isn't the question.
        #expect(["[1,2,3]", "[1,3,2]"].contains { held.log[1] == "PATCH /notes/1 {\"tag_ids\":\($0)}" })
        held.answer(1, .json(#"{"id": 1, "tag_ids": [1, 2, 3]}"#))
        #expect(await waiting.value == nil)
        #expect(tags(notes) == [[1, 2, 3], [2], [3]])
    }

    // MARK: The last word

    @Test(arguments: [true, false]) func `A link removed from one side and restored from the other exists`(
        _ isSaved: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1, 2], [2], [3]]), marks())
        marks[1].notes.removeAll { $0 === notes[1] }
        try await store.main.save()
        #expect(marks[1].unsentProperties == ["notes"])
        notes[1].tags.append(marks[1])
        if isSaved { try await store.main.save() }
        // Once the link is saved, the edit equals the server's value.
        try await send(notes[1], isSaved ? nil : #"{"tag_ids":[2]}"#)
        #expect(tags(notes) == [[1, 2], [2], [3]] && marks[1].unsentProperties == [])
    }

    @Test(arguments: [true, false]) func `A link restored after its list was emptied exists`(_ isSaved: Bool)
        async throws
    {
        let (notes, marks) = try await (notes([[1, 2], [2], [3]]), marks())
        marks[1].notes.removeAll()
        try await store.main.save()
        notes[1].tags.append(marks[1])
        if isSaved { try await store.main.save() }
        try await send(notes[1], isSaved ? nil : #"{"tag_ids":[2]}"#)
        #expect(tags(notes) == [[1], [2], [3]])
        try await send(marks[1], #"{"note_ids":[2]}"#)
    }

    /// The list was emptied before. Another context's addition since then doesn't affect other members.
    @Test(arguments: [true, false]) func `Another context's addition to an emptied list doesn't remove a restored link`(
        _ isSaved: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        marks[2].notes.removeAll()
        try await store.main.save()
        notes[2].tags.append(marks[2])
        if isSaved { try await store.main.save() }
        try theirMark(3).notes.append(theirNote(2))
        try await other.save()
        try await send(notes[2], isSaved ? nil : #"{"tag_ids":[3]}"#)
        #expect(tags(notes) == [[1], [2, 3], [3]])
        try await send(marks[2], isSaved ? #"{"note_ids":[3,2]}"# : #"{"note_ids":[2,3]}"#)
    }

    @Test func `A list set back during its request differs from the members sent since`() async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        notes[1].tags.removeAll()
        try await store.main.save()
        let sending = Task { await failure { try await notes[1].save() } }
        await held.wait(for: 1)
        try theirNote(2).tags.append(theirMark(3))
        try await other.save()
        held.answer(0, .json(#"{"id": 2, "tag_ids": []}"#))
        #expect(await sending.value == nil)
        marks[2].notes.append(notes[0])
        try await send(marks[2], #"{"note_ids":[2,3,1]}"#)
        try theirNote(2).tags.removeAll()
        try await other.save()
        #expect(tags(notes) == [[1, 3], [], [3]] && notes[1].unsentProperties == ["tags"])
        try await send(notes[1], #"{"tag_ids":[]}"#)
    }

    @Test(arguments: [true, false]) func `A link added from one side and removed from the other doesn't exist`(
        _ isSaved: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        marks[1].notes.append(notes[2])
        try await store.main.save()
        notes[2].tags.removeAll { $0 === marks[1] }
        if isSaved { try await store.main.save() }
        try await send(notes[2], isSaved ? nil : #"{"tag_ids":[3]}"#)
        #expect(tags(notes) == [[1], [2], [3]] && marks[1].unsentProperties == [])
    }

    @Test func `A link acknowledged in a whole list can be removed afterwards`() async throws {
        let (notes, marks) = try await (notes([[], [2], [3]]), marks())
        notes[0].tags.append(marks[1])
        try await store.main.save()
        marks[1].notes.append(notes[2])
        try await send(marks[1], #"{"note_ids":[1,2,3]}"#)
        #expect(notes[0].unsentProperties == [])
        notes[0].tags.removeAll()
        try await store.main.save()
        try await send(notes[0], #"{"tag_ids":[]}"#)
        #expect(tags(notes) == [[], [2], [3, 2]])
    }

    @Test func `A link removed in a whole list can be added afterwards`() async throws {
        let (notes, marks) = try await (notes([[2, 3], [2], [3]]), marks())
        notes[0].tags.removeAll { $0 === marks[1] }
        try await store.main.save()
        marks[1].notes.append(notes[2])
        try await send(marks[1], #"{"note_ids":[2,3]}"#)
        notes[0].tags.append(marks[1])
        try await store.main.save()
        try await send(notes[0], #"{"tag_ids":[3,2]}"#)
    }

    @Test func `A link restored in a save of both sides' lists can be removed again`() async throws {
        let (notes, marks) = try await (notes([[1, 2], [2], [3]]), marks())
        marks[0].notes.removeAll { $0 === notes[0] }
        try await store.main.save()
        notes[0].tags.append(marks[0])
        marks[0].notes.append(notes[2])
        try await store.main.save()
        notes[0].tags.removeAll { $0 === marks[0] }
        notes[2].tags.removeAll { $0 === marks[0] }
        try await store.main.save()
        #expect(tags(notes) == [[2], [2], [3]])
        try await send(notes[0], #"{"tag_ids":[2]}"#)
    }

    // MARK: In flight

    @Test(arguments: [true, false])
    func `A list's save waits while the other side's request includes its edit`(
        _ isSaved: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        notes[1].tags.append(marks[0])
        if isSaved { try await store.main.save() }
        let first = Task { await failure { try await notes[1].save() } }
        await held.wait(for: 1)
        marks[2].notes.append(notes[1])
        let second = Task { await failure { try await marks[2].save() } }
        // This request doesn't contain it.
        marks[1].notes.append(notes[2])
        let third = Task { await failure { try await marks[1].save() } }
        await held.wait(for: 2)
        #expect(held.bodies == [#"{"tag_ids":[2,1]}"#, #"{"note_ids":[2,3]}"#])
        held.answer(1, .status(204))
        #expect(await third.value == nil)
        held.answer(0, .json(#"{"id": 2, "tag_ids": [2, 1]}"#))
        #expect(await first.value == nil)
        await held.wait(for: 3)
        #expect(held.bodies.last == #"{"note_ids":[3,2]}"#)
        held.answer(2, .json(#"{"id": 3, "note_ids": [3, 2]}"#))
        #expect(await second.value == nil)
        #expect(tags(notes) == [[1], [2, 1, 3], [3, 2]])
        #expect(marks.allSatisfy { $0.unsentProperties.isEmpty })
    }

    @Test func `A restored link survives an import during the request that removes it`() async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        marks[0].notes.removeAll()
        let sending = Task { await failure { try await marks[0].save() } }
        await held.wait(for: 1)
        notes[0].tags.append(marks[0])
        try await store.main.save()
        _ = try await store.imported(Mark.self, #"{"id": 1, "note_ids": [1]}"#)
        held.answer(0, .json(#"{"id": 1, "note_ids": []}"#))
        #expect(await sending.value == nil)
        #expect(tags(notes) == [[1], [2], [3]] && marks[0].unsentProperties == ["notes"])
        try await send(marks[0], #"{"note_ids":[1]}"#)
    }

    @Test func `A restored link shows on both sides while the server reports it removed`()
        async throws
    {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        marks[0].notes.removeAll()
        let sending = Task { await failure { try await marks[0].save() } }
        await held.wait(for: 1)
        marks[0].notes.append(notes[0])
        _ = try await store.main.import(Mark.self, from: Array(#"[{"id": 1, "note_ids": []}]"#.utf8))
        #expect(tags(notes) == [[1], [2], [3]] && marks[0].notes.map(\.identifier) == [1])
        held.answer(0, .json(#"{"id": 1, "note_ids": []}"#))
        #expect(await sending.value == nil)
        #expect(tags(notes) == [[1], [2], [3]] && marks[0].notes.map(\.identifier) == [1])
        try await send(marks[0], #"{"note_ids":[1]}"#)
    }

    @Test(arguments: [true, false])
    func `A link that another context saved is sent despite an edit in flight`(
        _ isStoredAtOnce: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        try theirMark(2).notes.append(theirNote(3))
        marks[1].notes.removeAll { $0 === notes[1] }
        let sending = Task { await failure { try await marks[1].save() } }
        await held.wait(for: 1)
        try await other.save()
        try await store.main.save()
        if !isStoredAtOnce {
            try await change(
                "CREATE TRIGGER full BEFORE UPDATE OF _unsent ON mark BEGIN SELECT RAISE(ABORT, 'no room'); END")
        }
        held.answer(0, .status(204))
        #expect(await sending.value.map { "\($0)".contains("no room") } ?? isStoredAtOnce)
        if !isStoredAtOnce { try await change("DROP TRIGGER full") }
        #expect(held.bodies == [#"{"note_ids":[]}"#])
        #expect(tags(notes) == [[1], [], [3, 2]] && marks[1].unsentProperties == ["notes"])
        try await send(marks[1], #"{"note_ids":[3]}"#)
    }

    @Test func `A link that another context removes during its request is removed`() async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        notes[2].tags.append(marks[1])
        try await store.main.save()
        let mark = try theirMark(2)
        try theirNote(3).tags.removeAll { $0 === mark }
        let sending = Task { await failure { try await notes[2].save() } }
        await held.wait(for: 1)
        try await other.save()
        held.answer(0, .json(#"{"id": 3, "tag_ids": [3, 2]}"#))
        #expect(await sending.value == nil)
        #expect(tags(notes) == [[1], [2], [3]] && notes[2].unsentProperties == ["tags"])
        try await send(notes[2], #"{"tag_ids":[3]}"#)
    }

    @Test(arguments: [true, false]) func `Concurrent edits of a list in two contexts are all sent`(
        _ isRemoval: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1], isRemoval ? [2, 3] : [2], [3]]), marks())
        let (mark, note) = try (theirMark(3), theirNote(2))
        marks[2].notes.append(notes[0])
        if isRemoval { mark.notes.removeAll { $0 === note } } else { mark.notes.append(note) }
        // Neither has seen the other's edit when it is saved.
        let saves = [store.main, other].map { context in Task { try await context.save() } }
        for save in saves { try await save.value }
        _ = try await store.imported(
            Mark.self, isRemoval ? #"{"id": 3, "note_ids": [2, 3]}"# : #"{"id": 3, "note_ids": [3]}"#)
        #expect(tags(notes) == [[1, 3], isRemoval ? [2] : [2, 3], [3]])
        try await send(marks[2], isRemoval ? #"{"note_ids":[3,1]}"# : #"{"note_ids":[3,2,1]}"#)
    }

    @Test func `An answer older than the acknowledgement of a saved edit doesn't revert it`() async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        notes[0].tags.removeAll()
        try await store.main.save()
        let asking = Task { await failure { _ = try await marks[0].$notes.fetch() } }
        await held.wait(for: 1)
        let asked = Task { await failure { _ = try await notes[0].$tags.fetch() } }
        await held.wait(for: 2)
        let sending = Task { await failure { try await notes[0].save() } }
        await held.wait(for: 3)
        held.answer(2, .json(#"{"id": 1}"#))
        #expect(await sending.value == nil)
        held.answer(0, .json(#"[{"id": 1}, {"id": 2}]"#))
        #expect(await asking.value == nil)
        held.answer(1, .json(#"[{"id": 1}]"#))
        #expect(await asked.value == nil)
        #expect(tags(notes) == [[], [2, 1], [3]] && notes[0].unsentProperties == [])
    }

    /// The mark's list stayed unsent, so edits of the other side keep their effect.
    @Test func `A failed save of other properties doesn't affect the other side's list`() async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        marks[1].title = "Urgent"
        let sending = Task { await failure { try await marks[1].save() } }
        await held.wait(for: 1)
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        let note = try theirNote(2)
        note.tags = []
        try await other.save()
        #expect(marks[1].unsentProperties == ["title"] && note.unsentProperties == ["tags"])
        try await send(marks[1], #"{"title":"Urgent"}"#)
        try await send(notes[1], #"{"tag_ids":[]}"#)
    }

    // MARK: Support

    /// Changes the file by SQL.
    private func change(_ sql: String) async throws {
        try await store.file.write { writer in
            try writer.connection.execute(sql)
            return ((), ChangeSet(writer.schema))
        }
    }

    /// Notes 1, 2 and 3 with tags of these identities, of which the server has sent both sides.
    private func notes(_ tags: [[Int]]) async throws -> [Note] {
        let marks = (1...3).map { mark in
            #"{"id": \#(mark), "note_ids": \#(tags.indices.filter { tags[$0].contains(mark) }.map { $0 + 1 })}"#
        }
        let notes = tags.enumerated().map { #"{"id": \#($0 + 1), "tag_ids": \#($1)}"# }
        _ = try await store.main.import(Mark.self, from: Array("[\(marks.joined(separator: ", "))]".utf8))
        return try await store.main.import(Note.self, from: Array("[\(notes.joined(separator: ", "))]".utf8)).objects
    }

    private func marks() throws -> [Mark] {
        try (1...3).map { try #require(try store.main.find(Mark.self, $0)) }
    }

    private func theirNote(_ identifier: Int) throws -> Note { try #require(try other.find(Note.self, identifier)) }

    private func theirMark(_ identifier: Int) throws -> Mark { try #require(try other.find(Mark.self, identifier)) }

    private func tags(_ notes: [Note]) -> [[Int]] { notes.map { $0.tags.compactMap(\.identifier) } }

    /// Saves an object, which is to send just that, or nothing; the server takes it.
    private func send(_ object: some Model, _ body: String?, answer: String? = nil) async throws {
        let count = held.log.count
        guard let body else {
            try await object.save()
            #expect(held.log.count == count && object.unsentProperties == [])
            return
        }
        let sending = Task { await failure { try await object.save() } }
        await held.wait(for: count + 1)
        #expect(held.bodies.last == body)
        held.answer(count, answer.map { .json($0) } ?? .status(204))
        #expect(await sending.value == nil)
        #expect(object.unsentProperties == [])
    }
}
