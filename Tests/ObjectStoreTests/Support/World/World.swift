import ObjectStore
import RestfulData

/// The models that most tests use.
enum World {
    static let models: [any Model.Type] = [
        User.self, Profile.self, Repository.self, Topic.self, Issue.self, Label.self, Comment.self, Employee.self,
    ]
}

extension Store {
    /// A store of its own for one test.
    convenience init(of models: [any Model.Type] = World.models) throws {
        try self.init(.temporary, models: models)
    }
}

extension World {
    /// Users 1 to 3 and labels 1 to 3 in the main context.
    struct Known {
        let users: [User]
        let labels: [Label]

        @MainActor
        init(in store: Store) async throws {
            users = try await store.main.take(User.self, #"[{"id": 1}, {"id": 2}, {"id": 3}]"#).objects
            labels = try await store.main.take(Label.self, #"[{"id": 1}, {"id": 2}, {"id": 3}]"#).objects
        }
    }
}
