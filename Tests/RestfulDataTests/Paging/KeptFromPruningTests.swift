import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Objects that a list omits without deleting them.
@MainActor @Suite struct KeptFromPruningTests {
    @Model("/folders") final class Folder {
        var identifier: Int?
        var name = ""
        @Relationship("/folders/:id/notes", inverse: "folder", onDelete: .cascade) var notes: [Note]
        @Relationship("/folders/:id/stickers", inverse: "folder", owns: true) var stickers: [Sticker]
    }

    @Model("/notes") final class Note {
        var identifier: Int?
        var title = ""
        var folder: Folder?
    }

    @Model("/stickers") final class Sticker {
        var identifier: Int?
        var text = ""
        var folder: Folder?
        @Relationship(inverse: nil) var note: Note?
    }

    private static let models: [any Model.Type] = [Folder.self, Note.self, Sticker.self]

    /// A service with an empty answer.
    private func empty(_ answer: String = "[]") throws -> Service {
        try Service(Self.models, stub: StubTransport { _ in .json(answer) })
    }

    private func notes(_ context: ObjectContext) throws -> [Int] {
        try context.query(Note.self).fetch().compactMap(\.identifier).sorted()
    }

    // MARK: Unsent edits

    @Test(arguments: [true, false])
    func `Pruning keeps a target of a pending list edit`(_ isSaved: Bool) async throws {
        let stub = StubTransport { request in request.method == .get ? .json("[]") : .status(204) }
        let service = try Service(stub: stub)
        let post = try await service.imported(Post.self, #"{"id": 1, "readers": [{"id": 5}]}"#)
        let ada = try await service.imported(Author.self, #"{"id": 7, "name": "Ada"}"#)
        post.readers.append(ada)
        if isSaved { try await service.main.save() }
        let pruned = try await Author.fetchAllReporting(prune: .delete, in: service.main).pruned
        #expect(!ada.isDeleted && post.readers.contains(ada) && pruned?.kept ?? 0 > 0)
        try await post.save()
        #expect(stub.log.last == #"PATCH /posts/1 {"reader_ids":[5,7]}"#)
    }

    @Test func `Pruning keeps members of an owned list with pending edits`() async throws {
        let service = try empty(#"[{"id": 1}]"#)
        let folder = try await service.imported(
            Folder.self, #"{"id": 1, "stickers": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        let sticker = try #require(try service.main.find(Sticker.self, 2))
        sticker.text = "unsent"
        let new = Sticker(in: service.main)
        new.folder = folder
        try await service.main.save()
        let result = try await folder.$stickers.fetchReporting()
        #expect(!sticker.isDeleted && sticker.text == "unsent" && !new.isDeleted)
        #expect(try service.main.find(Sticker.self, 3) == nil)
        #expect(result.report.deleted == 1 && result.pruned?.deleted == 1)
        #expect(folder.stickers == [try #require(try service.main.find(Sticker.self, 1)), new])
    }

    /// The members removed by the call.
    @Test(arguments: [true, false])
    func `Pruning keeps members with pending edits in a list of several pages`(_ deletes: Bool) async throws {
        var conventions = APIConventions.default
        conventions.paging = .offset()
        let server = try TestServer(models: Self.models, conventions: conventions) {
            let stickers = (1...6).map { "{\"id\": \($0), \"folder_id\": 1}" }
            try $0.seed(Folder.self, json: #"{"id": 1}"#)
            try $0.seed(Sticker.self, json: "[\(stickers.joined(separator: ", "))]")
            $0.pageSize = 2
        }
        let store = try Store(.temporary, models: Self.models, api: API(server))
        let folder = try await store.imported(Folder.self, #"{"id": 1}"#)
        _ = try await folder.$stickers.fetch(pages: .all())
        let (saved, edited) = try (store.main.find(Sticker.self, 2), store.main.find(Sticker.self, 3))
        saved?.text = "saved"
        try await store.main.save()
        edited?.text = "unsaved"
        for id in [2, 3, 4, 6] { try server.remove(Sticker.self, id) }
        server.pageSize = 1
        let result = try await folder.$stickers.fetchReporting(pages: .all(), prune: deletes ? .delete : .unlink)
        let stickers = try store.main.query(Sticker.self).fetch().compactMap(\.identifier).sorted()
        #expect(stickers == [1, 2, 3, 5] && saved?.text == "saved" && edited?.text == "unsaved")
        #expect(result.report.deleted == 2 && result.pruned?.deleted == 2, "\(result.pruned as Any)")
    }

    // MARK: Unsaved edits

    @Test func `Pruning keeps a target of an unsaved object`() async throws {
        let service = try empty()
        let note = try await service.imported(Note.self, #"{"id": 3, "title": "a"}"#)
        let sticker = Sticker(in: service.main)
        sticker.note = note
        try await Note.fetchAllReporting(prune: .delete, in: service.main).expectKept(1)
        #expect(sticker.note === note && !note.isDeleted)
        try await service.main.save()
        #expect(try notes(service.main) == [3])
    }

    @Test func `Pruning keeps an owner whose deletion would delete unsaved edits`() async throws {
        let service = try empty()
        let folder = try await service.imported(Folder.self, #"{"id": 1, "notes": [{"id": 1}, {"id": 2}]}"#)
        let note = try #require(try service.main.find(Note.self, 2))
        note.title = "unsaved"
        try await Folder.fetchAllReporting(prune: .delete, in: service.main).expectKept(1)
        #expect(!note.isDeleted && note.title == "unsaved" && !folder.isDeleted)
    }

    // MARK: Newer values

    @Test func `Pruning keeps objects in a later answer`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        _ = try await store.imported(Note.self, #"[{"id": 1}, {"id": 2}, {"id": 3}]"#)
        let old = Task { try await Note.fetchAllReporting(prune: .delete, in: store.main).pruned }
        await held.wait(for: 1)
        let new = Task { try await Note.fetchAll("/notes/all", in: store.main).count }
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#))
        #expect(try await new.value == 3)
        held.answer(0, .json(#"[{"id": 1}]"#))
        #expect(try await old.value?.kept == 2)
        #expect(try notes(store.main) == [1, 2, 3])
    }

    @Test func `Pruning keeps a member that a later answer confirms`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Self.models)
        let folder = try await store.imported(Folder.self, #"{"id": 1, "notes": [{"id": 1}, {"id": 2}]}"#)
        let two = try #require(try store.main.find(Note.self, 2))
        let old = Task { try await folder.$notes.fetch().count }
        await held.wait(for: 1)
        let new = Task { try await two.fetch() }
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 2, "title": "", "folder": {"id": 1}}"#))
        try await new.value
        held.answer(0, .json(#"[{"id": 1}]"#))
        #expect(try await old.value == 1)
        #expect(two.folder === folder && folder.notes.count == 2)
    }

    // MARK: Failures

    @Test(arguments: [
        #"{"items": [], "error": "timeout"}"#, #"{"items": [], "errors": [{"message": "x"}]}"#,
        #"{"status": "error", "items": []}"#, #"{"items": [{"id": 1}], "success": false}"#,
        #"{"items": [], "code": 503}"#,
    ])
    func `A list that reports a failure prunes nothing`(_ answer: String) async throws {
        var conventions = APIConventions.default
        conventions.envelopes = .lists("items")
        let fields: HTTPFields = [.eTag: "\"a\""]
        let stub = StubTransport { request in
            request.headerFields[.ifNoneMatch] == nil ? .json(answer, headerFields: fields) : .status(304)
        }
        let service = try Service(Self.models, conventions: conventions, stub: stub)
        let folder = try await service.imported(Folder.self, #"{"id": 1, "notes": [{"id": 1}, {"id": 2}]}"#)
        for _ in 0..<2 {
            let pruned = try? await Note.fetchAllReporting(prune: .delete, in: service.main).pruned
            #expect(pruned == nil || pruned?.obstacle == .incomplete)
            _ = try? await folder.$notes.fetch()
        }
        #expect(try notes(service.main) == [1, 2] && folder.notes.count == 2)
    }

    @Test(arguments: [
        #"{"items": [], "error": null}"#, #"{"errors": [], "items": []}"#, #"{"items": [], "status": "ok"}"#,
        #"{"items": [], "error": false, "success": true, "code": 200}"#, #"{"items": [], "message": "none found"}"#,
    ])
    func `A list that reports no failure prunes`(_ answer: String) async throws {
        var conventions = APIConventions.default
        conventions.envelopes = .lists("items")
        let service = try Service(Self.models, conventions: conventions, stub: StubTransport { _ in .json(answer) })
        _ = try await service.imported(Note.self, #"[{"id": 1}, {"id": 2}]"#)
        let pruned = try await Note.fetchAllReporting(prune: .delete, in: service.main).pruned
        #expect(try pruned?.deleted == 2 && notes(service.main) == [])
    }
}

extension Imported {
    fileprivate func expectKept(_ count: Int) { #expect(pruned?.kept == count && pruned?.deleted == 0) }
}
