import ObjectStore
import RestfulData
import Testing

/// Commits of one context as seen in the live objects of the others.
@MainActor
@Suite struct MergeTests {
    /// One property of an issue: a user's edit, and another value of the server.
    struct Change: Sendable, CustomTestStringConvertible {
        let property: String
        /// The user's edit.
        let edit: @Sendable (Issue, World.Known) -> Void
        /// The members of the server's object.
        let json: String
        /// The property's value as text.
        let read: @Sendable (Issue) -> String
        let (original, edited, served): (String, String, String)
        /// The result of an edited list and the server's changes.
        var both: String?

        var testDescription: String { property }
    }

    nonisolated static let changes: [Change] = [
        Change(
            property: "title", edit: { issue, _ in issue.title = "edited" }, json: #""title": "served""#,
            read: { $0.title }, original: "old", edited: "edited", served: "served"),
        Change(
            property: "number", edit: { issue, _ in issue.number = nil }, json: #""number": 3"#,
            read: { "\($0.number as Any)" }, original: "Optional(1)", edited: "nil", served: "Optional(3)"),
        Change(
            property: "state", edit: { issue, _ in issue.state = .closed }, json: #""state": "unheard of""#,
            read: { $0.state.rawValue }, original: "open", edited: "closed", served: "open"),
        Change(
            property: "assignee", edit: { issue, known in issue.assignee = known.users[1] }, json: #""assignee": null"#,
            read: { "\($0.assignee?.identifier as Any)" }, original: "Optional(1)", edited: "Optional(2)", served: "nil"
        ),
        Change(
            property: "labels", edit: { issue, known in issue.labels = [known.labels[1], known.labels[0]] },
            json: #""labels": [{"id": 3}]"#, read: { "\($0.labels.compactMap(\.identifier))" },
            original: "[1]", edited: "[2, 1]", served: "[3]", both: "[2, 3]"),
        Change(
            property: "comments", edit: { issue, _ in issue.comments = [] },
            json: #""comments": [{"id": 2}, {"id": 1}]"#,
            read: { "\($0.comments.compactMap(\.identifier))" }, original: "[1]", edited: "[]", served: "[2, 1]",
            both: "[2]"),
    ]

    private static let original = #"""
        [{"id": 1, "title": "old", "number": 1, "state": "open", "assignee": {"id": 1}, "labels": [{"id": 1}],
          "comments": [{"id": 1}]}]
        """#

    /// Every property that the user edited × every property that the server changes: an edited property keeps the
    /// user's value, the others take the server's, before the import returns. An edited list keeps its additions and
    /// removals.
    @Test(arguments: changes, changes)
    func `An edited property keeps the user's value and the others take the new one`(_ edited: Change, _ served: Change)
        async throws
    {
        let store = try Store(of: World.models)
        let issue = try #require(try await store.main.take(Issue.self, Self.original).objects.first)
        let known = try await World.Known(in: store)
        edited.edit(issue, known)
        try await store.takeElsewhere(Issue.self, "[{\"id\": 1, \(served.json)}]")
        for change in Self.changes {
            let isServed = change.property == served.property
            let expected =
                change.property == edited.property
                ? isServed ? change.both ?? change.edited : change.edited
                : isServed ? change.served : change.original
            #expect(change.read(issue) == expected, "\(change.property)")
        }
        #expect(issue.changedProperties.contains(edited.property))
        store.main.rollback()
        for change in Self.changes {
            let expected = change.property == served.property ? change.served : change.original
            #expect(change.read(issue) == expected, "\(change.property) after rollback")
        }
    }

    @Test(arguments: changes)
    func `A commit is merged into every live context`(_ change: Change) async throws {
        let store = try Store(of: World.models)
        let issue = try #require(try await store.main.take(Issue.self, Self.original).objects.first)
        let seen = try await store.background { first in
            let mine = try #require(try first.find(Issue.self, 1))
            let before = change.read(mine)
            let theirs = try await store.background { second in
                let issue = try #require(try second.find(Issue.self, 1))
                let before = change.read(issue)
                try await store.takeElsewhere(Issue.self, "[{\"id\": 1, \(change.json)}]")
                return [before, change.read(issue)]
            }
            return [before, change.read(mine)] + theirs
        }
        #expect(seen == [change.original, change.served, change.original, change.served])
        #expect(change.read(issue) == change.served)
    }

    @Test func `Edits of two contexts are merged per property`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(try await store.main.take(Issue.self, Self.original).objects.first)
        issue.title = "main"
        try await store.background { context in
            let issue = try #require(try context.find(Issue.self, 1))
            issue.title = "background"
            issue.number = 9
        }
        #expect(issue.title == "main" && issue.number == 9)
        #expect(issue.changedProperties == ["title"])
        try await store.main.save()
        try expect(
            store,
            holds: """
                issue
                  1 number=9 title=main state=open assignee_id=(1) unsent: number, title
                issue_labels
                  (1) - (1) 0
                """, of: Issue.self)
    }

    @Test func `An edit that equals a merged value is no longer an edit`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(try await store.main.take(Issue.self, Self.original).objects.first)
        issue.title = "the same"
        issue.number = 5
        try await store.takeElsewhere(Issue.self, #"[{"id": 1, "title": "the same"}]"#)
        #expect(issue.changedProperties == ["number"])
        try await store.takeElsewhere(Issue.self, #"[{"id": 1, "number": 5}]"#)
        #expect(!issue.hasChanges && !store.main.hasChanges)
    }

    @Test func `Commits are merged in the order of the file`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "0"}"#).objects.first)
        let count = 40
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...count {
                group.addTask {
                    try await store.background { context in
                        let user = try #require(try context.find(User.self, 1))
                        user.login = "\(number)"
                        user.score = (user.score ?? 0) + 1
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(user.login == (try Database(store.path).value("SELECT login FROM user")))
        #expect(user.score.map { "\($0)" } == (try Database(store.path).value("SELECT score FROM user")))
    }

    @Test func `A deletion is merged into other contexts`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(try await store.main.take(Issue.self, Self.original).objects.first)
        let user = try #require(issue.assignee)
        let label = try #require(issue.labels.first)
        let comment = try #require(issue.comments.first)
        user.name = "edited"
        comment.body = "edited"
        try await store.background { context in
            if let user = try context.find(User.self, 1) { context.delete(user) }
            if let label = try context.find(Label.self, 1) { context.delete(label) }
            if let comment = try context.find(Comment.self, 1) { context.delete(comment) }
        }
        #expect(user.isDeleted && label.isDeleted && comment.isDeleted)
        #expect(issue.assignee == nil && issue.labels.isEmpty && issue.comments.isEmpty)
        #expect(user.identifier == 1 && user.name == "edited")
        #expect(!store.main.hasChanges)
        // The loss of the edits is reported once.
        await #expect(throws: StoreError.self) { try await store.main.save() }
        try await store.main.save()
        #expect(try store.main.query(User.self).count() == 0)
    }

    @Test func `An object inserted again after its deletion is another instance`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "a"}"#).objects.first)
        try await store.background { context in
            if let user = try context.find(User.self, 1) { context.delete(user) }
        }
        try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "b"}]"#)
        let other = try #require(try store.main.find(User.self, 1))
        #expect(other !== user)
        #expect(user.isDeleted && user.login == "a")
        #expect(other.login == "b" && !other.isDeleted)
    }

    @Test func `An unsaved deletion stays when another context changes the object`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "a"}"#).objects.first)
        store.main.delete(user)
        try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "b"}]"#)
        #expect(user.isDeleted)
        #expect(try store.main.find(User.self, 1) == nil)
        #expect(try await store.main.take(User.self, #"{"id": 1, "login": "c"}"#).objects.isEmpty)
        store.main.rollback()
        #expect(!user.isDeleted && user.login == "c")
        store.main.delete(user)
        try await store.main.save()
        #expect(try store.dump() == "")
    }

    @Test func `Rollback doesn't restore an object that another context deleted`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1}"#).objects.first)
        store.main.delete(user)
        try await store.background { context in
            if let user = try context.find(User.self, 1) { context.delete(user) }
        }
        #expect(!store.main.hasChanges)
        store.main.rollback()
        #expect(user.isDeleted)
        #expect(try store.main.find(User.self, 1) == nil)
    }

    @Test func `A background closure that throws saves nothing`() async throws {
        struct Stop: Error {}
        let store = try Store(of: World.models)
        await #expect(throws: Stop.self) {
            try await store.background { context in
                User(in: context).identifier = 1
                throw Stop()
            }
        }
        #expect(try store.main.query(User.self).count() == 0)
    }

    @Test func `A background save that fails throws`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"{"id": 1}"#)
        let error = await failure { try await store.background { context in User(in: context).identifier = 1 } }
        #expect(error == "\(StoreError.duplicateIdentity(model: "User", identity: ["identifier": "1"]))")
        #expect(try store.main.query(User.self).count() == 1)
    }
}
