import Conventions
import ObjectStore

/// Follows the key paths of route templates, which are in JSON's own naming, through the schema and through objects.
struct KeyPathResolver: Sendable {
    let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    /// Whether a key path leads to a value: through to-one relationships, at last to an attribute or a relationship, whose
    /// identity it stands for then.
    func isKnown(_ keyPath: [String], from table: ModelSchema) -> Bool {
        if let property = attribute(keyPath, table) { return property.list == nil }
        guard let first = keyPath.first, let property = property(first, table) else { return false }
        guard keyPath.count > 1 else { return property.list == nil }
        guard let link = property.link else { return false }
        return isKnown(Array(keyPath.dropFirst()), from: schema.model(link.target, link.submodel))
    }

    /// The attribute that a key path leads to through at least one relationship, with its table.
    func relatedAttribute(_ keyPath: [String], from table: ModelSchema) -> (table: ModelSchema, property: Int)? {
        guard keyPath.count > 1, attribute(keyPath, table) == nil, let first = keyPath.first,
            let link = property(first, table)?.link
        else { return nil }
        let target = schema.tables[link.target]
        let rest = Array(keyPath.dropFirst())
        if let attribute = attribute(rest, target), attribute.link == nil { return (target, attribute.index) }
        return relatedAttribute(rest, from: target)
    }

    /// The nearest key path: of the component that leads nowhere.
    func suggestion(_ name: String, from table: ModelSchema) -> String? {
        var table = table
        var known: [String] = []
        for key in name.split(separator: ".").map(String.init) {
            guard let property = property(key, table) else {
                let names = table.declared.filter { $0.list == nil }.map { $0.jsonPath.joined(separator: ".") }
                return nearestName(to: key, among: names + table.identityKeys.keys.sorted())
                    .map { (known + [$0]).joined(separator: ".") }
            }
            known.append(key)
            guard let link = property.link else { return nil }
            table = schema.model(link.target, link.submodel)
        }
        return nil
    }

    /// The value that a key path leads to from an object; ``RouteValue/missing`` where it leads to none.
    func value(_ keyPath: [String], of object: ObjectState) -> RouteValue? {
        let table = object.table
        if let property = attribute(keyPath, table) { return value(of: property, object) }
        guard let first = keyPath.first, let property = property(first, table) else { return nil }
        guard keyPath.count > 1 else { return value(of: property, object) }
        guard property.link != nil else { return nil }
        guard let target = object.linkedObject(property) else { return .missing }
        return value(Array(keyPath.dropFirst()), of: target._object)
    }

    /// What stands for a property's value in a URL: an attribute's JSON text, a related object's identity.
    private func value(of property: Property, _ object: ObjectState) -> RouteValue {
        switch property.kind {
        case .attribute: return Self.routeValue(of: property, object)
        case .toOne:
            guard let target = object.linkedObject(property)?._object, let key = target.table.identity.last else {
                return .missing
            }
            return value(of: target.table.properties[key], target)
        case .toMany: return .missing
        }
    }

    /// An attribute's value in a URL, as the server writes it: a UUID in its letter case.
    static func routeValue(of property: Property, _ object: ObjectState) -> RouteValue {
        let text = try? OutboundJSON(object.wireText(property))
        return text?.routeText.map { RouteValue($0) } ?? .missing
    }

    /// The property whose whole JSON key path this is.
    private func attribute(_ keyPath: [String], _ table: ModelSchema) -> Property? {
        table.names?.inbound.match(path: keyPath).map { table.properties[$0.property] }
    }

    /// The property of a JSON key, or the relationship of a key such as `post_id`.
    private func property(_ key: String, _ table: ModelSchema) -> Property? {
        if let match = table.names?.inbound.match(key) { return table.properties[match.property] }
        return table.identityKeys[key].map { table.properties[$0] }
    }
}
