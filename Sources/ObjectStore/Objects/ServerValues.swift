/// An object as the server knows it, beneath pending edits. URLs are made of these values.
///
/// Where the server's value is unknown, the local value is used, such as the key of an object that was made to be
/// fetched. A parent link that was cleared by a whole list still leads to the list's owner.
package struct ServerValues {
    package let object: ObjectState
    private let unsent: UnsentChanges

    /// - Complexity: one read of the file, if the object is in it.
    package init(of object: ObjectState) {
        self.object = object.current
        unsent = object.savedUnsent
    }

    /// The server's value, or null if it is unknown. A link's value is the target's row, or its key as text if the row
    /// is missing.
    private func serverValue(_ property: Property) -> StoredValue {
        guard !object.isInserted else { return .null }
        if let base = unsent.entries[property.name]?.base { return base }
        let stored = object.snapshot.value(property.index)
        guard stored.isNull, property.link != nil, let key = object.pendingKey(of: property) else { return stored }
        return .text(key)
    }

    /// As ``serverValue(_:)``, with the row of a target that has come since the link was edited.
    func lastValue(_ property: Property) -> StoredValue {
        guard property.column != nil else { return .null }
        let serverValue = serverValue(property)
        guard property.link != nil, case .text = serverValue, case .object(let found)? = target(of: property) else {
            return serverValue
        }
        return StoredValue(found._object.localID)
    }

    /// - Returns: nil if a link leads to an object that the store lacks.
    func columnValues(of property: Property) -> [PropertyIndex: StoredValue]? {
        var values: [PropertyIndex: StoredValue] = [:]
        for fact in object.model.facts(of: property) where fact.column != nil {
            let value = lastValue(fact)
            if fact.link != nil, case .text = value { return nil }
            values[fact.index] = value
        }
        return values
    }

    package func value(_ property: Property) -> StoredValue {
        let serverValue = serverValue(property)
        return serverValue.isNull ? object.stored(property.index) : serverValue
    }

    package func has(_ value: StoredValue, of property: Property) -> Bool {
        property.column != nil && serverValue(property) == value
    }

    /// - Parameter asEdited: whether edited attributes have the value that the edit was made on.
    package func values(of properties: [Property], asEdited: Bool = false) -> PropertyValues {
        var values = PropertyValues(model: object.model.modelName)
        for property in properties {
            switch property.kind {
            case .attribute:
                let origin = asEdited ? unsent.entries[property.name]?.origin : nil
                values.attributes[property.name] = origin ?? serverValue(property)
            case .toOne:
                let target = serverValue(property).isNull ? nil : target(of: property)
                values.relationships[property.name] = target.map { [$0.identityValue] } ?? []
            case .toMany(let list):
                values.relationships[property.name] = members(of: property).map { row in
                    object.context?.object(for: RecordID(table: list.target, row: row))?._object.identityValue ?? .null
                }
            }
        }
        return values
    }

    /// The names of edited attributes of which the server has sent another value since.
    package var contestedNames: Set<String> {
        Set(
            unsent.entries.filter { name, entry in
                guard entry.origin != nil, let property = object.model.property(named: name) else { return false }
                return property.link == nil && property.column != nil && object.stored(property.index) != entry.base
            }.keys)
    }

    /// The server's members. Those removed locally come last.
    package func members(of property: Property) -> [RowID] {
        guard let list = property.list, let context = object.context else { return [] }
        let shown = object.memberIDs(property)
        guard case .column(let index, _, _) = list.storage else {
            let (saved, unsaved) = (object.savedPairs(of: property), object.unsavedToggles(of: property))
            let kept = shown.filter { saved[$0].map { $0.base ?? false } ?? (unsaved[$0] == nil) }
            let known = Set(shown)
            let removed = saved.filter { $0.value.base == true }.keys + unsaved.keys.filter { saved[$0] == nil }
            return kept + Set(removed).subtracting(known).sorted()
        }
        let link = context.schema[list.target][index]
        let own = StoredValue.integer(object.localID.rawValue)
        let kept = shown.filter { row in
            guard let member = context.object(for: RecordID(table: list.target, row: row)) else { return false }
            return ServerValues(of: member._object).has(own, of: link)
        }
        return kept + object.formerMembers(of: property, by: link).subtracting(shown).sorted()
    }

    /// The link's target at the server, which may be deleted locally.
    package func target(of property: Property) -> RelationshipTarget? {
        guard let link = property.link, let context = object.context else { return nil }
        let serverValue = serverValue(property)
        if case .text(let key) = serverValue {
            return object.pendingTarget(known: key, by: property).map(context.current)
        }
        guard let row = serverValue.row else {
            return object.target(of: property)
                ?? object.formerKey(of: property).flatMap { object.pendingTarget(known: $0, by: property) }
                .map(context.current)
        }
        return context.linkedObject(in: link.target) { row }.map { .object($0) }
    }

    var hasIdentity: Bool { !object.model.identity.contains { serverValue(object.model[$0]).isNull } }

    package func hasMoved(_ link: Property) -> Bool {
        let serverValue = serverValue(link)
        return !serverValue.isNull && serverValue != object.stored(link.index)
    }
}

extension ObjectContext {
    /// The target's object if its row has come, else the pending target.
    fileprivate func current(_ target: PendingTarget) -> RelationshipTarget {
        let table = target.model.table
        guard let identity = target.identity else { return .pending(target) }
        let found = read { reader in try reader.find(identity, in: table) }
        guard let row = found ?? nil, let object = object(for: RecordID(table: table, row: row)) else {
            return .pending(target)
        }
        return .object(object)
    }
}
