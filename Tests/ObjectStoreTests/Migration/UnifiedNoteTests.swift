import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The notes about each property where rows are unified: whether it is known, and the server's last value.
@MainActor
@Suite struct UnifiedNoteTests {
    enum ByIdentifier {
        @Model final class User {
            var identifier: Int?
            var login: String?
            var name: String?
            var bio: String?
            var score = 0
            var boss: User?
            @Relationship(inverse: nil) var friends: [User]
        }
    }

    enum ByLogin {
        @Model(identity: "login") final class User {
            var identifier: Int?
            var login: String?
            var name: String?
            var bio: String?
            var score = 0
            var boss: User?
            @Relationship(inverse: nil) var friends: [User]
        }
    }

    /// The one user of a login, after several were one; the later ones are newer.
    private func unified(
        _ json: String, edit: (Store) throws -> Void = { _ in }, _ body: (ByLogin.User, Store) async throws -> Void
    ) async throws {
        let file = try MigratedFile()
        try await file.open([ByIdentifier.User.self]) { store in
            try await store.main.take(ByIdentifier.User.self, json)
            try edit(store)
            try await store.main.save()
        }
        try await file.open([ByLogin.User.self]) { store in
            try await body(try #require(try store.main.find(ByLogin.User.self, "ada")), store)
        }
    }

    private func unloaded(_ user: ByLogin.User) -> [String] {
        let state = user._object
        let attributes = state.unloadedProperties
        return state.model.properties.filter { property in
            attributes.contains(property.index) || (property.list != nil && state.isPartial(property))
        }.map(\.name).sorted()
    }

    @Test func `A unified row counts as sent each property that any duplicate had`() async throws {
        try await unified(
            #"""
            [{"id": 1, "login": "ada", "bio": "kept", "score": 7, "friends": [{"id": 9, "login": "bob"}]},
             {"id": 2, "login": "ada", "name": "Ada"}]
            """#
        ) { ada, _ in
            #expect((ada.name, ada.bio, ada.score) == ("Ada", "kept", 7))
            #expect(ada.friends.map(\.login) == ["bob"])
            #expect(unloaded(ada) == ["boss"])
        }
    }

    @Test func `The newest duplicate's null wins over an older value`() async throws {
        try await unified(
            #"""
            [{"id": 1, "login": "ada", "bio": "old", "score": 7, "boss": {"id": 9, "login": "bob"}},
             {"id": 2, "login": "ada", "bio": null, "score": 0, "boss": null}]
            """#
        ) { ada, _ in
            #expect((ada.bio, ada.score) == (nil, 0))
            #expect(ada.boss == nil)
        }
    }

    @Test func `An edit of an older duplicate gets the newest duplicate's value as its base`() async throws {
        func edit(_ store: Store) throws {
            let older = try #require(try store.main.find(ByIdentifier.User.self, 1))
            older.name = "mine"
            older.bio = "y"
        }
        try await unified(
            #"[{"id": 1, "login": "ada", "name": "old", "bio": "x"}, {"id": 2, "login": "ada", "name": "new"}]"#,
            edit: edit
        ) { ada, store in
            #expect((ada.name, ada.bio) == ("mine", "y"))
            #expect(ada.unsentProperties == ["name", "bio"])
            ada.name = "old"
            ada.bio = "x"
            try await store.main.save()
            #expect(ada.unsentProperties == ["name"])
            ada.name = "new"
            try await store.main.save()
            #expect(ada.unsentProperties == [])
        }
    }
}
