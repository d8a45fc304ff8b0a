import ObjectStore

/// What goes out of a live object, and what is stored once the server has taken it.
struct Outgoing {
    /// What a request tells the server of an object.
    enum Purpose: Equatable {
        /// All that was set.
        case create
        /// What changed.
        case saveChanges(ChangeFormat = .values)
        /// Everything; of an object that the server doesn't know, what was set.
        case saveWhole
        /// These properties, whether or not they were edited.
        case saveOnly([PropertyIndex], ChangeFormat = .values)

        /// What a save by a method tells.
        init(saving method: SaveMethod) { self = method == .put ? .saveWhole : .saveChanges(method.changeFormat) }
    }

    /// The request's body.
    var body: OutboundBody
    /// The edits that go out, as they are now, and the unsaved objects that they lead to.
    private(set) var sent: [WriteBatch]
    /// The same as it is stored: without what is never kept.
    private(set) var stored: [WriteBatch]
    /// The properties that the server confirms by taking it, and their edits.
    let confirmed: [Property]
    var confirmations: [WriteBatch.Confirmation]
    /// Those of them that the server has not said itself: what they are for it is not known until it answers.
    let atRisk: [PropertyIndex]
    /// The objects without an identity that go out by values of their own: `"labels": ["new"]`.
    let inPassing: [ImportRequest.InPassing]
    /// The objects that the server knows and that go out whole within this one, with their edits.
    let within: [RecordID: Set<ChangeStamp>]
    /// They, and what is embedded, with what of them is at risk.
    let along: [SentAlong]
    /// The links of members that have left lists which go out, and lead elsewhere.
    private let leaving: [(link: PropertyIndex, record: RecordID)]
    /// What is embedded and goes out, with its attributes.
    let parts: [(record: RecordID, values: [StoredValue])]
    /// The lists that it is in.
    let lists: [SentList]

    /// Notes that a list which is kept as its members' links tells the server of these: one that is set back meanwhile
    /// is an edit.
    ///
    /// - Returns: the links, with their edits that the server confirms by taking the list; `nil` where it doesn't say
    ///   where they lead.
    func tellLinks(in context: ObjectContext) -> [(link: ToldLink, edits: Set<ChangeStamp>?)] {
        links(in: context.schema).map { link, record, edits in (context.underway.tell(link, of: record), edits) }
    }

    private func links(
        in schema: Schema
    ) -> [(link: PropertyIndex, record: RecordID, edits: Set<ChangeStamp>?)] {
        let told = confirmations.filter(\.isLink).flatMap { confirmation in
            schema[confirmation.record.table].properties
                .filter { confirmation.properties.contains($0.name) }
                .map { ($0.index, confirmation.record, Optional(confirmation.edits)) }
        }
        return told + leaving.map { ($0.link, $0.record, nil) }
    }

    /// The facts that the request sends: the object, the edited objects within it, and the links of members of its
    /// lists.
    func facts(of object: ObjectState, in context: ObjectContext) -> [SentFact] {
        ([object.record] + along.map(\.record)).map { SentFact(.row, of: $0) }
            + links(in: context.schema).map { SentFact(.relationship($0.link), of: $0.record) }
    }

    /// The same without what was new when it went out along with the object and has come to the file since: that has
    /// been edited, sent and deleted as anything else. Members of lists that the server knows elsewhere by now are
    /// there.
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

    /// - Parameter batches: what is to be in the file before.
    /// - Returns: nil for a save of an object that hasn't changed.
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
        } else if case let always = state.alwaysSent(beside: unsent), !always.isEmpty {
            outbound = try OutboundObject(
                state, sending: unsent + always, for: isCreate ? .create : .save, in: client.schema)
        }
        if client.api.conventions.bodies == .form { outbound.unsetLostKeys() }
        if isCreate || isWhole { outbound.addType() }
        body = try outbound.body(as: purpose.format, changing: unsent.map(\.name), by: client)
        // A creation is the server's first word on the object, whatever of it was sent.
        let names = isCreate ? unsent.map(\.name) : outbound.properties + inURL
        confirmed = state.model.properties.filter { names.contains($0.name) }
        let news = Set(chosen == nil ? unsent.map(\.index) : state.unsentProperties.map(\.index))
        atRisk = confirmed.map(\.index).filter(news.contains)
        let sentProperties = confirmed.filter { outbound.properties.contains($0.name) }
        let made = SentWithin(sentProperties, of: state, in: client.schema)
        inPassing = made.new.map(\.request)
        within = made.known
        along = made.along.filter { !$0.isEmpty }
        (parts, lists) = (made.parts, made.lists)
        confirmations = state.confirmations(of: confirmed, sending: sentProperties) + made.new.flatMap(\.confirmations)
        // What only the server sets is not edited any more once the object is created.
        let local = isCreate ? state.model.declared.filter { $0.target == nil && $0.isNeverSent }.map(\.name) : []
        leaving = state.linksElsewhere(leaving: sentProperties)
        let own = Self.batch(of: object, sending: outbound.properties + inURL + local, in: context)
        let before = batches + [context.batch(of: context.insertedObjects(leadingFrom: object))]
        sent = before + [own]
        stored = before.map { $0.confirming(made.taken) } + [Self.forgettingSecrets(own, of: state, sent: outbound)]
    }

    /// The names of the unsent links that stand in the object's URL only: the server had said nothing of them, so it
    /// takes them with the URL.
    ///
    /// - Throws: ``RouteProblem/changedParent(model:property:)`` for one of which it has said something else.
    private static func parents(of state: ObjectState, among unsent: [Property]) throws(APIError) -> [String] {
        let parents = unsent.filter { $0.link != nil && state.model.hasInURL($0) }
        guard !parents.isEmpty else { return [] }
        let said = LastSaid(of: state)
        if let moved = parents.first(where: said.hasMoved) {
            throw .route(.changedParent(model: state.model.modelName, property: moved.name))
        }
        return parents.map(\.name)
    }

    /// What goes out of the object itself. What doesn't go out of one that the file has stays unsaved.
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
        // What only the other direction of a relationship tells the server is not told by this.
        let untold = Set(properties.filter(context.schema.isSentByInverse).map(\.index))
        batch.memberships.removeAll { state.isOwner(of: $0) && untold.contains($0.owner.property) }
        batch.rows = batch.rows.map { row in
            var row = row
            if state.isRow(of: row) { for property in untold { row.values[property] = nil } }
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

    /// The server has the password now, so it is kept no longer.
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

    /// How the body says what it tells.
    fileprivate var format: ChangeFormat {
        switch self {
        case .create, .saveWhole: .values
        case .saveChanges(let format), .saveOnly(_, let format): format
        }
    }

    /// The properties that the caller chose; nil where the edits decide.
    fileprivate func chosen(of object: ObjectState) -> [Property]? {
        guard case .saveOnly(let indexes, _) = self else { return nil }
        return indexes.map { object.model[$0] }
    }
}

/// The objects that go out by values of their own within another one.
private struct SentWithin {
    /// Those without an identity: the server makes them in passing.
    private(set) var new: [MadeInPassing] = []
    /// Those that it knows and that go out whole, with what of them waits to be sent.
    private(set) var known: [RecordID: Set<ChangeStamp>] = [:]
    private(set) var along: [SentAlong] = []
    private(set) var parts: [(record: RecordID, values: [StoredValue])] = []
    private(set) var lists: [SentList] = []
    /// What the server has taken of new objects, and of what is embedded in them.
    private(set) var taken: [RecordID: Set<PropertyIndex>] = [:]

    /// - Parameter properties: those of the outermost object that go out.
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
                    if !object.isInserted { along.append(SentAlong(part: object)) }
                    waiting += object.model.declared.filter { $0.target != nil }.map { (object, $0) }
                } else if let attributes {
                    waiting += add(object, attributes.map { object.model[$0] }, by: property, in: schema)
                }
            }
        }
    }

    /// - Returns: the relationships that go out with the object.
    private mutating func add(
        _ object: ObjectState, _ attributes: [Property], by property: Property, in schema: Schema
    ) -> [(ObjectState, Property)] {
        guard !object.hasIdentity else {
            let parts = object.model.declared.flatMap(object.editedEmbedding).map(\._object)
            along += parts.filter { !$0.isInserted }.map { SentAlong(part: $0) }
            let edits = object.unsentEdits(of: attributes)
            if !edits.isEmpty {
                known[object.record] = edits
                let sent = Set(attributes.map(\.index))
                along.append(SentAlong(object.unsentProperties.filter { sent.contains($0.index) }, of: object))
            }
            return []
        }
        let sent = attributes.filter { !object.storedValue($0).isNull }
        // By a key alone, nothing else of it goes out.
        let relationships =
            schema.isSentWhole(property)
            ? object.unsentProperties.filter { inner in
                schema.isSentWithin(inner, of: property) || schema.target(of: inner)?.isEmbedded == true
            } : []
        guard !sent.isEmpty || !relationships.isEmpty else { return [] }
        new.append(MadeInPassing(object: object, sent: sent, relationships: relationships))
        // The way back is said by where it stands.
        taken[object.record] = Set((sent + relationships).map(\.index) + [property.inverse].compactMap(\.self))
        return relationships.map { (object, $0) }
    }
}

/// An object without an identity that goes out by values of its own, within another one: the server makes it in
/// passing, and has taken those values with that.
private struct MadeInPassing {
    let object: ObjectState
    let sent: [Property]
    let relationships: [Property]

    var request: ImportRequest.InPassing {
        ImportRequest.InPassing(
            object.record, by: Dictionary(sent.map { ($0.index, object.storedValue($0)) }) { first, _ in first })
    }

    var confirmations: [WriteBatch.Confirmation] {
        object.confirmations(of: sent + relationships, sending: relationships)
    }
}

extension ObjectContext {
    /// Some objects with what has to be in the file beside them: the embedded objects in them, and the new objects that
    /// they lead to.
    func stored(with objects: [any Model]) -> [any Model] {
        for object in objects { prepareToSend(object) }
        var seen: Set<ObjectIdentifier> = []
        return objects.flatMap { object -> [any Model] in
            let state = object._object
            let parts = state.model.properties.flatMap { state.editedEmbedding($0) }
            return insertedObjects(leadingFrom: object) + parts + [object]
        }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The inserted objects that an object's links and edited lists lead to, which must be in the file when it is.
    fileprivate func insertedObjects(leadingFrom object: any Model) -> [any Model] {
        var found: [any Model] = []
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(object)]
        var waiting = [object]
        // Embedded objects are written with their owner: the object's own with what goes out of it.
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

// MARK: What the store is told of a live object

extension ObjectState {
    func isRow(of row: WriteBatch.Row) -> Bool { row.record == record }

    func isOwner(of list: WriteBatch.Membership) -> Bool { list.owner.record == record }

    /// New values, by property index, of the row in the file.
    func row(_ values: PropertyMap<StoredValue>) -> WriteBatch.Row {
        WriteBatch.Row(record, values: values, isInsert: false)
    }

    /// Members that the server has, besides those that are not here.
    func membership(of list: Property, members: [RowID]) -> WriteBatch.Membership {
        let now = ChangeStamp.now()
        return WriteBatch.Membership(
            members, of: ListOwner(list.index, of: record),
            toggling: Dictionary(members.map { ($0, now) }) { first, _ in first })
    }

    /// A list that an imported body is, or whose member it is.
    ///
    /// - Parameters:
    ///   - isWhole: whether the body may be the whole list, so that members which it leaves out are unlinked.
    ///   - signs: what the reply says of that.
    func importMembership(
        of list: Property, isWhole: Bool, by signs: PageSigns = PageSigns()
    ) -> ImportRequest.Membership {
        var membership = ImportRequest.Membership(ListOwner(list.index, of: record), isWhole: isWhole)
        membership.signs = signs
        return membership
    }
}
