import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Objects with a mark of their deletion.
@MainActor @Suite struct TombstoneTests {
    @Model("/notes") final class Note {
        var identifier: Int?
        var title = ""
        var deletedAt: Date?
        var folder: Folder?
    }

    @Model("/folders") final class Folder {
        var identifier: Int?
        var name = ""
        @Relationship("/folders/:id/notes", inverse: "folder") var notes: [Note]
    }

    @Model("/drawings", tombstones: ["trashed"]) final class Drawing {
        var identifier: Int?
    }

    private func service(_ tombstones: APIConventions.Tombstones = ["deleted", "@removed", "deleted_at"]) throws
        -> Service
    {
        var conventions = APIConventions.default
        conventions.tombstones = tombstones
        return try Service(
            [Note.self, Folder.self, Drawing.self], conventions: conventions, stub: StubTransport { _ in .status(410) })
    }

    /// By the JSON of the deleted object.
    @Test(arguments: [
        #""deleted": true"#, #""deleted": 1"#, #""@removed": {"reason": "changed"}"#, #""@removed": {}"#,
        #""deleted_at": "2026-11-23T10:00:00Z""#, #""title": "x", "deleted": "2026""#,
    ])
    func `An object marked as deleted is deleted`(_ json: String) async throws {
        let service = try service()
        let folder = try await service.imported(Folder.self, #"{"id": 1, "notes": [{"id": 1}, {"id": 2}]}"#)
        let note = try #require(try service.main.find(Note.self, 1))
        let result = try await service.main.import(Note.self, from: Data("[{\"id\": 1, \(json)}, {\"id\": 3}]".utf8))
        #expect(note.isDeleted && folder.notes.map(\.identifier) == [2])
        #expect(result.report.deleted == 1 && result.report.isComplete && result.objects.map(\.identifier) == [3])
        // Objects that aren't stored, or that are deleted already.
        let again = try await service.main.import(Note.self, from: Data("[{\"id\": 1, \(json)}]".utf8))
        #expect(again.report.deleted == 0 && again.objects.isEmpty)
        #expect(try service.main.query(Note.self).count() == 2)
    }

    @Test func `A resource with a mark among its attributes is deleted`() async throws {
        var conventions = APIConventions.jsonAPI
        conventions.tombstones = ["deleted"]
        let service = try Service(
            [Note.self, Folder.self, Drawing.self], conventions: conventions, stub: StubTransport { _ in .status(204) })
        let folder = try await service.imported(
            Folder.self, #"{"data": {"type": "folders", "id": "1", "attributes": {"name": "a"}}}"#)
        for (mark, isDeleted) in [("false", false), ("true", true)] {
            let json = #"{"data": [{"type": "folders", "id": "1", "attributes": {"deleted": \#(mark)}}]}"#
            _ = try await service.main.importReporting(Folder.self, from: Data(json.utf8))
            #expect(folder.isDeleted == isDeleted)
        }
    }

    @Test func `The last of several marks in a body wins`() async throws {
        let service = try service()
        func left(_ json: String) async throws -> [Int?] {
            try await service.main.importReporting(Note.self, from: Data(json.utf8))
            return try service.main.query(Note.self).fetch().map(\.identifier)
        }
        #expect(try await left(#"[{"id": 1}, {"id": 1, "deleted": true}]"#) == [])
        for _ in 0..<2 {
            #expect(try await left(#"[{"id": 1, "deleted": true}, {"id": 1, "title": "again"}]"#) == [1])
        }
        #expect(try service.main.find(Note.self, 1)?.title == "again")
    }

    @Test func `An object stays if a body repeats its bytes after its mark`() async throws {
        let service = try service()
        // Long enough to be recognized by its first bytes.
        let folder = #"{"id": 5, "name": "\#(String(repeating: "a", count: 100))"}"#
        let body = """
            [{"id": 1, "folder": \(folder)}, {"id": 2, "folder": {"id": 5, "deleted": true}},
             {"id": 3, "folder": \(folder)}]
            """
        let report = try await service.main.importReporting(Note.self, from: Data(body.utf8))
        #expect(report.deleted == 0)
        #expect(try service.main.find(Folder.self, 5) != nil)
    }

    @Test func `A model can declare its own sign of deleted objects`() async throws {
        let service = try service()
        let list = #"[{"id": 1, "trashed": true}, {"id": 2, "deleted": true}]"#
        for id in 1...2 { _ = try await service.imported(Drawing.self, "{\"id\": \(id)}") }
        let result = try await service.main.import(Drawing.self, from: Data(list.utf8))
        #expect(result.report.deleted == 1)
        #expect(try service.main.query(Drawing.self).fetch().map(\.identifier) == [2])
    }

    @Test(arguments: [
        #""deleted": false"#, #""deleted": null"#, #""deleted": 0"#, #""deleted": """#, #""@removed": null"#,
        #""deleted_at": null"#, #""@removed": []"#, #""deleted": "false""#, #""deleted_at": 0"#,
    ])
    func `A false or null sign doesn't delete the object`(_ json: String) async throws {
        let service = try service()
        let note = try await service.imported(Note.self, "{\"id\": 1, \"title\": \"a\", \(json)}")
        #expect(note.title == "a" && !note.isDeleted)
    }

    @Test(arguments: ["[]", "false", "0", "\"\"", "null"])
    func `An attribute of any JSON with an empty or false value is no sign`(_ json: String) async throws {
        let service = try Service([Receipt.self], stub: StubTransport { _ in .status(204) })
        let receipt = try await service.imported(Receipt.self, "{\"id\": 1, \"revoked\": \(json)}")
        #expect(!receipt.isDeleted)
        _ = try await service.main.importReporting(Receipt.self, from: Data(#"{"id": 1, "revoked": {}}"#.utf8))
        #expect(receipt.isDeleted)
    }

    @Model("/receipts", tombstones: ["revoked"]) final class Receipt {
        var identifier: Int?
        var revoked: JSONValue?
    }

    @Test func `An undeclared sign deletes nothing`() async throws {
        let service = try service(.none)
        let note = try await service.imported(
            Note.self, #"{"id": 1, "deleted": true, "deleted_at": "2026-11-23T10:00:00Z"}"#)
        #expect(!note.isDeleted && note.deletedAt != nil)
        await #expect(throws: APIError.self) { try await note.fetch() }
        #expect(!note.isDeleted)
    }

    @Test func `A sign within a list deletes the object`() async throws {
        let service = try service()
        let folder = try await service.imported(
            Folder.self, #"{"id": 1, "notes": [{"id": 1, "title": "a"}, {"id": 2}]}"#)
        let json = #"{"id": 1, "notes": [{"id": 1, "deleted": true}, {"id": 2}]}"#
        let report = try await service.main.importReporting(Folder.self, from: Data(json.utf8))
        #expect(report.deleted == 1 && folder.notes.map(\.identifier) == [2])
    }

    @Test func `A sign of deletion keeps an object with pending edits`() async throws {
        let service = try service()
        let note = try await service.imported(Note.self, #"{"id": 1, "title": "a"}"#)
        note.title = "mine"
        try await service.main.save()
        let report = try await service.main.importReporting(Note.self, from: Data(#"{"id": 1, "deleted": true}"#.utf8))
        #expect(!note.isDeleted && note.title == "mine" && report.deleted == 0)
    }

    @Model("/shapes", discriminator: "kind", tombstones: ["deleted"]) class Shape {
        var identifier: Int?
        var kind = ""
        var name: String?
    }

    @Model(inherits: Shape.self, as: "circle") final class Circle: Shape {
        var radius = 0
    }

    @Test(arguments: [false, true]) func `An edit of a property that the class has lost doesn't prevent a deletion`(
        hasOther: Bool
    ) async throws {
        let service = try Service([Shape.self, Circle.self], stub: StubTransport { _ in .status(204) })
        let circle = try await service.imported(Circle.self, #"{"id": 1, "kind": "circle", "radius": 1}"#)
        circle.radius = 2
        if hasOther { circle.name = "a" }
        try await service.main.save()
        let shape = try await service.imported(Shape.self, #"{"id": 1, "kind": "other"}"#)
        #expect(shape.unsentProperties == (hasOther ? ["name"] : []))
        try await service.main.importReporting(Shape.self, from: Data(#"{"id": 1, "deleted": true}"#.utf8))
        #expect(shape.isDeleted == !hasOther)
    }

    enum Earlier {
        @Model("/pages", tombstones: ["deleted"]) final class Page {
            var identifier: Int?
            var slug: String?
        }
    }

    enum Later {
        @Model("/pages", tombstones: ["deleted"]) final class Page {
            var identifier: Int?
            @Attribute(access: .readOnly) var slug: String?
        }
    }

    @Test func `An edit of a property that is no longer sent doesn't prevent a deletion`() async throws {
        let file = try TemporaryFile()
        do {
            let store = try Store(.file(file.path), models: [Earlier.Page.self])
            defer { store.close() }
            try await store.imported(Earlier.Page.self, #"{"id": 1, "slug": "a"}"#).slug = "b"
            try await store.main.save()
        }
        let store = try Store(.file(file.path), models: [Later.Page.self])
        let page = try #require(try store.main.find(Later.Page.self, 1))
        try await store.main.importReporting(Later.Page.self, from: Data(#"{"id": 1, "deleted": true}"#.utf8))
        #expect(page.isDeleted)
    }

    @Test func `A reply to a save with the sign deletes the object`() async throws {
        var conventions = APIConventions.default
        conventions.tombstones = ["deleted"]
        let meanwhile = Box<(@MainActor @Sendable () async throws -> Void)?>(nil)
        let stub = StubTransport { request in
            try? await meanwhile.value?()
            return .json("{\"id\": \(request.url.lastPathComponent), \"deleted\": true}")
        }
        let service = try Service(
            [Note.self, Folder.self, Drawing.self], conventions: conventions, stub: stub)
        let folder = try await service.imported(
            Folder.self, #"{"id": 1, "notes": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        let (note, edited, saved) = (folder.notes[0], folder.notes[1], folder.notes[2])
        note.title = "mine"
        try await note.save()
        #expect(note.isDeleted && folder.notes == [edited, saved] && !service.main.hasChanges)
        // An edit made during the request is lost, and the next save reports it.
        edited.title = "older"
        meanwhile.value = { edited.title = "newer" }
        try await edited.save()
        #expect(edited.isDeleted)
        await #expect(throws: StoreError.self) { try await service.main.save() }
        // What is saved meanwhile waits, and stays.
        saved.title = "older"
        meanwhile.value = {
            saved.title = "newer"
            try await service.main.save()
        }
        try await saved.save()
        #expect(!saved.isDeleted && saved.title == "newer" && saved.unsentProperties == ["title"])
    }

    @Test func `A 410 to a fetch deletes the object and throws`() async throws {
        let service = try service()
        let note = try await service.imported(Note.self, #"{"id": 1, "title": "a"}"#)
        let edited = try await service.imported(Note.self, #"{"id": 2, "title": "a"}"#)
        edited.title = "mine"
        for each in [note, edited] { await #expect(throws: APIError.self) { try await each.fetch() } }
        #expect(note.isDeleted && !edited.isDeleted && edited.title == "mine")
    }
}
