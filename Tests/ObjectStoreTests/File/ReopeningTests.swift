import ObjectStore
import RestfulData
import TestSupport
import Testing

/// One file, opened with one version of the models after another.
@MainActor
@Suite struct ReopeningTests {
    enum First {
        @Model(table: "item")
        final class Item {
            var identifier: Int?
            var title = ""
            var size: Int?
        }
    }

    enum Second {
        @Model(table: "item")
        final class Item {
            var identifier: Int?
            @Attribute(renamedFrom: "title") var name = ""
            var size: Int?
            var color = "red"
            var weight: Double?
            var box: Box?
            @Relationship(inverse: nil) var others: [Item]
        }

        @Model(table: "box")
        final class Box {
            var identifier: Int?
            var items: [Item]
        }
    }

    enum Retyped {
        @Model(table: "item")
        final class Item {
            var identifier: String?
            var title = 0
            var size: Int?
        }
    }

    private func makeFirst(_ file: TemporaryFile) async throws {
        let store = try Store(.file(file.path), models: [First.Item.self])
        try await store.main.take(First.Item.self, #"[{"id": 1, "title": "a", "size": 3}, {"id": 2, "title": "b"}]"#)
        store.close()
    }

    @Test func `Reopening adds the attributes, relationships and models that are new`() async throws {
        let file = try TemporaryFile()
        try await makeFirst(file)
        let store = try Store(.file(file.path), models: [Second.Item.self, Second.Box.self])
        let items = try store.main.query(Second.Item.self).fetch()
        #expect(items.map(\.name) == ["a", "b"])
        #expect(items.map(\.size) == [3, nil])
        #expect(items.map(\.color) == ["red", "red"])
        #expect(items.allSatisfy { $0.weight == nil && $0.box == nil && $0.others.isEmpty })
        items[0].others = [items[1]]
        try await store.main.take(Second.Box.self, #"{"id": 1, "items": [{"id": 2}, {"id": 1, "color": "blue"}]}"#)
        try await store.main.save()
        #expect(items.map(\.box?.identifier) == [1, 1])
        try expect(
            store,
            holds: """
                item
                  1 name=a size=3 color=blue box_id=(1) _box_position=1 unsent: others
                  2 name=b color=red box_id=(1) _box_position=0
                box
                  1
                item_others
                  (1) - (2) 0
                """)
        // The older models still read the attributes that they have.
        store.close()
        _ = try Store(.file(file.path), models: [Second.Item.self, Second.Box.self])
    }

    @Test func `Reopening refuses models that would lose values, and gives the reasons`() async throws {
        let file = try TemporaryFile()
        try await makeFirst(file)
        let error = #expect(throws: StoreError.self) { _ = try Store(.file(file.path), models: [Retyped.Item.self]) }
        guard case .file(.modelsChanged(let reasons), path: file.path)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(reasons.count == 1)
        #expect(reasons.first?.hasPrefix("Item.title expects a whole number, and 2 rows hold something else") ?? false)
        let store = try Store(.file(file.path), models: [First.Item.self])
        #expect(try store.main.query(First.Item.self).fetch().map(\.title) == ["a", "b"])
    }
}
