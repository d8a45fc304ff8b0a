import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Whether a property is known stays with the property, wherever later models declare it. A new property is unknown.
@MainActor
@Suite struct LoadedMaskMigrationTests {
    enum First {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            var size: Int?
            @Relationship(inverse: nil) var tags: [Tag]
            var color = "red"
            var owner: Tag?
            @Relationship(inverse: nil) var marks: [Tag]
        }

        @Model final class Tag { var identifier: Int? }

        static let models: [any Model.Type] = [Item.self, Tag.self]
    }

    /// Others are between them, some have other names, and some are gone.
    enum Second {
        @Model final class Item {
            @Relationship(inverse: nil) var others: [Tag]
            @Relationship(inverse: nil, renamedFrom: "marks") var notes: [Tag]
            var owner: Tag?
            var shape = "round"
            @Attribute(renamedFrom: "color") var tint = "red"
            var identifier: Int?
            var size: Int?
        }

        @Model final class Tag { var identifier: Int? }

        static let models: [any Model.Type] = [Item.self, Tag.self]
    }

    /// One has come back, which is a new one.
    enum Third {
        @Model final class Item {
            @Relationship(inverse: nil) var others: [Tag]
            @Relationship(inverse: nil) var notes: [Tag]
            var owner: Tag?
            var shape = "round"
            var tint = "red"
            var identifier: Int?
            var size: Int?
            var title = ""
            @Relationship(inverse: nil) var tags: [Tag]
        }

        @Model final class Tag { var identifier: Int? }

        static let models: [any Model.Type] = [Item.self, Tag.self]
    }

    private static let bodies = [
        #"{"id": 1}"#, #"{"id": 2, "title": "", "tags": []}"#, #"{"id": 3, "size": null, "marks": [{"id": 7}]}"#,
        #"{"id": 4, "color": "red", "owner": null}"#, #"{"id": 5, "color": null, "size": 1, "marks": []}"#,
        #"{"id": 6, "title": "a", "size": 2, "tags": [], "color": "b", "owner": {"id": 7}, "marks": []}"#,
    ]

    /// The unknown properties of each item.
    private func unloaded<M: Model>(_ type: M.Type, in store: Store) throws -> [String] {
        try (1...6).compactMap { id -> String? in
            guard let state = try store.main.find(type, id)?._object else { return nil }
            let attributes = state.unloadedProperties
            let names = state.model.properties.filter { property in
                attributes.contains(property.index) || (property.list != nil && state.isPartial(property))
            }
            return "\(id): " + names.map(\.name).sorted().joined(separator: " ")
        }
    }

    private func fill(_ store: Store) async throws {
        for body in Self.bodies { _ = try await store.main.import(First.Item.self, from: Data(body.utf8)) }
    }

    @Test func `A migration keeps which properties the server has sent under their new names`() async throws {
        let file = try MigratedFile()
        let first = try await file.open(First.models) { store in
            try await fill(store)
            return try unloaded(First.Item.self, in: store)
        }
        #expect(
            first == [
                "1: color marks owner size tags title", "2: color marks owner size", "3: color owner tags title",
                "4: marks size tags title", "5: color owner tags title", "6: ",
            ])
        let second = try await file.open(Second.models) { try unloaded(Second.Item.self, in: $0) }
        #expect(
            second == [
                "1: notes others owner shape size tint", "2: notes others owner shape size tint",
                "3: others owner shape tint", "4: notes others shape size", "5: others owner shape tint",
                "6: others shape",
            ])
        let third = try await file.open(Third.models) { try unloaded(Third.Item.self, in: $0) }
        #expect(
            third == [
                "1: notes others owner shape size tags tint title", "2: notes others owner shape size tags tint title",
                "3: others owner shape tags tint title", "4: notes others shape size tags title",
                "5: others owner shape tags tint title", "6: others shape tags title",
            ])
    }

    @Test func `A queued deletion that is discarded after a migration restores which properties were sent`()
        async throws
    {
        let file = try MigratedFile()
        try await file.open(First.models) { store in
            try await fill(store)
            let item = try #require(try store.main.find(First.Item.self, 4))
            try await store.main.deleteQueued(item, account: "")
        }
        let found = try await file.open(Second.models) { store in
            let entry = try #require(try store.main.queuedWrites().first)
            try await store.main.changeOutbox([.discard(entry.subject, entry.version)])
            return try unloaded(Second.Item.self, in: store)
        }
        #expect(found.contains("4: notes others shape size"), "\(found)")
    }

    /// In a file that lacks this note, properties with a value count as known.
    @Test func `A file that recorded only sent lists counts properties with values as sent`() async throws {
        let file = try MigratedFile()
        try await file.open(First.models) { try await fill($0) }
        let database = try Database(file.file.path)
        try database.execute(
            """
            ALTER TABLE item ADD COLUMN _said_tags INTEGER; ALTER TABLE item ADD COLUMN _said_marks INTEGER;
            UPDATE item SET _said_tags = nullif(_said_lists & 1, 0), _said_marks = nullif(_said_lists & 2, 0);
            ALTER TABLE item DROP COLUMN _said; ALTER TABLE item DROP COLUMN _said_lists; PRAGMA user_version = 3
            """)
        let found = try await file.open(First.models) { try unloaded(First.Item.self, in: $0) }
        #expect(
            found == [
                "1: marks owner size tags", "2: marks owner size", "3: owner size tags",
                "4: marks owner size tags", "5: owner tags", "6: ",
            ])
    }

    @Test func `A table has one column for every 64 bits of the sent properties`() {
        #expect(ModelSchema.loadedColumns(columns: 0, lists: 0) == ["_said"])
        #expect(ModelSchema.loadedColumns(columns: 64, lists: 64) == ["_said", "_said_lists"])
        #expect(
            ModelSchema.loadedColumns(columns: 129, lists: 65)
                == ["_said", "_said_2", "_said_3", "_said_lists", "_said_lists_2"])
    }
}
