import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Declared indexes: made and dropped when a file is opened, and read by queries.
@MainActor
@Suite struct IndexMigrationTests {
    enum Plain {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            var size: Int?
            var owner: Person?
        }
        @Model final class Person {
            var identifier: Int?
        }
        static let models: [any Model.Type] = [Item.self, Person.self]
    }

    enum Indexed {
        @Model(indexes: [["owner", "size"], ["identifier"], ["size"]])
        final class Item {
            var identifier: Int?
            @Attribute(indexed: true) var title = ""
            @Attribute(indexed: true) var size: Int?
            var owner: Person?
        }
        @Model final class Person {
            var identifier: Int?
        }
        static let models: [any Model.Type] = [Item.self, Person.self]
    }

    enum Renamed {
        @Model(indexes: [["owner", "length"]])
        final class Item {
            var identifier: Int?
            @Attribute(renamedFrom: "title", indexed: true) var name = ""
            @Attribute(renamedFrom: "size", indexed: true) var length: Int?
            var owner: Person?
        }
        @Model final class Person {
            var identifier: Int?
        }
        static let models: [any Model.Type] = [Item.self, Person.self]
    }

    /// A number becomes a text, and an index is of a property that a submodel declares.
    enum Retyped {
        @Model(discriminator: "title", indexes: [["owner", "size"], ["title", "weight"]])
        class Item {
            var identifier: Int?
            @Attribute(indexed: true) var title = ""
            @Attribute(indexed: true) var size: String?
            var owner: Person?
        }
        @Model(inherits: Item.self, as: "heavy")
        final class HeavyItem: Item {
            @Attribute(indexed: true) var weight: Int?
        }
        @Model final class Person {
            var identifier: Int?
        }
        static let models: [any Model.Type] = [Item.self, HeavyItem.self, Person.self]
    }

    enum Misspelt {
        /// The names are hidden from the macro.
        static let indexes = [["titel"], ["owners"]]

        @Model(indexes: Misspelt.indexes)
        final class Item {
            var identifier: Int?
            var title = ""
            @Relationship(inverse: nil) var owners: [Item]
        }
    }

    private static let rows = """
        item
          1 title=a size=3 owner_id=(7)
          2 title=b
        """

    private func indexes(_ file: MigratedFile) throws -> [String] {
        try Database(file.file.path).rows(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'item' AND sql IS NOT NULL ORDER BY name"
        ).compactMap { $0[0] }
    }

    private func filled() async throws -> MigratedFile {
        let file = try MigratedFile()
        try await file.open(Plain.models) { store in
            try await store.main.take(
                Plain.Item.self, #"[{"id": 1, "title": "a", "size": 3, "owner": {"id": 7}}, {"id": 2, "title": "b"}]"#)
        }
        return file
    }

    @Test func `Indexes are created, follow renamed attributes, and are dropped`() async throws {
        let file = try await filled()
        let plain = try indexes(file)
        #expect(plain == ["_unsent_item", "item_identity", "item_owner_id"])
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'item'"
        let table = try Database(file.file.path).value(root)
        try await file.open(Indexed.models)
        #expect(try indexes(file) == ["_index_item(owner_id,size)", "_index_item(size)", "_index_item(title)"] + plain)
        try await file.open(Renamed.models)
        #expect(
            try indexes(file) == ["_index_item(length)", "_index_item(name)", "_index_item(owner_id,length)"] + plain)
        let titles = try await file.open(Renamed.models) { store in
            try store.main.query(Renamed.Item.self).order(by: { $0.name }).fetch().map(\.name)
        }
        #expect(titles == ["a", "b"])
        try await file.open(Renamed.models)
        // An index leaves the rows as they are.
        #expect(try Database(file.file.path).value(root) == table)
    }

    @Test func `An index that is no longer declared is dropped`() async throws {
        let file = try await filled()
        let before = try file.contents()
        try await file.open(Indexed.models)
        try await file.open(Plain.models)
        #expect(try file.contents().filter { $0.contains("INDEX") } == before.filter { $0.contains("INDEX") })
    }

    @Test func `Indexes stay when their attributes change type`() async throws {
        let file = try await filled()
        let plain = try indexes(file)
        try await file.open(Indexed.models)
        try await file.open(Retyped.models)
        #expect(
            try indexes(file) == [
                "_index_item(owner_id,size)", "_index_item(size)", "_index_item(title)", "_index_item(title,weight)",
                "_index_item(weight)",
            ] + plain)
        let found = try await file.open(Retyped.models) { store in
            try store.main.query(Retyped.Item.self).where { $0.size == "3" }.fetch().map(\.identifier)
        }
        #expect(found == [1])
    }

    @Test func `Queries read the indexes`() async throws {
        let store = try Store(of: Indexed.models)
        func plan<M: Model>(_ query: ObjectQuery<M>) throws -> String {
            let model = try store.main.model(of: M.self)
            let statement = try query.selection(of: model, limit: query.limit, offset: query.offset)
            return try Database(store.path).rows("EXPLAIN QUERY PLAN " + statement.text).map { $0[3] ?? "" }
                .joined(separator: "; ")
        }
        let query = store.main.query(Indexed.Item.self)
        let person = try await store.main.take(Indexed.Person.self, #"{"id": 7}"#).objects[0]
        #expect(try plan(query.where { $0.title == "a" }).contains("INDEX _index_item(title) (title=?)"))
        #expect(
            try plan(query.where { $0.size > 3 }.order(by: { $0.size })).contains("INDEX _index_item(size) (size>?)"))
        #expect(try plan(query.order(by: { $0.title }).limit(20)) == "SCAN item USING INDEX _index_item(title)")
        #expect(
            try plan(query.where { $0.owner == person && $0.size == 3 })
                .contains("INDEX _index_item(owner_id,size) (owner_id=? AND size=?)"))
    }

    @Test func `An index of an unknown attribute is refused by name`() throws {
        let error = #expect(throws: StoreError.self) { try Store(of: [Misspelt.Item.self]) }
        guard case .models(let problems)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(
            problems.contains { $0.contains(#"names "titel" as its index"#) && $0.contains(#"did you mean "title"?"#) })
        #expect(problems.contains { $0.contains(#"names "owners" as its index"#) })
    }
}
