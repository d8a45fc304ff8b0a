import Foundation
import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Search for words, in the file and among unsaved objects.
@MainActor
@Suite struct SearchTests {
    enum Notes {
        @Model final class Note {
            enum State: String { case open, closed }

            var identifier: Int?
            @Attribute(searchable: true) var title = ""
            @Attribute("text", searchable: true) var body: String?
            @Attribute(searchable: true) var state: State?
            var stars = 0
        }

        @Model final class Plain {
            var identifier: Int?
            var title = ""
        }

        @Model final class Page {
            var identifier: Int?
            @Attribute(searchable: true) var title = ""
            var labels: [Label]
        }

        /// Names that mean something to FTS5, or to SQL.
        @Model(table: "odd \"name's")
        final class Odd {
            var identifier: Int?
            @Attribute(searchable: true) var rank = ""
            @Attribute(searchable: true) var rowid = ""
            @Attribute(searchable: true) var order = ""
        }
    }

    nonisolated private static let body = #"""
        [{"id": 1, "title": "Crash in the café", "text": "It crashes when the menu opens. A long text about many other things follows."},
         {"id": 2, "title": "Crash", "text": "crash crash crash", "state": "closed", "stars": 5},
         {"id": 3, "title": "Menü order", "text": "foo-bar AND NOT \"quoted\" title:crashing", "state": "open"},
         {"id": 4, "title": "foo bar", "stars": 2},
         {"id": 5, "title": "bar foo", "text": null},
         {"id": 6, "title": "100%", "text": "it's C++ (really) * ^ - + {} NEAR"}]
        """#

    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let asTyped: Bool
        let found: [Int]
        var testDescription: String { "\(text) \(asTyped ? "…" : "")" }

        init(_ text: String, _ found: [Int], asTyped: Bool = false) {
            (self.text, self.asTyped, self.found) = (text, asTyped, found)
        }
    }

    nonisolated static let rows: [Row] = [
        Row("crash", [2, 1]), Row("CRASH", [2, 1]), Row("crash cafe", [1]), Row("café  crash\n", [1]),
        Row("cafe\u{301}", [1]), Row("menu", [1, 3]), Row("cras", []), Row("cras", [1, 2, 3], asTyped: true),
        Row("crash men", [1], asTyped: true), Row("men crash", [], asTyped: true), Row("men crash", []),
        Row("foo-bar", [3, 4]), Row("bar foo", [3, 4, 5]), Row("foo bar foo", [3, 4, 5]),
        Row("\"foo bar\"", [3, 4, 5]),
        Row("AND", [3]), Row("crash OR menu", []), Row("NOT", [3]), Row("NEAR", [6]), Row("title:crash", []),
        Row("title:crash", [3], asTyped: true), Row("crash*", [1, 2]), Row("^crash", [1, 2]), Row("c++", [6]),
        Row("100%", [6]), Row("it's", [6]), Row("its", []), Row("- crash +", [1, 2]), Row("crash - ", [1, 2]),
        Row("closed", [2]), Row("nothing", []), Row("crash nothing", []), Row("x' OR 1=1 --", []),
        Row("crash\u{0}menu", [1]), Row("crash\")", [1, 2]), Row(")(", [1, 2, 3, 4, 5, 6]),
        Row("", [1, 2, 3, 4, 5, 6]), Row("  ", [1, 2, 3, 4, 5, 6], asTyped: true), Row("*", [1, 2, 3, 4, 5, 6]),
        Row("\u{300}", [1, 2, 3, 4, 5, 6]),
    ]

    private func filled() async throws -> Store {
        let store = try Store(of: [Notes.Note.self, Notes.Plain.self, Notes.Odd.self])
        try await store.main.take(Notes.Note.self, Self.body)
        return store
    }

    @Test(arguments: rows)
    func `A search finds words in the file and in unsaved objects`(_ row: Row) async throws {
        let store = try await filled()
        let query = store.main.query(Notes.Note.self).search(row.text, asTyped: row.asTyped)
        func expectFound(_ when: String) throws {
            #expect(try Set(query.fetch().map(\.identifier)) == Set(row.found), "\(when)")
            #expect(try query.count() == row.found.count, "\(when)")
            #expect(
                try query.order(by: { $0.identifier }).fetch().map(\.identifier) == row.found.sorted(), "\(when)")
            #expect(try query.searchResults().map(\.object.identifier) == query.fetch().map(\.identifier), "\(when)")
        }
        try expectFound("in the file")
        let notes = try store.main.query(Notes.Note.self).fetch()
        for note in notes { note.stars += 1 }
        try expectFound("with unsaved edits of something else")
        store.main.rollback()
        for note in try store.main.query(Notes.Note.self).fetch() {
            let new = Notes.Note(in: store.main)
            (new.title, new.body, new.state, new.identifier) = (note.title, note.body, note.state, note.identifier)
            store.main.delete(note)
        }
        try expectFound("of unsaved objects alone")
    }

    @Test func `A search orders objects by rank unless the query has an order`() async throws {
        let store = try await filled()
        let query = store.main.query(Notes.Note.self).search("crash")
        #expect(try query.fetch().map(\.identifier) == [2, 1])
        #expect(try query.first()?.identifier == 2)
        #expect(try query.limit(1, offset: 1).fetch().map(\.identifier) == [1])
        #expect(try query.order(by: { $0.identifier }).fetch().map(\.identifier) == [1, 2])
        #expect(try query.where { $0.stars < 3 }.fetch().map(\.identifier) == [1])
        #expect(try query.where { $0.stars < 3 }.count() == 1)
        #expect(try query.limit(1).count() == 1)
        #expect(try query.search("foo").where { $0.stars == 2 }.fetch().map(\.identifier) == [4])
    }

    @Test(arguments: [false, true])
    func `Values, visits and bulk changes of a search use its rank order`(_ isEdited: Bool) async throws {
        let store = try await filled()
        if isEdited {
            let new = Notes.Note(in: store.main)
            (new.identifier, new.title, new.stars) = (9, "A crash of late", 5)
        }
        let query = store.main.query(Notes.Note.self).search("crash")
        let found = try query.fetch().map(\.identifier)
        #expect(found == (isEdited ? [9, 2, 1] : [2, 1]))
        #expect(try query.select { $0.identifier }.fetch() == found)
        #expect(try query.limit(1, offset: 1).select { $0.identifier }.fetch() == [found[1]])
        #expect(try query.select { $0.identifier }.distinct().fetch() == found.sorted { $0 ?? 0 < $1 ?? 0 })
        #expect(try query.order(by: { $0.stars }).select { $0.identifier }.fetch().first == 1)
        let best: Int = try query.limit(1).sum { $0.stars }
        #expect(best == 5)
        for limit in [1, 9] {
            var visited: [Int?] = []
            try query.limit(limit).visit { visited.append($0.identifier) }
            #expect(visited == Array(found.prefix(limit)))
        }
        #expect(try await query.limit(1).update { [$0.stars.set(to: 7)] } == 1)
        #expect(try store.main.query(Notes.Note.self).where { $0.stars == 7 }.first()?.identifier == found[0])
        #expect(try await query.limit(1).delete() == 1)
        #expect(try query.fetch().map(\.identifier) == Array(found.dropFirst()))
    }

    @Test func `A page of a search begins after the given object`() async throws {
        let store = try await filled()
        let query = store.main.query(Notes.Note.self).search("cras", asTyped: true)
        for when in ["in the file", "with unsaved edits"] {
            let found = try query.fetch()
            #expect(found.count > 2 && found.map(\.identifier) != found.map(\.identifier).sorted { $0 ?? 0 < $1 ?? 0 })
            for (place, note) in found.enumerated() {
                let rest = found.dropFirst(place + 1).map(\.identifier)
                #expect(try query.after(note).fetch().map(\.identifier) == rest, "\(when)")
                #expect(try query.limit(1).after(note).fetch().map(\.identifier) == Array(rest.prefix(1)), "\(when)")
                #expect(try query.after(note).count() == rest.count, "\(when)")
            }
            try store.main.find(Notes.Note.self, 5)?.title = "crash"
            try store.main.find(Notes.Note.self, 1)?.stars = 3
        }
        let other = try #require(try store.main.find(Notes.Note.self, 6))
        let reason = await failure { _ = try query.after(other).fetch() }
        #expect(reason.contains("the search doesn't find the object after which the page is to begin"))
        #expect(try query.order(by: { $0.identifier }).after(other).count() == 0)
    }

    @Test func `A search in a draft uses lists edited in its context`() async throws {
        let store = try Store(of: [Notes.Page.self, Label.self])
        try await store.main.take(Notes.Page.self, #"[{"id": 1, "title": "crash"}, {"id": 2, "title": "crash"}]"#)
        try await store.main.take(Label.self, #"{"id": 1, "name": "bug"}"#)
        let (page, label) = (try store.main.find(Notes.Page.self, 1), try store.main.find(Label.self, 1))
        page?.labels = [label].compactMap(\.self)
        let draft = try store.main.draft()
        let query = draft.context.query(Notes.Page.self).where { $0.labels.contains { $0.name == "bug" } }
        #expect(try query.fetch().map(\.identifier) == [1])
        #expect(try query.search("crash").fetch().map(\.identifier) == [1])
        #expect(try query.search("crash").limit(5).fetch().map(\.identifier) == [1])
    }

    @Test func `A search uses unsaved edits and keeps the rank of saved matches`() async throws {
        let store = try await filled()
        let query = store.main.query(Notes.Note.self).search("crash")
        let notes = try store.main.query(Notes.Note.self).order(by: { $0.identifier }).fetch()
        notes[0].stars = 9
        #expect(try query.fetch().map(\.identifier) == [2, 1])
        notes[5].title = "Crashless"
        notes[4].title = "The CRÄSH"
        #expect(try query.fetch().map(\.identifier) == [5, 2, 1])
        #expect(try query.limit(1, offset: 1).fetch().map(\.identifier) == [2])
        #expect(try query.count() == 3)
        (notes[1].title, notes[1].body) = ("", nil)
        store.main.delete(notes[0])
        #expect(try query.fetch().map(\.identifier) == [5])
        #expect(try query.order(by: { $0.stars }).fetch().map(\.identifier) == [5])
        #expect(try query.limit(5).count() == 1)
        try await store.main.save()
        #expect(try query.fetch().map(\.identifier) == [5])
        #expect(try Search.problems(of: store) == [])
    }

    @Test func `Search results have excerpts with marks`() async throws {
        let store = try await filled()
        let query = store.main.query(Notes.Note.self).search("crash")
        let results = try query.searchResults(marking: "[", and: "]", words: 3)
        #expect(results.map(\.excerpt) == ["[crash] [crash] [crash]", "[Crash] in the…"])
        #expect(results.allSatisfy { $0.rank ?? 0 < 0 } && results[0].rank ?? 0 <= results[1].rank ?? 0)
        let note = try #require(try store.main.find(Notes.Note.self, 4))
        note.title = "a crash"
        let edited = try query.searchResults(marking: "<b>", and: "</b>")
        #expect(edited.map(\.excerpt)[0] == "a <b>crash</b>" && edited[0].rank == nil && edited[0].object === note)
        #expect(try query.search("").limit(1).searchResults().map(\.excerpt) == [""])
        #expect(try query.searchResults(marking: "[", and: "]", words: 1_000).count == 3)
        #expect(try query.searchResults(marking: "[", and: "]", words: -1).count == 3)
    }

    @Test func `A search of a model without searchable attributes throws`() async throws {
        let store = try await filled()
        let error = #expect(throws: StoreError.self) { try store.main.query(Notes.Plain.self).search("a").fetch() }
        #expect("\(error as Any)".contains("No attribute of Plain is searchable"))
        #expect(throws: StoreError.self) { try store.main.query(Notes.Plain.self).search("a").count() }
        #expect(throws: StoreError.self) { try store.main.query(Notes.Plain.self).search("a").searchResults() }
    }

    @Test func `Searchable attributes may have names that SQL reserves`() async throws {
        let store = try await filled()
        try await store.main.take(Notes.Odd.self, #"[{"id": 1, "rank": "one", "rowid": "two", "order": "three"}]"#)
        for word in ["one", "two", "three", "one three"] {
            #expect(try store.main.query(Notes.Odd.self).search(word).count() == 1)
        }
        #expect(try Search.problems(of: store) == [])
    }

    @Test func `A search may have any number of words`() async throws {
        let store = try await filled()
        let query = store.main.query(Notes.Note.self)
        let words = (0..<20_000).map { "word\($0)" }.joined(separator: " ")
        #expect(try query.search(words).count() == 0)
        #expect(try query.search(Array(repeating: "crash", count: 20_000).joined(separator: " ")).count() == 2)
        #expect(try query.search(Array(repeating: "crash", count: 2_000).joined(separator: "-")).count() == 0)
    }

    @Test func `Updates of a search come when its results change`() async throws {
        let store = try await filled()
        let found = store.main.query(Notes.Note.self).search("menu").updates.makeAsyncIterator()
        #expect(try await found.next()?.count == 2)
        try await store.takeElsewhere(Notes.Note.self, #"[{"id": 6, "title": "A menu"}]"#)
        #expect(try await found.next()?.count == 3)
    }

    @Test func `The explanation of a search shows the order by rank`() async throws {
        let store = try Store(.temporary, models: [Notes.Note.self])
        try await store.main.import(Notes.Note.self, from: Data(Self.body.utf8))
        let query = store.main.query(Notes.Note.self).search("crash").limit(2)
        let text = try query.explanation()
        #expect(text.contains("ORDER BY _found_rank"), "\(text)")
        #expect(text.contains("VIRTUAL TABLE INDEX") && !text.contains("crash"), "\(text)")
        #expect(try query.where { $0.stars > 1 }.explanation().contains("\"stars\" > "))
        #expect(try !query.order(by: { $0.stars }).explanation().contains("_found_rank"))
        #expect(try !query.search("").explanation().contains("_found_rank"))
    }
}

/// SQLite's check of a store's full-text indexes.
enum Search {
    /// Compares each index with its table's text: https://sqlite.org/fts5.html#the_integrity_check_command
    static func problems(of store: Store) throws -> [String] {
        let database = try Database(store.path)
        let indexes = try database.rows(
            "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name")
        var problems: [String] = []
        for index in indexes.compactMap({ $0[0] }) {
            let name = "\"" + index.replacingOccurrences(of: "\"", with: "\"\"") + "\""
            do {
                try database.execute("INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)")
            } catch {
                problems.append("\(index): \(error)")
            }
            let changed = name.dropLast() + "_changed\""
            if try database.value("SELECT count(*) FROM \(changed)") != "0" { problems.append("\(index) is behind") }
        }
        return problems
    }
}
