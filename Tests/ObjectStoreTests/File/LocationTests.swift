import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// A store's file: its place, and the folders made for it.
@MainActor
@Suite struct LocationTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `A file is named by its URL or its path`() async throws {
        let file = try TemporaryFile()
        let store = try Store(.file(file.folder.appending(path: "a b.sqlite")), models: World.models)
        #expect(
            store.path == file.folder.path + "/a b.sqlite" && Store.Location.file(URL(filePath: "/x")) == .file("/x"))
        guard
            case .file(.cannotOpen, path: _)? = #expect(
                throws: StoreError.self,
                performing: {
                    _ = try Store(
                        .file(try #require(URL(string: "https://example.com/a.sqlite"))), models: World.models)
                })
        else {
            Testing.Issue.record("it was opened")
            return
        }
    }

    @Test(arguments: [
        ("", ".temporary"), ("a\0b", "NUL"), (":memory:", ".inMemory"), ("file:x?mode=memory", ".file(URL)"),
    ])
    func `An unusable path is refused with advice, and no file is created`(_ path: String, advice: String) {
        let error = #expect(throws: StoreError.self) { _ = try Store(.file(path), models: World.models) }
        guard case .file(.unusablePath, path: path)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains(advice) == true)
        #expect(!FileManager.default.fileExists(atPath: String(path.prefix { $0 != "\0" })))
    }

    @Test func `A relative path is resolved when the store is opened`() throws {
        let folder = FileManager.default.currentDirectoryPath
        #expect(try Store.Location.file("a.sqlite").place().path == "\(folder)/a.sqlite")
        #expect(try Store.Location.file("./:memory:").place().path == "\(folder)/./:memory:")
    }

    @Test func `A store in memory is private, has all of its contexts' data, and leaves no file`() async throws {
        var store: Store? = try Store(.inMemory, models: World.models)
        let path = try #require(store?.path)
        #expect(try mode(path) == 0o600)
        var user = try await store?.main.take(User.self, #"{"id": 1, "login": "a"}"#).objects.first
        try await store?.takeElsewhere(User.self, #"{"id": 1, "login": "b"}"#)
        #expect(user?.login == "b")
        #expect(try Store(.inMemory, models: World.models).main.query(User.self).count() == 0)
        user?.login = "never saved"
        (user, store) = (nil, nil)
        await until { !FileManager.default.fileExists(atPath: path) }
    }

    @Test func `A temporary store that can't be opened leaves no file`() throws {
        let file = try TemporaryFile()
        let schema = try Schema(models: World.models, conventions: .default)
        // A name is used twice, which is found once the file exists.
        let options = StoreOptions(migrations: [Migration("a"), Migration("a")])
        #expect(throws: StoreError.self) {
            _ = try StoreFile(at: file.path, isTemporary: true, schema: schema, companion: nil, options: options)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: file.folder.path) == [])
    }

    #if os(Linux)
        @Test func `The folder of user data follows the XDG standard`() {
            #expect(Store.Location.dataHome(["XDG_DATA_HOME": "/data", "HOME": "/home/a"])?.path == "/data")
            for other in ["", "relative"] {
                let home = Store.Location.dataHome(["XDG_DATA_HOME": other, "HOME": "/home/a"])
                #expect(home?.path == "/home/a/.local/share")
            }
            #expect(Store.Location.dataHome([:]) == nil)
        }
    #endif

    @Test(arguments: ["", ".", "..", "a/b", "../a"])
    func `An unusable folder name is refused`(_ name: String) {
        #expect(throws: StoreError.self) { _ = try Store(.applicationSupport(name), models: World.models) }
    }

    @Test func `A folder that can't be created is refused with the system's reason`() {
        let name = String(repeating: "x", count: 300)
        let error = #expect(throws: StoreError.self) {
            _ = try Store(.applicationSupport(name), models: World.models)
        }
        guard case .file(.cannotOpen(let reason), path: _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.hasPrefix("its folder can't be made: "))
    }

    @Test func `Folders are created only for named stores`() throws {
        let name = "RestfulDataTests-\(UUID())"
        let path = try Store(.applicationSupport(name), models: World.models).path
        let folder = URL(filePath: path).deletingLastPathComponent()
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(folder.lastPathComponent == name && path.hasSuffix("/store.sqlite"))
        #expect(try mode(path) == 0o600 && mode(folder.path) == 0o700)
        #expect(try Store(.applicationSupport(name), models: World.models).main.query(User.self).count() == 0)
        #expect(throws: StoreError.self) {
            _ = try Store(.file(folder.path + "/missing/store.sqlite"), models: World.models)
        }
    }

    @Test func `Stores on one file share the record of open requests`() async throws {
        let file = try TemporaryFile()
        let first = try Store(.file(file.path), models: World.models)
        let second = try Store(.file(file.path), models: World.models)
        #expect(first.file.operations === second.file.operations)
        try await first.main.take(User.self, #"[{"id": 1}, {"id": 2}]"#)
        // The answer to a question from before the deletion leaves the user deleted.
        let requestStart = first.file.operations.startRequest()
        let user = try #require(try second.main.find(User.self, 1))
        second.main.delete(user)
        try await second.main.save()
        let body = Array(#"[{"id": 1}, {"id": 2}]"#.utf8)
        var request = ImportRequest(try first.main.model(of: User.self))
        request.requestTime = requestStart.stamp
        _ = try await first.main.importBody(body, request)
        #expect(try first.main.query(User.self).fetch().map(\.identifier) == [2])
        withExtendedLifetime(requestStart) {}
    }
}
