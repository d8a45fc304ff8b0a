import ObjectStore

extension ExplanationMaker {
    var offline: [Explanation.Body] {
        guard let client, client.routes.routes(of: model) != nil else { return [] }
        return [
            Explanation.Body(
                name: "a write", value: writes == .queued ? "is queued in the outbox" : "is sent at once",
                rule: "StoreOptions(writes:)"), lostCreation(client), condition(client), conflict(client),
        ]
    }

    private func lostCreation(_ client: APIClient) -> Explanation.Body {
        let conventions = client.api.conventions
        let natural = client.naturalKey(of: model)
        let (value, rule) =
            if client.createMethod(of: model) == .put {
                ("is sent again", "PUT has the same effect each time")
            } else if conventions.usesIdempotencyKeys {
                ("is sent again with its Idempotency-Key", Self.conventional)
            } else if !natural.isEmpty {
                ("is looked up by \(natural.joined(separator: ", "))", "named in @Model(natural:)")
            } else if conventions.unknownCreations == .repeat {
                ("is sent again", Self.conventional)
            } else {
                ("waits for a decision", Self.conventional)
            }
        return Explanation.Body(name: "a queued creation without a reply", value: value, rule: rule)
    }

    private func condition(_ client: APIClient) -> Explanation.Body {
        let value =
            switch client.conditionalWrites(of: model) {
            case .never: "no condition"
            case .entityTags: "If-Match with the ETag"
            case .weakEntityTags: "If-Match with the ETag, also a weak one"
            case .modificationDates: "If-Unmodified-Since with the Last-Modified"
            case .attribute(let name): "If-Match with \(name)"
            }
        let isOwn = (model.options.conditionalWrites ?? schema[model.table].options.conditionalWrites) != nil
        return Explanation.Body(
            name: "a change carries", value: value,
            rule: isOwn ? "named in @Model(conditionalWrites:)" : Self.conventional)
    }

    private func conflict(_ client: APIClient) -> Explanation.Body {
        let isOwn = (model.options.conflicts ?? schema[model.table].options.conflicts) != nil
        return Explanation.Body(
            name: "a conflict of a queued change", value: client.conflictPolicy(of: model).words,
            rule: isOwn ? "named in @Model(conflicts:)" : Self.conventional)
    }
}

extension ConflictPolicy {
    fileprivate var words: String {
        switch self {
        case .ask: "waits for a decision"
        case .serverWins: "takes the server's version"
        case .localWins: "is sent over the server's version"
        case .byProperty(let otherwise): "is merged by property; if both changed one, \(otherwise.words)"
        case .decide: "is decided by a closure"
        }
    }
}
