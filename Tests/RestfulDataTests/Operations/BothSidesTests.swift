import RestfulData
import RestfulDataTesting
import Testing

@testable import ObjectStore

/// A many-to-many relationship that is edited from both sides, saved, sent and asked for in any order: each link is
/// what was done to it last, whichever list that was done to.
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

    // MARK: Beside what waits

    @Test(arguments: [true, false]) func `A note that is tagged by the tag has that beside what waits of its own`(
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
        // It is an edit of what the server has by now: to take out all that came is one, too.
        notes[2].tags.removeAll { $0 === marks[1] || $0 === marks[0] }
        try await send(notes[2], #"{"tag_ids":[3]}"#)
    }

    @Test func `What others have tagged at the server joins a list that waits`() async throws {
        let (notes, marks) = try await (notes([[1], [2], [1, 3]]), marks())
        notes[2].tags.removeAll { $0 === marks[0] }
        try await store.main.save()
        _ = try await store.imported(Mark.self, #"{"id": 2, "note_ids": [2, 3]}"#)
        _ = try await store.imported(Mark.self, #"{"id": 1, "note_ids": [1, 3]}"#)
        #expect(tags(notes) == [[1], [2], [3, 2]])
        try await send(notes[2], #"{"tag_ids":[3,2]}"#)
    }

    @Test func `A tag that one context adds stays beside what another has saved of the note`() async throws {
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

    /// Its list would go out without the mark that is being added.
    @Test func `A list waits for a request that edits one of its memberships from the other side`() async throws {
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

    @Test(arguments: [true, false]) func `A link that one side breaks and the other makes again is made`(
        _ isSaved: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1, 2], [2], [3]]), marks())
        marks[1].notes.removeAll { $0 === notes[1] }
        try await store.main.save()
        #expect(marks[1].unsentProperties == ["notes"])
        notes[1].tags.append(marks[1])
        if isSaved { try await store.main.save() }
        // Once it is saved, it is what the server has.
        try await send(notes[1], isSaved ? nil : #"{"tag_ids":[2]}"#)
        #expect(tags(notes) == [[1, 2], [2], [3]] && marks[1].unsentProperties == [])
    }

    @Test(arguments: [true, false]) func `So is one of a list that was emptied`(_ isSaved: Bool) async throws {
        let (notes, marks) = try await (notes([[1, 2], [2], [3]]), marks())
        marks[1].notes.removeAll()
        try await store.main.save()
        notes[1].tags.append(marks[1])
        if isSaved { try await store.main.save() }
        try await send(notes[1], isSaved ? nil : #"{"tag_ids":[2]}"#)
        #expect(tags(notes) == [[1], [2], [3]])
        try await send(marks[1], #"{"note_ids":[2]}"#)
    }

    /// It was emptied before: that another context has added to it since says nothing of others.
    @Test(arguments: [true, false]) func `Nor does what joins such a list elsewhere break it`(
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

    @Test func `What such a list is set back to is not what the server was told of it since`() async throws {
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

    @Test(arguments: [true, false]) func `And one that is made and broken again is broken`(_ isSaved: Bool) async throws
    {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        marks[1].notes.append(notes[2])
        try await store.main.save()
        notes[2].tags.removeAll { $0 === marks[1] }
        if isSaved { try await store.main.save() }
        try await send(notes[2], isSaved ? nil : #"{"tag_ids":[3]}"#)
        #expect(tags(notes) == [[1], [2], [3]] && marks[1].unsentProperties == [])
    }

    @Test func `What a whole list has told the server of a link can be taken back`() async throws {
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

    @Test func `So can what it has taken out`() async throws {
        let (notes, marks) = try await (notes([[2, 3], [2], [3]]), marks())
        notes[0].tags.removeAll { $0 === marks[1] }
        try await store.main.save()
        marks[1].notes.append(notes[2])
        try await send(marks[1], #"{"note_ids":[2,3]}"#)
        notes[0].tags.append(marks[1])
        try await store.main.save()
        try await send(notes[0], #"{"tag_ids":[3,2]}"#)
    }

    // MARK: On its way

    @Test(arguments: [true, false])
    func `A list waits while the other side is sent that says something of its edit`(
        _ isSaved: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1], [2], [3]]), marks())
        notes[1].tags.append(marks[0])
        if isSaved { try await store.main.save() }
        let first = Task { await failure { try await notes[1].save() } }
        await held.wait(for: 1)
        marks[2].notes.append(notes[1])
        let second = Task { await failure { try await marks[2].save() } }
        // This one says nothing of it.
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

    @Test func `A link that was made again stays while the server has not heard of the breaking`() async throws {
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

    @Test func `A link that was made again is seen from both sides while the server says that it is broken`()
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
    func `What another context has saved is sent though an edit on its way is saved after it`(
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

    @Test func `What was sent and taken back by another context before it arrives is taken out`() async throws {
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

    @Test(arguments: [true, false]) func `What two contexts make of a list at once is all sent`(
        _ isRemoval: Bool
    ) async throws {
        let (notes, marks) = try await (notes([[1], isRemoval ? [2, 3] : [2], [3]]), marks())
        let (mark, note) = try (theirMark(3), theirNote(2))
        marks[2].notes.append(notes[0])
        if isRemoval { mark.notes.removeAll { $0 === note } } else { mark.notes.append(note) }
        // Neither has heard of the other's when it is saved.
        let saves = [store.main, other].map { context in Task { try await context.save() } }
        for save in saves { try await save.value }
        _ = try await store.imported(
            Mark.self, isRemoval ? #"{"id": 3, "note_ids": [2, 3]}"# : #"{"id": 3, "note_ids": [3]}"#)
        #expect(tags(notes) == [[1, 3], isRemoval ? [2] : [2, 3], [3]])
        try await send(marks[2], isRemoval ? #"{"note_ids":[3,1]}"# : #"{"note_ids":[3,2,1]}"#)
    }

    @Test func `The answer to a question that is older than a saved edit's confirmation undoes nothing`() async throws {
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

    /// The mark's list was not sent, so what is done from the other side is nothing that it would undo.
    @Test func `An unanswered send of something else leaves the list of the other side alone`() async throws {
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

    /// Notes 1, 2 and 3 with tags of these identities, of which the server has said both sides.
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
