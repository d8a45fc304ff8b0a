import Conventions
import ObjectStore

/// Follows the key paths of route templates, which are in JSON's own naming, through the schema and through rows.
struct KeyPathResolver: Sendable {
    let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    /// Whether a key path leads to a value: through to-one relationships to an attribute, or to a relationship, which then
    /// stands for its target's identity.
    func isKnown(_ keyPath: [String], from model: ModelSchema) -> Bool {
        if let property = attribute(keyPath, model) { return property.list == nil }
        guard let first = keyPath.first, let property = property(first, model) else { return false }
        guard keyPath.count > 1 else { return property.list == nil }
        guard let link = property.link else { return false }
        return isKnown(Array(keyPath.dropFirst()), from: schema[link.target, link.submodel])
    }

    /// The attribute that a key path leads to through at least one relationship, with its model.
    func relatedAttribute(_ keyPath: [String], from model: ModelSchema) -> (model: ModelSchema, property: Property)? {
        guard keyPath.count > 1, attribute(keyPath, model) == nil, let first = keyPath.first,
            let link = property(first, model)?.link
        else { return nil }
        let target = schema[link.target]
        let rest = Array(keyPath.dropFirst())
        if let attribute = attribute(rest, target), attribute.link == nil { return (target, attribute) }
        return relatedAttribute(rest, from: target)
    }

    /// The nearest key path that is known, corrected at the first component that isn't.
    func suggestion(_ name: String, from model: ModelSchema) -> String? {
        var model = model
        var known: [String] = []
        for key in name.split(separator: ".").map(String.init) {
            guard let property = property(key, model) else {
                let names = model.declared.filter { $0.list == nil }.map { $0.jsonPath.joined(separator: ".") }
                return nearestName(to: key, among: names + model.identityKeys.keys.sorted())
                    .map { (known + [$0]).joined(separator: ".") }
            }
            known.append(key)
            guard let link = property.link else { return nil }
            model = schema[link.target, link.submodel]
        }
        return nil
    }

    /// The value that a key path leads to from a row; ``RouteValue/missing`` when there is none, nil for an unknown path.
    func value(_ keyPath: [String], of row: any OutboundRow) -> RouteValue? {
        if let property = attribute(keyPath, row.model) { return Self.value(of: property, in: row) }
        guard let first = keyPath.first, let property = property(first, row.model) else { return nil }
        guard keyPath.count > 1 else { return Self.value(of: property, in: row) }
        guard property.link != nil else { return nil }
        guard let target = row.linkedRow(property) else { return .missing }
        return value(Array(keyPath.dropFirst()), of: target)
    }

    /// The value of a property in a URL: an attribute's JSON text as the server writes it (a UUID in its letter
    /// case), a related row's identity.
    static func value(of property: Property, in row: any OutboundRow) -> RouteValue {
        switch property.kind {
        case .attribute:
            let text = try? OutboundJSON(row.wireText(property))
            return text?.routeText.map { RouteValue($0) } ?? .missing
        case .toOne:
            guard let target = row.linkedRow(property), let key = target.model.identity.last else { return .missing }
            return value(of: target.model[key], in: target)
        case .toMany: return .missing
        }
    }

    /// The property whose whole JSON key path this is.
    private func attribute(_ keyPath: [String], _ model: ModelSchema) -> Property? {
        model.names?.inbound.match(path: keyPath).map { model.properties[$0.property] }
    }

    /// The property of a JSON key, or the relationship of a key such as `post_id`.
    private func property(_ key: String, _ model: ModelSchema) -> Property? {
        if let match = model.names?.inbound.match(key) { return model.properties[match.property] }
        return model.identityKeys[key].map { model[$0] }
    }
}

extension RouteTemplate {
    /// The URL for a row, as the server knows it.
    func url(for row: any OutboundRow, in schema: Schema) throws(APIError) -> RequestURL {
        let resolver = KeyPathResolver(schema)
        let row = row.known
        do {
            return RequestURL(try expand { resolver.value($0.keyPath, of: row) })
        } catch let error as RouteTemplateError {
            throw .route(.template(error))
        } catch {
            throw .route(.invalidURL(text))
        }
    }
}

extension RouteValue {
    /// The value of a model's key in a URL: its text in JSON, as the server writes it.
    init<Value: AttributeValue>(key value: Value, of model: ModelSchema, in context: ObjectContext) {
        let shape = model.key.map { context.shapes[model.table, $0] } ?? .standard
        let text = try? OutboundJSON(WireText(value.stored, Value.kind, shape: shape))
        self = text?.routeText.map { RouteValue($0) } ?? .missing
    }
}
