import ObjectStore
import Observation
import RestfulData
import RestfulDataTesting
import Testing

/// Which objects have changes that the server lacks.
@MainActor @Suite struct UnsentObjectsTests {
    @Model("/folders") final class Folder {
        var identifier: Int?
        var name = ""
        @Relationship(inverse: "folder", sentAs: .never) var files: [File]
    }

    @Model("/files") final class File {
        var identifier: Int?
        var title = ""
        var folder: Folder?
        var tags: [Tag]
        @Relationship(owns: true) var cover: Cover?
    }

    @Model("/tags") final class Tag {
        var identifier: Int?
        var files: [File]
    }

    @Model(embedded: true) final class Cover {
        var color = ""
    }

    private func service() throws -> Service {
        try Service(
            [Folder.self, File.self, Tag.self, Cover.self],
            stub: StubTransport { request in
                request.method == .post ? .json(#"{"id": 9}"#) : .status(204)
            })
    }

    @Test func `New, edited and unsent objects are listed until the server has their changes`() async throws {
        let service = try service()
        let context = service.main
        _ = try await service.imported(Folder.self, #"{"id": 1, "name": "A"}"#)
        let saved = try await service.imported(File.self, #"{"id": 1, "title": "a", "tag_ids": []}"#)
        let edited = try await service.imported(File.self, #"{"id": 2, "title": "b", "tag_ids": []}"#)
        #expect(try context.unsent().isEmpty)
        saved.title = "A"
        try await context.save()
        edited.title = "B"
        let new = File(in: context)
        new.title = "c"
        #expect(try context.unsent(File.self).map(\.title) == ["A", "B", "c"])
        #expect(try context.unsent(Folder.self).isEmpty && context.unsent().count == 3)
        try await saved.save()
        try await edited.save()
        #expect(try context.unsent(File.self).map(\.title) == ["c"])
        #expect(saved.isKnownToServer && !new.isKnownToServer)
        try await new.create()
        #expect(try context.unsent().isEmpty && new.isKnownToServer)
    }

    @Test func `An object is listed as unsent if its list or its embedded object was edited`()
        async throws
    {
        let service = try service()
        let context = service.main
        let file = try await service.imported(
            File.self, #"{"id": 1, "title": "a", "tag_ids": [], "cover": {"color": "red"}}"#)
        let other = try await service.imported(File.self, #"{"id": 2, "tag_ids": []}"#)
        let tag = try await service.imported(Tag.self, #"{"id": 5, "file_ids": []}"#)
        other.tags.append(tag)
        file.cover?.color = "blue"
        #expect(try context.unsent(File.self).map(\.identifier) == [2, 1])
        try await context.save()
        #expect(try Set(context.unsent(File.self).map(\.identifier)) == [1, 2] && context.unsent(Tag.self).isEmpty)
        tag.files = []
        try await context.save()
        // The membership was undone before it was sent.
        #expect(try context.unsent(File.self).map(\.identifier) == [1])
    }

    @Test func `Deleted objects and other contexts' unsaved edits aren't listed as unsent`() async throws {
        let service = try service()
        let file = try await service.imported(File.self, #"{"id": 1, "title": "a", "tag_ids": []}"#)
        file.title = "A"
        try await service.main.save()
        service.main.delete(file)
        #expect(try service.main.unsent().isEmpty)
        service.main.rollback()
        let other = service.store.context(on: MainActor.shared)
        try #require(try other.context.find(File.self, 1)).title = "B"
        #expect(try service.main.unsent(File.self).map(\.title) == ["A"])
        #expect(try other.context.unsent(File.self).map(\.title) == ["B"])
    }

    @Test func `A fetch that shows the sent value ends an edit at risk`() async throws {
        let stub = StubTransport { request in
            request.method == .patch ? .status(503) : .status(204)
        }
        let service = try Service([Folder.self, File.self, Tag.self, Cover.self], stub: stub)
        let file = try await service.imported(File.self, #"{"id": 1, "title": "a", "tag_ids": []}"#)
        file.title = "mine"
        try await service.main.save()
        // The server has taken the edit, but its reply is lost.
        await #expect(throws: APIError.self) { try await file.save() }
        #expect(file.unsentProperties == ["title"])
        _ = try await service.imported(File.self, #"{"id": 1, "title": "mine", "tag_ids": []}"#)
        #expect(file.unsentProperties.isEmpty)
        _ = try await service.imported(File.self, #"{"id": 1, "title": "theirs", "tag_ids": []}"#)
        let count = service.stub.log.count
        try await file.save()
        #expect(file.title == "theirs" && file.unsentProperties.isEmpty && service.stub.log.count == count)
    }

    @Test func `Observers of one side's unsentProperties are woken when the other side ends the edit`() async throws {
        let service = try service()
        let file = try await service.imported(File.self, #"{"id": 1, "tag_ids": []}"#)
        let tag = try await service.imported(Tag.self, #"{"id": 5, "file_ids": []}"#)
        file.tags.append(tag)
        try await service.main.save()
        #expect(file.unsentProperties == ["tags"])
        let isTold = Box(false)
        withObservationTracking {
            _ = file.unsentProperties
        } onChange: {
            isTold.value = true
        }
        tag.files = []
        try await service.main.save()
        #expect(file.unsentProperties.isEmpty && isTold.value)
    }
}
