import Conventions
import Foundation
import ObjectStore

/// A row as a request's body has it: which properties go out, under which keys, and what they are called when the reply
/// confirms them.
struct OutboundObject {
    private(set) var json: OutboundJSON = .object([])
    /// The Swift names of the properties that go out.
    private(set) var properties: [String] = []
    /// The key paths at which they stand.
    private(set) var places: [Place] = []

    /// Where a property's value stands.
    struct Place {
        /// The Swift name.
        let property: String
        let path: [String]
    }

    var isEmpty: Bool { properties.isEmpty }

    enum Purpose {
        case create, save
    }

    let row: any OutboundRow
    private let purpose: Purpose
    let schema: Schema
    /// Whether it is a resource object of JSON:API; what is embedded in one is an attribute.
    private let isResource: Bool
    /// The objects that this one goes out within, and itself.
    private let path: [ObjectIdentifier]

    /// How deep objects go out within others.
    private static let depthLimit = 100

    /// - Throws: ``APIError/unidentified(model:property:target:)`` for a relationship to what the server doesn't know,
    ///   ``APIError/unsendable(model:property:value:)`` for a value that JSON can't express.
    init(
        _ row: any OutboundRow, sending properties: [Property], for purpose: Purpose, in schema: Schema,
        within outer: [ObjectIdentifier] = []
    ) throws(APIError) {
        self.row = row
        path = outer + [(row as? ObjectState).map { ObjectIdentifier($0) } ?? ObjectIdentifier(Schema.self)]
        self.purpose = purpose
        self.schema = schema
        isResource = schema.style(of: row.model).document == .jsonAPI && !row.model.isEmbedded
        if isResource { json = .resource(row, in: schema.resourceTypes(beside: row.model), withID: purpose == .save) }
        for property in properties { try add(property) }
    }

    /// What links a row to others by one relationship, whatever that has now; a list that is never sent by itself goes
    /// out as identities then.
    ///
    /// - Parameter others: further properties that go out, as they are.
    init(
        linking row: any OutboundRow, by property: Property, to targets: [any OutboundRow],
        with others: [Property] = [], in schema: Schema
    ) throws(APIError) {
        try self.init(row, sending: others.filter { $0.index != property.index }, for: .save, in: schema)
        guard var options = property.link?.options ?? property.list?.options else { return }
        if options.sentAs == .never { options.sentAs = .identities }
        try add(property, to: targets, as: options.sentAs)
    }

    /// The bytes of the request's body.
    ///
    /// - Parameter envelope: the key path at which the object is in it.
    func body(in envelope: [String]) -> [UInt8] {
        let envelope = isResource ? ["data"] : envelope
        guard !envelope.isEmpty else { return json.bytes }
        var body = OutboundJSON.object([])
        body.set(json, at: envelope[...])
        return body.bytes
    }

    /// Leaves out the value at a key path.
    mutating func leaveOut(_ path: [String]) { json = json.removing(path[...]) }

    /// Says of which type a plain object is, where the API's objects say it.
    mutating func addType() {
        guard let key = schema.style(of: row.model).typeKey, !isResource, json.value(at: [key]) == nil else { return }
        let type = OutboundJSON.string(schema.resourceTypes(beside: row.model).type(of: row.model))
        json = .object([(key, type)] + json.members)
    }

    /// Sends null for each key that a dictionary or an embedded object, or what is within it, has lost since the server
    /// last spoke: a form, or a merge patch, only adds to what is there.
    mutating func unsetLostKeys() {
        for property in row.model.declared where properties.contains(property.name) {
            let isEmbedded = property.target.map { schema.contains($0) && schema[$0].isEmbedded }
            guard property.list == nil, isEmbedded != false,
                let known = try? OutboundObject(row.known, sending: [property], for: purpose, in: schema).json
            else { continue }
            let path = property.isAtRoot ? [] : row.sentPath(of: property)
            guard let old = known.value(at: path), let new = json.value(at: path), old.isObject, new.isObject else {
                continue
            }
            json.set(new.unsettingKeys(lostFrom: old), at: path[...])
        }
    }

    // MARK: Properties

    private mutating func add(_ property: Property) throws(APIError) {
        switch property.kind {
        case .attribute(_, _, let options):
            guard options.access != .readOnly || options.alwaysSent,
                options.access != .createOnly || purpose == .create
            else { return }
            var value = try Self.value(of: property, in: row)
            if case .null = value, row.shape(property).isNothingEmptyText { value = .string("") }
            let isResourceID = isResource && property.documentPath == ["id"]
            if isResourceID { try checkID(property) }
            put(isResourceID ? value.asResourceID : value, of: property, at: row.sentPath(of: property))
        case .toOne(let link):
            guard !row.model.hasInURL(property) else { return }
            try add(property, to: row.linkedRow(property).map { [$0] } ?? [], as: link.options.sentAs)
        case .toMany(let list):
            guard list.options.sentAs != .never else { return }
            if purpose == .save, row.isPartial(property) {
                throw .partialList(model: row.model.modelName, property: property.name)
            }
            // Also within what is embedded, which goes out whole.
            if row.repeatsMember(property) {
                throw .repeatedMember(model: row.model.modelName, property: property.name)
            }
            try add(property, to: row.listedRows(property), as: list.options.sentAs)
        }
    }

    /// A resource's `id` says which one is meant, as the URL does
    /// (https://jsonapi.org/format/1.1/#crud-updating-responses-409): there is no place for another.
    private func checkID(_ property: Property) throws(APIError) {
        guard purpose == .save, row.known.storedValue(property) != row.storedValue(property) else { return }
        throw .unsendable(
            model: row.model.modelName, property: property.name,
            value: "another id than that by which the server knows the resource")
    }

    private mutating func add(
        _ property: Property, to targets: [any OutboundRow], as sending: RelationshipSending
    ) throws(APIError) {
        guard sending != .never else { return }
        var values: [OutboundJSON] = []
        var keys: Set<[UInt8]> = []
        var told = 0
        for target in targets {
            let value = try value(of: property, to: target, as: sending)
            if case .null = value, target is PendingTarget {
                throw .unknownTarget(
                    model: row.model.modelName, property: property.name, target: target.model.modelName)
            }
            if case .null = value, purpose == .create, tellsItself(target, in: property) {
                told += 1
                continue
            }
            if case .null = value {
                throw .unidentified(
                    model: row.model.modelName, property: property.name, target: target.model.modelName)
            }
            // Two new ones of one key are one.
            if case .key = sending, !keys.insert(value.bytes).inserted, target.isNew { continue }
            values.append(value)
        }
        let isKeyed = sending == .identities && !isResource && property.sentPath == nil
        let keyed = isKeyed ? row.identityKey(of: property).map { [$0] } ?? row.model.identityPath(of: property) : nil
        let path = keyed ?? row.sentPath(of: property)
        let value = property.list != nil ? .array(values) : values.first ?? .null
        if property.isAtRoot { return putFlat(values.first, of: property) }
        if told == 0 { return put(value, of: property, at: path) }
        // Without those it is not all that was edited: that waits, and so do their links.
        if !values.isEmpty { json.set(value, at: path[...]) }
    }

    /// Whether a new member of a list says itself what it is in, once it is created: then the owner can be created
    /// before.
    private func tellsItself(_ member: any OutboundRow, in list: Property) -> Bool {
        guard list.list != nil, member.isNew, let inverse = list.inverse else { return false }
        let back = member.model[inverse]
        return back.link != nil && !back.isNeverSent
    }

    private mutating func put(_ value: OutboundJSON, of property: Property, at path: [String]) {
        json.set(value, at: path[...])
        properties.append(property.name)
        places.append(Place(property: property.name, path: path))
    }

    /// Puts the members of an embedded object among the row's own; nulls where there is none.
    private mutating func putFlat(_ value: OutboundJSON?, of property: Property) {
        var values = value?.members.map { (path: [$0.key], value: $0.value) } ?? []
        if value == nil, let target = schema.target(of: property) {
            let sent = target.declared.filter { $0.target == nil && !$0.isNeverSent }
            values = sent.map { (path: $0.documentPath, value: .null) }
        }
        for (path, value) in values {
            json.set(value, at: path[...])
            places.append(Place(property: property.name, path: path))
        }
        properties.append(property.name)
    }

    // MARK: Targets of relationships

    private func value(
        of relationship: Property, to target: any OutboundRow, as sending: RelationshipSending
    ) throws(APIError) -> OutboundJSON {
        switch sending {
        case .never: .null
        // By what the server knows it by.
        case .identities, .identitiesByName, .conventional: try identity(of: target.known, for: relationship)
        case .key(let name): try Self.value(named: name, in: target.known)
        case .nested:
            target.model.isEmbedded ? try embedded(target, by: relationship) : try nested(target, by: relationship)
        }
    }

    /// In the shape in which identities came under the relationship's own key, else as under the target's.
    private func identity(of target: any OutboundRow, for relationship: Property) throws(APIError) -> OutboundJSON {
        let shape = row.shape(relationship).isSeen ? row.shape(relationship) : nil
        if isResource {
            return .linkage(to: target, in: schema.resourceTypes(beside: row.model), shaped: shape)
        }
        return try Self.identity(of: target, shaped: shape)
    }

    /// The value that names a row in plain bodies.
    ///
    /// - Parameter shape: how it was written; as the row's own where that is nil.
    static func identity(of target: any OutboundRow, shaped shape: WireShape?) throws(APIError) -> OutboundJSON {
        // Of a composite identity the last attribute; the others are in the URL, or the server's business.
        let parts = target.model.identity.map { target.model[$0] }.filter { $0.link == nil }
        guard let part = parts.last else { return .null }
        return try Self.value(of: part, in: target, shaped: shape)
    }

    /// A part of a row's identity.
    static func identity(_ part: Property, of row: any OutboundRow) throws(APIError) -> OutboundJSON {
        let value = try Self.value(of: part, in: row)
        return part.documentPath == ["id"] && part.resourcePath != nil ? value.asResourceID : value
    }

    /// An embedded object goes out whole, as it is replaced whole.
    ///
    /// - Throws: ``APIError/unsendable(model:property:value:)`` for one that is in itself.
    private func embedded(_ target: any OutboundRow, by relationship: Property) throws(APIError) -> OutboundJSON {
        try checkPath(to: target, by: relationship)
        let unsaid = target.unsaidProperties
        let edited = Set(target.unsentProperties.map(\.index))
        let sent = target.model.declared.filter { property in
            switch property.kind {
            case .attribute: edited.contains(property.index) || target.says(property, without: unsaid)
            case .toOne(let link):
                !schema.isOwner(link, of: target.model)
                    && (edited.contains(property.index) || target.linkedRow(property) != nil)
            case .toMany: !target.listedRows(property).isEmpty || !target.isPartial(property)
            }
        }
        return try OutboundObject(target, sending: sent, for: .create, in: schema, within: path).json
    }

    /// - Throws: ``APIError/unsendable(model:property:value:)`` where an object would go out within itself.
    private func checkPath(to target: any OutboundRow, by relationship: Property) throws(APIError) {
        let isWithinItself = (target as? ObjectState).map { path.contains(ObjectIdentifier($0)) } ?? false
        guard isWithinItself || path.count > Self.depthLimit else { return }
        throw .unsendable(
            model: row.model.modelName, property: relationship.name,
            value: target.model.isEmbedded
                ? "an embedded object that is embedded in itself" : "an object that would be sent within itself")
    }

    /// The attributes that have a value and are sent, and what is embedded. Of one that the server doesn't know also
    /// what it leads to by values of their own, but back.
    private func nested(_ target: any OutboundRow, by relationship: Property) throws(APIError) -> OutboundJSON {
        // One that the server knows leads no further.
        if target.isNew { try checkPath(to: target, by: relationship) }
        let unsaid = target.unsaidProperties
        let edited = Set(target.unsentProperties.map(\.index))
        var sent = target.model.declared.filter { property in
            guard case .attribute(_, _, let options) = property.kind else { return false }
            return options.access != .readOnly
                && (edited.contains(property.index) || target.says(property, without: unsaid))
        }
        sent += target.model.declared.filter { property in
            guard let table = property.target, schema.contains(table), schema[table].isEmbedded else { return false }
            return target.linkedRow(property) != nil || !target.listedRows(property).isEmpty
        }
        if target.isNew { sent += target.unsentProperties.filter { schema.isSentWithin($0, of: relationship) } }
        return try OutboundObject(target, sending: sent, for: .create, in: schema, within: path).json
    }

    // MARK: Attributes

    private static func value(named name: String, in row: any OutboundRow) throws(APIError) -> OutboundJSON {
        guard let property = row.model.attribute(forJSON: name) else { return .null }
        return try value(of: property, in: row)
    }

    private static func value(
        of property: Property, in row: any OutboundRow, shaped shape: WireShape? = nil
    ) throws(APIError) -> OutboundJSON {
        do {
            return OutboundJSON(try row.sentText(property, shaped: shape))
        } catch {
            throw .unsendable(model: row.model.modelName, property: property.name, value: error.value)
        }
    }
}

// MARK: What a model's schema decides

extension OutboundRow {
    /// Whether an attribute has a value of which somebody has said that it is one.
    fileprivate func says(_ attribute: Property, without unsaid: Set<PropertyIndex>) -> Bool {
        !storedValue(attribute).isNull && !unsaid.contains(attribute.index)
    }

    /// Whether the server does not know it yet.
    fileprivate var isNew: Bool { model.identity.contains { storedValue(model[$0]).isNull } }

    /// What goes along with each request, as far as it has a value, beside what goes out anyway.
    func alwaysSent(beside properties: [Property]) -> [Property] {
        let sent = Set(properties.map(\.index))
        return model.declared.filter { property in
            guard case .attribute(_, _, let options) = property.kind, options.alwaysSent else { return false }
            return !sent.contains(property.index) && !storedValue(property).isNull
        }
    }

    /// What a PUT sends: what the whole is, as far as it is known. What has never come would be unset at the server by
    /// its default here.
    func knownProperties(with unsent: [Property]) -> [Property] {
        let edited = Set(unsent.map(\.index))
        let unsaid = unsaidProperties
        return model.wholeProperties(with: unsent).filter { property in
            if edited.contains(property.index) { return true }
            // Within what was set here, that says what is there.
            if unsent.contains(where: { property.isWithin($0) }) { return false }
            switch property.kind {
            case .attribute: if !storedValue(property).isNull { return !unsaid.contains(property.index) }
            case .toOne: if linkedRow(property) != nil { return true }
            // That of what was made here may have got members at the server.
            case .toMany: return !listedRows(property).isEmpty && !isPartial(property) && !repeatsMember(property)
            }
            // What is nothing within an object that is nothing itself would make one of that.
            return property.jsonPath.count == 1 && !unsaid.contains(property.index)
        }
    }
}

extension Property {
    /// Whether its value is a part of the other's: `license.key` of `license`.
    fileprivate func isWithin(_ other: Property) -> Bool {
        documentPath.count > other.documentPath.count && documentPath.starts(with: other.documentPath)
    }
}

extension ModelSchema {
    /// Where identities go out: `["links", "owner_id"]`.
    fileprivate func identityPath(of relationship: Property) -> [String] {
        identityKey(of: relationship).map { $0.keyPathKeys ?? [$0] } ?? relationship.jsonPath
    }

    /// What a PUT sends: everything except lists that are the other direction of a link, unless they are among
    /// `unsent`.
    func wholeProperties(with unsent: [Property]) -> [Property] {
        let edited = Set(unsent.map(\.index))
        return declared.filter { property in
            guard case .column = property.list?.storage else { return true }
            return edited.contains(property.index)
        }
    }
}

extension Schema {
    /// Whether a link of an embedded object leads to the object that it is embedded in.
    fileprivate func isOwner(_ link: Link, of model: ModelSchema) -> Bool {
        guard let inverse = link.inverse else { return false }
        let property = self[link.target][inverse]
        return property.target == model.table
    }
}

// MARK: Resource objects and linkage of JSON:API 1.1 (https://jsonapi.org/format/1.1/#crud)

extension OutboundJSON {
    /// A resource object with nothing but its type and, when the server knows the row, its identity.
    ///
    /// - Parameter shape: how the identity was written; as the row's own where that is nil.
    fileprivate static func resource(
        _ row: any OutboundRow, in types: ResourceTypes, withID hasID: Bool, shaped shape: WireShape? = nil
    ) -> OutboundJSON {
        var json = OutboundJSON.object([])
        json.set(.string(types.type(of: row.model)), at: ["type"])
        if hasID, let id = resourceID(of: row, shaped: shape) { json.set(id, at: ["id"]) }
        return json
    }

    /// A resource identifier; null for a row without an identity.
    ///
    /// - Parameter shape: how it was written; as the row's own where that is nil.
    static func linkage(
        to row: any OutboundRow, in types: ResourceTypes, shaped shape: WireShape? = nil
    ) -> OutboundJSON {
        resourceID(of: row, shaped: shape) == nil
            ? .null : resource(row, in: types, withID: true, shaped: shape)
    }

    /// Identities are strings in JSON:API, whatever they are here; a server compares them as such, so a UUID is in the
    /// letter case in which it came.
    private static func resourceID(of row: any OutboundRow, shaped shape: WireShape?) -> OutboundJSON? {
        let row = row.known
        guard let property = row.model.identity.last.map({ row.model[$0] }),
            let text = try? row.sentText(property, shaped: shape)
        else { return nil }
        return OutboundJSON(text).routeText.map { .string($0) }
    }

    /// The same as text, for an identity that goes out.
    fileprivate var asResourceID: OutboundJSON { routeText.map { .string($0) } ?? .null }
}
