import Conventions
import ObjectStore

/// The body of a create or save: which properties go out, under which keys, and what they are called when the reply
/// confirms them.
struct OutboundObject {
    private(set) var json: OutboundJSON = .object([])
    /// The Swift names of the properties that go out.
    private(set) var properties: [String] = []

    var isEmpty: Bool { properties.isEmpty }
    var body: [UInt8] { json.bytes }

    enum Purpose {
        case create, save
    }

    private let purpose: Purpose
    private let schema: Schema
    /// A relationship that the URL says already: `repository` of `/repos/:repository.full_name/issues`.
    private let inURL: Set<String>

    init(_ object: ObjectState, _ sent: [Property], for purpose: Purpose, _ schema: Schema) {
        self.purpose = purpose
        self.schema = schema
        let placeholders = object.table.baseURL?.placeholders ?? []
        inURL = Set(placeholders.compactMap(\.keyPath.first))
        for property in sent { add(property, of: object) }
    }

    private mutating func add(_ property: Property, of object: ObjectState) {
        switch property.kind {
        case .attribute(let kind, _, let options):
            guard options.access != .readOnly, options.access != .createOnly || purpose == .create else { return }
            put(OutboundJSON(object.storedValue(property), kind), at: property.jsonPath, property)
        case .toOne(let link):
            let key = identityKey(property, object.table)
            guard !inURL.contains(property.jsonPath[0]), !inURL.contains(key) else { return }
            add(property, link.options, key, object.linkedObject(property).map { [$0] } ?? [], isList: false)
        case .toMany(let list):
            let key = identityKey(property, object.table)
            add(property, list.options, key, object.listedObjects(property), isList: true)
        }
    }

    /// `owner_id`, `label_ids`.
    private func identityKey(_ property: Property, _ table: Table) -> String {
        table.identityKeys.first { $0.value == property.index }?.key ?? property.jsonPath.joined(separator: ".")
    }

    private mutating func add(
        _ property: Property, _ options: RelationshipOptions, _ identityKey: String, _ objects: [any Model],
        isList: Bool
    ) {
        let values: [OutboundJSON]
        var path = property.jsonPath
        switch options.sentAs {
        case .never: return
        case .identities:
            path = [identityKey]
            values = objects.map { Self.identity(of: $0._object) }
        case .key(let name): values = objects.map { Self.value(named: name, of: $0._object) }
        case .nested: values = objects.map { Self.nested($0._object) }
        }
        put(isList ? .array(values) : values.first ?? .null, at: path, property)
    }

    private mutating func put(_ value: OutboundJSON, at path: [String], _ property: Property) {
        json.set(value, at: path[...])
        properties.append(property.name)
    }

    private static func identity(of object: ObjectState) -> OutboundJSON {
        guard let key = object.table.identity.last else { return .null }
        return value(of: object.table.properties[key], object)
    }

    private static func value(named name: String, of object: ObjectState) -> OutboundJSON {
        let match = object.table.names?.inbound.match(name).map { object.table.properties[$0.property] }
        guard let property = match ?? object.table.property(named: name) else { return .null }
        return value(of: property, object)
    }

    private static func value(of property: Property, _ object: ObjectState) -> OutboundJSON {
        guard case .attribute(let kind, _, _) = property.kind else { return .null }
        return OutboundJSON(object.storedValue(property), kind)
    }

    /// The attributes that have a value and are sent.
    private static func nested(_ object: ObjectState) -> OutboundJSON {
        var json = OutboundJSON.object([])
        for property in object.table.properties {
            guard case .attribute(_, _, let options) = property.kind, options.access != .readOnly else { continue }
            if object.storedValue(property).isNull { continue }
            json.set(value(of: property, object), at: property.jsonPath[...])
        }
        return json
    }
}
