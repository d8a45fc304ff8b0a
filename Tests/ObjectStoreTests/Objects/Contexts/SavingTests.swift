import ObjectStore
import RestfulData
import Testing

/// Saves concurrent with edits, with each other and with other contexts' saves.
@MainActor
@Suite struct SavingTests {
    @Test func `The second of two overlapping saves of a new object wins`() async throws {
        let store = try Store(of: World.models)
        let user = User(in: store.main)
        user.identifier = 1
        user.login = "first"
        let main = store.main
        let second = try await whileSaving(store) {
            user.login = "second"
            return Task { try await main.save() }
        }
        try await second.value
        #expect(user.login == "second")
        #expect(!store.main.hasChanges)
        try expect(
            store,
            holds: """
                user
                  1 login=second site_admin=0 unsent: identifier, login
                """)
    }

    @Test func `Fifty overlapping saves keep the last value`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "0"}"#).objects.first)
        let main = store.main
        let saves = (1...50).map { number in
            user.login = "\(number)"
            return Task { try await main.save() }
        }
        for save in saves { try await save.value }
        #expect(user.login == "50")
        #expect(!store.main.hasChanges)
        #expect(try Database(store.path).value("SELECT login FROM user") == "50")
    }

    @Test func `Sent facts are marked in the file even if no object of them is held`() async throws {
        let store = try Store(of: World.models)
        let record = try await store.background { context in
            let user = try await context.take(User.self, #"{"id": 1, "login": "a"}"#).objects[0]
            user.login = "b"
            return user._object.record
        }
        try await store.main.mark([SentFact(.row, of: record)])
        #expect(try Database(store.path).value("SELECT count(*) FROM _send") == "1")
    }

    @Test func `Restoring the old values during a save wins over the save`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(
            try await store.main.take(
                Issue.self, #"{"id": 1, "title": "a", "assignee": {"id": 1}, "labels": [{"id": 1}, {"id": 2}]}"#
            ).objects.first)
        let (user, labels) = (issue.assignee, issue.labels)
        issue.title = "b"
        issue.assignee = nil
        issue.labels = []
        try await whileSaving(store) {
            issue.title = "a"
            issue.assignee = user
            issue.labels = labels
        }
        #expect(issue.title == "a")
        #expect(issue.assignee === user)
        #expect(issue.labels.map(\.identifier) == [1, 2])
        #expect(issue.changedProperties == ["title", "assignee", "labels"])
        try await store.main.save()
        #expect(!store.main.hasChanges)
        try expect(
            store,
            holds: """
                issue
                  1 title=a state=open assignee_id=(1)
                issue_labels
                  (1) - (1) 0
                  (1) - (2) 1
                """, of: Issue.self)
    }

    @Test func `Restoring the old values during a failing save leaves no edit`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(
            try await store.main.take(Issue.self, #"{"id": 1, "title": "a", "labels": [{"id": 1}]}"#).objects.first)
        let labels = issue.labels
        issue.title = "b"
        issue.labels = []
        let twin = User(in: store.main)
        try await store.takeElsewhere(User.self, #"{"id": 7}"#)
        twin.identifier = 7
        let error = await failure {
            try await whileSaving(store) {
                issue.title = "a"
                issue.labels = labels
            }
        }
        #expect(error == "\(StoreError.duplicateIdentity(model: "User", identity: ["identifier": "7"]))")
        #expect(!issue.hasChanges)
        #expect(issue.labels.map(\.identifier) == [1])
        store.main.delete(twin)
        #expect(!store.main.hasChanges)
    }

    @Test func `Deleting objects during a save is written by the next save`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "a"}"#).objects.first)
        user.login = "b"
        let new = User(in: store.main)
        new.identifier = 2
        try await whileSaving(store) {
            store.main.delete(user)
            store.main.delete(new)
        }
        #expect(user.isDeleted && new.isDeleted)
        #expect(try store.main.query(User.self).fetch().isEmpty)
        #expect(store.main.hasChanges)
        try await store.main.save()
        #expect(!store.main.hasChanges)
        #expect(try store.dump() == "")
    }

    @Test func `Rollback during a save keeps the values that the save writes`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(
            try await store.main.take(User.self, #"{"id": 1, "login": "a", "name": "a"}"#).objects.first)
        user.login = "b"
        let new = User(in: store.main)
        new.identifier = 2
        try await whileSaving(store) {
            user.name = "b"
            store.main.rollback()
        }
        #expect(!store.main.hasChanges)
        #expect(user.login == "b" && user.name == "a")
        #expect(try store.main.query(User.self).order(by: { $0.identifier }).fetch().map(\.identifier) == [1, 2])
        try expect(
            store,
            holds: """
                user
                  1 login=b name=a site_admin=0 unsent: login
                  2 login= site_admin=0 unsent: identifier
                """)
    }

    @Test func `Links to an object deleted before the save are set to nil`() async throws {
        let store = try Store(of: World.models)
        let known = try #require(try await store.main.take(User.self, #"{"id": 1}"#).objects.first)
        let issue = Issue(in: store.main)
        issue.identifier = 1
        let other = Issue(in: store.main)
        other.identifier = 2
        let user = User(in: store.main)
        let label = Label(in: store.main)
        issue.assignee = user
        issue.labels = [label]
        other.assignee = known
        store.main.delete(user)
        store.main.delete(label)
        store.main.delete(known)
        #expect(issue.assignee == nil && issue.labels.isEmpty && other.assignee == nil)
        try await store.main.save()
        #expect(!store.main.hasChanges)
        try expect(
            store,
            holds: """
                issue
                  1 title= state=open unsent: assignee, identifier
                  2 title= state=open unsent: assignee, identifier
                """)
    }

    @Test func `Links to objects that another context deleted meanwhile are set to nil`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(
            try await store.main.take(Issue.self, #"{"id": 1, "labels": [{"id": 1}]}"#).objects.first)
        try await store.takeElsewhere(User.self, #"[{"id": 7}, {"id": 8}]"#)
        try await store.takeElsewhere(Label.self, #"[{"id": 2}]"#)
        issue.assignee = try store.main.find(User.self, 7)
        issue.labels = try store.main.query(Label.self).fetch()
        let repository = Repository(in: store.main)
        repository.identifier = 10
        repository.owner = try store.main.find(User.self, 8)
        try await store.background { context in
            for user in try context.query(User.self).fetch() { context.delete(user) }
            if let label = try context.find(Label.self, 2) { context.delete(label) }
        }
        #expect(issue.assignee == nil && repository.owner == nil)
        #expect(issue.labels.map(\.identifier) == [1])
        try await store.main.save()
        #expect(!store.main.hasChanges)
        #expect(try store.check() == [])
        try expect(
            store,
            holds: """
                repository
                  10 name= stars=0 is_private=0 unsent: identifier, owner
                issue
                  1 title= state=open unsent: assignee, labels
                label
                  1 name=
                issue_labels
                  (1) - (1) 0
                """)
    }

    @Test func `An owner that another context deletes during a save leaves no dangling links`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(
            try await store.main.take(User.self, #"{"id": 1, "repositories": [{"id": 10}, {"id": 11}]}"#).objects.first)
        let repositories = user.repositories
        let topic = Topic(in: store.main)
        topic.name = "swift"
        repositories[0].topics = [topic]
        user.repositories = [repositories[1], repositories[0]]
        let late = Repository(in: store.main)
        late.identifier = 12
        late.owner = user
        let deletion = Task {
            try await store.background { context in
                if let user = try context.find(User.self, 1) { context.delete(user) }
                if let repository = try context.find(Repository.self, 10) { context.delete(repository) }
            }
        }
        // Where the deletion comes first, that has taken edits along.
        try await saveDespiteDeletions(store.main)
        try await deletion.value
        try await saveDespiteDeletions(store.main)
        try await store.main.save()
        #expect(!store.main.hasChanges)
        #expect(try store.check() == [])
        #expect(user.isDeleted && late.owner == nil)
    }
}
