import Conventions
import ObjectStore

// A relationship to one of several models is sent as a pair, `subject_type` and `subject_id`; or as an object with both
// under its own key; or as linkage of JSON:API.

extension OutboundObject {
    /// - Throws: ``APIError/unknownTarget(model:property:target:)``, ``APIError/unidentified(model:property:target:)``.
    mutating func add(_ choice: Choice, as property: Property) throws(APIError) {
        let options = choice.options
        guard options.sentAs != .never else { return }
        let targets = choice.links.lazy.compactMap { [row, model = row.model] link in
            row.linkedRow(model[link]).map { (link: model[link], row: $0) }
        }
        guard let target = targets.first else {
            // The server's object may be of a model that the store lacks, or deleted here. Only an edit is then sent as
            // no object.
            let isNone = row.storedValue(property).isNull
            guard isNone || row.unsentProperties.contains(where: { $0.index == property.index }) else { return }
            return put(nil, of: choice, as: property)
        }
        let identity = try value(of: target.link, to: target.row, as: .identities)
        if case .null = identity {
            let (model, name) = (row.model.modelName, target.row.model.modelName)
            guard target.row is PendingTarget else {
                throw .unidentified(model: model, property: property.name, target: name)
            }
            throw .unknownTarget(model: model, property: property.name, target: name)
        }
        let sent = SentChoice(identity: identity, type: try typeName(of: property, target.row), target: target.row)
        put(sent, of: choice, as: property)
    }

    /// The type name as the server wrote it, or else by convention.
    private func typeName(of property: Property, _ target: any OutboundRow) throws(APIError) -> OutboundJSON {
        guard !row.storedValue(property).isNull else { return .string(target.model.sentTypeName) }
        do {
            return OutboundJSON(try row.sentText(property))
        } catch {
            throw .unsendable(model: row.model.modelName, property: property.name, value: error.value)
        }
    }

    /// - Parameter sent: nil for no object.
    private mutating func put(_ sent: SentChoice?, of choice: Choice, as property: Property) {
        var values: [(path: [String], value: OutboundJSON)]
        if isResource {
            values = [(row.sentPath(of: property), sent?.identity ?? .null)]
        } else if choice.options.sentAs == .identities {
            values = [(choice.typePath, sent?.type ?? .null), (choice.identityPath, sent?.identity ?? .null)]
        } else {
            values = [(row.sentPath(of: property), sent?.object(of: choice) ?? .null)]
        }
        for (path, value) in values {
            json.set(value, at: path[...])
            places.append(Place(property: property.name, path: path))
        }
        properties += row.model.facts(of: property).map(\.name)
    }
}

private struct SentChoice {
    let identity: OutboundJSON
    let type: OutboundJSON
    let target: any OutboundRow

    /// `{"type": "post", "id": 1}`, with the key of the identity in the model's own JSON.
    func object(of choice: Choice) -> OutboundJSON {
        var object = OutboundJSON.object([])
        object.set(type, at: (choice.choices.key.keyPathKeys ?? [choice.choices.key])[...])
        let part = target.model.identity.last { target.model[$0].link == nil }
        object.set(identity, at: (part.map { target.model[$0].documentPath } ?? ["id"])[...])
        return object
    }
}
