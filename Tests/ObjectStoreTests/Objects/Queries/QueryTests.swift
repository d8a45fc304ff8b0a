import Foundation
import ObjectStore
import RestfulData
import Testing

/// Each query is asked of the file alone, and again with every object edited and unsaved: both must agree.
@MainActor
@Suite struct QueryTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let query: @Sendable (ObjectQuery<Sample>) -> ObjectQuery<Sample>
        let found: [Int]

        init(
            _ description: String, _ found: [Int],
            _ query: @escaping @Sendable (ObjectQuery<Sample>) -> ObjectQuery<Sample>
        ) {
            testDescription = description
            self.found = found
            self.query = query
        }
    }

    private nonisolated static let body = #"""
        [{"id": 1, "int": 5, "text": "Anna", "decimal": "9", "int128": "9", "uint64": 18446744073709551615, "double": 1.5, "bool": true,
          "mood": "calm", "date": "2020-01-01", "int64": 1},
         {"id": 2, "int": null, "text": "bob", "decimal": "10", "int128": 10, "uint64": 1, "double": -1, "bool": false, "mood": "furious", "int64": 2},
         {"id": 3, "int": -3, "text": "ANNABEL", "decimal": "1.50", "int128": 170141183460469231731687303715884105727, "uint64": 9223372036854775808, "mood": "wild",
          "date": "2021-01-01", "int64": 3},
         {"id": 4, "int": 5, "text": null, "decimal": null, "uint64": null, "double": 1.5, "bool": true, "int64": 4},
         {"id": 5, "int": 0, "text": "cafe\u0301", "decimal": "-2.25", "int128": "-170141183460469231731687303715884105728", "uint64": 0, "double": 0, "date": "2019-06-01", "int64": 5}]
        """#

    nonisolated static let rows: [Row] = [
        Row("all", [1, 2, 3, 4, 5]) { $0 },
        Row("equal", [1, 4]) { $0.where { $0.int == 5 } },
        Row("equal to nil", [2]) { $0.where { $0.int == nil } },
        Row("unequal holds for nil", [2, 3, 5]) { $0.where { $0.int != 5 } },
        Row("unequal to nil", [1, 3, 4, 5]) { $0.where { $0.int != nil } },
        Row("less leaves nil out", [3, 5]) { $0.where { $0.int < 5 } },
        Row("less than nil", []) { $0.where { $0.int < nil } },
        Row("at most", [1, 3, 4, 5]) { $0.where { $0.int <= 5 } },
        Row("greater", [1, 4]) { $0.where { $0.int > 0 } },
        Row("at least", [1, 4, 5]) { $0.where { $0.int >= 0 } },
        Row("not less holds for nil", [1, 2, 4]) { $0.where { !($0.int < 5) } },
        Row("and", [4]) { $0.where { $0.int == 5 && $0.text == nil } },
        Row("or", [1, 2, 4]) { $0.where { $0.int == 5 || $0.text == "bob" } },
        Row("not of both", [2, 3, 4, 5]) { $0.where { !($0.int == 5 && $0.text == "Anna") } },
        Row("not of an unknown", [1, 2, 4]) { $0.where { !($0.int < 5 || $0.text == "nobody") } },
        Row("two conditions", [1]) { $0.where { $0.int == 5 }.where { $0.text != nil } },
        Row("among", [1, 3, 4]) { $0.where { $0.int.isAmong([5, -3, 99]) } },
        Row("among nil", [2, 3]) { $0.where { $0.int.isAmong([nil, -3]) } },
        Row("among none", []) { $0.where { $0.int.isAmong([]) } },
        Row("in a range", [1, 3, 4]) { $0.where { (5...98).contains($0.int) || (-3..<0).contains($0.int) } },
        Row("not in a range", [2, 3]) { $0.where { !(0...5).contains($0.int) } },
        Row("in an open range", [1, 4]) { $0.where { (5...).contains($0.int) } },
        Row("not among", [2, 5]) { $0.where { !$0.int.isAmong([5, -3]) } },
        Row("among many", [1, 2, 3, 4, 5]) { $0.where { $0.identifier.isAmong((1...100_000).map { $0 }) } },
        Row("among texts", [1, 2]) { $0.where { $0.text.isAmong(["Anna", "bob", "\"quoted\" \\ text"]) } },
        Row("among numbers", [1, 2, 4]) { $0.where { $0.double.isAmong([1.5, -1]) } },
        Row("contains", [1, 3]) { $0.where { $0.text.contains("nna") } },
        Row("contains whatever case", [1, 3]) { $0.where { $0.text.contains("aNN") } },
        Row("contains bytes", [5]) { $0.where { $0.text.contains("cafe") } },
        Row("contains nothing", [1, 2, 3, 5]) { $0.where { $0.text.contains("") } },
        Row("text equals", []) { $0.where { $0.text == "anna" } },
        Row("text order", [3, 1, 2, 5]) { $0.where { $0.text != nil }.order(by: { $0.text }) },
        Row("enum", [3]) { $0.where { $0.mood == .wild } },
        Row("bool", [1, 4]) { $0.where { $0.bool == true } },
        Row("double", [2, 5]) { $0.where { $0.double < 1 } },
        Row("date", [1, 3]) { $0.where { $0.date > Date(timeIntervalSince1970: 1_570_000_000) } },
        Row("decimal equals by value", [3]) { $0.where { $0.decimal == Decimal(string: "1.5") } },
        Row("decimal among by value", [3]) { $0.where { $0.decimal.isAmong([Decimal(string: "1.5"), 7]) } },
        Row("decimal less by value", [3, 5]) { $0.where { $0.decimal < 9 } },
        Row("decimal greater by value", [2]) { $0.where { $0.decimal > 9 } },
        Row("decimal order", [4, 5, 3, 1, 2]) { $0.order(by: { $0.decimal }) },
        Row("128 bits equal", [3]) { $0.where { $0.int128 == Int128.max } },
        Row("128 bits less", [1, 5]) { $0.where { $0.int128 < 10 } },
        Row("128 bits order", [4, 5, 1, 2, 3]) { $0.order(by: { $0.int128 }) },
        Row("unsigned greater", [1, 3]) { $0.where { $0.uint64 > 1 } },
        Row("unsigned at least the highest", [1]) { $0.where { $0.uint64 >= UInt64.max } },
        Row("unsigned order", [4, 5, 2, 3, 1]) { $0.order(by: { $0.uint64 }) },
        Row("unsigned order, descending", [1, 3, 2, 5, 4]) { $0.order(by: { $0.uint64 }, .descending) },
        Row("order, nil first", [2, 3, 5, 1, 4]) { $0.order(by: { $0.int }) },
        Row("order, descending", [1, 4, 5, 3, 2]) { $0.order(by: { $0.int }, .descending) },
        Row("two orders", [2, 3, 5, 4, 1]) { $0.order(by: { $0.int }).order(by: { $0.int64 }, .descending) },
        Row("limit", [2, 3]) { $0.order(by: { $0.int }).limit(2) },
        Row("offset", [5, 1]) { $0.order(by: { $0.int }).limit(2, offset: 2) },
        Row("limit none", []) { $0.limit(0) },
        Row("negative limit", []) { $0.limit(-1) },
        Row("beyond the end", []) { $0.limit(5, offset: 10) },
        Row("injection", []) { $0.where { $0.text == "' OR 1=1 --" } },
    ]

    @Test(arguments: rows)
    func `Conditions give equal results in SQLite and in memory`(_ row: Row) async throws {
        let store = try Store(of: [Sample.self])
        try await store.main.take(Sample.self, Self.body)
        let query = row.query(store.main.query(Sample.self))
        #expect(try query.fetch().map(\.identifier) == row.found)
        #expect(try query.count() == row.found.count)
        #expect(try query.first()?.identifier == row.found.first)
        // Now every object has an unsaved edit, so that the conditions are put to the objects.
        let samples = try store.main.query(Sample.self).fetch()
        for sample in samples { sample.int8 = 1 }
        #expect(try query.fetch().map(\.identifier) == row.found)
        #expect(try query.count() == row.found.count)
        #expect(try query.first()?.identifier == row.found.first)
    }

    @Test func `Queries include unsaved edits, new objects and deletions`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(
            User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}, {"id": 3, "login": "c"}]"#
        ).objects
        let new = User(in: store.main)
        new.login = "bb"
        users[0].login = "z"
        store.main.delete(users[2])
        let query = store.main.query(User.self).order(by: { $0.login })
        #expect(try query.fetch().map(\.login) == ["b", "bb", "z"])
        #expect(try query.limit(1, offset: 1).fetch().first === new)
        #expect(try query.where { $0.login == "a" }.fetch().isEmpty)
        #expect(try query.where { $0.login > "b" }.count() == 2)
        store.main.rollback()
        #expect(try query.fetch().map(\.login) == ["a", "b", "c"])
    }

    @Test func `Links in conditions are compared by object`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(
            Repository.self, #"[{"id": 1, "owner": {"id": 1}}, {"id": 2, "owner": {"id": 2}}, {"id": 3}]"#)
        let user = try #require(try store.main.find(User.self, 1))
        let query = store.main.query(Repository.self)
        #expect(try query.where { $0.owner == user }.fetch().map(\.identifier) == [1])
        #expect(try query.where { $0.owner != user }.fetch().map(\.identifier) == [2, 3])
        #expect(try query.where { $0.owner == nil }.fetch().map(\.identifier) == [3])
        let new = User(in: store.main)
        try #require(try store.main.find(Repository.self, 3)).owner = new
        #expect(try query.where { $0.owner == new }.fetch().map(\.identifier) == [3])
        #expect(try query.where { $0.owner == nil }.count() == 0)
    }

    @Test func `Conditions on links skip a deleted object until the deletion is rolled back`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(Issue.self, #"[{"id": 1, "assignee": {"id": 1}, "labels": [{"id": 1}]}, {"id": 2}]"#)
        let user = try #require(try store.main.find(User.self, 1))
        let label = try #require(try store.main.find(Label.self, 1))
        let issues = store.main.query(Issue.self)
        let assigned = [
            issues.where { $0.assignee == user }, issues.where { $0.assignee.isAmong([user]) },
            issues.where { !($0.assignee != user) }, issues.where { $0.labels.contains(label) },
        ]
        let others = [issues.where { $0.assignee != user }, issues.where { !$0.labels.contains(label) }]
        let live = try assigned[0].live()
        func expect(_ found: [Int?], _ rest: [Int?], _ when: String) throws {
            for query in assigned {
                #expect(try query.fetch().map(\.identifier) == found, "\(when)")
                #expect(try query.count() == found.count, "\(when)")
            }
            for query in others { #expect(try query.fetch().map(\.identifier) == rest, "\(when)") }
            #expect(live.map(\.identifier) == found, "\(when)")
        }
        try expect([1], [2], "at first")
        store.main.delete(user)
        store.main.delete(label)
        try expect([], [1, 2], "deleted here")
        let whileDeleted = issues.where { $0.assignee == user }
        try store.main.find(Issue.self, 1)?.title = "edited"
        try expect([], [1, 2], "with an edit")
        store.main.rollback()
        try expect([1], [2], "taken back")
        #expect(try whileDeleted.count() == 1)
        store.main.delete(user)
        store.main.delete(label)
        try await store.main.save()
        try expect([], [1, 2], "saved")
    }

    @Test func `Without an order, objects come in the order of their creation`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"[{"id": 9}, {"id": 3}]"#)
        for number in 20...29 { User(in: store.main).identifier = number }
        let query = store.main.query(User.self)
        let before = try query.fetch().map(\.identifier)
        #expect(before == Array(20...29) + [9, 3])
        try await store.main.save()
        #expect(try query.fetch().map(\.identifier) == before)
        #expect(try query.where { $0.identifier > 0 }.fetch().map(\.identifier) == before)
    }

    @Test(arguments: [
        "https://example.com/a", "https://example.com/a?b={c}", "https://example.com/a b", "https://example.com/ü",
        "https://example.com/%C3%BC", "https://münchen.example.com/{x}", "https://example.com/[a]#b", "/a|b",
    ])
    func `A URL is found by its value, however the server writes it`(_ text: String) async throws {
        let store = try Store(of: [Sample.self])
        let objects = try await store.main.take(
            Sample.self, #"[{"id": 1, "link": "\#(text)"}, {"id": 2, "link": "https://example.com"}, {"id": 3}]"#
        ).objects
        let (link, query) = (try #require(objects[0].link), store.main.query(Sample.self))
        for _ in 1...2 {
            #expect(try query.where { $0.link == link }.fetch().map(\.identifier) == [1])
            #expect(try query.where { $0.link != link }.fetch().map(\.identifier) == [2, 3])
            #expect(try query.where { [link].contains($0.link) }.fetch().map(\.identifier) == [1])
            #expect(try query.where { $0.link == $0.link }.count() == 3)
            for object in objects { object.text = "edited" }
        }
    }
}
