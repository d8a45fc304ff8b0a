import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// A file that one version of the models after another opens.
@MainActor
final class MigratedFile {
    let file: TemporaryFile

    init() throws { file = try TemporaryFile() }

    /// Opens the file with these models, does something, and closes it.
    @discardableResult
    func open<Result>(
        _ models: [any Model.Type], _ migrations: [Migration] = [],
        _ body: @MainActor (Store) async throws -> Result = { (_: Store) in () }
    ) async throws -> Result {
        let store = try Store(
            .file(file.path), models: models, options: StoreOptions(migrations: migrations))
        defer { store.close() }
        let result = try await body(store)
        #expect(try store.check() == [])
        return result
    }

    /// Opens the file, compares all of its values, and shows that a second opening leaves them as they are.
    func expect(
        _ expected: String, of models: [any Model.Type], _ migrations: [Migration] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await open(models, migrations) { try $0.dump() }
        #expect(found == expected, "\(found)", sourceLocation: sourceLocation)
        let before = try contents()
        let again = try await open(models, migrations) { try $0.dump() }
        #expect(again == found, sourceLocation: sourceLocation)
        #expect(try contents() == before, sourceLocation: sourceLocation)
    }

    /// Why the models are refused, after which the file is as it was.
    func refusal(_ models: [any Model.Type], _ migrations: [Migration] = []) async throws -> [String] {
        let before = try contents()
        do {
            try await open(models, migrations)
        } catch StoreError.file(.modelsChanged(let reasons), path: _) {
            #expect(try contents() == before)
            return reasons
        }
        return []
    }

    /// All tables with their statements and rows.
    func contents() throws -> [String] {
        let database = try Database(file.path)
        let schema = try database.rows("SELECT name, sql FROM sqlite_schema ORDER BY name")
        let tables = try database.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
        return try schema.map { "\($0)" }
            + tables.flatMap { table in
                try database.rows("SELECT * FROM \"\(table[0] ?? "")\" ORDER BY 1").map { "\(table) \($0)" }
            }
    }
}
