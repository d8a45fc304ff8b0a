package import ObjectStore

// For tools that compare the models with a service's own description.

extension Store {
    /// Beginning with the API of models that name none; empty in a store without an API.
    package var apis: [API] { clients?.all.map(\.api) ?? [] }

    /// Key paths at which a reply may have an object or a list; empty without an envelope.
    package func envelope(of model: ModelSchema) -> (object: [[String]], list: [[String]]) {
        guard let envelope = clients?[model.api].envelopes.envelope(of: model) else { return ([], []) }
        return (envelope.object, envelope.list)
    }

    private var clients: APIClients? { file.companion as? APIClients }
}
