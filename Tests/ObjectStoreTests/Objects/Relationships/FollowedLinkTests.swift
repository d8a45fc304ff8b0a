import RestfulData
import Testing

@testable import ObjectStore

/// A followed link is followed again without the context, with the same result.
@MainActor
@Suite struct FollowedLinkTests {
    private let body = """
        [{"id": 10, "owner": {"id": 1, "login": "a"}}, {"id": 11, "owner": {"id": 2, "login": "b"}},
        {"id": 12, "owner": null}]
        """

    /// Each is followed twice, the second time by the cached result of the first.
    private func owners(_ repositories: [Repository]) -> [String?] {
        let first = repositories.map { $0.owner?.login }
        #expect(repositories.map { $0.owner?.login } == first)
        return first
    }

    @Test func `A link read after edits, rollbacks and saves leads to its target`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let repositories = try await context.take(Repository.self, body).objects
        let users = repositories.compactMap(\.owner)
        #expect(owners(repositories) == ["a", "b", nil])
        (repositories[0].owner, repositories[1].owner, repositories[2].owner) = (users[1], nil, users[0])
        #expect(owners(repositories) == ["b", nil, "a"])
        context.rollback()
        #expect(owners(repositories) == ["a", "b", nil])
        // The followed link is the file's value, so setting it again leaves it unedited.
        (repositories[0].owner, repositories[2].owner) = (users[0], nil)
        #expect(!context.hasChanges)
        (repositories[0].owner, repositories[1].owner, repositories[2].owner) = (users[1], nil, users[0])
        try await context.save()
        #expect(owners(repositories) == ["b", nil, "a"])
        #expect(users[0].repositories.map(\.identifier) == [12])
    }

    @Test func `A link follows imports of other contexts and edits of its targets`() async throws {
        let store = try Store(of: World.models)
        let repositories = try await store.main.take(Repository.self, body).objects
        #expect(owners(repositories) == ["a", "b", nil])
        let other = #"[{"id": 10, "owner": null}, {"id": 11, "owner": {"id": 1}}, {"id": 12, "owner": {"id": 3}}]"#
        try await store.takeElsewhere(Repository.self, other)
        #expect(owners(repositories) == [nil, "a", ""])
        // The targets may have other values by now.
        try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "x"}, {"id": 3, "login": "c"}]"#)
        #expect(owners(repositories) == [nil, "x", "c"])
    }

    @Test func `A link's target isn't looked up again when other columns change`()
        async throws
    {
        let store = try Store(of: World.models)
        let context = store.main
        let repositories = try await context.take(Repository.self, body).objects
        let user = try #require(repositories[1].owner)
        repositories[0].owner = user
        try await context.save()
        #expect(isFollowed(repositories[0]))
        #expect(repositories[0].owner === user)
        try await elsewhere(store) { $0.name = "renamed" }
        #expect(isFollowed(repositories[0]))
        #expect(repositories[0].owner === user)
        #expect(repositories[0].name == "renamed")
        try await elsewhere(store) { $0.owner = nil }
        #expect(!isFollowed(repositories[0]))
        #expect(repositories[0].owner == nil)
    }

    private func elsewhere(_ store: Store, _ edit: @escaping @Sendable (Repository) -> Void) async throws {
        try await store.background { context in
            try edit(#require(try context.find(Repository.self, 10)))
            try await context.save()
        }
        try store.main.reading { _ in }
    }

    private func isFollowed(_ repository: Repository) -> Bool {
        let owner = repository._object.model.properties.first { $0.name == "owner" }
        return owner.map { repository._object.isReady($0.index.rawValue) } ?? false
    }

    @Test func `A link follows the deletion of its target and its rollback`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let repositories = try await context.take(Repository.self, body).objects
        let user = try #require(repositories[0].owner)
        #expect(owners(repositories) == ["a", "b", nil])
        context.delete(user)
        #expect(owners(repositories) == [nil, "b", nil])
        context.rollback()
        #expect(owners(repositories) == ["a", "b", nil])
        #expect(repositories[0].owner === user)
        context.delete(user)
        try await context.save()
        #expect(owners(repositories) == [nil, "b", nil])
        try await store.background { context in
            if let user = try context.find(User.self, 2) { context.delete(user) }
            try await context.save()
        }
        #expect(try context.query(User.self).fetch().isEmpty)
        #expect(owners(repositories) == [nil, nil, nil])
    }

    @Test func `A released target of a link is read again`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        try await context.take(Repository.self, body)
        let repositories = try context.query(Repository.self).order { $0.identifier }.fetch()
        context.releaseUnsaved()
        for _ in 0..<3 {
            weak var last: User?
            do {
                let user = try #require(try context.query(User.self).where { $0.login == "a" }.first())
                #expect(repositories[0].owner === user)
                #expect(repositories[0].owner === user)
                last = user
            }
            context.releaseUnsaved()
            #expect(last == nil)
            #expect(owners(repositories) == ["a", "b", nil])
            context.releaseUnsaved()
        }
    }

    @Test func `A link to a saved new object can be set to another object`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let repository = Repository(in: context)
        repository.identifier = 10
        let new = User(in: context)
        new.login = "new"
        repository.owner = new
        try await context.save()
        #expect(owners([repository]) == ["new"])
        let other = try #require(try await context.take(User.self, #"{"id": 1, "login": "other"}"#).objects.first)
        #expect(owners([repository]) == ["new"])
        repository.owner = other
        try await context.save()
        #expect(repository.owner === other)
        #expect(owners([repository]) == ["other"])
    }

    @Test func `Links of an ended context keep their last targets`() async throws {
        let store = try Store(of: World.models)
        let repositories = try await store.main.take(Repository.self, body).objects
        let users = repositories.compactMap(\.owner)
        repositories[0].name = "edited"
        #expect(owners(repositories) == ["a", "b", nil])
        store.main.end()
        // An edited object keeps its values after its context has ended as well.
        #expect(owners(repositories) == ["a", "b", nil] && repositories[0].name == "edited")
        withExtendedLifetime(users) {}
    }
}
