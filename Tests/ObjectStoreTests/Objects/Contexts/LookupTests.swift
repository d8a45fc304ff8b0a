import ObjectStore
import RestfulData
import Testing

@testable import ObjectStore

/// A lookup of an object that is live does not ask the file, and finds what the file would say.
@MainActor
@Suite struct LookupTests {
    private func logins(_ context: ObjectContext) throws -> [String?] {
        try (1...5).map { try context.find(User.self, $0)?.login }
    }

    @Test func `Identities may change hands`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let body = #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}, {"id": 3, "login": "c"}]"#
        let users = try await context.take(User.self, body).objects
        for _ in 0..<3 { #expect(try logins(context) == ["a", "b", "c", nil, nil]) }
        // What isn't saved isn't what the object is known by.
        users[0].identifier = 4
        #expect(try logins(context) == ["a", "b", "c", nil, nil])
        try await context.save()
        #expect(try logins(context) == [nil, "b", "c", "a", nil])
        (users[1].identifier, users[2].identifier) = (3, 2)
        try await context.save()
        #expect(try logins(context) == [nil, "c", "b", "a", nil])
        try await store.background { context in
            try context.find(User.self, 4)?.identifier = 1
            try await context.save()
        }
        #expect(try logins(context) == ["a", "c", "b", nil, nil])
        #expect(try context.find(User.self, 1) === users[0])
    }

    @Test func `Objects may go and come`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let users = try await context.take(User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]"#).objects
        #expect(try logins(context) == ["a", "b", nil, nil, nil])
        context.delete(users[0])
        #expect(try logins(context) == [nil, "b", nil, nil, nil])
        context.rollback()
        #expect(try logins(context) == ["a", "b", nil, nil, nil])
        context.delete(users[0])
        try await context.save()
        #expect(try logins(context) == [nil, "b", nil, nil, nil])
        let new = User(in: context)
        (new.identifier, new.login) = (1, "new")
        #expect(try logins(context) == ["new", "b", nil, nil, nil])
        // The row that comes is the new object's.
        _ = try await context.take(User.self, #"[{"id": 1, "login": "c"}, {"id": 5, "login": "e"}]"#).objects
        #expect(try logins(context) == ["new", "b", nil, nil, "e"])
        #expect(try context.find(User.self, 1) === new)
        store.close()
        #expect(throws: StoreError.self) { try context.find(User.self, 2) }
    }
}
