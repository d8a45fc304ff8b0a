import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Lists within objects of which the body has a part only: merged in, and nothing is unlinked.
@MainActor @Suite struct PartialListTests {
    @Model("/folders")
    final class Folder {
        var identifier: Int?
        @Relationship(json: "files.data", inverse: nil) var files: [File]
        @Relationship(inverse: nil) var notes: [File]
        @Relationship(inverse: "folder") var items: [Item]
        var itemsCount: Int?
        var lines: [Line]
    }

    @Model("/files")
    final class File {
        var identifier: Int?
    }

    @Model(identity: "folder", "number")
    final class Item {
        var number: Int?
        var folder: Folder?
    }

    @Model(embedded: true)
    final class Line {
        var text = ""
    }

    private func folder() async throws -> (Store, Folder) {
        let store = try Store(of: [Folder.self, File.self, Item.self, Line.self])
        let folder = try await store.main.take(
            Folder.self,
            """
            {"id": 1, "files": {"data": [{"id": 1}, {"id": 2}], "has_more": false}, "notes": [{"id": 1}, {"id": 2}],
             "items": [{"number": 1}, {"number": 2}], "lines": [{"text": "a"}, {"text": "b"}]}
            """
        ).objects[0]
        #expect(
            folder.files.count == 2 && folder.notes.count == 2 && folder.items.count == 2 && folder.lines.count == 2)
        return (store, folder)
    }

    @Test(
        arguments: [
            (#"{"data": [{"id": 3}], "has_more": true}"#, "1 2 3"),
            (#"{"total_count": 9, "data": [{"id": 3}]}"#, "1 2 3"),
            (#"{"data": [3], "next": "/x"}"#, "1 2 3"), (#"{"data": [{"id": 3}], "paging": {"next": "/x"}}"#, "1 2 3"),
            (#"{"data": [{"id": 3}], "has_more": false}"#, "3"), (#"{"data": [{"id": 3}], "total_count": 1}"#, "3"),
            (#"{"data": [{"id": 3}], "url": "/x"}"#, "3"), (#"{"data": [], "has_more": true}"#, "1 2"),
            (#"{"data": [], "has_more": false}"#, ""),
        ])
    func `A list in an envelope keeps unlisted members only if it is a part`(_ files: String, _ expected: String)
        async throws
    {
        let (store, folder) = try await folder()
        try await store.main.take(File.self, #"{"id": 3}"#)
        let report = try await store.main.take(Folder.self, "{\"id\": 1, \"files\": \(files)}").report
        #expect(folder.files.compactMap { $0.identifier.map(String.init) }.joined(separator: " ") == expected)
        #expect(report.partialLists == (expected.hasPrefix("1 2") ? 1 : 0))
        #expect(try store.check() == [])
    }

    @Test(
        arguments: [
            (#""notes_count": 9"#, "1 2 3"), (#""total_notes": 9"#, "1 2 3"), (#""note_count": 9"#, "1 2 3"),
            (#""Notes@odata.nextLink": "/x""#, "1 2 3"), (#""notesHasMore": true"#, "1 2 3"),
            (#""more_notes": true"#, "1 2 3"), (#""next_notes": "/x""#, "1 2 3"),
            (#""notes_count": 1"#, "3"), (#""total": 9, "count": 9, "next": 4"#, "3"), (#""notes_url": "/x""#, "3"),
        ])
    func `A sign next to a list in its object tells whether the list is a part`(_ sign: String, _ expected: String)
        async throws
    {
        for body in [
            "{\"id\": 1, \"notes\": [{\"id\": 3}], \(sign)}", "{\"id\": 1, \(sign), \"notes\": [{\"id\": 3}]}",
        ] {
            let (store, folder) = try await folder()
            try await store.main.take(Folder.self, body)
            #expect(folder.notes.compactMap { $0.identifier.map(String.init) }.joined(separator: " ") == expected)
        }
    }

    @Test func `A list shorter than its count attribute keeps unlisted members`() async throws {
        let (store, folder) = try await folder()
        try await store.main.take(Folder.self, #"{"id": 1, "items_count": 9, "items": [{"number": 3}]}"#)
        #expect(folder.items.map(\.number) == [1, 2, 3] && folder.itemsCount == 9)
        try await store.main.take(Folder.self, #"{"id": 1, "items": [{"number": 3}], "items_count": 1}"#)
        #expect(folder.items.map(\.number) == [3])
    }

    @Test func `A list with an unreadable element keeps unlisted members`() async throws {
        let (store, folder) = try await folder()
        let report = try await store.main.take(
            Folder.self,
            #"{"id": 1, "notes": [{"id": 3}, {"name": "?"}], "items": [{"number": "?"}], "files": {"data": [null, {"id": 3}]}}"#
        ).report
        #expect(folder.notes.map(\.identifier) == [1, 2, 3] && folder.items.map(\.number) == [1, 2])
        #expect(folder.files.map(\.identifier) == [3])
        #expect(report.rejectedCount == 2 && report.partialLists == 2)
    }

    @Test func `Embedded objects stay if a count shows that the list is a part`() async throws {
        let (store, folder) = try await folder()
        try await store.main.take(Folder.self, #"{"id": 1, "lines": [{"text": "c"}], "lines_count": 2}"#)
        #expect(folder.lines.map(\.text) == ["c", "b"])
        try await store.main.take(Folder.self, #"{"id": 1, "lines": [{"text": "d"}]}"#)
        #expect(folder.lines.map(\.text) == ["d"])
    }

    @Test func `Pending members stay after a part of a list and go with the whole list`() async throws {
        let (store, folder) = try await folder()
        try await store.main.take(Folder.self, #"{"id": 1, "notes": [1, 2, 8]}"#)
        try await store.main.take(Folder.self, #"{"id": 1, "notes": [1], "notes_count": 3}"#)
        try await store.main.take(File.self, #"{"id": 8}"#)
        #expect(folder.notes.map(\.identifier) == [1, 2, 8])
        try await store.main.take(Folder.self, #"{"id": 1, "notes": [1, 9]}"#)
        try await store.main.take(Folder.self, #"{"id": 1, "notes": [1], "notes_count": 1}"#)
        try await store.main.take(File.self, #"{"id": 9}"#)
        #expect(folder.notes.map(\.identifier) == [1])
    }
}
