import ObjectStore
import RestfulData
import Testing

/// `User.profile` and `Profile.user`.
@MainActor
@Suite struct OneToOneTests {
    private func make(_ store: Store) async throws -> (users: [User], profiles: [Profile]) {
        let users = try await store.main.take(
            User.self, #"[{"id": 1, "profile": {"id": 1}}, {"id": 2, "profile": {"id": 2}}]"#
        ).objects
        return (users, users.compactMap(\.profile))
    }

    @Test func `Both sides of a one-to-one link lead to each other`() async throws {
        let store = try Store(of: World.models)
        let (users, profiles) = try await make(store)
        #expect(profiles.count == 2)
        #expect(profiles[0].user === users[0] && profiles[1].user === users[1])
    }

    @Test func `Setting a one-to-one link frees both former partners`() async throws {
        let store = try Store(of: World.models)
        let (users, profiles) = try await make(store)
        users[0].profile = profiles[1]
        #expect(users[1].profile == nil && profiles[0].user == nil)
        #expect(profiles[1].user === users[0])
        try await store.main.save()
        try expect(
            store,
            holds: """
                user
                  1 login= site_admin=0 profile_id=(2) unsent: profile
                  2 login= site_admin=0 unsent: profile
                profile
                  1 bio= unsent: user
                  2 bio= user_id=(1) unsent: user
                """)
        profiles[0].user = users[0]
        #expect(users[0].profile === profiles[0] && profiles[1].user == nil)
        profiles[0].user = nil
        #expect(users[0].profile == nil)
    }

    @Test func `An import of a one-to-one link frees the former partners`() async throws {
        let store = try Store(of: World.models)
        let (users, profiles) = try await make(store)
        try await store.takeElsewhere(Profile.self, #"[{"id": 2, "user": {"id": 1}}]"#)
        #expect(users[0].profile === profiles[1] && users[1].profile == nil)
        #expect(profiles[1].user === users[0] && profiles[0].user == nil)
        try await store.takeElsewhere(Profile.self, #"[{"id": 2, "user": null}]"#)
        #expect(users[0].profile == nil && profiles[1].user == nil)
        try await store.takeElsewhere(User.self, #"[{"id": 2, "profile_id": 1}]"#)
        #expect(users[1].profile === profiles[0] && profiles[0].user === users[1])
        #expect(try store.check() == [])
    }

    @Test func `Deleting an object frees its one-to-one partner`() async throws {
        let store = try Store(of: World.models)
        let (users, profiles) = try await make(store)
        store.main.delete(profiles[0])
        #expect(users[0].profile == nil)
        try await store.main.save()
        #expect(users[0].profile == nil)
        try await store.background { context in
            if let user = try context.find(User.self, 2) { context.delete(user) }
        }
        #expect(profiles[1].user == nil)
    }
}
