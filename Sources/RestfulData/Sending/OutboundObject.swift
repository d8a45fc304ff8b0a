import Conventions
import Foundation
import ObjectStore

struct OutboundObject {
    var json: OutboundJSON = .object([])
    /// The Swift names of sent properties and hidden links.
    var properties: [String] = []
    var places: [Place] = []

    struct Place {
        let property: String
        let path: [String]
    }

    var isEmpty: Bool { properties.isEmpty }

    enum Purpose {
        case create, save
    }

    let row: any OutboundRow
    let purpose: Purpose
    let schema: Schema
    /// Whether JSON:API sends it as a resource. Embedded objects are attributes.
    let isResource: Bool
    private let path: [ObjectIdentifier]

    private static let depthLimit = 100

    /// - Throws: ``APIError/unidentified(model:property:target:)`` for a relationship to an object that is unknown to
    ///   the server, ``APIError/unsendable(model:property:value:)`` for a value that JSON can't express.
    init(
        _ row: any OutboundRow, sending properties: [Property], for purpose: Purpose, in schema: Schema,
        within outer: [ObjectIdentifier] = []
    ) throws(APIError) {
        self.row = row
        path = outer + [(row as? ObjectState).map { ObjectIdentifier($0) } ?? ObjectIdentifier(Schema.self)]
        self.purpose = purpose
        self.schema = schema
        isResource = schema.style(of: row.model).document == .jsonAPI && !row.model.isEmbedded
        if isResource { json = .resource(row, in: schema.resourceTypes(ofAPIOf: row.model), withID: purpose == .save) }
        for property in properties { try add(property) }
    }

    /// Only links a row to targets, instead of the relationship's current ones. A list with `sentAs: .never` is sent as
    /// identities.
    ///
    /// - Parameter others: further properties to send.
    init(
        linking row: any OutboundRow, by property: Property, to targets: [any OutboundRow],
        with others: [Property] = [], in schema: Schema
    ) throws(APIError) {
        try self.init(row, sending: others.filter { $0.index != property.index }, for: .save, in: schema)
        guard var options = property.link?.options ?? property.list?.options else { return }
        if options.sentAs == .never { options.sentAs = .identities }
        try add(property, to: targets, as: options.sentAs)
    }

    /// - Parameter envelope: the key path of the object in the body.
    func body(in envelope: [String]) -> [UInt8] {
        let envelope = isResource ? ["data"] : envelope
        guard !envelope.isEmpty else { return json.bytes }
        var body = OutboundJSON.object([])
        body.set(json, at: envelope[...])
        return body.bytes
    }

    mutating func leaveOut(_ path: [String]) { json = json.removing(path[...]) }

    mutating func addType() {
        guard let key = schema.style(of: row.model).typeKey, !isResource, json.value(at: [key]) == nil else { return }
        let type = OutboundJSON.string(schema.resourceTypes(ofAPIOf: row.model).type(of: row.model))
        json = .object([(key, type)] + json.members)
    }

    /// Sends null for keys that a dictionary or an embedded object has lost. Forms and merge patches would keep them.
    mutating func unsetLostKeys() {
        for property in row.model.declared where properties.contains(property.name) {
            let isEmbedded = property.target.map { schema.contains($0) && schema[$0].isEmbedded }
            guard property.list == nil, isEmbedded != false,
                let known = try? OutboundObject(row.known, sending: [property], for: purpose, in: schema).json
            else { continue }
            let path = !property.isAtRoot ? row.sentPath(of: property) : isResource ? ["attributes"] : []
            guard let old = known.value(at: path), let new = json.value(at: path), old.isObject, new.isObject else {
                continue
            }
            json.set(new.unsettingKeys(lostFrom: old), at: path[...])
        }
    }

    // MARK: Properties

    private mutating func add(_ property: Property) throws(APIError) {
        if let choice = property.choice { return try add(choice, as: property) }
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
            // Embedded objects are checked, too, since they are sent whole.
            if row.repeatsMember(property) {
                throw .repeatedMember(model: row.model.modelName, property: property.name)
            }
            try add(property, to: row.listedRows(property), as: list.options.sentAs)
        }
    }

    /// A changed `id` can't be sent, since it identifies the resource
    /// (https://jsonapi.org/format/1.1/#crud-updating-responses-409).
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
        var laterCount = 0
        for target in targets {
            let value = try value(of: property, to: target, as: sending)
            if case .null = value, target is PendingTarget {
                throw .unknownTarget(
                    model: row.model.modelName, property: property.name, target: target.model.modelName)
            }
            if case .null = value, purpose == .create, sendsOwnLink(target, in: property) {
                laterCount += 1
                continue
            }
            if case .null = value {
                throw .unidentified(
                    model: row.model.modelName, property: property.name, target: target.model.modelName)
            }
            // Several new objects with the same key become one.
            if case .key = sending, !keys.insert(value.bytes).inserted, target.isNew { continue }
            values.append(value)
        }
        let isKeyed = sending == .identities && !isResource && property.sentPath == nil
        let keyed = isKeyed ? row.identityKey(of: property).map { [$0] } ?? row.model.identityPath(of: property) : nil
        let path = keyed ?? row.sentPath(of: property)
        let value = property.list != nil ? .array(values) : values.first ?? .null
        if property.isAtRoot { return putFlat(values.first, of: property) }
        if laterCount == 0 { return put(value, of: property, at: path) }
        // The list lacks these members, so its edits and their links stay pending.
        if !values.isEmpty { json.set(value, at: path[...]) }
    }

    /// Whether a new member is sent later with its own link, so that the owner can be created first.
    private func sendsOwnLink(_ member: any OutboundRow, in list: Property) -> Bool {
        guard list.list != nil, member.isNew, let inverse = list.inverse else { return false }
        let back = member.model[inverse]
        return back.link != nil && !back.isNeverSent
    }

    mutating func put(_ value: OutboundJSON, of property: Property, at path: [String]) {
        json.set(value, at: path[...])
        properties.append(property.name)
        places.append(Place(property: property.name, path: path))
    }

    private mutating func putFlat(_ value: OutboundJSON?, of property: Property) {
        let target = schema.target(of: property)
        var values = value.map { Self.flatValues(of: $0, target) } ?? []
        if value == nil, let target {
            let sent = target.declared.filter { $0.target == nil && !$0.isNeverSent }
            values = sent.map { (path: $0.conventionalSentPath, value: .null) }
        }
        for (own, value) in values {
            let path = isResource ? ["attributes"] + own : own
            json.set(value, at: path[...])
            places.append(Place(property: property.name, path: path))
        }
        properties.append(property.name)
    }

    /// Values within an inner object come one by one, since the server's inner object may have others.
    private static func flatValues(
        of object: OutboundJSON, _ target: ModelSchema?
    ) -> [(path: [String], value: OutboundJSON)] {
        let paths = target?.declared.map(\.conventionalSentPath) ?? []
        return object.members.flatMap { member -> [(path: [String], value: OutboundJSON)] in
            let own = paths.filter { $0.first == member.key }
            let values = own.compactMap { path in object.value(at: path).map { (path: path, value: $0) } }
            // A property may have the inner object as its value.
            let isWhole = values.isEmpty || own.contains([member.key])
            return isWhole ? [(path: [member.key], value: member.value)] : values
        }
    }

    // MARK: Targets of relationships

    func value(
        of relationship: Property, to target: any OutboundRow, as sending: RelationshipSending
    ) throws(APIError) -> OutboundJSON {
        switch sending {
        case .never: .null
        case .identities, .identitiesByName, .conventional: try identity(of: target.known, for: relationship)
        case .key(let name): try Self.value(named: name, in: target.known)
        case .nested:
            target.model.isEmbedded ? try embedded(target, by: relationship) : try nested(target, by: relationship)
        }
    }

    /// The identity as the server last wrote it for this relationship, or else for the target itself.
    private func identity(of target: any OutboundRow, for relationship: Property) throws(APIError) -> OutboundJSON {
        let shape = row.shape(relationship).isSeen ? row.shape(relationship) : nil
        if isResource {
            return .linkage(to: target, in: schema.resourceTypes(ofAPIOf: row.model), shaped: shape)
        }
        return try Self.identity(of: target, shaped: shape)
    }

    /// - Parameter shape: the way of writing; nil for the row's own.
    static func identity(of target: any OutboundRow, shaped shape: WireShape?) throws(APIError) -> OutboundJSON {
        // The other parts are in the URL, or known to the server.
        let parts = target.model.identity.map { target.model[$0] }.filter { $0.link == nil }
        guard let part = parts.last else { return .null }
        return try Self.value(of: part, in: target, shaped: shape)
    }

    static func identity(_ part: Property, of row: any OutboundRow) throws(APIError) -> OutboundJSON {
        let value = try Self.value(of: part, in: row)
        return part.documentPath == ["id"] && part.resourcePath != nil ? value.asResourceID : value
    }

    /// The whole embedded object, since the server replaces it as a whole.
    ///
    /// - Throws: ``APIError/unsendable(model:property:value:)`` if the object contains itself.
    private func embedded(_ target: any OutboundRow, by relationship: Property) throws(APIError) -> OutboundJSON {
        try checkPath(to: target, by: relationship)
        let unloaded = target.unloadedProperties
        let edited = Set(target.unsentProperties.map(\.index))
        let sent = target.model.declared.filter { property in
            switch property.kind {
            case .attribute: edited.contains(property.index) || target.hasLoaded(property, without: unloaded)
            case .toOne(let link):
                !schema.isOwner(link, of: target.model)
                    && (edited.contains(property.index) || target.linkedRow(property) != nil)
            case .toMany: !target.listedRows(property).isEmpty || !target.isPartial(property)
            }
        }
        return try OutboundObject(target, sending: sent, for: .create, in: schema, within: path).json
    }

    /// - Throws: ``APIError/unsendable(model:property:value:)`` if the object would contain itself.
    private func checkPath(to target: any OutboundRow, by relationship: Property) throws(APIError) {
        let isWithinItself = (target as? ObjectState).map { path.contains(ObjectIdentifier($0)) } ?? false
        guard isWithinItself || path.count > Self.depthLimit else { return }
        throw .unsendable(
            model: row.model.modelName, property: relationship.name,
            value: target.model.isEmbedded
                ? "an embedded object that is embedded in itself" : "an object that would be sent within itself")
    }

    /// Attributes with a value, and embedded objects; of a new object also its nested relationships, except the link
    /// back.
    private func nested(_ target: any OutboundRow, by relationship: Property) throws(APIError) -> OutboundJSON {
        // Only new objects send relationships other than embedded objects, and these may form a cycle.
        if target.isNew { try checkPath(to: target, by: relationship) }
        let unloaded = target.unloadedProperties
        let edited = Set(target.unsentProperties.map(\.index))
        var sent = target.model.declared.filter { property in
            guard case .attribute(_, _, let options) = property.kind else { return false }
            return options.access != .readOnly
                && (edited.contains(property.index) || target.hasLoaded(property, without: unloaded))
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
    fileprivate func hasLoaded(_ attribute: Property, without unloaded: Set<PropertyIndex>) -> Bool {
        !storedValue(attribute).isNull && !unloaded.contains(attribute.index)
    }

    fileprivate var isNew: Bool { model.identity.contains { storedValue(model[$0]).isNull } }

    /// The attributes that each request sends, if they have a value.
    func alwaysSent(besides properties: [Property]) -> [Property] {
        let sent = Set(properties.map(\.index))
        return model.declared.filter { property in
            guard case .attribute(_, _, let options) = property.kind, options.alwaysSent else { return false }
            return !sent.contains(property.index) && !storedValue(property).isNull
        }
    }

    /// The properties of a PUT. An unknown one is left out, since its local default would overwrite the server's value.
    func knownProperties(with unsent: [Property]) -> [Property] {
        let edited = Set(unsent.map(\.index))
        let unloaded = unloadedProperties
        return model.wholeProperties(with: unsent).filter { property in
            if edited.contains(property.index) { return true }
            // The edited outer property contains this one.
            if unsent.contains(where: { property.isWithin($0) }) { return false }
            switch property.kind {
            case .attribute: if !storedValue(property).isNull { return !unloaded.contains(property.index) }
            case .toOne: if linkedRow(property) != nil { return true }
            // An empty list is left out: the server may have added members since the creation.
            case .toMany: return !listedRows(property).isEmpty && !isPartial(property) && !repeatsMember(property)
            }
            // A null within a missing inner object would create that object.
            return property.jsonPath.count == 1 && !unloaded.contains(property.index)
        }
    }
}

extension Property {
    /// `license.key` is part of `license`.
    fileprivate func isWithin(_ other: Property) -> Bool {
        let (path, outer) = (conventionalSentPath, other.conventionalSentPath)
        return path.count > outer.count && path.starts(with: outer)
    }

    /// The sent path by the conventions.
    var conventionalSentPath: [String] { sentPath(insteadOf: documentPath) }
}

extension ModelSchema {
    /// `["links", "owner_id"]`
    fileprivate func identityPath(of relationship: Property) -> [String] {
        identityKey(of: relationship).map { $0.keyPathKeys ?? [$0] } ?? relationship.jsonPath
    }

    /// All except lists that are stored as links, unless they are among `unsent`.
    func wholeProperties(with unsent: [Property]) -> [Property] {
        let edited = Set(unsent.map(\.index))
        return declared.filter { property in
            guard case .column = property.list?.storage else { return true }
            return edited.contains(property.index)
        }
    }
}

extension Schema {
    fileprivate func isOwner(_ link: Link, of model: ModelSchema) -> Bool {
        guard let inverse = link.inverse else { return false }
        let property = self[link.target][inverse]
        return property.target == model.table
    }
}

// MARK: Resource objects and linkage of JSON:API 1.1 (https://jsonapi.org/format/1.1/#crud)

extension OutboundJSON {
    /// A resource object, with the identity if `hasID`.
    fileprivate static func resource(
        _ row: any OutboundRow, in types: ResourceTypes, withID hasID: Bool, shaped shape: WireShape? = nil
    ) -> OutboundJSON {
        var json = OutboundJSON.object([])
        json.set(.string(types.type(of: row.model)), at: ["type"])
        if hasID, let id = resourceID(of: row, shaped: shape) { json.set(id, at: ["id"]) }
        return json
    }

    /// A resource identifier; null for a row that lacks an identity.
    static func linkage(
        to row: any OutboundRow, in types: ResourceTypes, shaped shape: WireShape? = nil
    ) -> OutboundJSON {
        resourceID(of: row, shaped: shape) == nil
            ? .null : resource(row, in: types, withID: true, shaped: shape)
    }

    /// Servers compare identities as strings, so a UUID keeps their letter case.
    private static func resourceID(of row: any OutboundRow, shaped shape: WireShape?) -> OutboundJSON? {
        let row = row.known
        guard let property = row.model.identity.last.map({ row.model[$0] }),
            let text = try? row.sentText(property, shaped: shape)
        else { return nil }
        return OutboundJSON(text).routeText.map { .string($0) }
    }

    fileprivate var asResourceID: OutboundJSON { routeText.map { .string($0) } ?? .null }
}
