import Foundation
import ObjectStore
import RestfulData
import Testing

/// Numbers, values and groups instead of objects; each asked of the file, and with unsaved objects.
@MainActor
@Suite struct ValueQueryTests {
    @Model final class Bag {
        var identifier: Int?
        var byKey: [String: Set<String>]?
        var lists: [[String]]?
        var sets: Set<Set<String>>?
    }

    private func makeStore(isSaved: Bool) async throws -> Store {
        let store = try Store(of: World.models)
        try await store.main.take(
            Repository.self,
            """
            [{"id": 1, "name": "a", "stars": 3, "owner": {"id": 1, "login": "x", "score": 1.5}},
             {"id": 2, "name": "b", "stars": 1, "owner": {"id": 1}, "topics": [{"name": "t"}, {"name": "u"}]},
             {"id": 3, "name": "b", "stars": 9, "owner": {"id": 2, "login": "y"}}, {"id": 4, "name": "c", "stars": 7}]
            """)
        // Local deletions, edits and creations count at once.
        if let gone = try store.main.find(Repository.self, 4) { store.main.delete(gone) }
        try store.main.find(Repository.self, 3)?.stars = 2
        let new = Repository(in: store.main)
        (new.name, new.stars) = ("d", 4)
        new.owner = try store.main.find(User.self, 2)
        if isSaved { try await store.main.save() }
        return store
    }

    @Test(arguments: [true, false])
    func `Aggregates and exists work for a whole query`(_ isSaved: Bool) async throws {
        let store = try await makeStore(isSaved: isSaved)
        let query = store.main.query(Repository.self)
        #expect(try query.sum { $0.stars } == 10)
        #expect(try query.average { $0.stars } == 2.5)
        #expect(try query.min { $0.stars } == 1)
        #expect(try query.max { $0.name } == "d")
        #expect(try query.sum { $0.owner.score } == 3)
        #expect(try query.where { $0.stars > 100 }.max { $0.stars } == nil)
        #expect(try query.where { $0.stars > 100 }.sum { $0.stars } == 0)
        #expect(try query.order { $0.stars }.limit(2).sum { $0.stars } == 3)
        #expect(try query.order { $0.stars }.limit(2).max { $0.stars } == 2)
        #expect(try query.where { $0.owner.login == "y" }.exists())
        #expect(try !query.where { $0.owner.login == "z" }.exists())
        #expect(try query.exists())
    }

    @Test(arguments: [true, false])
    func `A query selects values instead of objects`(_ isSaved: Bool) async throws {
        let store = try await makeStore(isSaved: isSaved)
        let query = store.main.query(Repository.self).order { $0.stars }
        let rows = try query.select { ($0.stars, $0.owner.login, $0.topics.count) }.fetch()
        #expect(rows.map(\.0) == [1, 2, 3, 4])
        #expect(rows.map(\.1) == ["x", "y", "x", "y"])
        #expect(rows.map(\.2) == [2, 0, 0, 0])
        #expect(try query.select { $0.identifier }.fetch() == [2, 3, 1, nil])
        #expect(try query.limit(1, offset: 1).select { $0.stars }.first() == 2)
        let names = store.main.query(Repository.self).select { $0.name }
        #expect(try names.distinct().fetch() == ["a", "b", "d"])
    }

    @Test(arguments: [true, false])
    func `A query is grouped with counts and aggregates`(_ isSaved: Bool) async throws {
        let store = try await makeStore(isSaved: isSaved)
        let query = store.main.query(Repository.self)
        let counts = try query.grouped { $0.owner.login }.counts()
        #expect(counts.map(\.key) == ["x", "y"] && counts.map(\.count) == [2, 2])
        let groups = try query.grouped { $0.owner.login }.select {
            ($0.count, $0.sum { $0.stars }, $0.max { $0.name }, $0.average { $0.stars })
        }.fetch()
        #expect(groups.map(\.key) == ["x", "y"])
        #expect(groups.map(\.values.1) == [4, 6])
        #expect(groups.map(\.values.2) == ["b", "d"])
        #expect(groups.map(\.values.3) == [2, 3])
    }

    @Test func `Groups contain only the objects within the limit`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(
            User.self,
            #"""
            [{"id": 1, "login": "a", "score": 4}, {"id": 2, "login": "b", "score": 3}, {"id": 3, "login": "a", "score": 2},
             {"id": 4, "login": "c", "score": 1}]
            """#)
        for when in ["in the file", "with an unsaved object"] {
            let query = store.main.query(User.self).order(by: { $0.score }, .descending)
            let groups = query.limit(3).grouped { $0.login }
            #expect(try groups.counts().map(\.key) == ["a", "b"], "\(when)")
            #expect(try groups.counts().map(\.count) == [2, 1], "\(when)")
            #expect(try groups.select { $0.min { $0.score } }.fetch().map(\.value) == [2, 3], "\(when)")
            #expect(try groups.select { $0.min { $0.score } }.first()?.value == 2, "\(when)")
            #expect(try query.limit(2, offset: 2).grouped { $0.login }.counts().map(\.key) == ["a", "c"], "\(when)")
            #expect(try query.grouped { $0.login }.select { $0.count }.first()?.value == 2, "\(when)")
            try store.main.find(User.self, 3)?.score = 2.5
            #expect(try query.limit(3).grouped { $0.login }.select { $0.sum { $0.score } }.first()?.value == 6.5)
            store.main.rollback()
            let user = User(in: store.main)
            (user.login, user.score) = ("d", 0)
        }
    }

    @Test func `Objects in conditions on counted members must be of the context`()
        async throws
    {
        let store = try Store(of: World.models)
        try await store.main.take(
            Repository.self, #"[{"id": 1, "issues": [{"id": 1}]}, {"id": 2, "issues": [{"id": 2}]}]"#)
        let user = User(in: store.main)
        user.identifier = 7
        let repositories = store.main.query(Repository.self)
        let assigned = repositories.where { $0.issues.count { $0.assignee == user } > 0 }
        let ordered = repositories.order(by: { $0.issues.count { $0.assignee == user } }, .descending)
        let counts = repositories.select { $0.issues.count { $0.assignee == user } }
        let groups = repositories.grouped { $0.issues.count { $0.assignee == user } }
        #expect(try assigned.count() == 0)
        // The object turns out to be one that was imported.
        try await store.takeElsewhere(Issue.self, #"{"id": 2, "assignee": {"id": 7, "login": "ada"}}"#)
        #expect(try assigned.fetch().map(\.identifier) == [2])
        #expect(try ordered.fetch().map(\.identifier) == [2, 1])
        #expect(try counts.fetch() == [0, 1])
        #expect(try groups.counts().map(\.key) == [0, 1])
        let other = try Store(of: World.models)
        let foreign = User(in: other.main)
        for ask in [
            { _ = try repositories.order(by: { $0.issues.count { $0.assignee == foreign } }).fetch() },
            { _ = try repositories.order(by: { $0.issues.count { $0.assignee == foreign } }).count() },
            { _ = try repositories.select { $0.issues.count { $0.assignee == foreign } }.fetch() },
            { _ = try repositories.grouped { $0.issues.count { $0.assignee == foreign } }.counts() },
            { _ = try repositories.max { $0.issues.count { $0.assignee == foreign } } },
        ] as [() throws -> Void] {
            let reason = await failure { try ask() }
            #expect(reason.contains("another context"), "\(reason)")
        }
    }

    @Test func `Numbers over 2^63-1 and decimals are compared by value`() async throws {
        let store = try Store(of: [Sample.self])
        for (number, decimal) in [(UInt64.max, "9"), (1, "10"), (1 << 63, "1.5")] {
            let sample = Sample(in: store.main)
            (sample.uint64, sample.decimal) = (number, Decimal(string: decimal))
        }
        let query = store.main.query(Sample.self)
        #expect(try query.max { $0.uint64 } == UInt64.max)
        #expect(try query.min { $0.uint64 } == 1)
        #expect(try query.max { $0.decimal } == 10)
        #expect(try query.order { $0.uint64 }.limit(2).max { $0.uint64 } == 1 << 63)
        let group = try query.grouped { $0.bool }.select { ($0.max { $0.uint64 }, $0.min { $0.decimal }) }.first()
        #expect(group?.values.0 == UInt64.max && group?.values.1 == Decimal(string: "1.5"))
    }

    @Test func `Groups and distinct values of numbers over 2^63-1 are in numeric order`() async throws {
        let store = try Store(of: [Sample.self])
        for number in [UInt64.max, 1, 1 << 63, 1] { Sample(in: store.main).uint64 = number }
        let query = store.main.query(Sample.self)
        for _ in 0..<2 {
            #expect(try query.grouped { $0.uint64 }.counts().map(\.key) == [1, 1 << 63, .max])
            #expect(try query.select { $0.uint64 }.distinct().fetch() == [1, 1 << 63, .max])
            try await store.main.save()
        }
    }

    @Test func `Groups are ordered by their key, whatever the objects' order`() async throws {
        let store = try Store(of: [Sample.self])
        for (text, int) in [("b", 1), ("a", 2), ("c", 0), ("a", 5)] {
            let sample = Sample(in: store.main)
            (sample.text, sample.int) = (text, int)
        }
        let query = store.main.query(Sample.self)
        #expect(try query.order { $0.int }.grouped { $0.text }.counts().map(\.key) == ["a", "b", "c"])
        #expect(
            try query.order(by: { $0.text }, .descending).grouped { $0.text }.counts().map(\.key) == ["c", "b", "a"])
    }

    @Test func `Distinct values keep the first occurrence in the query's order`() async throws {
        let store = try Store(of: [Sample.self])
        for (text, int) in [("b", 5), ("a", 4), ("c", 3), ("b", 1)] {
            let sample = Sample(in: store.main)
            (sample.text, sample.int) = (text, int)
        }
        let texts = store.main.query(Sample.self).order { $0.int }.select { $0.text }.distinct()
        #expect(try texts.fetch() == ["b", "c", "a"])
        #expect(try texts.first() == "b")
        let pairs = store.main.query(Sample.self).order(by: { $0.int }, .descending).select { ($0.text, $0.bool) }
        #expect(try pairs.distinct().fetch().map(\.0) == ["b", "a", "c"])
    }

    @Test func `Equal numbers and dates compare equal, set or imported`() async throws {
        let store = try Store(of: [Sample.self])
        try await store.main.take(
            Sample.self,
            #"[{"id": 1, "float": 4.2, "date": "1970-01-01T00:00:00.001Z"}, {"id": 2, "float": 4.1, "date": 0}]"#)
        let (rating, date) = (Float(4.2), Date(timeIntervalSince1970: 0.001))
        let sample = Sample(in: store.main)
        (sample.identifier, sample.float, sample.date) = (3, rating, date)
        let query = store.main.query(Sample.self)
        for _ in 0..<2 {
            #expect(try query.where { $0.float >= rating }.select { $0.identifier }.distinct().fetch() == [1, 3])
            #expect(try query.where { $0.date == date }.select { $0.identifier }.distinct().fetch() == [1, 3])
            #expect(try query.where { $0.float > rating || $0.date > date }.fetch().isEmpty)
            #expect(try query.grouped { $0.float }.counts().map(\.count) == [1, 2])
            #expect(try query.grouped { $0.date }.counts().map(\.count) == [1, 2])
            try await store.main.save()
        }
    }

    @Test func `Arrays, dictionaries and Codable values are compared by value, not spelling`()
        async throws
    {
        let store = try Store(of: [Sample.self])
        try await store.main.take(
            Sample.self,
            #"""
            [{"id": 1, "tags": [ "a", "\u0062" ], "counts": {"b": 2, "a": 1.0}, "plan": {"seats": null, "name": "x"}},
             {"id": 2, "tags": ["a b"], "counts": {"a": 1}, "plan": {"seats": 3, "name": "x"}}]
            """#)
        let sample = Sample(in: store.main)
        (sample.identifier, sample.tags, sample.counts, sample.plan) = (
            3, ["a", "b"], ["a": 1, "b": 2], .init(name: "x")
        )
        let query = store.main.query(Sample.self)
        for _ in 0..<2 {
            #expect(try query.where { $0.tags == ["a", "b"] }.count() == 2)
            #expect(try query.where { $0.tags.isAmong([["a b"], nil]) }.fetch().map(\.identifier) == [2])
            #expect(try query.where { $0.counts != ["b": 2, "a": 1] }.fetch().map(\.identifier) == [2])
            #expect(try query.where { $0.plan == Sample.Plan(name: "x") }.count() == 2)
            #expect(try query.grouped { $0.plan }.counts().map(\.count).sorted() == [1, 2])
            #expect(try query.select { $0.counts }.distinct().fetch().count == 2)
            #expect(try query.liveSections { $0.tags }.map(\.value) == [["a b"], ["a", "b"]])
            #expect(try query.liveSections { $0.counts }.map(\.count).sorted() == [1, 2])
            try await store.main.save()
        }
    }

    @Test func `Sets are compared regardless of their order`() async throws {
        let store = try Store(of: [Sample.self, Bag.self])
        try await store.main.take(
            Sample.self,
            #"[{"id": 1, "levels": [2, 1]}, {"id": 2, "levels": [ 1, 2, 2 ]}, {"id": 3, "levels": [2]}, {"id": 4}]"#)
        try await store.main.take(
            Bag.self,
            #"[{"id": 1, "by_key": {"x": ["b", "a"]}, "lists": [["b", "a"]], "sets": [["b", "a"], ["c"]]}]"#)
        let sample = Sample(in: store.main)
        sample.levels = [.high, .low]
        let query = store.main.query(Sample.self)
        let sets = store.main.query(Bag.self)
        for _ in 0..<2 {
            #expect(try query.where { $0.levels == [.low, .high] }.count() == 3)
            #expect(try query.where { $0.levels.isAmong([[.high, .low], nil]) }.count() == 4)
            #expect(try query.where { $0.levels != [.high] && $0.levels != nil }.count() == 3)
            #expect(try query.grouped { $0.levels }.counts().map(\.count) == [1, 3, 1])
            #expect(try query.select { $0.levels }.distinct().fetch().count == 3)
            #expect(try query.liveSections { $0.levels }.map(\.count).sorted() == [1, 1, 3])
            #expect(try sets.where { $0.byKey == ["x": ["a", "b"]] }.count() == 1)
            #expect(try sets.where { $0.sets == [["c"], ["a", "b"]] }.count() == 1)
            #expect(try sets.where { $0.lists == [["a", "b"]] }.count() == 0)
            try await store.main.save()
        }
        let known = try #require(try store.main.find(Sample.self, 1))
        known.levels = [.low, .high]
        #expect(!known.hasChanges && !store.main.hasChanges)
        #expect(known.levels == [.low, .high])
        #expect(try store.dump().contains("levels=[2, 1]"))
    }

    @Test func `NaN compares with no number`() async throws {
        let store = try Store(of: [Sample.self])
        let sample = Sample(in: store.main)
        sample.double = 3
        let query = store.main.query(Sample.self)
        #expect(try query.where { $0.double > .nan || $0.double <= .nan || $0.double == .nan }.fetch().isEmpty)
        sample.double = .nan
        #expect(try query.where { $0.double > 3 || $0.double <= 3 || $0.double == .nan }.fetch().isEmpty)
    }

    @Test func `A sum beyond the range of its type is refused`() async throws {
        let store = try Store(of: [Sample.self])
        for _ in 0..<2 {
            let sample = Sample(in: store.main)
            (sample.int64, sample.int8) = (.max, 100)
        }
        let query = store.main.query(Sample.self)
        #expect(await failure { _ = try query.sum { $0.int64 } }.hasSuffix("the sum of the values is beyond 64 bits."))
        #expect(await failure { _ = try query.sum { $0.int8 } }.contains("beyond what Int8 has a number for"))
    }

    // MARK: Order

    @Test(arguments: [true, false])
    func `Objects are ordered through links, with nils first or last`(_ isSaved: Bool) async throws {
        let store = try await makeStore(isSaved: isSaved)
        Repository(in: store.main).stars = 5
        if isSaved { try await store.main.save() }
        let query = store.main.query(Repository.self)
        func stars(_ query: ObjectQuery<Repository>) throws -> [Int] {
            try query.order { $0.stars }.fetch().map(\.stars)
        }
        #expect(try stars(query.order { $0.owner.login }) == [5, 1, 3, 2, 4])
        #expect(try stars(query.order(by: { $0.owner.login }, nils: .last)) == [1, 3, 2, 4, 5])
        #expect(try stars(query.order(by: { $0.owner.login }, .descending)) == [2, 4, 1, 3, 5])
        #expect(try stars(query.order(by: { $0.owner.login }, .descending, nils: .first)) == [5, 2, 4, 1, 3])
        #expect(try stars(query.order(by: { $0.identifier }, nils: .last)) == [3, 1, 2, 4, 5])
        #expect(try stars(query.order { $0.topics.count }) == [2, 3, 4, 5, 1])
    }

    @Test(arguments: [true, false], 0..<6)
    func `Pages after each last object add up to the whole list`(_ isSaved: Bool, _ order: Int) async throws {
        let store = try await makeStore(isSaved: isSaved)
        for number in 0..<7 {
            let repository = Repository(in: store.main)
            (repository.stars, repository.name) = (number / 3, number % 2 == 0 ? "b" : "B")
            repository.owner = number % 3 == 0 ? nil : try store.main.find(User.self, number % 2 + 1)
        }
        if isSaved { try await store.main.save() }
        let all = store.main.query(Repository.self)
        let query =
            switch order {
            case 0: all
            case 1: all.order { $0.stars }
            case 2: all.order(by: { $0.owner.login }, .descending)
            case 3: all.order(by: { $0.owner.login }, nils: .last).order(by: { $0.name }, .descending)
            case 4: all.order(by: { $0.identifier }, .descending, nils: .first)
            default: all.order { $0.name.insensitive }.order(by: { $0.owner.score }, nils: .last)
            }
        let expected = try query.fetch()
        var (found, last): ([Repository], Repository?) = ([], nil)
        repeat {
            let page = try (last.map { query.after($0) } ?? query).limit(3).fetch()
            found += page
            last = page.last
        } while last != nil && found.count < 100
        #expect(found.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init))
    }

    @Test func `A page after a deleted object or another context's object is refused`() async throws {
        let store = try await makeStore(isSaved: true)
        let other = try Store(of: World.models)
        let repository = try #require(try store.main.find(Repository.self, 1))
        let query = store.main.query(Repository.self)
        let stranger = Repository(in: other.main)
        #expect(await failure { _ = try query.after(stranger).fetch() }.contains("another context"))
        store.main.delete(repository)
        #expect(await failure { _ = try query.after(repository).fetch() }.contains("deleted"))
    }

    @Test func `A condition on an object of another context is refused`() async throws {
        let store = try await makeStore(isSaved: true)
        let other = try Store(of: World.models)
        let (user, topic) = (User(in: other.main), Topic(in: other.main))
        let query = store.main.query(Repository.self)
        #expect(await failure { _ = try query.where { $0.owner == user }.fetch() }.contains("another context"))
        #expect(await failure { _ = try query.where { $0.topics.contains(topic) }.count() }.contains("another context"))
        #expect(
            await failure { _ = try query.where { !$0.owner.isAmong([user]) }.exists() }.contains("another context"))
    }

    @Test func `A query's explanation has its SQL statement and SQLite's plan, without values`() async throws {
        let store = try await makeStore(isSaved: true)
        let text = try store.main.query(Repository.self).where { $0.owner.identifier == 1 && $0.name == "secret" }
            .explanation()
        #expect(text.contains("LEFT JOIN \"user\"") && text.contains("\n  SEARCH"), "\(text)")
        #expect(!text.contains("secret"))
    }
}
