import ObjectStore
import RestfulData
import Testing

/// Edits, inserts and deletions in one context before they are saved, and their way back.
@MainActor
@Suite struct EditingTests {
    @Test func `An edit is visible at once and listed in changedProperties`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(
            try await store.main.take(User.self, #"{"id": 1, "login": "octocat", "name": "Mona"}"#).objects.first)
        #expect(!user.hasChanges && !store.main.hasChanges)
        user.login = "hubot"
        user.name = nil
        #expect(user.login == "hubot")
        #expect(user.name == nil)
        #expect(user.changedProperties == ["login", "name"])
        #expect(user.hasChanges && store.main.hasChanges)
        #expect(try Database(store.path).value("SELECT login FROM user") == "octocat")
    }

    @Test func `Setting a property back to its saved value is no edit`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(
            try await store.main.take(
                Issue.self,
                """
                {"id": 1, "title": "Bug", "state": "closed", "repository": {"id": 10}, "assignee": {"id": 1},
                 "labels": [{"id": 1}, {"id": 2}]}
                """
            ).objects.first)
        let (labels, repository, assignee) = (issue.labels, issue.repository, issue.assignee)
        issue.title = "x"
        issue.state = .open
        issue.assignee = nil
        issue.repository = nil
        issue.labels = []
        #expect(issue.changedProperties == ["title", "state", "repository", "assignee", "labels"])
        issue.title = "Bug"
        issue.state = .closed
        issue.assignee = assignee
        issue.repository = repository
        issue.labels = labels
        #expect(issue.changedProperties == [])
        #expect(!issue.hasChanges)
        #expect(!store.main.hasChanges)
    }

    @Test func `An inserted object has its defaults`() throws {
        let store = try Store(of: World.models)
        let issue = Issue(in: store.main)
        #expect(issue.isInserted && issue.hasChanges)
        #expect(issue.title == "")
        #expect(issue.state == .open)
        #expect(issue.identifier == nil)
        #expect(issue.labels.isEmpty)
        #expect(issue.repository == nil)
        #expect(issue.changedProperties == [])
        #expect(try store.main.query(Issue.self).count() == 1)
        #expect(try Database(store.path).value("SELECT count(*) FROM issue") == "0")
    }

    @Test func `A saved insert is in the file`() async throws {
        let store = try Store(of: World.models)
        let issue = Issue(in: store.main)
        issue.title = "Bug"
        issue.identifier = 5
        let label = Label(in: store.main)
        label.identifier = 1
        issue.labels = [label]
        try await store.main.save()
        #expect(!issue.isInserted && !issue.hasChanges && !store.main.hasChanges)
        try expect(
            store,
            holds: """
                issue
                  5 title=Bug state=open unsent: identifier, labels, title
                label
                  1 name= unsent: identifier
                issue_labels
                  (5) - (1) 0
                """)
    }

    @Test func `A deleted object leaves queries, lists and links at once`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(
            try await store.main.take(
                Issue.self,
                #"{"id": 1, "assignee": {"id": 7, "login": "octocat"}, "labels": [{"id": 1}, {"id": 2}]}"#
            ).objects.first)
        let user = try #require(issue.assignee)
        let label = try #require(issue.labels.first)
        store.main.delete(user)
        store.main.delete(label)
        #expect(user.isDeleted && label.isDeleted)
        #expect(user.login == "octocat")
        #expect(issue.assignee == nil)
        #expect(issue.labels.map(\.identifier) == [2])
        #expect(try store.main.query(User.self).fetch().isEmpty)
        #expect(try store.main.query(Label.self).count() == 1)
        #expect(try store.main.find(User.self, 7) == nil)
        #expect(store.main.hasChanges)
        #expect(try Database(store.path).value("SELECT count(*) FROM user") == "1")
        try await store.main.save()
        #expect(!store.main.hasChanges)
        #expect(user.isDeleted && user.login == "octocat")
        try expect(
            store,
            holds: """
                issue
                  1 title= state=open
                label
                  2 name=
                issue_labels
                  (1) - (2) 1
                """)
    }

    @Test func `Deleting twice, or deleting a new object, leaves no changes`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1}"#).objects.first)
        let new = User(in: store.main)
        store.main.delete(new)
        store.main.delete(new)
        #expect(new.isDeleted)
        #expect(!store.main.hasChanges)
        store.main.delete(user)
        store.main.delete(user)
        try await store.main.save()
        store.main.delete(user)
        #expect(!store.main.hasChanges)
        #expect(try store.dump() == "")
    }

    @Test func `Rollback reverts edits, inserts and deletions`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(
            try await store.main.take(
                Issue.self,
                """
                {"id": 1, "title": "Bug", "repository": {"id": 10}, "assignee": {"id": 7, "login": "octocat"},
                 "labels": [{"id": 1}, {"id": 2}]}
                """
            ).objects.first)
        let before = try store.dump()
        let user = try #require(issue.assignee)
        let repository = try #require(issue.repository)
        let labels = issue.labels
        let new = Issue(in: store.main)
        new.repository = repository
        new.labels = labels
        issue.title = "Other"
        issue.labels = [labels[1]]
        issue.repository = nil
        store.main.delete(user)
        #expect(repository.issues.map { $0 === new } == [true])
        store.main.rollback()
        #expect(!store.main.hasChanges)
        #expect(issue.title == "Bug")
        #expect(issue.labels.map(\.identifier) == [1, 2])
        #expect(issue.repository === repository)
        #expect(repository.issues.map(\.identifier) == [1])
        #expect(!user.isDeleted)
        #expect(issue.assignee === user)
        #expect(new.isDeleted)
        #expect(try store.main.query(Issue.self).count() == 1)
        try await store.main.save()
        #expect(try store.dump() == before)
    }

    @Test func `Edits made during a save stay unsaved`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(
            try await store.main.take(User.self, #"{"id": 1, "login": "a", "name": "a", "score": 1}"#).objects.first)
        let repository = Repository(in: store.main)
        repository.name = "a"
        user.login = "b"
        user.name = "b"
        user.repositories = [repository]
        let late = try await whileSaving(store) {
            user.login = "c"
            user.name = "a"
            user.score = 2
            repository.name = "b"
            user.repositories = []
            let late = User(in: store.main)
            late.identifier = 2
            return late
        }
        #expect(user.login == "c")
        #expect(user.name == "a")
        #expect(user.score == 2)
        #expect(repository.name == "b")
        #expect(user.repositories.isEmpty)
        #expect(repository.owner == nil)
        #expect(user.changedProperties == ["login", "name", "score", "repositories"])
        #expect(late.isInserted)
        try expect(
            store,
            holds: """
                user
                  1 login=b name=b site_admin=0 score=1.0 unsent: login, name, repositories
                repository
                  new 1 name=a stars=0 is_private=0 owner_id=(1) _owner_position=0 unsent: name, owner
                """, of: User.self, Repository.self)
        try await store.main.save()
        #expect(!store.main.hasChanges)
        try expect(
            store,
            holds: """
                user
                  1 login=c name=a site_admin=0 score=2.0 unsent: login, score
                  2 login= site_admin=0 unsent: identifier
                repository
                  new 1 name=b stars=0 is_private=0 unsent: name, owner
                """, of: User.self, Repository.self)
    }

    @Test func `A save that fails keeps the edits and leaves the context usable`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"{"id": 1, "login": "octocat"}"#)
        let twin = User(in: store.main)
        twin.identifier = 1
        twin.login = "twin"
        let fine = User(in: store.main)
        fine.identifier = 2
        let before = try store.dump()
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        guard case .duplicateIdentity("User", ["identifier": "1"])? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(try store.dump() == before)
        #expect(twin.login == "twin" && twin.isInserted && fine.isInserted)
        #expect(try store.main.query(User.self).count() == 3)
        twin.identifier = 3
        try await store.main.save()
        #expect(try store.main.query(User.self).order(by: { $0.identifier }).fetch().map(\.identifier) == [1, 2, 3])
        #expect(try store.main.find(User.self, 3) === twin)
    }

    @Test func `Saving without edits writes nothing`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"{"id": 1, "login": "octocat"}"#)
        let version = try Database(store.path)
        let before = try version.value("PRAGMA data_version")
        try await store.main.save()
        #expect(try version.value("PRAGMA data_version") == before)
    }

    @Test func `Text with equal characters in other code points is an edit`() async throws {
        let store = try Store(of: World.models)
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        try await store.main.take(Topic.self, #"[{"name": "\#(decomposed)"}]"#)
        let user = try await store.main.take(User.self, #"{"id": 1, "login": "\#(composed)"}"#).objects[0]
        user.login = decomposed
        #expect(user.hasChanges)
        #expect(try store.main.query(User.self).where { $0.login == decomposed }.count() == 1)
        #expect(try store.main.query(User.self).where { $0.login == composed }.count() == 0)
        try await store.main.save()
        let stored = try Database(store.path).value("SELECT login FROM user")
        #expect(stored.map { Array($0.utf8) } == Array(decomposed.utf8))
        user.login = composed
        user.login = decomposed
        #expect(!user.hasChanges)
        let topic = Topic(in: store.main)
        topic.name = composed
        #expect(try store.main.find(Topic.self, composed) === topic)
        #expect(try store.main.find(Topic.self, decomposed) !== topic)
        try await store.main.save()
        #expect(try Database(store.path).value("SELECT count(*) FROM topic") == "2")
    }
}
