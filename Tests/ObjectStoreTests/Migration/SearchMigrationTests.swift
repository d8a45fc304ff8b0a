import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Full-text indexes when a file is opened: created from the rows, kept, created again and dropped.
@MainActor
@Suite struct SearchMigrationTests {
    enum Plain {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            var note: String?
            var size: Int?
        }
    }
    enum Searched {
        @Model final class Item {
            var identifier: Int?
            @Attribute(searchable: true) var title = ""
            var note: String?
            var size: Int?
        }
    }
    enum More {
        @Model final class Item {
            var identifier: Int?
            @Attribute(searchable: true) var title = ""
            @Attribute(searchable: true) var note: String?
            var size: Int?
        }
    }
    /// Something that no index is concerned with.
    enum Grown {
        @Model final class Item {
            var identifier: Int?
            @Attribute(searchable: true) var title = ""
            var note: String?
            @Attribute(indexed: true) var size: Int?
            var color: String?
        }
    }
    enum Renamed {
        @Model(renamedFrom: "Item")
        final class Article {
            var identifier: Int?
            @Attribute(renamedFrom: "title", searchable: true) var name = ""
            var note: String?
            var size: Int?
        }
    }
    /// A number becomes a text that is searched.
    enum Retyped {
        @Model final class Item {
            var identifier: Int?
            @Attribute(searchable: true) var title = ""
            var note: String?
            @Attribute(searchable: true) var size: String?
        }
    }
    enum Filled {
        @Model final class Item {
            var identifier: Int?
            var title = ""
            @Attribute(searchable: true) var note = "by default"
            var size: Int?
        }
    }

    private static let body =
        #"[{"id": 1, "title": "a crash", "note": "why", "size": 42}, {"id": 2, "title": "the menu"}]"#

    private func filled(_ model: any Model.Type = Plain.Item.self) async throws -> MigratedFile {
        let file = try MigratedFile()
        try await file.open([Plain.Item.self]) { try await $0.main.take(Plain.Item.self, Self.body) }
        try await file.open([model])
        return file
    }

    private func find<M: Model>(_ type: M.Type, _ text: String, in file: MigratedFile) async throws -> Int {
        try await file.open([type]) { store in
            #expect(try Search.problems(of: store) == [])
            return try store.main.query(type).search(text).count()
        }
    }

    @Test func `A migration builds a search index of the existing rows`() async throws {
        let file = try await filled(Searched.Item.self)
        #expect(try await find(Searched.Item.self, "crash", in: file) == 1)
        #expect(try await find(Searched.Item.self, "why", in: file) == 0)
        #expect(try await find(More.Item.self, "crash why", in: file) == 1)
        #expect(try await find(Searched.Item.self, "why", in: file) == 0)
    }

    @Test func `A removed search index leaves nothing in the file`() async throws {
        let file = try await filled()
        let before = try file.contents().filter { !$0.contains("_schema") }
        try await file.open([More.Item.self])
        try await file.open([Plain.Item.self])
        #expect(try file.contents().filter { !$0.contains("_schema") } == before)
    }

    @Test func `A search index stays when another attribute is added`() async throws {
        let file = try await filled(Searched.Item.self)
        let root =
            "SELECT group_concat(rootpage) FROM sqlite_schema WHERE name LIKE '\\_search(%' ESCAPE '\\' AND type = 'table'"
        let before = try Database(file.file.path).value(root)
        #expect(try await find(Grown.Item.self, "crash", in: file) == 1)
        #expect(try Database(file.file.path).value(root) == before)
        try await file.open([Grown.Item.self]) { store in
            try await store.main.take(Grown.Item.self, #"[{"id": 1, "title": "a crush", "color": "red"}]"#)
        }
        #expect(try await find(Grown.Item.self, "crush", in: file) == 1)
        #expect(try await find(Grown.Item.self, "crash", in: file) == 0)
    }

    @Test func `A search index follows a renamed model and attribute`() async throws {
        let file = try await filled(Searched.Item.self)
        #expect(try await find(Renamed.Article.self, "crash", in: file) == 1)
        try await file.open([Renamed.Article.self]) { store in
            try await store.main.take(Renamed.Article.self, #"[{"id": 2, "name": "a crash too"}]"#)
        }
        #expect(try await find(Renamed.Article.self, "crash", in: file) == 2)
        let old = try Database(file.file.path).rows("SELECT name FROM sqlite_schema WHERE name LIKE '%(item)%'")
        #expect(old.isEmpty)
    }

    @Test func `A search index contains converted values and defaults`() async throws {
        let file = try await filled(Searched.Item.self)
        #expect(try await find(Retyped.Item.self, "crash 42", in: file) == 1)
        let other = try await filled(More.Item.self)
        #expect(try await find(Filled.Item.self, "default", in: other) == 1)
    }

    @Test func `A stale search index is rebuilt when the file is migrated`() async throws {
        let file = try await filled(Searched.Item.self)
        let database = try Database(file.file.path)
        for suffix in ["insert", "update", "delete"] {
            try database.execute("DROP TRIGGER \"_search(item)_\(suffix)\"")
        }
        try database.execute(
            "UPDATE item SET title = 'new' WHERE identifier = 1; UPDATE _schema SET value = replace(value, '\"note\"', '\"note\" ')"
        )
        try await file.open([Grown.Item.self])
        #expect(try await find(Grown.Item.self, "new", in: file) == 1)
        #expect(try await find(Grown.Item.self, "crash", in: file) == 0)
    }

    /// As files of the format 8 had it.
    @Test func `A search index of another tokenizer is rebuilt`() async throws {
        let file = try await filled(Searched.Item.self)
        let database = try Database(file.file.path)
        for suffix in ["insert", "update", "delete"] {
            try database.execute("DROP TRIGGER \"_search(item)_\(suffix)\"")
        }
        try database.execute(
            """
            DROP TABLE "_search(item)"; CREATE TABLE _search (is_on INTEGER PRIMARY KEY NOT NULL) STRICT;
            CREATE VIRTUAL TABLE "_search(item)" USING fts5(c0, content='_search(item)_text', content_rowid='_id', \
            tokenize='unicode61 remove_diacritics 2'); PRAGMA user_version = 8
            """)
        #expect(try await find(Searched.Item.self, "crash", in: file) == 1)
        #expect(try database.value("SELECT count(*) FROM sqlite_schema WHERE name = '_search'") == "0")
    }

    enum ByTitle {
        @Model(identity: "title") final class Item {
            var identifier: Int?
            @Attribute(searchable: true) var title: String?
            @Attribute(searchable: true) var note: String?
            var size: Int?
        }
    }

    @Test func `A search index drops the words of rows that are unified away`() async throws {
        let file = try await filled(More.Item.self)
        try await file.open([More.Item.self]) { store in
            try await store.main.take(More.Item.self, #"[{"id": 3, "title": "a crash", "note": "other"}]"#)
        }
        #expect(try await find(ByTitle.Item.self, "crash", in: file) == 1)
        #expect(try await find(ByTitle.Item.self, "why other", in: file) == 0)
    }

    enum Misdeclared {
        typealias Number = Int
        @Model final class Item {
            var identifier: Int?
            @Attribute(searchable: true) var size: Number?
            @Attribute(access: .writeOnly, searchable: true) var password: String?
        }
    }

    @Test func `A searchable attribute that is numeric or write-only is refused by name`() throws {
        let error = #expect(throws: StoreError.self) { try Store(of: [Misdeclared.Item.self]) }
        guard case .models(let problems)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(problems.count == 2)
        #expect(problems.contains { $0.contains("Item.size is searchable, and its value is a whole number") })
        #expect(problems.contains { $0.contains("Item.password is searchable, and write-only") })
    }
}
