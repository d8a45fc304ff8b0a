import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The files that each version of the library wrote, as SQL. They stay, and open for ever.
///
/// A fixture `format-N.sql` was written from ``FixtureModels`` by the library of that format. A new format gets one by
/// running these tests with `RECORD_FIXTURES=1`; the older ones are never changed.
@MainActor
@Suite struct FixtureTests {
    private static let folder = ProjectFolder.test("ObjectStoreTests/Fixtures/Stores")

    private static func url(_ format: Int64) -> URL { folder.appending(path: "format-\(format).sql") }

    private func store(_ format: Int64) throws -> MigratedFile {
        let file = try MigratedFile()
        try Database(file.file.path).execute(String(contentsOf: Self.url(format), encoding: .utf8))
        return file
    }

    nonisolated static let formats = Array(1...StoreOpening.formatVersion)

    @Test(.enabled(if: ProcessInfo.processInfo.environment["RECORD_FIXTURES"] != nil, "records the newest format"))
    func `A fixture of the current format is recorded`() async throws {
        let file = try MigratedFile()
        try await file.open(FixtureModels.models) { try await FixtureModels.fill($0) }
        let script = try Database(file.file.path).script()
        try script.write(to: Self.url(StoreOpening.formatVersion), atomically: true, encoding: .utf8)
    }

    @Test(arguments: formats)
    func `Every format has a fixture`(format: Int64) throws {
        let script = try String(contentsOf: Self.url(format), encoding: .utf8)
        #expect(
            script.hasPrefix("PRAGMA user_version = \(format);\n"),
            "record it with RECORD_FIXTURES=1, and leave the older ones as they are")
    }

    @Test(arguments: formats)
    func `A fixture opens with the models that wrote it`(format: Int64) async throws {
        let file = try store(format)
        try await file.expect(FixtureModels.dump, of: FixtureModels.models)
        try await file.open(FixtureModels.models) { try FixtureModels.check($0) }
    }

    @Test(arguments: formats)
    func `A fixture opens with later models`(format: Int64) async throws {
        try await store(format).expect(LaterModels.dump, of: LaterModels.models)
    }

    /// Foreign keys are unalterable, so the tables are made again.
    @Test(arguments: formats)
    func `A migration rewrites tables whose delete rules have changed`(format: Int64) async throws {
        let file = try MigratedFile()
        let script = try String(contentsOf: Self.url(format), encoding: .utf8)
        let other = script.replacing("SET NULL", with: "NO ACTION").replacing("CASCADE", with: "RESTRICT")
        try Database(file.file.path).execute(other)
        try await file.expect(FixtureModels.dump, of: FixtureModels.models)
        let statements = try Database(file.file.path).rows("SELECT sql FROM sqlite_schema WHERE type = 'table'")
        #expect(statements.allSatisfy { !($0[0]?.contains("NO ACTION") ?? false) })
        #expect(statements.count { $0[0]?.contains("ON DELETE CASCADE") ?? false } == 2)
    }
}
