import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Objects with unsaved edits that others delete: they are gone, and this is reported.
@MainActor @Suite struct DeletedElsewhereTests {
    @Model("/notes") final class Note {
        var identifier: Int?
        var title = ""
    }

    private func service() throws -> Service {
        var conventions = APIConventions.default
        conventions.tombstones = ["deleted"]
        return try Service(
            [Note.self], conventions: conventions,
            stub: StubTransport { request in
                request.method == .get ? .json("[]") : .status(204)
            })
    }

    /// The object that is edited, and another one.
    private func notes(_ service: Service) async throws -> (Note, Note) {
        let note = try await service.imported(Note.self, #"{"id": 3, "title": "a"}"#)
        let other = try await service.imported(Note.self, #"{"id": 4, "title": "a"}"#)
        (note.title, other.title) = ("unsaved", "unsaved, too")
        return (note, other)
    }

    /// The next save reports it once, and saves the other edits.
    private func expectTold(_ service: Service, _ note: Note, _ other: Note) async throws {
        #expect(note.isDeleted && note.title == "unsaved")
        await expectDeleted { try await service.main.save() }
        #expect(!service.main.hasChanges)
        try await service.main.save()
        #expect(other.title == "unsaved, too" && other.unsentProperties == ["title"])
    }

    private func expectDeleted(_ body: () async throws -> Void) async {
        await #expect {
            try await body()
        } throws: { error in
            guard case StoreError.deletedObject("Note") = error else { return false }
            return true
        }
    }

    @Test func `A deletion by a background context is reported by the next save of an edited object`() async throws {
        let service = try service()
        let (note, other) = try await notes(service)
        try await service.store.background { context in
            if let same = try context.find(Note.self, 3) { context.delete(same) }
        }
        try await expectTold(service, note, other)
    }

    @Test func `A deletion by a pruned background list is reported by the next save`() async throws {
        let service = try service()
        let (note, other) = try await notes(service)
        let identity = try #require(other.identifier)
        try await service.store.background { context in
            try context.find(Note.self, identity)?.title = "theirs"
            _ = try await Note.fetchAll(prune: .delete, in: context)
        }
        try await expectTold(service, note, other)
    }

    @Test func `A deletion by an imported body is reported by the next save`() async throws {
        let service = try service()
        let (note, other) = try await notes(service)
        try await service.main.importReporting(Note.self, from: Data(#"[{"id": 3, "deleted": true}]"#.utf8))
        try await expectTold(service, note, other)
    }

    @Test func `A background context reports an edited object that another fetch has pruned`() async throws {
        let service = try service()
        _ = try await service.imported(Note.self, #"{"id": 3, "title": "a"}"#)
        let store = service.store
        let (isEdited, isPruned) = (Box(false), Box(false))
        let work = Task {
            try await store.background { context in
                try context.find(Note.self, 3)?.title = "from the background"
                isEdited.value = true
                while !isPruned.value { await Task.yield() }
            }
        }
        while !isEdited.value { await Task.yield() }
        _ = try await Note.fetchAll(prune: .delete, in: service.main)
        isPruned.value = true
        await expectDeleted { try await work.value }
    }

    @Test func `A draft reports an edited object that a fetch has pruned`() async throws {
        let service = try service()
        let note = try await service.imported(Note.self, #"{"id": 3, "title": "a"}"#)
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: note))
        form.title = "in a form"
        _ = try await Note.fetchAll(prune: .delete, in: service.main)
        #expect(form.isDeleted)
        await expectDeleted { try draft.save() }
        try draft.save()
    }

    @Test func `A deletion elsewhere is still reported after a save that failed for another reason`() async throws {
        let service = try service()
        let (note, other) = try await notes(service)
        try await service.store.background { context in
            if let same = try context.find(Note.self, 3) { context.delete(same) }
        }
        let twin = Note(in: service.main)
        twin.identifier = other.identifier
        await #expect(throws: StoreError.self) { try await service.main.save() }
        #expect(service.main.hasChanges)
        twin.identifier = 5
        try await expectTold(service, note, other)
    }

    @Test func `A deletion elsewhere isn't reported after a rollback`() async throws {
        let service = try service()
        let (note, _) = try await notes(service)
        try await service.store.background { context in
            if let same = try context.find(Note.self, 3) { context.delete(same) }
        }
        service.main.rollback()
        try await service.main.save()
        #expect(note.isDeleted)
    }

    @Test func `A context's own deletions aren't reported by its save`() async throws {
        let service = try service()
        let (note, other) = try await notes(service)
        try await note.delete()
        service.main.delete(other)
        try await service.main.save()
        #expect(note.isDeleted && other.isDeleted && !service.main.hasChanges)
        #expect(service.stub.log.contains("DELETE /notes/3"))
    }

    @Test func `A deletion sent from a draft is reported only for edits made since`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Note.self])
        for isEdited in [false, true] {
            let note = try await store.imported(Note.self, #"{"id": 3, "title": "a"}"#)
            note.title = "before"
            let draft = try store.main.draft()
            let form = try #require(draft.object(for: note))
            let deleting = Task { try await form.delete() }
            await held.wait(for: isEdited ? 2 : 1)
            if isEdited { note.title = "meanwhile" }
            held.answer(isEdited ? 1 : 0, .status(204))
            try await deleting.value
            #expect(note.isDeleted && form.isDeleted)
            if isEdited { await expectDeleted { try await store.main.save() } }
            try await store.main.save()
        }
    }

    @Test func `A deletion is reported only for edits made during its request`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Note.self])
        for isEdited in [false, true] {
            let note = try await store.imported(Note.self, #"{"id": 3, "title": "a"}"#)
            note.title = "before"
            let deleting = Task { try await note.delete() }
            await held.wait(for: isEdited ? 2 : 1)
            if isEdited { note.title = "meanwhile" }
            held.answer(isEdited ? 1 : 0, .status(204))
            try await deleting.value
            #expect(note.isDeleted)
            if isEdited { await expectDeleted { try await store.main.save() } }
            try await store.main.save()
        }
    }
}
