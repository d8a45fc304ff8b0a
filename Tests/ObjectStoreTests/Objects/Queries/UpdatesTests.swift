import RestfulData
import Testing

@testable import ObjectStore

@MainActor
@Suite struct UpdatesTests {
    @Test func `A query's updates come at once and once per transaction`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]"#)
        let updates = store.main.query(User.self).order(by: { $0.login }).updates.makeAsyncIterator()
        #expect(try await updates.next()?.map(\.login) == ["a", "b"])
        // One import of many objects, nested ones among them, is one transaction.
        try await store.takeElsewhere(
            Repository.self,
            #"[{"id": 10, "owner": {"id": 3, "login": "c"}}, {"id": 11, "owner": {"id": 4, "login": "d"}}]"#)
        #expect(try await updates.next()?.map(\.login) == ["a", "b", "c", "d"])
        try await store.background { context in
            for user in try context.query(User.self).fetch() { user.login += "!" }
        }
        #expect(try await updates.next()?.map(\.login) == ["a!", "b!", "c!", "d!"])
        try await store.main.query(User.self).first()?.context?.save()
        let user = try #require(try store.main.query(User.self).order(by: { $0.login }).first())
        store.main.delete(user)
        try await store.main.save()
        #expect(try await updates.next()?.map(\.login) == ["b!", "c!", "d!"])
    }

    @Test func `A slow reader of updates gets the newest result only`() async throws {
        let store = try Store(of: World.models)
        let updates = store.main.query(User.self).updates.makeAsyncIterator()
        #expect(try await updates.next()?.count == 0)
        for number in 1...5 { try await store.takeElsewhere(User.self, #"[{"id": \#(number)}]"#) }
        #expect(try await updates.next()?.count == 5)
        try await store.takeElsewhere(User.self, #"[{"id": 6}]"#)
        #expect(try await updates.next()?.count == 6)
    }

    @Test func `A query's updates follow all tables that it reads`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(
            Issue.self,
            #"[{"id": 1, "assignee": {"id": 1, "login": "a"}}, {"id": 2, "labels": [{"id": 1}], "repository": {"id": 1}}]"#
        )
        let byLogin = store.main.query(Issue.self).where { $0.assignee.login == "b" }.updates.makeAsyncIterator()
        let labelled = store.main.query(Issue.self).where { !$0.labels.isEmpty }.updates.makeAsyncIterator()
        let ordered = store.main.query(Issue.self).order(by: { $0.repository.stars }, .descending).updates
            .makeAsyncIterator()
        #expect(try await byLogin.next()?.count == 0)
        #expect(try await labelled.next()?.map(\.identifier) == [2])
        #expect(try await ordered.next()?.map(\.identifier) == [2, 1])
        try await store.takeElsewhere(User.self, #"{"id": 1, "login": "b"}"#)
        #expect(try await byLogin.next()?.map(\.identifier) == [1])
        // The members of a list in a join table; the rows stay unchanged.
        try await store.takeElsewhere(Issue.self, #"{"id": 1, "labels": [{"id": 1}]}"#)
        #expect(try await labelled.next()?.map(\.identifier) == [1, 2])
        try await store.takeElsewhere(Issue.self, #"{"id": 1, "repository": {"id": 2, "stars": 5}}"#)
        #expect(try await ordered.next()?.map(\.identifier) == [1, 2])
        try await store.takeElsewhere(Repository.self, #"{"id": 1, "stars": 9}"#)
        #expect(try await ordered.next()?.map(\.identifier) == [2, 1])
    }

    @Test func `Other tables and unchanged imports cause no update`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"[{"id": 1, "login": "a"}]"#)
        let updates = store.main.query(User.self).updates.makeAsyncIterator()
        #expect(try await updates.next()?.count == 1)
        var count = 0
        let asked = try store.main.query(User.self).live {
            count += 1
            return try $0.count()
        }
        try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "a"}]"#)
        try await store.main.save()
        try await store.takeElsewhere(Label.self, #"[{"id": 1}]"#)
        #expect(asked.value == 1 && count == 1)
        // Had one of these woken it, this would be the old value.
        var isWaiting = false
        let next = Task {
            isWaiting = true
            return try await updates.next()?.map(\.login)
        }
        while !isWaiting { await Task.yield() }
        try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "b"}]"#)
        #expect(try await next.value == ["b"])
    }

    @Test func `A live value follows all tables that its queries read`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(
            Issue.self, #"[{"id": 1, "assignee": {"id": 1, "login": "ada"}, "labels": [{"id": 1, "name": "bug"}]}]"#)
        let issues = store.main.query(Issue.self)
        let logins = try issues.live { try $0.select { $0.assignee.login }.fetch() }
        let groups = try issues.live { try $0.grouped { $0.assignee.login }.counts().map(\.key) }
        let bugs = try issues.live { try $0.max { $0.labels.count { $0.name == "bug" } } }
        // The later query runs only after the first one's count is above 1.
        let later = try issues.live { query in
            try query.count() > 1 ? store.main.query(Label.self).select { $0.name }.fetch() : []
        }
        let tracked = Tracker { logins.value + groups.value.map(\.self) }
        let counted = Tracker { bugs.value }
        let named = Tracker { later.value }
        #expect(tracked.value == ["ada", "ada"] && counted.value == 1 && named.value == [])
        try store.main.find(User.self, 1)?.login = "bob"
        #expect(tracked.takeWakings() == 1)
        #expect(tracked.value == ["bob", "bob"])
        try store.main.find(Label.self, 1)?.name = "idea"
        #expect(counted.takeWakings() == 1)
        #expect(counted.value == 0)
        #expect(named.value == [])
        let issue = Issue(in: store.main)
        issue.title = "Another"
        #expect(named.takeWakings() == 1)
        #expect(named.value == ["idea"])
        try store.main.find(Label.self, 1)?.name = "late"
        #expect(named.takeWakings() == 1)
        #expect(named.value == ["late"])
    }

    @Test func `A query's updates end when the store is closed`() async throws {
        let store = try Store(of: World.models)
        var counts: [Int] = []
        for try await users in store.main.query(User.self).updates {
            counts.append(users.count)
            store.close()
        }
        #expect(counts == [0])
    }

    @Test func `Cancelling a task ends its query's updates`() async throws {
        let store = try Store(of: World.models)
        let main = store.main
        var isListening = false
        let listening = Task {
            var count = 0
            for try await _ in main.query(User.self).updates {
                count += 1
                isListening = true
            }
            return count
        }
        while !isListening { await Task.yield() }
        listening.cancel()
        #expect(try await listening.value == 1)
        #expect(!main.watch.isFollowing)
    }

    @Test func `Updates without a reader are no longer followed`() async throws {
        let store = try Store(of: World.models)
        for try await _ in store.main.query(User.self).updates { break }
        try await store.takeElsewhere(User.self, #"[{"id": 1}]"#)
        #expect(!store.main.watch.isFollowing)
    }

    @Test func `Several readers of updates get each change`() async throws {
        let store = try Store(of: World.models)
        let all = store.main.query(User.self).updates.makeAsyncIterator()
        let some = store.main.query(User.self).where { $0.login == "b" }.updates.makeAsyncIterator()
        #expect(try await all.next()?.count == 0)
        #expect(try await some.next()?.count == 0)
        try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]"#)
        #expect(try await all.next()?.count == 2)
        #expect(try await some.next()?.map(\.login) == ["b"])
    }

    @Test func `A background context observes updates`() async throws {
        let store = try Store(of: World.models)
        let seen = try await store.background { context in
            var seen: [Int] = []
            for try await users in context.query(User.self).updates {
                seen.append(users.count)
                if seen.count == 3 { break }
                try await store.takeElsewhere(User.self, #"[{"id": \#(seen.count)}]"#)
            }
            return seen
        }
        #expect(seen == [0, 1, 2])
    }

    @Test func `A condition on a new object follows it when it is unified with a row`() async throws {
        let store = try Store(of: World.models)
        let owner = User(in: store.main)
        owner.identifier = 7
        let own = Repository(in: store.main)
        own.identifier = 1
        own.owner = owner
        let query = store.main.query(Repository.self).where { $0.owner == owner }.order(by: { $0.identifier })
        let updates = query.updates.makeAsyncIterator()
        #expect(try await updates.next()?.map(\.identifier) == [1])
        // All shown values stay the same.
        try await store.takeElsewhere(User.self, #"{"id": 7}"#)
        try await store.takeElsewhere(Repository.self, #"[{"id": 2, "owner": {"id": 7}}, {"id": 3}]"#)
        #expect(try await updates.next()?.map(\.identifier) == [1, 2])
        #expect(try query.count() == 2)
        #expect(try store.main.query(Repository.self).where { $0.owner != owner }.fetch().map(\.identifier) == [3])
    }
}
