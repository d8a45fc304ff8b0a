import RestfulData
import RestfulDataTesting

/// A store with a stub as its API.
@MainActor struct Service {
    let stub: StubTransport
    let store: Store
    var main: ObjectContext { store.main }

    init(
        _ models: [any Model.Type] = Blog.models, conventions: APIConventions = .default,
        values: ValueFormats? = nil, saveMethod: API.SaveMethod? = nil,
        location: Store.Location = .temporary, emptyReplies: APIConventions.EmptyReplies = .created,
        stub: StubTransport
    ) throws {
        self.stub = stub
        // Most tests only check requests, and answer nothing.
        var conventions = conventions
        conventions.emptyReplies.formUnion(emptyReplies)
        store = try Store(
            location, models: models,
            api: API(
                "https://api.example.com", conventions: conventions, values: values, saveMethod: saveMethod,
                transport: stub))
    }

    init(
        _ models: [any Model.Type] = Blog.models, conventions: APIConventions = .default,
        saveMethod: API.SaveMethod? = nil, replies: [String: StubTransport.Reply] = [:]
    ) throws {
        try self.init(models, conventions: conventions, saveMethod: saveMethod, stub: StubTransport(replies))
    }

    /// Imports JSON and gives back its first object.
    func imported<M: Model>(_ type: M.Type, _ json: String) async throws -> M {
        try await store.imported(type, json)
    }
}
