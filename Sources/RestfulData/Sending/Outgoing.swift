import ObjectStore

/// The data of a live object that a request sends, and the data to store once the server has accepted it.
struct Outgoing {
    enum Purpose: Equatable {
        /// All values that were set.
        case create
        case saveChanges(ChangeFormat = .values)
        /// All values; for an object that is unknown to the server, those that were set.
        case saveWhole
        /// These properties, edited or not.
        case saveOnly([PropertyIndex], ChangeFormat = .values)

        init(saving method: SaveMethod) { self = method == .put ? .saveWhole : .saveChanges(method.changeFormat) }
    }

    var body: OutboundBody
    /// The edits that are sent, with the unsaved objects that they lead to.
    private(set) var sent: [WriteBatch]
    /// ``sent`` as it is stored: passwords are removed, for example.
    private(set) var stored: [WriteBatch]
    /// The properties that an accepted request acknowledges.
    let confirmed: [Property]
    let inBody: [Property]
    var confirmations: [WriteBatch.Confirmation]
    /// The confirmed properties with pending edits.
    let atRisk: [PropertyIndex]
    /// Objects without an identity that are sent by their values: `"labels": ["new"]`.
    let nestedCreations: [ImportRequest.NestedCreation]
    /// Known objects that are sent whole within this one, with their edits.
    let nestedEdits: [RecordID: Set<ChangeStamp>]
    /// Edits of embedded objects and of objects in ``nestedEdits``, whose outcome may stay unknown.
    let includedEdits: [IncludedEdits]
    /// Links of members that left the sent lists and now lead elsewhere.
    private let leaving: [(link: PropertyIndex, record: RecordID)]
    /// Embedded objects, with their attributes.
    let parts: [(record: RecordID, values: [StoredValue])]
    let lists: [SentList]

    /// Registers the members' links that a sent list decides on. An edit that restores such a link stays pending.
    ///
    /// - Returns: the links, with the edits that an accepted request acknowledges; `nil` for members that left the
    ///   list, since the request leaves open where their links lead.
    func beginLinkSends(in context: ObjectContext) -> [(link: SentLink, edits: Set<ChangeStamp>?)] {
        links(in: context.schema).map { link, record, edits in
            (context.operations.beginLinkSend(link, of: record), edits)
        }
    }

    private func links(
        in schema: Schema
    ) -> [(link: PropertyIndex, record: RecordID, edits: Set<ChangeStamp>?)] {
        let confirmedLinks = confirmations.filter(\.isLink).flatMap { confirmation in
            schema[confirmation.record.table].properties
                .filter { confirmation.properties.contains($0.name) }
                .map { ($0.index, confirmation.record, Optional(confirmation.edits)) }
        }
        return confirmedLinks + leaving.map { ($0.link, $0.record, nil) }
    }

    /// The object, edited objects within it, and links of members.
    func sentFacts(of object: ObjectState, in context: ObjectContext) -> [SentFact] {
        ([object.record] + includedEdits.map(\.record)).map { SentFact(.row, of: $0) }
            + links(in: context.schema).map { SentFact(.relationship($0.link), of: $0.record) }
    }

    /// A copy for the import. It leaves out new objects that were saved since, and list members that have moved.
    func leavingStored(in context: ObjectContext) -> Outgoing {
        var rest = self
        for index in sent.indices.dropLast() {
            let isStored = { (record: RecordID) in context.object(for: record)?.isInserted == false }
            for row in sent[index].rows where row.isInsert && isStored(row.record) {
                rest.sent[index].remove(row.record)
                rest.stored[index].remove(row.record)
            }
        }
        for index in sent.indices {
            rest.sent[index].leaveOut(context.hasMoved)
            rest.stored[index].leaveOut(context.hasMoved)
        }
        return rest
    }

    /// - Parameter batches: changes that must be stored first.
    /// - Returns: nil for a save of an unchanged object.
    /// - Throws: ``APIError/unidentified(model:property:target:)``, ``APIError/unencodable(_:)``,
    ///   ``APIError/unsendable(model:property:value:)``.
    init?(
        _ object: any Model, to purpose: Purpose, at client: APIClient, in context: ObjectContext,
        after batches: [WriteBatch]
    ) throws(APIError) {
        let state = object._object
        context.prepareToSend(object)
        let isCreate = purpose.isCreate
        let isWhole = purpose == .saveWhole && state.isAtServer
        let chosen = purpose.chosen(of: state)
        let omitted = OutboxScope.current?.omitted ?? []
        let unsent = (chosen ?? state.unsentProperties).filter { !omitted.contains($0.index) }
        let inURL = isCreate ? [] : try Self.parents(of: state, among: unsent)
        var outbound = try OutboundObject(
            state, sending: unsent, for: isCreate ? .create : .save, in: client.schema)
        if let left = chosen?.first(where: { !(outbound.properties + inURL).contains($0.name) }) {
            throw .unsendable(
                model: state.model.modelName, property: left.name, value: "a property that a save doesn't send")
        }
        guard isCreate || !outbound.isEmpty else { return nil }
        if isWhole {
            outbound = try OutboundObject(
                state, sending: state.knownProperties(with: unsent), for: .save, in: client.schema)
        } else if case let always = state.alwaysSent(besides: unsent), !always.isEmpty {
            outbound = try OutboundObject(
                state, sending: unsent + always, for: isCreate ? .create : .save, in: client.schema)
        }
        if client.api.conventions.bodies == .form { outbound.unsetLostKeys() }
        if isCreate || isWhole { outbound.addType() }
        body = try outbound.body(as: purpose.format, changing: unsent.map(\.name), by: client)
        // A creation acknowledges all edits, also of properties that it leaves out.
        let facts = unsent.flatMap(state.model.facts)
        let names = isCreate ? facts.map(\.name) : outbound.properties + inURL
        confirmed = state.model.properties.filter { names.contains($0.name) }
        let edited = chosen == nil ? facts : state.unsentProperties.flatMap(state.model.facts)
        let editedIndexes = Set(edited.map(\.index))
        atRisk = confirmed.map(\.index).filter(editedIndexes.contains)
        inBody = confirmed.filter { outbound.properties.contains($0.name) }
        let made = SentWithin(inBody, of: state, in: client.schema)
        nestedCreations = made.new.map(\.request)
        nestedEdits = made.known
        includedEdits = made.includedEdits.filter { !$0.isEmpty }
        (parts, lists) = (made.parts, made.lists)
        confirmations = state.confirmations(of: confirmed, sending: inBody) + made.new.flatMap(\.confirmations)
        // Edits of properties that only the server sets end with the creation.
        let local = isCreate ? state.model.declared.filter { $0.target == nil && $0.isNeverSent }.map(\.name) : []
        leaving = state.linksElsewhere(leaving: inBody)
        let own = Self.batch(of: object, sending: outbound.properties + inURL + local, in: context)
        let before = batches + [context.batch(of: context.insertedObjects(leadingFrom: object))]
        sent = before + [own]
        stored = before.map { $0.confirming(made.taken) } + [Self.forgettingSecrets(own, of: state, sent: outbound)]
    }

    /// Edited links in the object's URL only. The server takes their values from the URL.
    ///
    /// - Throws: ``RouteProblem/changedParent(model:property:)`` if the server has another value.
    private static func parents(of state: ObjectState, among unsent: [Property]) throws(APIError) -> [String] {
        let parents = unsent.filter { $0.link != nil && state.model.hasInURL($0) }
        guard !parents.isEmpty else { return [] }
        let serverValues = ServerValues(of: state)
        if let moved = parents.first(where: serverValues.hasMoved) {
            throw .route(.changedParent(model: state.model.modelName, property: moved.name))
        }
        return parents.map(\.name)
    }

    /// Other properties' edits stay unsaved if the object has a row.
    private static func batch(of object: any Model, sending properties: [String], in context: ObjectContext)
        -> WriteBatch
    {
        let names = Set(properties)
        let state = object._object
        let properties = state.model.properties
        let embedded = properties.filter { names.contains($0.name) }.flatMap { property in
            state.editedEmbedding(property).map { (object: $0, property: property.index) }
        }
        var batch = context.batch(of: embedded.map(\.object) + [object])
        batch.isConfirmed = true
        for (object, property) in embedded { batch.embedding[object._object.record] = property }
        // The server accepts these only through their inverses.
        let sentByInverse = Set(properties.filter(context.schema.isSentByInverse).map(\.index))
        batch.memberships.removeAll { state.isOwner(of: $0) && sentByInverse.contains($0.owner.property) }
        batch.rows = batch.rows.map { row in
            var row = row
            if state.isRow(of: row) { for property in sentByInverse { row.values[property] = nil } }
            return row
        }
        guard !object.isInserted else { return batch }
        for index in batch.memberships.indices where state.isOwner(of: batch.memberships[index]) {
            let list = state.model[batch.memberships[index].owner.property]
            batch.memberships[index].waiting = state.waitingMembers(of: list)
        }
        batch.rows = batch.rows.map { row in
            var row = row
            guard state.isRow(of: row) else { return row }
            row.values = row.values.filter { names.contains(state.model[$0.key].name) }
            return row
        }
        batch.memberships = batch.memberships.filter {
            !state.isOwner(of: $0) || names.contains(state.model[$0.owner.property].name)
        }
        let sent = properties.filter { names.contains($0.name) && $0.list != nil }
        batch.memberships += sent.compactMap { context.changes(of: $0, in: state) }
        return batch
    }

    /// Passwords and the like return to their defaults once the server has them.
    private static func forgettingSecrets(
        _ batch: WriteBatch, of object: ObjectState, sent outbound: OutboundObject
    ) -> WriteBatch {
        var forgotten: PropertyMap<StoredValue> = [:]
        for property in object.model.declared where outbound.properties.contains(property.name) {
            guard case .attribute(_, let value, let options) = property.kind, options.access == .writeOnly else {
                continue
            }
            forgotten[property.index] = value()
        }
        guard !forgotten.isEmpty else { return batch }
        var batch = batch
        if let index = batch.rows.lastIndex(where: object.isRow) {
            batch.rows[index].values.merge(forgotten) { $1 }
        } else {
            batch.rows.append(object.row(forgotten))
        }
        return batch
    }
}

extension Outgoing.Purpose {
    var isCreate: Bool { if case .create = self { true } else { false } }

    fileprivate var format: ChangeFormat {
        switch self {
        case .create, .saveWhole: .values
        case .saveChanges(let format), .saveOnly(_, let format): format
        }
    }

    fileprivate func chosen(of object: ObjectState) -> [Property]? {
        guard case .saveOnly(let indexes, _) = self else { return nil }
        return indexes.map { object.model[$0] }
    }
}

private struct SentWithin {
    /// New objects, which the server creates.
    private(set) var new: [NestedObject] = []
    /// Known objects sent whole, with their pending edits.
    private(set) var known: [RecordID: Set<ChangeStamp>] = [:]
    private(set) var includedEdits: [IncludedEdits] = []
    private(set) var parts: [(record: RecordID, values: [StoredValue])] = []
    private(set) var lists: [SentList] = []
    private(set) var taken: [RecordID: Set<PropertyIndex>] = [:]

    init(_ properties: [Property], of state: ObjectState, in schema: Schema) {
        var seen: Set<ObjectIdentifier> = []
        var waiting = properties.map { (state, $0) }
        while let (state, property) = waiting.popLast() {
            guard let target = schema.target(of: property) else { continue }
            let attributes = schema.attributesSent(by: property)
            guard target.isEmbedded || attributes != nil else { continue }
            let targets = (state.linkedObject(property).map { [$0] } ?? []) + state.listedObjects(property)
            if target.isEmbedded, property.list != nil {
                let elements = targets.map { SentList.Element($0._object.localID, $0._object.attributeValues) }
                lists.append(SentList(of: ListOwner(property.index, of: state.record), in: target.table, elements))
            }
            for object in targets.map(\._object) where seen.insert(ObjectIdentifier(object)).inserted {
                if object.model.isEmbedded {
                    taken[object.record] = Set(object.model.declared.map(\.index))
                    parts.append((object.record, object.attributeValues))
                    if !object.isInserted { includedEdits.append(IncludedEdits(part: object)) }
                    waiting += object.model.declared.filter { $0.target != nil }.map { (object, $0) }
                } else if let attributes {
                    waiting += add(object, attributes.map { object.model[$0] }, by: property, in: schema)
                }
            }
        }
    }

    private mutating func add(
        _ object: ObjectState, _ attributes: [Property], by property: Property, in schema: Schema
    ) -> [(ObjectState, Property)] {
        guard !object.hasIdentity else {
            let parts = object.model.declared.flatMap(object.editedEmbedding).map(\._object)
            includedEdits += parts.filter { !$0.isInserted }.map { IncludedEdits(part: $0) }
            let edits = object.unsentEdits(of: attributes)
            if !edits.isEmpty {
                known[object.record] = edits
                let sent = Set(attributes.map(\.index))
                includedEdits.append(
                    IncludedEdits(object.unsentProperties.filter { sent.contains($0.index) }, of: object))
            }
            return []
        }
        let sent = attributes.filter { !object.storedValue($0).isNull }
        // Targets that are sent by a key send only that key.
        let relationships =
            schema.isSentWhole(property)
            ? object.unsentProperties.filter { inner in
                schema.isSentWithin(inner, of: property) || schema.target(of: inner)?.isEmbedded == true
            } : []
        guard !sent.isEmpty || !relationships.isEmpty else { return [] }
        new.append(NestedObject(object: object, sent: sent, relationships: relationships))
        // The position in the body implies the link back.
        taken[object.record] = Set((sent + relationships).map(\.index) + [property.inverse].compactMap(\.self))
        return relationships.map { (object, $0) }
    }
}

/// An object without an identity that is sent by its values. The server creates it, and so accepts these.
private struct NestedObject {
    let object: ObjectState
    let sent: [Property]
    let relationships: [Property]

    var request: ImportRequest.NestedCreation {
        ImportRequest.NestedCreation(
            object.record, by: Dictionary(sent.map { ($0.index, object.storedValue($0)) }) { first, _ in first })
    }

    var confirmations: [WriteBatch.Confirmation] {
        object.confirmations(of: sent + relationships, sending: relationships)
    }
}

extension ObjectContext {
    /// The objects, with the edited embedded objects in them and the new objects that they lead to. All must be stored
    /// together.
    func stored(with objects: [any Model]) -> [any Model] {
        for object in objects { prepareToSend(object) }
        var seen: Set<ObjectIdentifier> = []
        return objects.flatMap { object -> [any Model] in
            let state = object._object
            let parts = state.model.properties.flatMap { state.editedEmbedding($0) }
            return insertedObjects(leadingFrom: object) + parts + [object]
        }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The new objects that links and edited lists lead to. They must be stored before the object.
    fileprivate func insertedObjects(leadingFrom object: any Model) -> [any Model] {
        var found: [any Model] = []
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(object)]
        var waiting = [object]
        // Embedded objects are stored with their owner.
        var own: Set<ObjectIdentifier> = [ObjectIdentifier(object)]
        while let next = waiting.popLast() {
            for property in next._object.model.properties {
                let linked = next._object.linkedObject(property).map { [$0] } ?? []
                let listed = next._object.hasEdited(property) ? next._object.listedObjects(property) : []
                for target in linked + listed where target.isInserted || target._object.model.isEmbedded {
                    guard seen.insert(ObjectIdentifier(target)).inserted else { continue }
                    let isOwn = target._object.model.isEmbedded && own.contains(ObjectIdentifier(next))
                    if isOwn { own.insert(ObjectIdentifier(target)) } else if target.isInserted { found.append(target) }
                    waiting.append(target)
                }
            }
        }
        return found
    }
}

// MARK: The object in a batch

extension ObjectState {
    func isRow(of row: WriteBatch.Row) -> Bool { row.record == record }

    func isOwner(of list: WriteBatch.Membership) -> Bool { list.owner.record == record }

    func row(_ values: PropertyMap<StoredValue>) -> WriteBatch.Row {
        WriteBatch.Row(record, values: values, isInsert: false)
    }

    func membership(of list: Property, members: [RowID]) -> WriteBatch.Membership {
        let now = ChangeStamp.now()
        return WriteBatch.Membership(
            members, of: ListOwner(list.index, of: record),
            toggling: Dictionary(members.map { ($0, now) }) { first, _ in first })
    }

    /// - Parameters:
    ///   - isWhole: whether the body may be the complete list. If so, members that it omits are unlinked.
    ///   - signs: the reply's signs of further pages.
    func importMembership(
        of list: Property, isWhole: Bool, by signs: PageSigns = PageSigns()
    ) -> ImportRequest.Membership {
        var membership = ImportRequest.Membership(ListOwner(list.index, of: record), isWhole: isWhole)
        membership.signs = signs
        return membership
    }
}
