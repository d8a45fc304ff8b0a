import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Random imports, edits and deletions, after each of which every word is looked for: the index against the texts
/// themselves.
@MainActor
@Suite struct SearchSimulationTests {
    enum Library {
        @Model final class Shelf {
            var identifier: Int?
            @Attribute(searchable: true) var name: String?
            @Relationship(onDelete: .cascade) var works: [Work]
        }
        @Model(discriminator: "kind")
        class Work {
            var identifier: Int?
            var kind = ""
            @Attribute(searchable: true) var title = ""
            var shelf: Shelf?
            var cover: Cover?
        }
        @Model(inherits: Work.self, as: "novel")
        final class Novel: Work {
            @Attribute(searchable: true) var plot: String?
        }
        @Model(inherits: Work.self, as: "score")
        final class Score: Work {
            @Attribute(searchable: true) var key: String?
        }
        @Model(embedded: true)
        final class Cover {
            @Attribute(searchable: true) var motto: String?
            var pages = 0
        }
        static let models: [any Model.Type] = [Shelf.self, Work.self, Novel.self, Score.self, Cover.self]
    }

    nonisolated private static let words = ["red", "green", "blue", "gold", "grey"]

    /// Random names of events in the library.
    private struct Chance {
        var random: SeededGenerator

        mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        mutating func text() -> String {
            (0..<below(4)).map { _ in words[below(words.count)] }.joined(separator: " ")
        }
        mutating func work(_ kind: String) -> String {
            let cover =
                below(3) == 0 ? #", "cover": {"motto": "\#(text())"}"# : below(4) == 0 ? #", "cover": null"# : ""
            let shelf = below(3) == 0 ? #", "shelf": \#(below(4))"# : ""
            return
                #"{"id": \#(below(12)), "kind": "\#(kind)", "title": "\#(text())", "plot": "\#(text())", "key": "\#(text())"\#(cover)\#(shelf)}"#
        }
        mutating func works() -> String {
            (0..<below(6)).map { _ in work(["novel", "score", "essay"][below(3)]) }.joined(separator: ", ")
        }
    }

    private func expectRight(_ context: ObjectContext, _ when: String) throws {
        for word in Self.words {
            try expectFound(Library.Shelf.self, word, context, when) { [$0.name] }
            try expectFound(Library.Cover.self, word, context, when) { [$0.motto] }
            try expectFound(Library.Novel.self, word, context, when) { [$0.title, $0.plot] }
            try expectFound(Library.Score.self, word, context, when) { [$0.title, $0.key] }
            try expectFound(Library.Work.self, word, context, when) { work in
                [work.title, (work as? Library.Novel)?.plot, (work as? Library.Score)?.key]
            }
        }
    }

    private func expectFound<M: Model>(
        _ type: M.Type, _ word: String, _ context: ObjectContext, _ when: String, texts: (M) -> [String?]
    ) throws {
        let query = context.query(type)
        let found = try query.search(word).fetch()
        let expected = try query.fetch().filter { object in
            texts(object).contains { $0?.split(separator: " ").contains { $0 == word } ?? false }
        }
        #expect(
            Set(found.map(ObjectIdentifier.init)) == Set(expected.map(ObjectIdentifier.init)), "\(type) \(word) \(when)"
        )
        #expect(try query.search(word).count() == expected.count, "\(type) \(word) \(when)")
    }

    private func edit(_ context: ObjectContext, _ chance: inout Chance) throws {
        let works = try context.query(Library.Work.self).fetch()
        let shelves = try context.query(Library.Shelf.self).fetch()
        switch chance.below(9) {
        case 0: Library.Novel(in: context).plot = chance.text()
        case 1:
            let shelf = Library.Shelf(in: context)
            (shelf.name, shelf.works) = (chance.text(), works.filter { _ in chance.below(3) == 0 })
        case 2: if !works.isEmpty { context.delete(works[chance.below(works.count)]) }
        case 3: if !shelves.isEmpty { context.delete(shelves[chance.below(shelves.count)]) }
        case 4:
            if !works.isEmpty { works[chance.below(works.count)].kind = ["novel", "score", "essay"][chance.below(3)] }
        case 5:
            if !works.isEmpty {
                let cover = Library.Cover(in: context)
                cover.motto = chance.text()
                works[chance.below(works.count)].cover = cover
            }
        case 6: for cover in try context.query(Library.Cover.self).fetch() { cover.motto = chance.text() }
        default:
            for work in works where chance.below(3) == 0 {
                work.title = chance.text()
                (work as? Library.Novel)?.plot = chance.text()
            }
        }
    }

    @Test(arguments: Fuzzing.seeds(12))
    func `The search index equals the stored texts`(_ seed: UInt64) async throws {
        let store = try Store(of: Library.models)
        let context = store.main
        var chance = Chance(random: SeededGenerator(seed: seed))
        for step in 0..<25 {
            let when = "seed \(seed), step \(step)"
            switch chance.below(5) {
            case 0: try await context.take(Library.Work.self, "[\(chance.works())]")
            case 1:
                try await context.take(
                    Library.Shelf.self,
                    #"[{"id": \#(chance.below(4)), "name": "\#(chance.text())", "works": [\#(chance.works())]}]"#)
            case 2: try await store.takeElsewhere(Library.Work.self, "[\(chance.works())]")
            case 3:
                try edit(context, &chance)
                try expectRight(context, "\(when), unsaved")
                if chance.below(2) == 0 { context.rollback() } else { _ = try? await context.save() }
            default:
                try edit(context, &chance)
                _ = try? await context.save()
            }
            #expect(try Search.problems(of: store) == [], "\(when)")
            try await expectStored(store, when)
        }
    }

    /// A new context sees the file.
    private func expectStored(_ store: Store, _ when: String) async throws {
        for word in Self.words {
            let (found, expected) = try await store.background { context in
                let works = context.query(Library.Work.self)
                let expected = try works.fetch().filter { work in
                    [work.title, (work as? Library.Novel)?.plot, (work as? Library.Score)?.key].contains {
                        $0?.split(separator: " ").contains { $0 == word } ?? false
                    }
                }
                return (
                    Set(try works.search(word).fetch().map(\._object.localID)), Set(expected.map(\._object.localID))
                )
            }
            #expect(found == expected, "\(word) \(when)")
        }
    }

    @Test func `Rows that another program writes without the tokenizer are found at once and indexed later`()
        async throws
    {
        let store = try Store(of: Library.models)
        try await store.main.take(
            Library.Shelf.self,
            #"[{"id": 1, "name": "red", "works": [{"id": 1, "kind": "novel", "title": "blue", "plot": "gold"}]}]"#)
        let database = try Database(store.path, isPlain: true)
        try database.execute(
            """
            PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;
            INSERT INTO work (identifier, kind, title) VALUES (5, 'essay', 'grey');
            UPDATE OR REPLACE work SET title = 'green' WHERE identifier = 1;
            UPDATE work SET kind = 'essay' WHERE identifier = 1
            """)
        // A step reads one state of the file.
        await endStep(store)
        let works = store.main.query(Library.Work.self)
        for _ in 0..<2 {
            #expect(try works.search("grey").count() == 1)
            let green = try works.search("green").searchResults(marking: "[", and: "]")
            #expect(green.map(\.excerpt) == ["[green]"])
            #expect(try works.search("gold").count() == 0)
            #expect(try works.search("blue").count() == 0)
            // The next transaction indexes it, if that is still to be done.
            try await store.main.take(Library.Shelf.self, #"{"id": 9}"#)
            #expect(try Search.problems(of: store) == [])
        }
        try database.execute("INSERT OR REPLACE INTO shelf (_id, identifier, name) VALUES (7, 1, 'grey')")
        await endStep(store)
        for _ in 0..<2 {
            #expect(try works.search("green").count() == 0)
            #expect(try store.main.query(Library.Shelf.self).search("grey").count() == 1)
            #expect(try store.main.query(Library.Shelf.self).search("red").count() == 0)
            try await store.main.take(Library.Shelf.self, #"{"id": 9, "name": "gold"}"#)
            #expect(try Search.problems(of: store) == [])
        }
    }

    @Test func `Rows that another program wrote while no store was open are indexed on opening`() async throws {
        let file = try TemporaryFile()
        do {
            let store = try Store(.file(file.path), models: Library.models)
            try await store.main.take(Library.Work.self, #"{"id": 1, "kind": "novel", "title": "blue"}"#)
            store.close()
        }
        try Database(file.path, isPlain: true).execute(
            "UPDATE work SET title = 'green' WHERE identifier = 1; INSERT INTO work (identifier, kind, title) VALUES (2, 'essay', 'grey')"
        )
        let store = try Store(.file(file.path), models: Library.models)
        #expect(try Search.problems(of: store) == [])
        #expect(try store.main.query(Library.Work.self).search("green").count() == 1)
        #expect(try store.main.query(Library.Work.self).search("blue").count() == 0)
        #expect(try store.main.query(Library.Work.self).search("grey").count() == 1)
    }

    @Test func `An unchanged import doesn't write to a search index`() async throws {
        let store = try Store(of: Library.models)
        let body = #"[{"id": 1, "kind": "novel", "title": "blue", "cover": {"motto": "red"}}]"#
        try await store.main.take(Library.Work.self, body)
        let database = try Database(store.path)
        let version = try database.value("PRAGMA data_version")
        let report = try await store.main.take(Library.Work.self, body).report
        #expect((report.inserted, report.updated) == (0, 0))
        #expect(try database.value("PRAGMA data_version") == version)
        try await store.main.take(Library.Work.self, #"[{"id": 1, "kind": "novel", "title": "red"}]"#)
        #expect(try database.value("PRAGMA data_version") != version)
        #expect(try store.main.query(Library.Novel.self).search("red").count() == 1)
    }

    @Test func `An import into a searchable model finds its rows by identity`() async throws {
        let store = try Store(of: Library.models)
        let first = try await store.main.take(
            Library.Shelf.self, #"[{"id": 1, "name": "red"}, {"id": 2, "name": "blue"}, {"id": 1, "name": "green"}]"#)
        #expect(first.report.inserted == 2)
        let second = try await store.main.take(
            Library.Shelf.self, #"[{"id": 1, "name": "green"}, {"id": 2, "name": "gold"}, {"id": 3, "name": "gold"}]"#)
        #expect((second.report.inserted, second.report.updated) == (1, 1))
        #expect(second.objects.map(\.identifier) == [1, 2, 3])
        #expect(try store.main.query(Library.Shelf.self).search("gold").count() == 2)
    }
}
