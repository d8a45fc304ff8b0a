import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The files that a released store leaves behind.
@MainActor
@Suite struct ClosingTests {
    private func openFiles(of path: String) throws -> Int {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
            return target?.hasPrefix(path) == true
        }
    }

    #if os(Linux)
        @Test func `A store with unsaved edits closes its file when it is released`() async throws {
            let file = try TemporaryFile()
            for number in 1...5 {
                let store = try Store(.file(file.path), models: World.models)
                let user = User(in: store.main)
                user.identifier = number
                #expect(try store.main.query(User.self).count() == 1)
            }
            try await until { try openFiles(of: file.path) == 0 }
        }
    #endif

    @Test func `Objects that are held are saved after their store`() async throws {
        let file = try TemporaryFile()
        var store: Store? = try Store(.file(file.path), models: World.models)
        let context = try #require(store?.main)
        let user = User(in: context)
        user.identifier = 1
        weak var other: Label?
        do {
            let label = Label(in: context)
            label.name = "nobody's"
            other = label
        }
        #expect(other != nil)
        store = nil
        await until { other == nil }
        await #expect { try await context.save() } throws: { error in
            guard case .lostEdits(let models)? = error as? StoreError else { return false }
            return models == ["Label"]
        }
        try await context.save()
        #expect(!user.hasChanges)
        #expect(try Database(file.path).rows("SELECT identifier FROM user") == [["1"]])
        #expect(try Database(file.path).value("SELECT count(*) FROM label") == "0")
    }
}
