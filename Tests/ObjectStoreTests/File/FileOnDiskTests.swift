import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The file as the rest of the system sees it.
@MainActor
@Suite struct FileOnDiskTests {
    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `Only the owner of the process may read the files of a new store`() async throws {
        let file = try TemporaryFile()
        for location in [Store.Location.file(file.path), .temporary] {
            let store = try Store(location, models: [Label.self])
            try await store.main.take(Label.self, #"{"id": 1}"#)
            for suffix in ["", "-wal", "-shm"] { #expect(try mode(store.path + suffix) == 0o600, "\(suffix)") }
            store.close()
        }
    }

    @Test func `An existing file keeps its mode`() async throws {
        let file = try TemporaryFile()
        try Database(file.path).execute("PRAGMA journal_mode = WAL")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
        let store = try Store(.file(file.path), models: [Label.self])
        try await store.main.take(Label.self, #"{"id": 1}"#)
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(store.path + suffix) == 0o640, "\(suffix)") }
        store.close()
    }

    @Test func `A store behind a symbolic link is created for its owner alone`() throws {
        let file = try TemporaryFile()
        let link = file.folder.appending(path: "link.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "store.sqlite")
        try Store(.file(link), models: [Label.self]).close()
        #expect(try mode(file.path) == 0o600)
    }

    /// Removes the file or SQLite's files next to it, and puts them back.
    private func expectGone(_ suffix: String = "", _ takeAway: (String) throws -> Void) async throws {
        let file = try TemporaryFile()
        let store = try Store(.file(file.path), models: [Label.self])
        defer { store.close() }
        let label = try await store.main.take(Label.self, #"{"id": 1, "name": "theirs"}"#).objects[0]
        label.name = "mine"
        let kept = file.folder.appending(path: "kept.sqlite").path
        try FileManager.default.linkItem(atPath: file.path + suffix, toPath: kept)
        try takeAway(file.path + suffix)
        func expectRefusal(_ body: () async throws -> Void) async {
            let error = await #expect(throws: StoreError.self) { try await body() }
            guard case .file(.gone, path: file.path)? = error else {
                Testing.Issue.record("\(error as Any)")
                return
            }
        }
        await expectRefusal { try await store.main.save() }
        await expectRefusal { try await store.main.take(Label.self, #"{"id": 2}"#) }
        await expectRefusal { _ = try store.main.query(Label.self).fetch() }
        await expectRefusal { _ = try await store.background { try $0.query(Label.self).count() } }
        #expect(label.name == "mine" && label.changedProperties == ["name"])
        try? FileManager.default.removeItem(atPath: file.path + suffix)
        try FileManager.default.moveItem(atPath: kept, toPath: file.path + suffix)
        try await store.main.save()
        #expect(try store.main.query(Label.self).fetch().map(\.name) == ["mine"])
    }

    @Test func `Deleting the file of an open store is reported, and edits stay`() async throws {
        try await expectGone { try FileManager.default.removeItem(atPath: $0) }
    }

    /// Later writes would be in a file that is never opened.
    @Test func `Deleting the write-ahead log of an open store is reported, and edits stay`() async throws {
        try await expectGone("-wal") { try FileManager.default.removeItem(atPath: $0) }
    }

    @Test func `A symbolic link leads to the same file`() async throws {
        let file = try TemporaryFile()
        let link = file.folder.appending(path: "link.sqlite").path
        let store = try Store(.file(file.path), models: [Label.self])
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "store.sqlite")
        let other = try Store(.file(link), models: [Label.self])
        #expect(other.file.commits === store.file.commits)
        let error = #expect(throws: StoreError.self) { _ = try Store(.file(link), models: World.models) }
        guard case .file(.openWithOtherModels, path: link)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
    }

    @Test func `Replacing the file of an open store is reported, and edits stay`() async throws {
        try await expectGone { path in
            let other = path + ".other"
            try Data().write(to: URL(filePath: other))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: other, toPath: path)
        }
    }
}
