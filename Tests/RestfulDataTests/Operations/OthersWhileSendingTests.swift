import RestfulData
import RestfulDataTesting
import Testing

/// A list is in flight, and its members are removed or put back before or after the answer: by another context, or from
/// the other side.
@MainActor @Suite struct OthersWhileSendingTests {
    @Model("/notes") final class Note {
        var identifier: Int?
        @Relationship("/notes/:id/labels", inverse: "notes") var labels: [Label]
    }

    @Model("/labels") final class Label {
        var identifier: Int?
        @Relationship("/labels/:id/notes", inverse: "labels") var notes: [Note]
    }

    private let held = HeldTransport()

    private func ids(_ note: Note) -> [Int?] { note.labels.map(\.identifier) }

    @Test(arguments: [false, true], [false, true])
    func `A member restored while its list is sent is in the list`(isSaved: Bool, isRead: Bool) async throws {
        let store = try Store.held(by: held, [Note.self, Label.self])
        let note = try await store.imported(Note.self, #"{"id": 1, "labels": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        let (two, three) = (note.labels[1], note.labels[2])
        let own = store.context(on: MainActor.shared)
        let side = own.context
        let same = try #require(try side.find(Note.self, 1))
        let one = try #require(try side.find(Label.self, 1))
        func put(_ isIn: Bool) async throws {
            if isIn { same.labels.append(one) } else { same.labels.removeAll { $0 === one } }
            try await side.save()
        }
        note.labels.removeAll { $0 === three }
        note.labels.removeAll { $0 === two }
        let saving = Task { try await note.save() }
        await held.wait(for: 1)
        #expect(held.bodies == [#"{"label_ids":[1]}"#])
        try await put(false)
        #expect(ids(note) == [])
        note.labels.append(two)
        if isSaved { try await store.main.save() }
        held.answer(0, .json(#"{"id": 1}"#))
        try await saving.value
        if isRead { #expect(ids(note) == [2]) }
        try await put(true)
        #expect(ids(note) == [2, 1])
        let again = Task { try await note.save() }
        await held.wait(for: 2)
        #expect(held.bodies.last == #"{"label_ids":[2,1]}"#)
        held.answer(1, .json(#"{"id": 1}"#))
        try await again.value
        #expect(ids(note) == [2, 1] && note.unsentProperties.isEmpty)
        _ = own
    }

    @Test func `A member added by a list in flight and removed by the other side is removed`()
        async throws
    {
        let store = try Store.held(by: held, [Note.self, Label.self])
        let label = try await store.imported(Label.self, #"{"id": 2, "notes": [{"id": 9}]}"#)
        let note = try await store.imported(Note.self, #"{"id": 1, "labels": []}"#)
        label.notes.removeAll()
        try await store.main.save()
        note.labels.append(label)
        try await store.main.save()
        let saving = Task { try await label.save() }
        await held.wait(for: 1)
        #expect(held.bodies == [#"{"note_ids":[1]}"#])
        note.labels.removeAll()
        try await store.main.save()
        held.answer(0, .status(204))
        try await saving.value
        #expect(note.labels.isEmpty && label.notes.isEmpty && note.unsentProperties == ["labels"])
        let again = Task { try await note.save() }
        await held.wait(for: 2)
        #expect(held.bodies.last == #"{"label_ids":[]}"#)
        held.answer(1, .json(#"{"id": 1}"#))
        try await again.value
        #expect(note.labels.isEmpty && label.notes.isEmpty && note.unsentProperties.isEmpty)
    }
}
