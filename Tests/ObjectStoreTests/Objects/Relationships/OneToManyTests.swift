import ObjectStore
import RestfulData
import Testing

/// `Repository.owner` and `User.repositories`: both sides follow, whichever is edited.
@MainActor
@Suite struct OneToManyTests {
    private func makeOwners(_ store: Store) async throws -> (users: [User], repositories: [Repository]) {
        let users = try await store.main.take(
            User.self, #"[{"id": 1, "repositories": [{"id": 10}, {"id": 11}, {"id": 12}]}, {"id": 2}]"#
        ).objects
        return (users, users[0].repositories)
    }

    @Test func `An imported list keeps the given order`() async throws {
        let store = try Store(of: World.models)
        let (users, _) = try await makeOwners(store)
        #expect(users[0].repositories.map(\.identifier) == [10, 11, 12])
        #expect(users[0].repositories.allSatisfy { $0.owner === users[0] })
        try await store.takeElsewhere(User.self, #"[{"id": 1, "repositories": [{"id": 12}, {"id": 13}, {"id": 10}]}]"#)
        #expect(users[0].repositories.map(\.identifier) == [12, 13, 10])
        #expect(try store.main.find(Repository.self, 11)?.owner == nil)
        #expect(try store.main.query(Repository.self).count() == 4)
    }

    @Test func `Setting the link moves the object between lists`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeOwners(store)
        repositories[0].owner = users[1]
        #expect(users[0].repositories.map(\.identifier) == [11, 12])
        #expect(users[1].repositories.map(\.identifier) == [10])
        repositories[1].owner = nil
        #expect(users[0].repositories.map(\.identifier) == [12])
        repositories[1].owner = users[1]
        #expect(users[1].repositories.map(\.identifier) == [10, 11])
        try await store.main.save()
        #expect(users[0].repositories.map(\.identifier) == [12])
        #expect(users[1].repositories.map(\.identifier) == [10, 11])
        try expect(
            store,
            holds: """
                repository
                  10 name= stars=0 is_private=0 owner_id=(2) unsent: owner
                  11 name= stars=0 is_private=0 owner_id=(2) unsent: owner
                  12 name= stars=0 is_private=0 owner_id=(1) _owner_position=2
                """, of: Repository.self)
    }

    @Test func `Members that join by their links keep the order of joining`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeOwners(store)
        repositories[2].stars = 1
        #expect(users[1].repositories.isEmpty)
        for place in [1, 2, 0] { repositories[place].owner = users[1] }
        #expect(users[1].repositories.map(\.identifier) == [11, 12, 10])
        // Any change to a list of the same kind makes this one be read again.
        try await store.takeElsewhere(User.self, #"{"id": 3, "repositories": [{"id": 13}]}"#)
        #expect(users[1].repositories.map(\.identifier) == [11, 12, 10])
        let draft = try store.main.draft()
        #expect(draft.object(for: users[1])?.repositories.map(\.identifier) == [11, 12, 10])
    }

    @Test func `A moved object comes last in its new list`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(
            User.self,
            #"[{"id": 1, "repositories": [{"id": 10}]}, {"id": 2, "repositories": [{"id": 20}, {"id": 21}]}]"#
        ).objects
        let repository = try #require(users[0].repositories.first)
        repository.owner = users[1]
        #expect(users[1].repositories.map(\.identifier) == [20, 21, 10])
        try await store.main.save()
        #expect(users[1].repositories.map(\.identifier) == [20, 21, 10])
    }

    @Test func `New members come last in a list without an order, saved or not`() async throws {
        let store = try Store(of: World.models)
        let user = try await store.main.take(User.self, #"{"id": 1}"#).objects[0]
        try await store.takeElsewhere(
            Repository.self, #"[{"id": 10, "owner": {"id": 1}}, {"id": 11, "owner": {"id": 1}}]"#)
        for number in [12, 13] {
            let new = Repository(in: store.main)
            new.identifier = number
            new.owner = user
        }
        #expect(user.repositories.map(\.identifier) == [10, 11, 12, 13])
        try await store.main.save()
        #expect(user.repositories.map(\.identifier) == [10, 11, 12, 13])
        for isPrefetched in [false, true] {
            let elsewhere = try await store.background { context in
                let query = context.query(User.self)
                let users = try (isPrefetched ? query.prefetch { $0.repositories } : query).fetch()
                return users.flatMap { $0.repositories.map(\.identifier) }
            }
            #expect(elsewhere == [10, 11, 12, 13])
        }
    }

    @Test func `An object that an import moves comes last in its new list`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(
            User.self,
            #"[{"id": 1, "repositories": [{"id": 10}]}, {"id": 2, "repositories": [{"id": 20}, {"id": 21}]}]"#
        ).objects
        try await store.takeElsewhere(Repository.self, #"[{"id": 10, "owner": {"id": 2}}]"#)
        #expect(users[1].repositories.map(\.identifier) == [20, 21, 10])
    }

    @Test func `Setting a list sets the links of its members`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeOwners(store)
        let new = Repository(in: store.main)
        users[1].repositories = [new, repositories[2], repositories[0]]
        #expect(
            users[1].repositories.map { ObjectIdentifier($0) }
                == [new, repositories[2], repositories[0]].map(ObjectIdentifier.init))
        #expect(users[0].repositories.map(\.identifier) == [11])
        #expect(new.owner === users[1] && repositories[2].owner === users[1])
        #expect(Set(repositories[2].changedProperties) == ["owner"])
        users[1].repositories.removeAll { $0 === new }
        #expect(new.owner == nil)
        users[0].repositories = []
        #expect(repositories[1].owner == nil)
        try await store.main.save()
        #expect(!store.main.hasChanges)
        #expect(users[1].repositories.map(\.identifier) == [12, 10])
        #expect(repositories[1].owner == nil && new.owner == nil)
        #expect(try store.check() == [])
    }

    @Test func `A list set with a repeated member is refused`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeOwners(store)
        let before = users.map { $0.repositories.map(\.identifier) }
        users[1].repositories = [repositories[2], repositories[0], repositories[2]]
        #expect(users.map { $0.repositories.map(\.identifier) } == before)
        #expect(repositories[2].owner === users[0] && repositories[2].changedProperties.isEmpty)
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        #expect(error?.description.hasPrefix("User.repositories was given a member twice") == true)
        try await store.main.save()
        #expect(users.map { $0.repositories.map(\.identifier) } == before && !store.main.hasChanges)
    }

    @Test func `A link edit moves an object between lists that aren't loaded yet`() async throws {
        let store = try Store(of: World.models)
        try await store.takeElsewhere(
            User.self,
            #"[{"id": 1, "repositories": [{"id": 10}, {"id": 11}]}, {"id": 2, "repositories": [{"id": 20}]}]"#)
        // Only one side of each is touched before the other is first read.
        let second = try #require(try store.main.find(User.self, 2))
        try #require(try store.main.find(Repository.self, 10)).owner = second
        let first = try #require(try store.main.find(User.self, 1))
        #expect(first.repositories.map(\.identifier) == [11])
        #expect(second.repositories.map(\.identifier) == [20, 10])
        first.repositories = []
        #expect(try store.main.find(Repository.self, 11)?.owner == nil)
    }

    @Test func `New children keep the order in which they were linked`() async throws {
        let store = try Store(of: World.models)
        let user = User(in: store.main)
        user.identifier = 1
        for number in 1...30 {
            let repository = Repository(in: store.main)
            repository.identifier = number
            repository.owner = user
        }
        #expect(user.repositories.map(\.identifier) == Array(1...30))
        try await store.main.save()
        #expect(user.repositories.map(\.identifier) == Array(1...30))
        #expect(try store.main.query(Repository.self).fetch().map(\.identifier) == Array(1...30))
    }

    @Test func `Deleting an owner sets its members' links to nil`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeOwners(store)
        store.main.delete(users[0])
        #expect(repositories[0].owner == nil)
        try await store.main.save()
        #expect(repositories[0].owner == nil && !repositories[0].isDeleted)
        #expect(try store.main.query(Repository.self).where { $0.owner == nil }.count() == 3)
        try expect(
            store,
            holds: """
                repository
                  10 name= stars=0 is_private=0
                  11 name= stars=0 is_private=0
                  12 name= stars=0 is_private=0
                """, of: Repository.self)
    }

    @Test func `A deleted member leaves its list`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeOwners(store)
        store.main.delete(repositories[1])
        #expect(users[0].repositories.map(\.identifier) == [10, 12])
        users[0].repositories = [repositories[2], repositories[0]]
        try await store.main.save()
        #expect(!store.main.hasChanges)
        #expect(users[0].repositories.map(\.identifier) == [12, 10])
    }

    @Test func `A one-to-many edit in another context is merged on both sides`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeOwners(store)
        try await store.background { context in
            let repository = try #require(try context.find(Repository.self, 10))
            repository.owner = try context.find(User.self, 2)
        }
        #expect(users[0].repositories.map(\.identifier) == [11, 12])
        #expect(users[1].repositories.map(\.identifier) == [10])
        #expect(repositories[0].owner === users[1])
        try await store.background { context in
            let user = try #require(try context.find(User.self, 2))
            user.repositories = try context.query(Repository.self).order(by: { $0.identifier }, .descending).fetch()
        }
        #expect(users[0].repositories.isEmpty)
        #expect(users[1].repositories.map(\.identifier) == [12, 11, 10])
        #expect(repositories[2].owner === users[1])
    }

    @Test func `An edited list follows members that others add and remove`() async throws {
        let store = try Store(of: World.models)
        let (users, repositories) = try await makeOwners(store)
        users[0].repositories = [repositories[2], repositories[1]]
        try await store.takeElsewhere(
            User.self, #"[{"id": 1, "name": "new", "repositories": [{"id": 10}, {"id": 20}]}]"#)
        #expect(users[0].name == "new")
        #expect(users[0].repositories.map(\.identifier) == [20], "10 was taken out here, 11 and 12 there")
        store.main.rollback()
        #expect(users[0].repositories.map(\.identifier) == [10, 20])
        #expect(repositories[1].owner == nil)
    }
}
