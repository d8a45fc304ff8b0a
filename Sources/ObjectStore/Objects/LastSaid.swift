/// An object as the server last spoke of it: what was edited here, saved or not, and is not confirmed, is as it was
/// before.
///
/// URLs are made of it, as the server knows the object by what it has said itself. What it has never said is as it is
/// here: the key of an object that was made to be fetched, the parent of one that was found without. Where nothing is
/// here either, the parent of an object that a whole list has left out is the list's owner.
package struct LastSaid {
    package let object: ObjectState
    private let unsent: UnsentChanges

    /// - Complexity: one look into the file for an object that is in it.
    package init(of object: ObjectState) {
        self.object = object.current
        unsent = object.savedUnsent
    }

    /// The value that the server last said, or null; of a link the target's row, or what the target is known by as
    /// text.
    private func said(_ property: Property) -> StoredValue {
        guard !object.isInserted else { return .null }
        if let base = unsent.entries[property.name]?.base { return base }
        let stored = object.snapshot.value(property.index)
        guard stored.isNull, property.link != nil, let key = object.pendingKey(of: property) else { return stored }
        return .text(key)
    }

    /// The value that the server last sent; null if it hasn't sent one.
    func lastValue(_ property: Property) -> StoredValue { property.column == nil ? .null : said(property) }

    /// The value that a property has for the server.
    package func value(_ property: Property) -> StoredValue {
        let said = said(property)
        return said.isNull ? object.stored(property.index) : said
    }

    /// Whether the server has said just that of an attribute or link.
    package func says(_ value: StoredValue, of property: Property) -> Bool {
        property.column != nil && said(property) == value
    }

    /// The version that the server last sent: null, or no target, for properties that it hasn't sent.
    ///
    /// - Parameter asEdited: whether edited attributes have the value that the edit was made on, if the server has sent
    ///   another one since.
    package func values(of properties: [Property], asEdited: Bool = false) -> PropertyValues {
        var values = PropertyValues(model: object.model.modelName)
        for property in properties {
            switch property.kind {
            case .attribute:
                let origin = asEdited ? unsent.entries[property.name]?.origin : nil
                values.attributes[property.name] = origin ?? said(property)
            case .toOne:
                let target = said(property).isNull ? nil : target(of: property)
                values.relationships[property.name] = target.map { [$0.identityValue] } ?? []
            case .toMany(let list):
                values.relationships[property.name] = members(of: property).map { row in
                    object.context?.object(for: RecordID(table: list.target, row: row))?._object.identityValue ?? .null
                }
            }
        }
        return values
    }

    /// The names of edited attributes that the server has changed since they were edited, to another value.
    package var contestedNames: Set<String> {
        Set(
            unsent.entries.filter { name, entry in
                guard entry.origin != nil, let property = object.model.property(named: name) else { return false }
                return property.link == nil && property.column != nil && object.stored(property.index) != entry.base
            }.keys)
    }

    /// The members of a list as the server last sent them, behind them those that were removed here.
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
            return LastSaid(of: member._object).says(own, of: link)
        }
        return kept + object.formerMembers(of: property, by: link).subtracting(shown).sorted()
    }

    /// What a link leads to for the server, also an object that is deleted here and not yet there.
    package func target(of property: Property) -> RelationshipTarget? {
        guard let link = property.link, let context = object.context else { return nil }
        let said = said(property)
        if case .text(let key) = said { return object.pendingTarget(known: key, by: property).map(context.current) }
        guard let row = said.row else {
            return object.target(of: property)
                ?? object.formerKey(of: property).flatMap { object.pendingTarget(known: $0, by: property) }
                .map(context.current)
        }
        return context.linkedObject(in: link.target) { row }.map { .object($0) }
    }

    /// Whether the server has said the object's whole identity.
    var hasIdentity: Bool { !object.model.identity.contains { said(object.model[$0]).isNull } }

    /// Whether a link leads elsewhere here than where the server said that it does.
    package func hasMoved(_ link: Property) -> Bool {
        let said = said(link)
        return !said.isNull && said != object.stored(link.index)
    }
}

extension ObjectContext {
    /// What a link waited for when it was edited here: its row may have come since.
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
