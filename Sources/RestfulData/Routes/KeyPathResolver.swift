import Conventions
import Foundation
import ObjectStore

/// Follows key paths of route templates through the schema and through rows. They have JSON keys, or Swift names that
/// are no JSON keys of the model.
struct KeyPathResolver: Sendable {
    let schema: Schema

    init(_ schema: Schema) { self.schema = schema }

    /// Whether to-one relationships lead to the property. A relationship stands for its target's identity.
    func isKnown(_ keyPath: [String], from model: ModelSchema) -> Bool { property(at: keyPath, from: model) != nil }

    /// nil for an unknown path, and for a list.
    func property(at keyPath: [String], from model: ModelSchema) -> Property? {
        guard let (property, rest) = first(of: keyPath, in: model) else { return nil }
        guard !rest.isEmpty else { return property.list == nil ? property : nil }
        return property.link.flatMap { self.property(at: rest, from: schema[$0.target, $0.submodel]) }
    }

    /// The first unknown component is corrected.
    func suggestion(_ name: String, from model: ModelSchema) -> String? {
        var model = model
        var known: [String] = []
        for key in name.split(separator: ".").map(String.init) {
            guard let (property, _) = first(of: [key], in: model) else {
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

    /// ``RouteValue/missing`` without a value; nil for an unknown path.
    func value(_ keyPath: [String], of row: any OutboundRow) -> RouteValue? {
        guard let (property, rest) = first(of: keyPath, in: row.model) else { return nil }
        guard !rest.isEmpty else { return Self.value(of: property, in: row) }
        guard property.link != nil else { return nil }
        guard let target = row.linkedRow(property) else { return .missing }
        return value(rest, of: target)
    }

    /// The value of a row that is to become a member of a list. Its link to the owner counts as set.
    func value(_ keyPath: [String], of row: any OutboundRow, below owner: ListedOwner?) -> RouteValue? {
        guard let owner, let (property, rest) = first(of: keyPath, in: row.model), property.index == owner.link else {
            return value(keyPath, of: row)
        }
        return rest.isEmpty ? Self.identity(of: owner.row) : value(rest, of: owner.row)
    }

    /// nil for an unknown path, and if a link on it has no target.
    func place(_ keyPath: [String], of row: any OutboundRow) -> (row: any OutboundRow, property: Property)? {
        guard let (property, rest) = first(of: keyPath, in: row.model) else { return nil }
        if rest.isEmpty { return (row, property) }
        return row.linkedRow(property).flatMap { place(rest, of: $0) }
    }

    func isProperty(_ keyPath: [String], _ property: PropertyIndex, of model: ModelSchema) -> Bool {
        first(of: keyPath, in: model).map { $0.property.index == property && $0.rest.isEmpty } ?? false
    }

    /// An attribute as the server writes it in JSON, such as a UUID's letter case, or the identity of a linked row.
    static func value(of property: Property, in row: any OutboundRow) -> RouteValue {
        switch property.kind {
        case .attribute:
            let text = try? OutboundJSON(row.sentText(property))
            return text?.routeText.map { RouteValue($0) } ?? .missing
        case .toOne:
            return row.linkedRow(property).map(identity) ?? .missing
        case .toMany: return .missing
        }
    }

    private static func identity(of row: any OutboundRow) -> RouteValue {
        row.model.identity.last.map { value(of: row.model[$0], in: row) } ?? .missing
    }

    /// The property at the beginning of a key path, and the rest. The longest JSON key path wins, then the key of
    /// identities (`post_id`), then a Swift name.
    func first(of keyPath: [String], in model: ModelSchema) -> (property: Property, rest: [String])? {
        for count in stride(from: keyPath.count, through: 1, by: -1) {
            let path = Array(keyPath.prefix(count))
            let index =
                model.names?.inbound.match(path: path).map { PropertyIndex($0.property) }
                ?? model.identityKeys[path.joined(separator: ".")]
            guard let index else { continue }
            // Of an attribute and a relationship at one key, the one that can be edited.
            let relationship = model.relationshipsAtKeys[index].map { model[$0] }
            let property = relationship.flatMap { $0.link != nil && $0.isSentByIdentityKey ? $0 : nil } ?? model[index]
            return (property, Array(keyPath.dropFirst(count)))
        }
        guard let name = keyPath.first, let property = model.property(spelt: name) else { return nil }
        return (property, Array(keyPath.dropFirst()))
    }
}

extension ModelSchema {
    /// Word breaks and letter case may differ.
    fileprivate func property(spelt name: String) -> Property? {
        if let property = declared.first(where: { $0.name == name }) { return property }
        let key = InboundNames.looseKey(for: name)
        let found = declared.filter { InboundNames.looseKey(for: $0.name) == key }
        return found.count == 1 ? found[0] : nil
    }
}

struct ListedOwner {
    /// With the server's values.
    let row: any OutboundRow
    let link: PropertyIndex
}

extension RouteTemplate {
    /// Uses the server's values.
    ///
    /// - Parameters:
    ///   - key: replaces the row's own key.
    ///   - owner: replaces the target of a link.
    ///   - given: values by their names in the template, which replace the row's.
    func url(
        for row: any OutboundRow, in schema: Schema, keyed key: RouteValue? = nil, below owner: ListedOwner? = nil,
        with given: [String: RouteValue] = [:]
    ) throws(APIError) -> RequestURL {
        let resolver = KeyPathResolver(schema)
        let row = row.known
        do {
            return RequestURL(
                try expand { placeholder in
                    if let value = given[placeholder.name] { return value }
                    if let key, let own = row.model.key, resolver.isProperty(placeholder.keyPath, own, of: row.model) {
                        return key
                    }
                    let value = resolver.value(placeholder.keyPath, of: row, below: owner)
                    guard placeholder.position == .path,
                        let property = resolver.property(at: placeholder.keyPath, from: row.model)
                    else { return value }
                    return value?.segment(of: property, in: schema)
                })
        } catch let error as RouteTemplateError {
            throw .route(.template(error))
        } catch {
            throw .route(.invalidURL(text))
        }
    }
}

extension RouteValue {
    /// The key as the server writes it in JSON.
    init<Value: AttributeValue>(key value: Value, of model: ModelSchema, in context: ObjectContext) {
        let shape = model.key.map { context.shapes[model.table, $0] } ?? .standard
        let text = try? OutboundJSON(WireText(value.stored, Value.kind, shape: shape))
        self = text?.routeText.map { RouteValue($0) } ?? .missing
    }

    /// For a URL, the key of objects in hyperlinked APIs, the last segment.
    func segment(of property: Property, in schema: Schema) -> RouteValue {
        var kind = property.kind
        if case .toOne(let link) = kind, case let target = schema[link.target, link.submodel],
            let identity = target.identity.last
        {
            kind = target[identity].kind
        }
        guard case .attribute(.url, _, _) = kind, let text, let url = URL(string: text), url.host() != nil else {
            return self
        }
        return url.path().split(separator: "/").last.map { RouteValue($0.removingPercentEncoding ?? String($0)) }
            ?? self
    }
}
