import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Random models with random rows become other random models. The migrated file must equal a simple oracle.
@MainActor
@Suite struct RandomMigrationTests {
    @Test(arguments: 0..<60)
    func `Migrated stores match the oracle`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let file = try TemporaryFile()
        let first = RandomModels(&random)
        var rows = first.randomRows(&random)
        try await first.with { try await Self.write(rows, of: first, to: file) }
        var current = first
        for _ in 0..<3 {
            let next = current.changed(&random)
            let expected = next.rows(from: rows, of: current)
            let found = try await next.with { try await Self.read(next, file) }
            guard let expected else {
                #expect(found == nil, "seed \(seed): \(current) became \(next)")
                // The value is unchanged.
                let same = try await current.with { try await Self.read(current, file) }
                #expect(same == rows, "seed \(seed)")
                continue
            }
            #expect(found == expected, "seed \(seed): \(current) became \(next)")
            let again = try await next.with { try await Self.read(next, file) }
            #expect(again == found, "seed \(seed)")
            (rows, current) = (expected, next)
        }
    }

    private static func store(_ file: TemporaryFile) throws -> Store {
        let schema = try Schema(models: [RandomOwner.self, RandomMember.self], conventions: .default)
        return try Store(.file(file.path), schema: schema, companion: nil)
    }

    private static func write(_ rows: RandomRows, of models: RandomModels, to file: TemporaryFile) async throws {
        let store = try store(file)
        let (owners, members) = (TableID(0), TableID(1))
        let owner = store.schema[owners]
        var made = WriteBatch.confirmed()
        for (id, values) in rows.owners.sorted(by: { $0.key < $1.key }) {
            var stored: PropertyMap<StoredValue> = [PropertyIndex(0): .integer(id)]
            for property in owner.properties { if let value = values[property.name] { stored[property.index] = value } }
            made.rows.append(WriteBatch.Row(RecordID(table: owners, row: RowID(id)), values: stored, isInsert: true))
        }
        for id in 1...5 as ClosedRange<Int64> {
            made.rows.append(
                WriteBatch.Row(
                    RecordID(table: members, row: RowID(id + 100)), values: [PropertyIndex(0): .integer(id)],
                    isInsert: true))
        }
        for (id, ids) in rows.members.sorted(by: { $0.key < $1.key }) {
            let record = RecordID(table: owners, row: RowID(id))
            guard let property = owner.properties.first(where: { $0.name == models.relationship.name }) else {
                continue
            }
            if property.list != nil {
                made.memberships.append(
                    WriteBatch.Membership(ids.map { RowID($0 + 100) }, of: ListOwner(property.index, of: record)))
            } else if let only = ids.first {
                made.rows.append(
                    WriteBatch.Row(record, values: [property.index: .integer(only + 100)], isInsert: false))
            }
        }
        let batch = made
        try await store.file.write { writer in
            var changes = ChangeSet(writer.schema)
            try writer.apply([batch], confirming: [], &changes)
            return ((), changes)
        }
    }

    /// `nil` where the models are refused.
    private static func read(_ models: RandomModels, _ file: TemporaryFile) async throws -> RandomRows? {
        let store: Store
        do {
            store = try Self.store(file)
        } catch StoreError.file(.modelsChanged, path: _) {
            return nil
        }
        #expect(try store.check() == [])
        return try await store.file.write { writer in
            var rows = RandomRows()
            let statements = writer.statements[TableID(0)]
            let model = statements.model
            let read = try RawStatement(writer.connection, statements.selectRows)
            while try read.step() {
                let id = read.integer(0)
                for (index, column) in model.columns.enumerated()
                where column.target == nil && column.property != PropertyIndex(0) {
                    rows.owners[id, default: [:]][model[column.property].name] = read.value(Int32(index + 1))
                }
                rows.owners[id, default: [:]]["identifier"] = nil
                for property in model.properties {
                    if let list = property.list {
                        rows.members[id] = try writer.statements.members(of: list, owner: RowID(id)).map {
                            $0.rawValue - 100
                        }
                    } else if property.link != nil, let column = property.column {
                        let value = try statements.value(of: model[column], in: RowID(id))
                        if case .integer(let member) = value { rows.members[id] = [member - 100] }
                    }
                }
            }
            rows.members = rows.members.filter { !$0.value.isEmpty }
            return (rows, ChangeSet(writer.schema))
        }
    }
}
