import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Random models with random rows become other random models: what the file says then is what a simple oracle says.
@MainActor
@Suite struct RandomMigrationTests {
    @Test(arguments: 0..<60)
    func `Migrated stores are what the oracle says`(seed: UInt64) async throws {
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
                // It is still what it was.
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
        let owner = store.schema.tables[0]
        var made = WriteBatch()
        made.isConfirmed = true
        for (id, values) in rows.owners.sorted(by: { $0.key < $1.key }) {
            var stored: [Int: StoredValue] = [0: .integer(id)]
            for property in owner.properties { if let value = values[property.name] { stored[property.index] = value } }
            made.rows.append(WriteBatch.Row(table: 0, id: id, values: stored, isInsert: true))
        }
        for id in 1...5 as ClosedRange<Int64> {
            made.rows.append(WriteBatch.Row(table: 1, id: id + 100, values: [0: .integer(id)], isInsert: true))
        }
        for (id, members) in rows.members.sorted(by: { $0.key < $1.key }) {
            guard let property = owner.properties.first(where: { $0.name == models.relationship.name }) else {
                continue
            }
            if property.list != nil {
                made.memberships.append(
                    WriteBatch.Membership(
                        table: 0, property: property.index, owner: id, members: members.map { $0 + 100 }))
            } else if let only = members.first {
                made.rows.append(
                    WriteBatch.Row(table: 0, id: id, values: [property.index: .integer(only + 100)], isInsert: false))
            }
        }
        let batch = made
        try await store.file.write { writer in
            var changes = ChangeSet(tableCount: 2)
            try writer.apply(batch, &changes)
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
            let table = writer.schema.tables[0]
            let read = try RawStatement(writer.connection, SQL.selectRows(table))
            while try read.step() {
                let id = read.integer(0)
                for (index, column) in table.columns.enumerated() where column.target == nil && column.property != 0 {
                    rows.owners[id, default: [:]][table.properties[column.property].name] = read.value(Int32(index + 1))
                }
                rows.owners[id, default: [:]]["identifier"] = nil
                for property in table.properties {
                    if let list = property.list {
                        rows.members[id] = try writer.members(of: list, owner: id).map { $0 - 100 }
                    } else if property.link != nil, let column = property.column {
                        let value = try writer.value(of: table.columns[column], table, id)
                        if case .integer(let member) = value { rows.members[id] = [member - 100] }
                    }
                }
            }
            rows.members = rows.members.filter { !$0.value.isEmpty }
            return (rows, ChangeSet(tableCount: 2))
        }
    }
}
