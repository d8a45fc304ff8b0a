import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// A migration that is interrupted leaves the old store.
@MainActor
@Suite struct InterruptionTests {
    enum First {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            var size: Int?
            var box: Box?
            @Relationship(inverse: nil) var others: [Item]
        }
        @Model final class Box {
            var identifier: Int?
            var items: [Item]
        }
        static let models: [any Model.Type] = [Item.self, Box.self]
    }

    enum Second {
        @Model(identity: "title", renamedFrom: "Item") final class Thing {
            var identifier: String?
            var title: String?
            @Attribute(renamedFrom: "size") var length = 0
            @Relationship(renamedFrom: "box") var boxes: [Box]
            @Relationship(renamedFrom: "others") var friends: [Thing]
            @Relationship(inverse: "friends") var friendOf: [Thing]
        }
        @Model final class Box {
            var identifier: Int?
            @Relationship(renamedFrom: "items") var things: [Thing]
            var color = "red"
        }
        static let models: [any Model.Type] = [Thing.self, Box.self]
    }

    private func first(_ file: TemporaryFile) async throws -> String {
        let store = try Store(.file(file.path), models: First.models)
        let items = (1...6_000).map { number in
            #"{"id": \#(number), "title": "\#(String(repeating: "t", count: 600))\#(number / 2)", "box": {"id": \#(number % 7)}}"#
        }
        try await store.main.take(First.Item.self, "[\(items.joined(separator: ","))]")
        try await store.main.take(First.Item.self, #"{"id": 1, "others": [{"id": 3}, {"id": 2}]}"#)
        defer { store.close() }
        return try store.dump()
    }

    /// A copy of the files at some moment is the state that a process leaves by ending then.
    @Test func `The files contain the old store at each step of a migration`() async throws {
        let file = try TemporaryFile()
        let before = try await first(file)
        let copies = Copies(of: file)
        do {
            let store = try Store(
                .file(file.path), models: Second.models, options: StoreOptions { _ in copies.add() })
            #expect(try Database(file.path).value("SELECT count(*) FROM thing") == "3001")
            store.close()
        }
        #expect(copies.all.count > 10)
        // The pages that exceeded the memory were in the WAL by then.
        #expect(copies.largestWAL > 500_000)
        for copy in copies.all {
            let store = try Store(.file(copy.path), models: First.models)
            #expect(try store.dump() == before)
            #expect(try store.check() == [])
            store.close()
        }
    }

    @Test(arguments: [1, 6, 12])
    func `A process killed during a migration leaves the old store`(step: Int) async throws {
        let file = try TemporaryFile()
        let before = try await first(file)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = file.path as String, step = step as Int] in
            _ = try Store(
                .file(path), models: Second.models,
                options: StoreOptions { progress in if progress.number == step { kill(getpid(), SIGKILL) } })
        }
        let store = try Store(.file(file.path), models: First.models)
        #expect(try store.dump() == before)
        #expect(try store.check() == [])
        store.close()
        let later = try Store(.file(file.path), models: Second.models)
        #expect(try Database(file.path).value("SELECT count(*) FROM thing") == "3001")
        later.close()
    }
}

/// Copies of a store's files, made while it is migrated.
private final class Copies: @unchecked Sendable {
    // Used by the thread that opens the store, and after that by the same one.
    private(set) var all: [TemporaryFile] = []
    private(set) var largestWAL = 0
    private let file: TemporaryFile

    init(of file: TemporaryFile) { self.file = file }

    func add() {
        guard let copy = try? TemporaryFile() else { return }
        for suffix in ["", "-wal"] {
            try? FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
        }
        let wal = try? FileManager.default.attributesOfItem(atPath: copy.path + "-wal")[.size] as? Int
        largestWAL = max(largestWAL, wal ?? 0)
        all.append(copy)
    }
}
