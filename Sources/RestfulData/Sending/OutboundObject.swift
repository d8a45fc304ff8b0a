import Conventions
import ObjectStore

/// The body of a create or save: which properties go out, under which keys, and what they are called when the reply
/// confirms them.
struct OutboundObject {
    private(set) var json: OutboundJSON = .object([])
    /// The Swift names of the properties that go out.
    private(set) var properties: [String] = []

    var isEmpty: Bool { properties.isEmpty }

    /// The bytes of the request's body.
    ///
    /// - Parameter envelope: the key path at which the object stands in it.
    func body(in envelope: [String]) -> [UInt8] {
        let envelope = isResource ? ["data"] : envelope
        guard !envelope.isEmpty else { return json.bytes }
        var body = OutboundJSON.object([])
        body.set(json, at: envelope[...])
        return body.bytes
    }

    enum Purpose {
        case create, save
    }

    private let purpose: Purpose
    private let schema: Schema
    /// Whether it is a resource object of JSON:API; what is embedded in one is an attribute.
    private let isResource: Bool
    /// A relationship that the URL says already: `repository` of `/repos/:repository.full_name/issues`.
    private let inURL: Set<String>

    /// - Throws: ``APIError/unidentified(model:property:target:)`` for a relationship to what the server does not know.
    init(_ object: ObjectState, _ sent: [Property], for purpose: Purpose, _ schema: Schema) throws(APIError) {
        self.purpose = purpose
        self.schema = schema
        isResource = schema.style.document == .jsonAPI && !object.table.isEmbedded
        let placeholders = object.table.baseURL?.placeholders ?? []
        inURL = Set(placeholders.compactMap(\.keyPath.first))
        if isResource { json = .resource(object, schema, hasID: purpose == .save) }
        for property in sent { try add(property, of: object) }
    }

    /// What links an object to others by one relationship, whatever it says of that now; a list that is never sent by itself goes
    /// out as identities then.
    ///
    /// - Parameter others: further properties that go out, as they are.
    init(
        linking object: ObjectState, by property: Property, to targets: [any Model], with others: [Property] = [],
        _ schema: Schema
    ) throws(APIError) {
        try self.init(object, others.filter { $0.index != property.index }, for: .save, schema)
        guard var options = property.link?.options ?? property.list?.options else { return }
        if options.sentAs == .never { options.sentAs = .identities }
        let key = identityKey(property, object.table)
        try add(property, options, key, targets, of: object, isList: property.list != nil)
    }

    /// Whether the URL of such an object says what the relationship leads to, so that its body does not.
    static func isInURL(_ property: Property, of table: ModelSchema) -> Bool {
        let names = (table.baseURL?.placeholders ?? []).compactMap(\.keyPath.first)
        let key = table.identityKeys.first { $0.value == property.index }?.key
        return names.contains(property.jsonPath[0]) || key.map(names.contains) == true
    }

    private mutating func add(_ property: Property, of object: ObjectState) throws(APIError) {
        switch property.kind {
        case .attribute(_, _, let options):
            guard options.access != .readOnly, options.access != .createOnly || purpose == .create else { return }
            let value = try Self.value(of: property, object)
            let isResourceID = isResource && property.documentPath == ["id"]
            put(isResourceID ? value.asResourceID : value, at: property.documentPath, property)
        case .toOne(let link):
            let key = identityKey(property, object.table)
            guard !inURL.contains(property.jsonPath[0]), !inURL.contains(key) else { return }
            let linked = object.linkedObject(property).map { [$0] } ?? []
            try add(property, link.options, key, linked.filter { !$0.isDeleted }, of: object, isList: false)
        case .toMany(let list):
            let key = identityKey(property, object.table)
            try add(property, list.options, key, object.listedObjects(property), of: object, isList: true)
        }
    }

    /// `owner_id`, `label_ids`, `links.owner_id`.
    private func identityKey(_ property: Property, _ table: ModelSchema) -> String {
        table.identityKeys.first { $0.value == property.index }?.key ?? property.jsonPath.joined(separator: ".")
    }

    private mutating func add(
        _ property: Property, _ options: RelationshipOptions, _ identityKey: String, _ objects: [any Model],
        of owner: ObjectState, isList: Bool
    ) throws(APIError) {
        var values: [OutboundJSON] = []
        let isKeyed = options.sentAs == .identities && !isResource
        let path = isKeyed ? identityKey.split(separator: ".").map(String.init) : property.documentPath
        for object in objects {
            let value: OutboundJSON
            switch options.sentAs {
            case .never: return
            case .identities, .identitiesByName, .conventional:
                value = try identity(of: object._object, for: property, of: owner)
            case .key(let name): value = try Self.value(named: name, of: object._object)
            case .nested:
                value = try object._object.table.isEmbedded ? embedded(object._object) : Self.nested(object._object)
            }
            if case .null = value {
                throw .unidentified(
                    model: owner.table.modelName, property: property.name, target: object._object.table.modelName)
            }
            values.append(value)
        }
        if options.sentAs == .never { return }
        put(isList ? .array(values) : values.first ?? .null, at: path, property)
    }

    private mutating func put(_ value: OutboundJSON, at path: [String], _ property: Property) {
        json.set(value, at: path[...])
        properties.append(property.name)
    }

    /// In the shape in which identities came under the relationship's own key, else as under the target's.
    private func identity(
        of object: ObjectState, for relationship: Property, of owner: ObjectState
    ) throws(APIError) -> OutboundJSON {
        if isResource { return .linkage(to: object, schema) }
        // Of a composite identity the last attribute; the others are in the URL, or the server's business.
        let parts = object.table.identity.map { object.table.properties[$0] }.filter { $0.link == nil }
        guard let part = parts.last else { return .null }
        let shape = owner.shape(relationship)
        return try Self.value(of: part, object, shape.isSeen ? shape : nil)
    }

    private static func value(named name: String, of object: ObjectState) throws(APIError) -> OutboundJSON {
        guard let property = object.table.attribute(forJSON: name) else { return .null }
        return try value(of: property, object)
    }

    private static func value(
        of property: Property, _ object: ObjectState, _ shape: WireShape? = nil
    ) throws(APIError) -> OutboundJSON {
        do {
            return OutboundJSON(
                try property.wireText(of: object.storedValue(property), shape ?? object.shape(property)))
        } catch {
            throw .unsendable(model: object.table.modelName, property: property.name, value: error.value)
        }
    }

    /// An embedded object goes out whole, as it is replaced whole.
    private func embedded(_ object: ObjectState) throws(APIError) -> OutboundJSON {
        let sent = object.table.declared.filter { property in
            switch property.kind {
            case .attribute: !object.storedValue(property).isNull
            case .toOne(let link): !leadsBack(link, from: object) && object.linkedObject(property) != nil
            case .toMany: true
            }
        }
        return try OutboundObject(object, sent, for: .create, schema).json
    }

    private func leadsBack(_ link: Link, from object: ObjectState) -> Bool {
        guard let inverse = link.inverse else { return false }
        let property = schema.tables[link.target].properties[inverse]
        return (property.link?.target ?? property.list?.target) == object.table.index
    }

    /// The attributes that have a value and are sent.
    private static func nested(_ object: ObjectState) throws(APIError) -> OutboundJSON {
        var json = OutboundJSON.object([])
        for property in object.table.declared {
            guard case .attribute(_, _, let options) = property.kind, options.access != .readOnly else { continue }
            if object.storedValue(property).isNull { continue }
            json.set(try value(of: property, object), at: property.jsonPath[...])
        }
        return json
    }
}
