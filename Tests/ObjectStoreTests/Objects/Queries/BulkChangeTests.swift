import RestfulData
import Testing

@testable import ObjectStore

/// Changes all matching objects, which are read together, or one by one without being fetched as a list.
@MainActor
@Suite struct BulkChangeTests {
    private func makeStore() async throws -> Store {
        let store = try Store(of: World.models)
        try await store.main.take(
            Issue.self,
            """
            [{"id": 1, "number": 1, "title": "a", "assignee": {"id": 1, "login": "x"}, "labels": [{"id": 2, "name": "ui"}, {"id": 1, "name": "bug"}],
              "repository": {"id": 1, "name": "r", "owner": {"id": 2, "login": "y"}}},
             {"id": 2, "number": 2, "title": "b", "assignee": {"id": 1}, "labels": [{"id": 1}], "repository": {"id": 1}},
             {"id": 3, "number": 3, "title": "c", "comments": [{"id": 1, "body": "no"}]}]
            """)
        return store
    }

    // MARK: Update

    @Test func `A query's update is visible in all contexts and pending`() async throws {
        let store = try await makeStore()
        let held = try #require(try store.main.find(Issue.self, 1))
        let count = try await store.main.query(Issue.self).where { $0.assignee.login == "x" }
            .update { [$0.title.set(to: "done"), $0.state.set(to: .closed)] }
        #expect(count == 2)
        #expect(held.title == "done" && held.state == .closed && !held.hasChanges)
        let elsewhere = try await store.background { context in
            try context.query(Issue.self).where { $0.state == .closed }.select { $0.title }.fetch()
        }
        #expect(elsewhere == ["done", "done"])
        let reader = try #require(store.main.reader)
        _ = try store.main.query(Issue.self).count()
        let unsent = try reader.unsentChanges(of: held._object.record)
        #expect(Set(unsent.entries.keys) == ["title", "state"])
    }

    @Test func `A query's update skips rows that have the value already`() async throws {
        let store = try await makeStore()
        let query = store.main.query(Issue.self)
        #expect(try await query.update { [$0.title.set(to: "a")] } == 2)
        #expect(try await query.update { [$0.title.set(to: "a")] } == 0)
    }

    @Test func `An update with a limit changes and counts only objects without the value`() async throws {
        let store = try await makeStore()
        let first = store.main.query(Issue.self).order(by: { $0.number }).limit(2)
        #expect(try await first.update { [$0.title.set(to: "a")] } == 1)
        #expect(try await first.update { [$0.title.set(to: "a")] } == 0)
        let all = store.main.query(Issue.self).order(by: { $0.number })
        #expect(try all.select { $0.title }.fetch() == ["a", "a", "c"])
        let draft = try store.main.draft()
        let drafted = draft.context.query(Issue.self).order(by: { $0.number }).limit(2, offset: 1)
        #expect(try await drafted.update { [$0.title.set(to: "a")] } == 1)
        #expect(try await drafted.update { [$0.title.set(to: "a")] } == 0)
    }

    @Test func `A query's update overwrites earlier unsaved edits`() async throws {
        let store = try await makeStore()
        let edited = try #require(try store.main.find(Issue.self, 1))
        edited.title = "mine"
        let new = Issue(in: store.main)
        #expect(try await store.main.query(Issue.self).update { [$0.title.set(to: "all")] } == 4)
        #expect(edited.title == "all" && new.title == "all" && new.isInserted)
        #expect(store.main.hasChanges)
        try await store.main.save()
        #expect(try store.main.query(Issue.self).select { $0.title }.distinct().fetch() == ["all"])
    }

    @Test func `A property set back during a query's update is a later edit`() async throws {
        let store = try await makeStore()
        let held = try #require(try store.main.find(Issue.self, 1))
        func update() async throws {
            let count = try await store.main.query(Issue.self).update { [$0.title.set(to: "all")] }
            #expect(count == 3)
        }
        func edit() {
            held.title = "b"
            held.title = "a"
        }
        try await whileWriting(store, by: { try await update() }, edit)
        #expect(held.title == "a" && held.changedProperties == ["title"])
        try await store.main.save()
        let titles = try store.main.query(Issue.self).order(by: { $0.identifier }).select { $0.title }.fetch()
        #expect(titles == ["a", "all", "all"])
    }

    @Test func `An edit of an object that a query deletes meanwhile is reported by the next save`() async throws {
        let store = try await makeStore()
        let held = try #require(try store.main.find(Issue.self, 1))
        func delete() async throws {
            let count = try await store.main.query(Issue.self).delete()
            #expect(count == 3)
        }
        func edit() { held.title = "meanwhile" }
        try await whileWriting(store, by: { try await delete() }, edit)
        #expect(held.isDeleted && held.title == "meanwhile")
        await #expect(throws: StoreError.self) { try await store.main.save() }
        try await store.main.save()
    }

    @Test func `A draft shows a query's update of its context at once`() async throws {
        let store = try await makeStore()
        let held = try #require(try store.main.find(Issue.self, 1))
        held.number = 5
        let draft = try store.main.draft()
        let copy = try #require(draft.object(for: held))
        try await store.main.query(Issue.self).where { $0.number == 5 }.update { [$0.title.set(to: "all")] }
        #expect(copy.title == "all" && !draft.hasChanges)
    }

    @Model(identity: "name") final class Rating {
        var name: String?
        var value = 0.5
    }

    @Test(arguments: [Double.nan, .infinity])
    func `A query's update to a value that JSON can't express is refused`(_ value: Double) async throws {
        let store = try Store(of: [Rating.self])
        let rating = try await store.main.take(Rating.self, #"{"name": "x", "value": 0.75}"#).objects[0]
        let error = await #expect(throws: StoreError.self) {
            try await store.main.query(Rating.self).update { [$0.value.set(to: value)] }
        }
        guard case .unsendable(model: "Rating", property: "value", value: _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(rating.value == 0.75)
    }

    @Test func `A query's update of embedded objects is refused`() async throws {
        let store = try Store(of: [Customer.self, Address.self, Phone.self, Line.self, Country.self])
        let phones = store.main.query(Phone.self)
        #expect(await failure { try await phones.update { [$0.number.set(to: "1")] } }.contains("embedded"))
    }

    // MARK: Delete

    @Test func `A query's deletion deletes owned objects`() async throws {
        let store = try await makeStore()
        let new = Issue(in: store.main)
        new.number = 9
        let held = try #require(try store.main.find(Issue.self, 3))
        #expect(try await store.main.query(Issue.self).where { $0.number >= 3 }.delete() == 2)
        #expect(held.isDeleted && new.isDeleted && !store.main.hasChanges)
        #expect(try store.main.query(Issue.self).count() == 2)
        #expect(try store.main.query(Comment.self).count() == 0)
        #expect(try await store.background { try $0.query(Issue.self).count() } == 2)
    }

    @Test func `A query's deletion that a delete rule denies changes nothing`() async throws {
        let store = try Store(of: [Shelf.self, Book.self, Page.self, Tool.self])
        try await store.main.take(Shelf.self, #"[{"id": 1, "books": [{"id": 1}]}, {"id": 2}]"#)
        #expect(await failure { try await store.main.query(Shelf.self).delete() }.contains("can't be deleted"))
        #expect(try store.main.query(Shelf.self).count() == 2)
    }

    // MARK: Together, and one by one

    @Test func `Prefetched objects are read without further statements`() async throws {
        let store = try await makeStore()
        try await store.background { context in
            let query = context.query(Issue.self).prefetch { $0.assignee }.prefetch { $0.repository.owner }
                .prefetch { $0.labels }.prefetch { $0.comments }
            let issues = try query.order { $0.number }.fetch()
            let schema = context.schema
            let users = try #require(schema.model(for: User.self)).table
            let labels = try #require(schema.model(for: Label.self)).table
            #expect(context.maps[users].liveRows.count == 2)
            #expect(context.maps[labels].liveRows.count == 2)
            let loaded = try #require(try context.model(of: Issue.self).property(named: "labels"))
            #expect(issues.allSatisfy { $0._object.lists[loaded.index] != nil })
            #expect(issues.map { $0.labels.map(\.name) } == [["ui", "bug"], ["bug"], []])
            #expect(issues[0].repository?.owner?.login == "y")
            #expect(issues[2].comments.map(\.body) == ["no"])
        }
    }

    @Test(arguments: [3, 60])
    func `Prefetching uses the same number of statements for any number of objects`(
        _ count: Int
    ) async throws {
        let store = try Store(of: World.models)
        let issues = (1...count).map {
            """
            {"id": \($0), "number": \($0), "assignee": {"id": \($0), "login": "u\($0)", "profile": {"id": \($0), "bio": "p\($0)"}}, \
            "labels": [{"id": \($0)}], "repository": {"id": \($0 % 3), "owner": {"id": 1}}}
            """
        }
        try await store.main.take(Issue.self, "[\(issues.joined(separator: ","))]")
        try await store.background { context in
            _ = try context.query(User.self).count()
            let work = try FileWork(of: context)
            let users = try context.query(User.self).where { $0.identifier == 1 }
                .prefetch { $0.repositories.each.issues.each.labels }
                .prefetch { $0.repositories.each.issues.each.assignee.profile }.fetch()
            // The users; of each list the pairs and the rows; the assignees and the profiles.
            #expect(work.count.statements == 1 + 2 * 3 + 2)
            let all = users.flatMap(\.repositories).flatMap(\.issues)
            #expect(all.count == count && all.allSatisfy { $0.labels.count == 1 })
            #expect(all.allSatisfy { $0.assignee?.profile?.bio == "p\($0.number ?? 0)" })
            #expect(work.count.statements == 9)
            try work.stop(context)
        }
    }

    @Test func `Prefetched relationships show unsaved edits`() async throws {
        let store = try await makeStore()
        let (first, third) = (try store.main.find(Issue.self, 1), try store.main.find(Issue.self, 3))
        third?.labels = first?.labels ?? []
        first?.assignee = nil
        let issues = try store.main.query(Issue.self).prefetch { $0.labels }.prefetch { $0.assignee }.fetch()
        #expect(issues.map(\.labels.count) == [2, 1, 2])
        #expect(issues.map { $0.assignee?.login } == [nil, "x", nil])
    }

    @Test(arguments: [true, false])
    func `Visited objects come one at a time and aren't kept`(_ isEdited: Bool) async throws {
        let store = try await makeStore()
        try await store.background { context in
            if isEdited { User(in: context).login = "new" }
            let query = context.query(Issue.self).where { $0.assignee.login == "x" }.order(
                by: { $0.number }, .descending)
            var titles: [String] = []
            let issues = try #require(context.schema.model(for: Issue.self)).table
            var most = 0
            try query.visit { (issue: Issue) throws in
                titles.append(issue.title)
                most = max(most, context.maps[issues].liveRows.count)
                // The same question within.
                #expect(try query.count() == 2)
            }
            #expect(titles == ["b", "a"])
            struct Enough: Error {}
            #expect(throws: Enough.self) { try query.visit { _ in throw Enough() } }
            #expect(try query.count() == 2)
            if isEdited { context.rollback() }
        }
    }

    @Test func `Visited values are of one state, whatever the visitor edits`() async throws {
        let store = try await makeStore()
        let user = try #require(try store.main.find(User.self, 1))
        user.login = "before"
        var logins: [String?] = []
        try store.main.query(Issue.self).select { $0.assignee.login }.visit { login in
            logins.append(login)
            user.login = "after"
            // A query of the same unsaved objects.
            let count = try? store.main.query(Issue.self).where { $0.assignee.login == "after" }.count()
            #expect(count == 2)
        }
        #expect(logins == ["before", "before", nil])
    }

    // MARK: SQL

    @Test func `An SQL condition combines with others and binds its values`() async throws {
        let store = try await makeStore()
        let query = store.main.query(Issue.self)
        let odd = query.where(sql: "\(Issue.properties.number) % \(2) = 1").order(by: { $0.number }, .descending)
        #expect(try odd.fetch().map(\.number) == [3, 1])
        Issue(in: store.main).number = 5
        #expect(try odd.fetch().map(\.number) == [5, 3, 1])
        #expect(try odd.where { $0.assignee.login == "x" }.count() == 1)
        let text = "' OR 1 = 1 --"
        #expect(try query.where(sql: "\(Issue.properties.title) = \(text)").count() == 0)
        #expect(try odd.tables.contains(#require(store.main.schema.model(for: User.self)).table) == false)
    }

    @Test func `A SELECT in SQL returns its rows`() async throws {
        let store = try await makeStore()
        let rows = try store.main.rows(
            """
            SELECT u.login AS login, count(*) AS n FROM \(Issue.self) JOIN \(User.self) AS u ON u._id = \(Issue.properties.assignee)
            WHERE \(Issue.properties.number) < \(9) GROUP BY 1
            """)
        #expect(rows.map { $0["login", as: String.self] } == ["x"])
        #expect(rows.first?[1, as: Int.self] == 2)
        let greatest = try store.main.rows(
            "-- The last one.\n/* numbers */ SELECT max(\(Issue.properties.number)) FROM \(Issue.self)")
        #expect(greatest.first?[0, as: Int.self] == 3)
    }

    @Test(arguments: [
        "SELECT", "SELECT 1; SELECT 2", "DELETE FROM issue", "BEGIN", "COMMIT", "PRAGMA user_version = 3",
        "ATTACH 'x' AS y", "", "-- SELECT 1", "/* SELECT */ PRAGMA user_version",
    ])
    func `SQL other than a query is refused`(_ sql: String) async throws {
        let store = try await makeStore()
        let text = SQLText(stringLiteral: sql)
        #expect(await failure { _ = try store.main.rows(text) }.contains("can't be answered"))
        #expect(
            await failure { _ = try store.main.query(Issue.self).where(sql: "\(Issue.properties.title) (").fetch() }
                .contains("can't be answered"))
        #expect(try store.main.query(Issue.self).count() == 3)
    }

    @Test func `SQL with a value within quotes, or with a parameter of its own, is refused`() async throws {
        let store = try await makeStore()
        let (query, title) = (store.main.query(Issue.self), "a")
        let refused: [SQLText] = [
            "\(Issue.properties.title) LIKE '%\(title)%'", "\(Issue.properties.title) = ?",
            "\(Issue.properties.title) = :title", "\(Issue.properties.title) = $title", "1 -- \(title)\n",
            "1 /* '/ */ = \"\(title)\"",
        ]
        for condition in refused {
            let found = query.where(sql: condition)
            #expect(await failure { _ = try found.fetch() }.contains("can't be answered"))
            #expect(await failure { _ = try found.limit(1).count() }.contains("can't be answered"))
        }
        let rows: SQLText = "SELECT 1 FROM \(Issue.self) WHERE \(Issue.properties.title) = '\(title)'"
        #expect(await failure { _ = try store.main.rows(rows) }.contains("within quotes"))
        let accepted: SQLText =
            "/* '?' */ \(Issue.properties.number) -\(1)-\(1) = \(0) AND 'it''s :a ?' <> \(title) -- $1 '?\n"
        #expect(try query.where(sql: accepted).fetch().map(\.number) == [2])
    }

    // MARK: Woken observers

    @Test func `A query lists all tables that it reads`() async throws {
        let store = try await makeStore()
        func names(_ query: ObjectQuery<Issue>) -> Set<String> {
            Set(query.tables.map { store.main.schema.contains($0) ? store.main.schema[$0].modelName : "join" })
        }
        let query = store.main.query(Issue.self)
        #expect(names(query.where { $0.assignee == nil && $0.title == "a" }) == ["Issue"])
        #expect(names(query.where { $0.repository.owner.login == "a" }) == ["Issue", "Repository", "User"])
        #expect(names(query.where { $0.labels.contains { $0.name == "a" } }) == ["Issue", "Label", "join"])
        #expect(names(query.where { $0.comments.isEmpty }) == ["Issue", "Comment"])
        #expect(names(query.order { $0.assignee.profile.bio }) == ["Issue", "User", "Profile"])
    }

    @Test func `Conditions through more links than SQLite joins are refused by name`() async throws {
        let store = try await makeStore()
        func path(_ depth: Int) -> QueryLink<Employee, Employee> {
            (0..<depth).reduce(Employee.properties.manager.queryLink) { link, _ in link.manager }
        }
        let query = store.main.query(Employee.self)
        #expect(try query.where { _ in path(40).name == "a" }.fetch().isEmpty)
        #expect(await failure { _ = try query.where { _ in path(100).name == "a" }.fetch() }.contains("64 links"))
        func nested(_ depth: Int) -> QueryPredicate<Employee> {
            depth == 0
                ? Employee.properties.name == "a" : Employee.properties.reports.contains { _ in nested(depth - 1) }
        }
        #expect(try query.where { _ in nested(3) }.fetch().isEmpty)
        #expect(await failure { _ = try query.where { _ in nested(200) }.count() }.contains("has more than"))
    }

    @Test func `Thousands of conditions through a link are compiled into one`() async throws {
        let store = try await makeStore()
        let issue = Issue.properties
        let each: [QueryPredicate<Issue>] = (0..<10_000).map { issue.assignee.login == "\($0 == 77 ? "x" : "\($0)")" }
        let any = each.dropFirst().reduce(each[0]) { $0 || $1 }
        #expect(try store.main.query(Issue.self).where { _ in any }.count() == 2)
    }
}
