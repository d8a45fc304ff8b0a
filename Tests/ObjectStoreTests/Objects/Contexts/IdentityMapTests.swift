import ObjectStore
import RestfulData
import Testing

@MainActor
@Suite struct IdentityMapTests {
    @Test func `Lookups, queries, links and imports give the same instance of an object`() async throws {
        let store = try Store(of: World.models)
        let imported = try await store.main.take(
            Repository.self, #"[{"id": 10, "name": "hello", "owner": {"id": 1, "login": "octocat"}}]"#)
        let repository = try #require(imported.objects.first)
        let user = try #require(repository.owner)
        #expect(try store.main.find(User.self, 1) === user)
        #expect(try store.main.query(User.self).where { $0.login == "octocat" }.first() === user)
        #expect(try store.main.query(User.self).fetch().first === user)
        #expect(user.repositories.first === repository)
        #expect(repository.owner === user)
        #expect(try await store.main.take(User.self, #"{"id": 1, "name": "Mona"}"#).objects.first === user)
        #expect(user.name == "Mona")
        let other = try await store.main.take(Repository.self, #"{"id": 11, "owner": {"id": 1}}"#).objects.first
        #expect(other?.owner === user)
    }

    @Test func `Relinking by a background import keeps identity while main edits`() async throws {
        let store = try Store(of: World.models)
        let body = #"[{"id": 10, "name": "hello", "stars": 1, "owner": {"id": 1, "login": "octocat"}}]"#
        let repository = try #require(try await store.main.take(Repository.self, body).objects.first)
        let user = try #require(try store.main.find(User.self, 1))
        let hubot = try #require(try await store.main.take(User.self, #"{"id": 2, "login": "hubot"}"#).objects.first)
        repository.name = "edited"
        user.name = "edited too"
        try await store.takeElsewhere(
            Repository.self, #"[{"id": 10, "name": "server", "stars": 2, "owner": {"id": 2, "name": "Hubot"}}]"#)
        #expect(repository.owner === hubot)
        #expect(hubot.name == "Hubot")
        #expect(hubot.repositories.map(\.identifier) == [10])
        #expect(user.repositories.isEmpty)
        #expect(repository.name == "edited")
        #expect(repository.stars == 2)
        try await store.takeElsewhere(Repository.self, #"[{"id": 10, "owner": {"id": 1}}]"#)
        #expect(repository.owner === user)
        #expect(user.name == "edited too")
    }

    @Test func `Inserted objects are the same instances after a save`() async throws {
        let store = try Store(of: World.models)
        let user = User(in: store.main)
        user.identifier = 7
        let repository = Repository(in: store.main)
        repository.owner = user
        #expect(try store.main.query(Repository.self).first() === repository)
        try await store.main.save()
        #expect(try store.main.find(User.self, 7) === user)
        #expect(try store.main.query(Repository.self).first() === repository)
        #expect(repository.owner === user)
        #expect(user.repositories.first === repository)
    }

    @Test func `Each context has an instance of its own`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"{"id": 1, "login": "octocat"}"#)
        let mine = try #require(try store.main.find(User.self, 1))
        let address = ObjectIdentifier(mine)
        let isTheSame = try await store.background { context in
            try context.find(User.self, 1).map { ObjectIdentifier($0) } == address
        }
        #expect(isTheSame == false)
    }

    @Test func `Unreferenced objects are released and read again`() async throws {
        let store = try Store(of: World.models)
        try await store.main.importReporting(User.self, from: Array(#"{"id": 1, "login": "octocat"}"#.utf8))
        weak var released: User?
        do {
            let user = try #require(try store.main.query(User.self).first())
            released = user
            #expect(user.login == "octocat")
        }
        #expect(released == nil)
        #expect(try store.main.query(User.self).first()?.login == "octocat")
    }

    @Test func `Edited objects are kept until they are saved`() async throws {
        let store = try Store(of: World.models)
        try await store.main.importReporting(User.self, from: Array(#"{"id": 1, "login": "octocat"}"#.utf8))
        weak var released: User?
        do {
            let user = try #require(try store.main.query(User.self).first())
            user.login = "mona"
            released = user
        }
        #expect(released != nil)
        try await store.main.save()
        #expect(released == nil)
        #expect(try store.main.query(User.self).first()?.login == "mona")
    }

    @Test func `Thousands of objects are kept and released without mixing up instances`() async throws {
        let store = try Store(of: World.models)
        let count = 5_000
        let body = "[" + (1...count).map { #"{"id": \#($0), "login": "user \#($0)"}"# }.joined(separator: ",") + "]"
        let users = try await store.main.take(User.self, body).objects
        #expect(users.count == count)
        #expect(Set(users.map { ObjectIdentifier($0) }).count == count)
        let again = try store.main.query(User.self).order(by: { $0.identifier }).fetch()
        #expect(zip(users, again).allSatisfy { $0 === $1 })
        for user in users.prefix(100) { #expect(try store.main.find(User.self, user.identifier ?? 0) === user) }
        for round in 1...3 {
            let logins = try store.main.query(User.self).where { $0.identifier > round * 1_000 }.fetch().map(\.login)
            #expect(logins.count == count - round * 1_000)
        }
        try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "first"}, {"id": 5000, "login": "last"}]"#)
        #expect(users.first?.login == "first")
        #expect(users.last?.login == "last")
    }
}
