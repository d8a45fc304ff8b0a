package import ObjectStore

// For tools that compare the models with a service's own description.

extension Store {
    /// The main API comes first.
    package var apis: [API] { clients?.all.map(\.api) ?? [] }

    /// Possible key paths in a reply.
    package func envelope(of model: ModelSchema) -> (object: [[String]], list: [[String]]) {
        guard let envelope = clients?[model.api].envelopes.envelope(of: model) else { return ([], []) }
        return (envelope.object, envelope.list)
    }

    private var clients: APIClients? { file.companion as? APIClients }
}
