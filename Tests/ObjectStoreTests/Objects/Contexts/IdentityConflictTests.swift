import ObjectStore
import RestfulData
import Testing

@testable import ObjectStore

/// Two objects with one identity: refused if both were created locally, accepted once a save frees the identity,
/// unified if an import brings a locally created object.
@MainActor
@Suite struct IdentityConflictTests {
    private func duplicate(_ body: () async throws(StoreError) -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch {
            guard case .duplicateIdentity(let model, let identity) = error else { return "\(error)" }
            return model + " "
                + identity.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
    }

    private func user(_ number: Int, _ context: ObjectContext, login: String? = nil) -> User {
        let user = User(in: context)
        user.identifier = number
        if let login { user.login = login }
        return user
    }

    // MARK: Duplicates

    @Test func `A new object with the identity of a row is refused by name`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"{"id": 7}"#)
        let twin = user(7, store.main, login: "twin")
        #expect(await duplicate { () throws(StoreError) in try await store.main.save() } == "User identifier=7")
        #expect(twin.isInserted && twin.login == "twin")
        twin.identifier = 8
        try await store.main.save()
        #expect(try store.main.query(User.self).count() == 2)
    }

    @Test func `Two new objects with one identity are refused by name`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        let project = try await store.main.take(Project.self, #"{"id": 3}"#).objects[0]
        let tickets = (0..<2).map { _ in
            let ticket = Ticket(in: store.main)
            ticket.number = 1
            ticket.project = project
            return ticket
        }
        #expect(await duplicate { () throws(StoreError) in try await store.main.save() } == "Ticket number=1 project=3")
        store.main.delete(tickets[0])
        try await store.main.save()
        #expect(project.tickets.count == 1 && project.tickets[0] === tickets[1])
    }

    @Test func `An edit to another object's identity is refused and can be rolled back`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(User.self, #"[{"id": 1, "login": "a"}, {"id": 2}]"#).objects
        users[1].identifier = 1
        users[0].login = "b"
        #expect(await duplicate { () throws(StoreError) in try await store.main.save() } == "User identifier=1")
        #expect(users[1].changedProperties == ["identifier"] && users[0].changedProperties == ["login"])
        store.main.rollback()
        #expect(users.map(\.identifier) == [1, 2] && users[0].login == "a")
        try await store.main.save()
    }

    // MARK: Freed in the same save

    @Test func `A deletion frees its identity for a new object in the same save`() async throws {
        let store = try Store(of: World.models)
        let old = try await store.main.take(User.self, #"{"id": 1, "login": "old"}"#).objects[0]
        let new = user(1, store.main, login: "new")
        store.main.delete(old)
        try await store.main.save()
        #expect(try store.main.find(User.self, 1) === new)
        #expect(try Database(store.path).rows("SELECT login FROM user") == [["new"]])
        #expect(old.isDeleted && old.identifier == 1)
    }

    @Test(arguments: [false, true])
    func `A new object with a deleted object's identity stays separate when the row changes`(isSaving: Bool)
        async throws
    {
        let store = try Store(of: World.models)
        let users = try await store.main.take(User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]"#).objects
        func makeAnew() -> [User] {
            store.main.delete(users[0])
            users[1].identifier = 3
            return [user(1, store.main, login: "new"), user(2, store.main, login: "newer")]
        }
        let new: [User]
        if isSaving {
            users[0].login = "mine"
            users[1].name = "mine"
            new = try await whileSaving(store) { makeAnew() }
        } else {
            new = makeAnew()
            try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "theirs"}, {"id": 2, "name": "mine"}]"#)
        }
        #expect(try store.main.find(User.self, 1) === new[0] && store.main.find(User.self, 2) === new[1])
        #expect(users[0].isDeleted && users[1].identifier == 3 && users[1].name == "mine")
        #expect(new.map(\.isInserted) == [true, true] && new.map(\.isDeleted) == [false, false])
        try await store.main.save()
        let logins = try await store.background { try $0.query(User.self).order { $0.identifier }.fetch().map(\.login) }
        #expect(logins == ["new", "newer", "b"])
        #expect(try store.main.find(User.self, 1) === new[0] && store.main.find(User.self, 2) === new[1])
    }

    @Test func `Two objects' identities can be swapped in one save`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(
            User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}, {"id": 3, "login": "c"}]"#
        ).objects
        users[0].identifier = 2
        users[1].identifier = 3
        users[2].identifier = 1
        try await store.main.save()
        #expect(users.map(\.identifier) == [2, 3, 1])
        try expect(
            store,
            holds: """
                user
                  1 login=c site_admin=0 unsent: identifier
                  2 login=a site_admin=0 unsent: identifier
                  3 login=b site_admin=0 unsent: identifier
                """)
        // The server's last values are kept for each object.
        let unsent = try Database(store.path).rows("SELECT _unsent FROM user ORDER BY login").map { $0[0] }
        #expect(
            unsent.map { UnsentChanges(text: $0).entries.mapValues(\.base) }
                == (1...3).map { ["identifier": .integer($0)] })
    }

    @Test func `Identities with a relationship can be swapped in one save`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        let projects = try await store.main.take(
            Project.self, #"[{"id": 1, "tickets": [{"number": 1}]}, {"id": 2, "tickets": [{"number": 1}]}]"#
        ).objects
        let tickets = projects.map { $0.tickets[0] }
        tickets[0].project = projects[1]
        tickets[1].project = projects[0]
        try await store.main.save()
        #expect(projects.map { $0.tickets.count } == [1, 1])
        #expect(projects[0].tickets[0] === tickets[1] && projects[1].tickets[0] === tickets[0])
    }

    // MARK: Two become one

    @Test(arguments: [false, true])
    func `A new object unifies with an imported row of its identity`(_ isElsewhere: Bool) async throws {
        let store = try Store(of: World.models)
        let mine = user(7, store.main, login: "mine")
        let repository = Repository(in: store.main)
        repository.identifier = 1
        repository.owner = mine
        let known = try await store.main.take(Issue.self, #"{"id": 1}"#).objects[0]
        known.assignee = mine
        let body = #"{"id": 7, "login": "theirs", "name": "Seven", "repositories": [{"id": 2}]}"#
        if isElsewhere {
            try await store.takeElsewhere(User.self, body)
        } else {
            #expect(try await store.main.take(User.self, body).objects[0] === mine)
        }
        #expect(try store.main.find(User.self, 7) === mine)
        #expect(!mine.isInserted && mine.name == "Seven" && mine.login == "mine")
        #expect(mine.changedProperties == ["login"])
        #expect(repository.owner === mine && known.assignee === mine)
        #expect(Set(mine.repositories.compactMap(\.identifier)) == [1, 2])
        try await store.main.save()
        #expect(!store.main.hasChanges)
        #expect(try store.check() == [])
        try expect(
            store,
            holds: """
                user
                  7 login=mine name=Seven site_admin=0 unsent: login
                repository
                  1 name= stars=0 is_private=0 owner_id=(7) unsent: identifier, owner
                  2 name= stars=0 is_private=0 owner_id=(7) _owner_position=0
                issue
                  1 title= state=open assignee_id=(7) unsent: assignee
                """)
    }

    @Test func `Two live instances of a unified row share reads and edits`() async throws {
        let store = try Store(of: World.models)
        let row = try await store.main.take(User.self, #"{"id": 7, "login": "a", "name": "b"}"#).objects[0]
        let twin = user(7, store.main, login: "twin")
        row.name = "edited"
        try await store.takeElsewhere(User.self, #"{"id": 7, "score": 2}"#)
        #expect(twin.name == "edited" && twin.score == 2 && row.login == "twin")
        twin.siteAdmin = true
        row.score = 3
        #expect(row.siteAdmin && twin.score == 3)
        #expect(twin.changedProperties == row.changedProperties)
        let repository = Repository(in: store.main)
        repository.owner = twin
        #expect(row.repositories.count == 1 && twin.repositories.count == 1)
        twin.repositories = []
        #expect(repository.owner == nil)
        try await store.main.save()
        #expect(!twin.hasChanges && !row.hasChanges && !twin.isInserted)
        #expect(try store.main.query(User.self).fetch().count == 1)
        store.main.delete(twin)
        #expect(row.isDeleted)
        store.main.rollback()
        #expect(!twin.isDeleted)
        try await store.background { context in try context.find(User.self, 7)?.name = "c" }
        #expect(twin.name == "c" && row.name == "c")
        store.main.delete(row)
        try await store.main.save()
        #expect(twin.isDeleted && twin.identifier == 7)
    }

    @Test func `A unified instance stays usable after the other one is released`() async throws {
        let store = try Store(of: World.models)
        var row: User? = try await store.main.take(User.self, #"{"id": 7, "login": "a"}"#).objects[0]
        let twin = user(7, store.main)
        #expect(row?.login == "a")
        try await store.takeElsewhere(User.self, #"{"id": 7, "login": "b"}"#)
        row = nil
        #expect(twin.login == "b")
        twin.name = "edited"
        let found = try #require(try store.main.find(User.self, 7))
        #expect(found.name == "edited")
        try await store.main.save()
        #expect(try Database(store.path).value("SELECT name FROM user") == "edited")
    }

    // MARK: Rejected values

    @Test func `Conditions see unsaved deletions`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(
            Issue.self, #"[{"id": 1, "assignee": {"id": 1}}, {"id": 2, "assignee": {"id": 2}}, {"id": 3}]"#
        ).objects
        let user = try #require(issues[0].assignee)
        store.main.delete(user)
        func numbers(_ condition: (Issue.Properties) -> QueryPredicate<Issue>) throws -> [Int?] {
            try store.main.query(Issue.self).where(condition).order { $0.identifier }.fetch().map(\.identifier)
        }
        #expect(try numbers { $0.assignee == user } == [])
        #expect(try numbers { $0.assignee != user } == [1, 2, 3])
        #expect(try numbers { $0.assignee == nil } == [1, 3])
        #expect(try numbers { $0.assignee != nil } == [2])
        #expect(try numbers { !($0.assignee == nil) } == [2])
        #expect(try store.main.query(Issue.self).where { $0.assignee == nil }.count() == 2)
        issues[2].title = "edited"
        #expect(try numbers { $0.assignee == nil } == [1, 3])
        store.main.rollback()
        #expect(try numbers { $0.assignee == user } == [1])
    }
}
