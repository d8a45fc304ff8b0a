import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Local keys: a context knows objects by them, so a new row gets a key that is new to all contexts.
@MainActor
@Suite struct RowTests {
    private func row(_ identifier: Int, _ store: Store) throws -> Int {
        let value = try Database(store.path).value("SELECT _id FROM label WHERE identifier = \(identifier)")
        return try #require(value.flatMap { Int($0) })
    }

    /// Events between a deletion and the next import.
    enum Meanwhile: CaseIterable {
        /// Nothing.
        case nothing
        /// Another writer changes the file, so the writer's memory of it is read again.
        case otherProcess
        /// A transaction fails, after which it is read again too.
        case failure
    }

    @Test(arguments: Meanwhile.allCases)
    func `The number of a deleted row isn't reused`(_ meanwhile: Meanwhile) async throws {
        let store = try Store(of: [Label.self])
        let labels = try await store.main.take(
            Label.self, #"[{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}]"#
        ).objects
        let last = try row(3, store)
        for label in labels.dropFirst() { store.main.delete(label) }
        try await store.main.save()
        switch meanwhile {
        case .nothing: break
        case .otherProcess: try Database(store.path).execute("UPDATE label SET color = 'red' WHERE identifier = 1")
        case .failure:
            let error = await failure { try await store.main.take(Label.self, #"[{"id": 9}, "#) }
            #expect(error.hasSuffix("the body ends in the middle"))
        }
        let new = try await store.main.take(Label.self, #"[{"id": 4, "name": "d"}, {"id": 3, "name": "e"}]"#).objects
        #expect(try row(4, store) > last && row(3, store) > last)
        #expect(new.map(\.name) == ["d", "e"] && new.map(\.isDeleted) == [false, false])
        #expect(labels.map(\.name) == ["a", "b", "c"] && labels.map(\.isDeleted) == [false, true, true])
        #expect(new[1] !== labels[2])
    }

    @Test func `Row numbers continue after another process's`() async throws {
        let file = try TemporaryFile()
        let first = try Store(.file(file.path), models: [Label.self])
        let second = try Store(.file(file.path), models: [Label.self])
        try await first.main.take(Label.self, #"[{"id": 1}, {"id": 2}]"#)
        try await second.main.take(Label.self, #"[{"id": 3}, {"id": 4}]"#)
        try await first.main.take(Label.self, #"[{"id": 5}]"#)
        let rows = try (1...5).map { try row($0, first) }
        #expect(Set(rows).count == 5 && rows == rows.sorted())
    }
}
