import ObjectStore
import RestfulData
import Testing

/// `object.rollback()` and `object.rollback(\.property)`.
@MainActor
@Suite struct ObjectRollbackTests {
    private func makeWorld(_ store: Store) async throws -> (users: [User], repositories: [Repository]) {
        let users = try await store.main.take(
            User.self,
            """
            [{"id": 1, "login": "a", "profile": {"id": 1}, "repositories": [{"id": 1, "name": "one", "topics":
             [{"name": "x"}, {"name": "y"}]}, {"id": 2}]}, {"id": 2, "profile": {"id": 2}}, {"id": 3}]
            """
        ).objects
        return (users, users[0].repositories)
    }

    @Test func `Rollback of one attribute leaves other edits`() async throws {
        let store = try Store(of: World.models)
        let repository = try await makeWorld(store).repositories[0]
        (repository.name, repository.stars) = ("two", 7)
        repository.rollback(\.name)
        #expect(repository.name == "one" && repository.stars == 7)
        #expect(repository.changedProperties == ["stars"])
        repository.rollback(\.stars)
        #expect(!repository.hasChanges && !store.main.hasChanges)
        repository.rollback(\.stars)
        #expect(!store.main.hasChanges)
    }

    @Test func `Rollback of one object leaves other objects' edits`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeWorld(store)
        (repositories[0].name, repositories[0].owner) = ("two", users[1])
        repositories[0].topics = []
        repositories[1].name = "other"
        repositories[0].rollback()
        #expect(repositories[0].name == "one" && repositories[0].owner === users[0])
        #expect(repositories[0].topics.map(\.name) == ["x", "y"])
        #expect(users[0].repositories.map(\.identifier) == [1, 2] && users[1].repositories.isEmpty)
        #expect(!repositories[0].hasChanges && repositories[1].changedProperties == ["name"])
        repositories[1].rollback()
        #expect(!store.main.hasChanges)
    }

    @Test func `Rollback of a link restores the lists on both sides`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeWorld(store)
        #expect(users[1].repositories.isEmpty)
        repositories[0].owner = users[1]
        users[1].repositories.append(repositories[1])
        repositories[0].rollback(\.owner)
        #expect(users[0].repositories.map(\.identifier) == [1])
        #expect(users[1].repositories.map(\.identifier) == [2])
        users[1].rollback(\.repositories)
        #expect(users[0].repositories.map(\.identifier) == [1, 2])
        #expect(!store.main.hasChanges)
    }

    @Test func `Rollback of a list restores its members' links`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeWorld(store)
        users[0].repositories = []
        repositories[1].owner = users[2]
        users[0].rollback(\.repositories)
        #expect(repositories.allSatisfy { $0.owner === users[0] } && users[2].repositories.isEmpty)
        #expect(users[0].repositories.map(\.identifier) == [1, 2])
        #expect(!store.main.hasChanges)
    }

    @Test func `Rollback of a many-to-many list restores the other side`() async throws {
        let store = try Store(of: World.models)
        let repositories = try await makeWorld(store).repositories
        let topic = try #require(repositories[0].topics.first)
        #expect(topic.repositories.map(\.identifier) == [1])
        repositories[0].topics = []
        repositories[1].topics = [topic]
        #expect(topic.repositories.map(\.identifier) == [2])
        repositories[0].rollback(\.topics)
        #expect(Set(topic.repositories.map(\.identifier)) == [1, 2])
        topic.rollback(\.repositories)
        #expect(topic.repositories.map(\.identifier) == [1] && repositories[1].topics.isEmpty)
        #expect(!store.main.hasChanges)
    }

    @Test func `Rollback of a one-to-one link restores all replaced partners`() async throws {
        let store = try Store(of: World.models)
        let users = try await makeWorld(store).users
        let profiles = try [1, 2].map { try #require(try store.main.find(Profile.self, $0)) }
        users[0].profile = profiles[1]
        #expect(users[1].profile == nil && profiles[0].user == nil)
        users[0].rollback(\.profile)
        #expect(users[0].profile === profiles[0] && users[1].profile === profiles[1])
        #expect(profiles[0].user === users[0] && profiles[1].user === users[1])
        #expect(!store.main.hasChanges)
        // By the other side, and where another object has the partner by now.
        profiles[0].user = users[2]
        users[0].rollback(\.profile)
        #expect(users[0].profile === profiles[0] && users[2].profile == nil)
        #expect(!store.main.hasChanges)
    }

    @Test func `Rollback of a new object deletes it and removes links to it`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeWorld(store)
        let user = User(in: store.main)
        user.identifier = 9
        repositories[0].owner = user
        let topic = Topic(in: store.main)
        repositories[0].topics.append(topic)
        user.rollback()
        #expect(user.isDeleted && repositories[0].owner === users[0])
        #expect(users[0].repositories.map(\.identifier) == [1, 2])
        topic.rollback()
        #expect(topic.isDeleted && repositories[0].topics.map(\.name) == ["x", "y"])
        #expect(!store.main.hasChanges)
        try await store.main.save()
        #expect(try store.main.find(User.self, 9) == nil)
    }

    @Test func `Rollback of a new object's property restores its default`() async throws {
        let store = try Store(of: World.models)
        let users = try await makeWorld(store).users
        let repository = Repository(in: store.main)
        (repository.name, repository.stars, repository.owner) = ("new", 3, users[1])
        repository.rollback(\.name)
        repository.rollback(\.owner)
        #expect(repository.name == "" && repository.stars == 3 && repository.owner == nil)
        #expect(!repository.isDeleted && users[1].repositories.isEmpty)
    }

    @Test func `Rollback of a deleted object restores it`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeWorld(store)
        repositories[0].name = "gone"
        store.main.delete(repositories[0])
        #expect(users[0].repositories.map(\.identifier) == [2])
        repositories[0].rollback()
        #expect(!repositories[0].isDeleted && repositories[0].name == "one")
        #expect(users[0].repositories.map(\.identifier) == [1, 2])
        #expect(!store.main.hasChanges)
    }

    @Test func `Rollback leaves an object deleted that another context deleted`() async throws {
        let store = try Store(of: World.models)
        let repository = try await makeWorld(store).repositories[0]
        repository.name = "mine"
        try await store.background { context in
            if let other = try context.find(Repository.self, 1) { context.delete(other) }
        }
        repository.rollback()
        repository.rollback(\.name)
        #expect(repository.isDeleted && !store.main.hasChanges)
    }

    @Test func `Rollback of an owner restores its embedded objects`() async throws {
        let store = try Store(of: [Customer.self, Address.self, Phone.self, Line.self, Country.self])
        let customer = try #require(
            try await store.main.take(
                Customer.self,
                #"{"id": 1, "address": {"street": "A", "lines": [{"text": "l"}]}, "phones": [{"number": "1"}]}"#
            ).objects.first)
        customer.address?.street = "B"
        customer.address?.lines[0].text = "m"
        customer.phones[0].number = "2"
        let phone = Phone(in: store.main)
        customer.phones.append(phone)
        customer.rollback(\.phones)
        #expect(customer.phones.map(\.number) == ["1"] && phone.isDeleted)
        #expect(customer.address?.street == "B")
        customer.rollback()
        #expect(customer.address?.street == "A" && customer.address?.lines.map(\.text) == ["l"])
        #expect(!store.main.hasChanges)
    }

    @Test func `Rollback restores a submodel's own and inherited properties`() async throws {
        let store = try Store(of: Activity.models)
        let event = try #require(
            try await store.main.take(
                PushEvent.self, #"{"id": 1, "type": "PushEvent", "size": 2, "note": "n", "project": {"id": 5}}"#
            ).objects.first)
        (event.size, event.note, event.project) = (3, "m", nil)
        event.rollback(\.size)
        #expect(event.size == 2 && event.note == "m")
        event.rollback(\.note)
        event.rollback(\.project)
        #expect(event.note == "n" && event.project?.identifier == 5 && !store.main.hasChanges)
    }

    @Test func `Rollback doesn't revert edits of a save in flight`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeWorld(store)
        (repositories[0].name, repositories[0].owner) = ("saved", users[1])
        let new = User(in: store.main)
        new.identifier = 9
        try await whileSaving(store) {
            repositories[0].stars = 5
            new.login = "later"
            repositories[0].rollback()
            #expect(repositories[0].name == "one" && repositories[0].owner === users[0])
            new.rollback()
        }
        #expect(repositories[0].name == "saved" && repositories[0].owner === users[1] && repositories[0].stars == 0)
        #expect(users[1].repositories.map(\.identifier) == [1])
        #expect(!new.isDeleted && new.login == "" && !store.main.hasChanges)
    }

    @Test func `Rollback restores the value merged last`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeWorld(store)
        (repositories[0].name, repositories[0].owner) = ("mine", users[1])
        try await store.takeElsewhere(Repository.self, #"{"id": 1, "name": "theirs", "owner": {"id": 3}}"#)
        #expect(repositories[0].name == "mine" && repositories[0].owner === users[1])
        repositories[0].rollback(\.owner)
        #expect(repositories[0].owner === users[2] && users[2].repositories.map(\.identifier) == [1])
        repositories[0].rollback(\.name)
        #expect(repositories[0].name == "theirs" && !store.main.hasChanges)
    }
}
