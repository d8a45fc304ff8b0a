import Foundation
import GRDBSQLite
import RestfulData
import Testing

@testable import ObjectStore

/// SQLite's plans for queries use an index, and avoid a scan of the table and sorting.
@MainActor
@Suite struct QueryPlanTests {
    enum Work {
        @Model(indexes: [["state", "createdAt"], ["owner", "size"]])
        final class Item {
            enum State: String { case open, closed }

            var identifier: Int?
            @Attribute(indexed: true) var title = ""
            @Attribute(searchable: true) var text: String?
            var state: State?
            var createdAt: Date?
            var size: Int?
            var owner: Person?
            var tags: [Tag]
        }
        @Model final class Person {
            var identifier: Int?
            var items: [Item]
        }
        @Model final class Tag {
            var identifier: Int?
            var items: [Item]
        }
        @Model(identity: "person", "name")
        final class Badge {
            var person: Person?
            var name: String?
        }
        static let models: [any Model.Type] = [Item.self, Person.self, Tag.self, Badge.self]
    }

    private func filled() async throws -> Store {
        let store = try Store(of: Work.models)
        let items = (1...40).map { number in
            """
            {"id": \(number), "title": "t\(number % 7)", "text": "word\(number % 5)", "state": "open", "size": \(number),
             "created_at": "2024-01-01", "owner": {"id": \(number % 3)}, "tags": [{"id": \(number % 4)}]}
            """
        }
        try await store.main.take(Work.Item.self, "[\(items.joined(separator: ","))]")
        try await store.main.take(Work.Badge.self, #"[{"person_id": 1, "name": "a"}]"#)
        return store
    }

    private func plan(_ sql: String, in store: Store) throws -> [String] {
        try Database(store.path).rows("EXPLAIN QUERY PLAN " + sql).map { $0[3] ?? "" }
    }

    private func plan<M: Model>(of query: ObjectQuery<M>, in store: Store) throws -> String {
        let model = try query.context.model(of: M.self)
        let statement = try query.selection(of: model, limit: query.limit, offset: query.offset)
        return try plan(statement.text, in: store).joined(separator: "; ")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let plan: String
        let query: @Sendable (ObjectQuery<Work.Item>, Work.Person) -> ObjectQuery<Work.Item>

        init(
            _ description: String, _ plan: String,
            _ query: @escaping @Sendable (ObjectQuery<Work.Item>, Work.Person) -> ObjectQuery<Work.Item>
        ) {
            (testDescription, self.plan, self.query) = (description, plan, query)
        }
    }

    nonisolated static let rows: [Row] = [
        Row("an indexed attribute", "SEARCH item USING INDEX _index_item(title) (title=?)") { query, _ in
            query.where { $0.title == "t1" }
        },
        Row("a range", "SEARCH item USING INDEX _index_item(title) (title>? AND title<?)") { query, _ in
            query.where { ("a"..<"t").contains($0.title) }.order(by: { $0.title })
        },
        Row("two of an index", "SEARCH item USING INDEX _index_item(state,created_at) (state=? AND created_at>?)") {
            query, _ in
            query.where { $0.state == .open && $0.createdAt > Date.distantPast }.order(by: { $0.createdAt })
        },
        Row(
            "one of an index in the order of the other",
            "SEARCH item USING INDEX _index_item(state,created_at) (state=?)"
        ) { query, _ in
            query.where { $0.state == .open }.order(by: { $0.createdAt }).limit(20)
        },
        Row("the order of an index", "SCAN item USING INDEX _index_item(title)") { query, _ in
            query.order(by: { $0.title }).limit(20)
        },
        Row("a link", "SEARCH item USING INDEX item_owner_id (owner_id=?)") { query, person in
            query.where { $0.owner == person }
        },
        Row("a link in the order of an attribute", "SEARCH item USING INDEX _index_item(owner_id,size) (owner_id=?)") {
            query, person in
            query.where { $0.owner == person }.order(by: { $0.size })
        },
        Row("an identity", "SEARCH item USING INDEX item_identity (identifier=?)") { query, _ in
            query.where { $0.identifier == 3 }
        },
    ]

    @Test(arguments: rows)
    func `A query plan reads only the rows of the result, in their order`(_ row: Row) async throws {
        let store = try await filled()
        let person = try #require(try store.main.find(Work.Person.self, 1))
        #expect(try plan(of: row.query(store.main.query(Work.Item.self), person), in: store) == row.plan)
    }

    @Test func `A query for several values searches the index for each`() async throws {
        let store = try await filled()
        let query = store.main.query(Work.Item.self)
        let plans = try [
            plan(of: query.where { $0.title.isAmong(["t1", "t2"]) }, in: store),
            plan(of: query.where { $0.title == "t1" || $0.title == "t2" }, in: store),
        ]
        for plan in plans {
            #expect(plan.contains("SEARCH item USING INDEX _index_item(title) (title=?)"))
            #expect(!plan.contains("SCAN item"))
        }
    }

    @Test func `A search reads the full text index`() async throws {
        let store = try await filled()
        let query = store.main.query(Work.Item.self).search("word1")
        let match = try #require(try query.searchMatch(store.main.model(of: Work.Item.self)))
        let plan = try plan(of: query.narrowed(by: match), in: store)
        #expect(plan.contains("SEARCH item USING INTEGER PRIMARY KEY (rowid=?)") && !plan.contains("SCAN item"))
    }

    /// All statements that the store itself prepares find rows of the models by an index.
    @Test func `The store's own statements scan no table`() async throws {
        let store = try await filled()
        let context = store.main
        let person = try #require(try context.find(Work.Person.self, 1))
        #expect(try context.find(Work.Badge.self, person, "a") != nil)
        #expect(person.items.count == 14 && person.items.allSatisfy { $0.owner === person })
        let tag = try #require(try context.find(Work.Tag.self, 2))
        #expect(tag.items.allSatisfy { $0.tags.contains { $0 === tag } })
        tag.items = Array(tag.items.dropFirst())
        person.items = []
        Work.Item(in: context).tags = [tag]
        try await context.save()
        try await context.take(
            Work.Item.self, #"[{"id": 1, "title": "new", "tags": [{"id": 3}, {"id": 9}], "owner": 5}]"#)
        context.delete(tag)
        try await context.save()
        let written = try await store.file.write { writer in (writer.connection.prepared, ChangeSet(writer.schema)) }
        let read = try context.reading { try $0.reading().connection.prepared }
        #expect(written.count > 10 && read.count > 4)
        var scans: Set<String> = []
        for sql in Set(written + read) where ["SELECT", "UPDATE", "DELETE", "INSERT"].contains(sql.prefix(6)) {
            // The newest key is at hand, and FTS5 prepares a walk through all texts that it takes when it makes its
            // index anew.
            if sql.hasSuffix("ORDER BY _id DESC LIMIT 1") || sql.hasPrefix("SELECT T.") { continue }
            // The rows that wait to be sent have an index of few.
            for line in try plan(sql, in: store)
            where line.hasPrefix("SCAN") && !line.contains("USING INDEX _unsent_") {
                let table = line.split(separator: " ").dropFirst().first ?? ""
                if ["item", "person", "tag", "badge", "item_tags"].contains(table) { scans.insert("\(line): \(sql)") }
            }
        }
        #expect(scans == [])
    }
}

extension Connection {
    /// The statements that are prepared on the connection.
    fileprivate var prepared: [String] {
        var found: [String] = []
        var statement = unsafe sqlite3_next_stmt(handle, nil)
        while let next = unsafe statement {
            if let sql = unsafe sqlite3_sql(next) { unsafe found.append(String(cString: sql)) }
            unsafe statement = sqlite3_next_stmt(handle, next)
        }
        return found
    }
}
