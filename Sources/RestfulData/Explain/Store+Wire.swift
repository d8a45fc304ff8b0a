package import ObjectStore

// For what compares the models with a service's own description.

extension Store {
    /// The store's APIs, the one of models that name none first; none in a store without an API.
    package var apis: [API] { clients?.all.map(\.api) ?? [] }

    /// Where an object or a list of a model may be in a reply, by key paths; none where nothing wraps it.
    package func envelope(of model: ModelSchema) -> (object: [[String]], list: [[String]]) {
        guard let envelope = clients?[model.api].envelopes.envelope(of: model) else { return ([], []) }
        return (envelope.object, envelope.list)
    }

    private var clients: APIClients? { file.companion as? APIClients }
}
