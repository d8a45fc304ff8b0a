import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Opening a store: its reads, writes and reports.
@MainActor
@Suite struct OpeningTests {
    enum First {
        @Model final class Item {
            var identifier: Int?
            var title = ""
        }
    }

    enum Second {
        @Model final class Item {
            var identifier: Int?
            var title: String?
            var color = "red"
        }
    }

    enum Third {
        @Model final class Item {
            var identifier: Int?
            var color = "red"
        }
    }

    @Test func `Opening with the same models writes nothing`() throws {
        let reports = Reports()
        let schema = try Schema(models: [First.Item.self], conventions: .default)
        try Connection.inMemory { connection in
            func marks() throws -> [Int64] {
                try ["SELECT total_changes()", "PRAGMA schema_version"].map { try connection.integer($0) }
            }
            try StoreOpening(schema, on: connection, options: StoreOptions { reports.add($0) }).prepare()
            let before = try marks()
            try StoreOpening(schema, on: connection, options: StoreOptions { reports.add($0) }).prepare()
            #expect(try marks() == before)
        }
        #expect(reports.all.isEmpty)
    }

    @Test func `A migration reports each step and its progress`() async throws {
        let file = try MigratedFile()
        try await file.open([First.Item.self])
        try Database(file.file.path).execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45000)
            INSERT INTO item (_id, identifier, title) SELECT i, i, 'title ' || i FROM n
            """)
        let reports = Reports()
        do {
            let store = try Store(
                .file(file.file.path), models: [Third.Item.self], options: StoreOptions { reports.add($0) })
            store.close()
        }
        #expect(
            reports.all.map(\.description) == [
                #"1/7 check that title of "item" may go"#,
                #"2/7 note of which properties of "item" something is known"#,
                #"3/7 write the table "item" anew: adds "color", drops "title" (0 of 0 rows)"#,
                #"3/7 write the table "item" anew: adds "color", drops "title" (20000 of 45000 rows)"#,
                #"3/7 write the table "item" anew: adds "color", drops "title" (40000 of 45000 rows)"#,
                #"3/7 write the table "item" anew: adds "color", drops "title" (45000 of 45000 rows)"#,
                #"4/7 update the unsent changes of "item""#,
                #"5/7 update how the server writes each property"#,
                #"6/7 add the index "_unsent_item""#,
                #"7/7 add the index "item_identity""#,
            ])
        #expect(try Database(file.file.path).value("SELECT count(*) FROM item WHERE color = 'red'") == "45000")
    }

    /// A million rows gain an attribute, and all stay unwritten.
    @Test func `Adding an attribute writes the same amount for a thousand and a million rows`() async throws {
        var written: [Int: Int] = [:]
        for count in [1_000, 1_000_000] {
            let file = try MigratedFile()
            try await file.open([First.Item.self])
            try Database(file.file.path).execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO item (_id, identifier, title) SELECT i, i, 'title ' || i FROM n
                """)
            let start = ContinuousClock.now
            let store = try Store(.file(file.file.path), models: [Second.Item.self])
            print("\(count) rows gain a column in \(ContinuousClock.now - start)")
            written[count] = try Data(contentsOf: URL(filePath: file.file.path + "-wal")).count
            #expect(try Database(file.file.path).value("SELECT count(*) FROM item WHERE color = 'red'") == "\(count)")
            store.close()
        }
        // The WAL has the pages that were written: those of the schema.
        #expect(written[1_000] == written[1_000_000], "\(written)")
        #expect((written[1_000_000] ?? .max) < 200_000)
    }

    @Test func `A file of a newer library's format is refused`() async throws {
        let file = try MigratedFile()
        try await file.open([First.Item.self])
        try Database(file.file.path).execute(
            "UPDATE _schema SET value = '{\"version\": 9, \"worlds\": []}' WHERE name = 'models'")
        do {
            try await file.open([First.Item.self])
            Testing.Issue.record("it was opened")
        } catch StoreError.file(.newerVersion(let version), path: _) {
            #expect(version == 9)
        }
    }

    enum Linked {
        @Model final class Item {
            var identifier: Int?
            var next: Item?
        }
    }

    enum LinkedAnew {
        @Model final class Item {
            var identifier: String?
            var next: Item?
        }
    }

    @Test func `A dangling link is reported, and the file is left unchanged`() async throws {
        let file = try MigratedFile()
        try await file.open([Linked.Item.self]) { store in
            try await store.main.take(Linked.Item.self, #"{"id": 1}"#)
        }
        try Database(file.file.path).execute("PRAGMA foreign_keys = OFF; UPDATE item SET next_id = 99")
        let before = try file.contents()
        let error = await failure { try await file.open([LinkedAnew.Item.self]) }
        #expect(error.contains("1 links of \"item\" lead to nothing"), "\(error)")
        #expect(try file.contents() == before)
    }

    @Test func `A file whose description of its models can't be read is damaged`() async throws {
        let file = try MigratedFile()
        try await file.open([First.Item.self])
        try Database(file.file.path).execute("UPDATE _schema SET value = 'x' WHERE name = 'models'")
        do {
            try await file.open([First.Item.self])
            Testing.Issue.record("it was opened")
        } catch StoreError.file(.damaged(let what), path: _) {
            #expect(what == "the description of its models")
        }
    }
}

/// A migration's report.
final class Reports: @unchecked Sendable {
    // Set by the thread that opens the store, and read after that by the same one.
    private(set) var all: [MigrationProgress] = []

    func add(_ progress: MigrationProgress) { all.append(progress) }
}
