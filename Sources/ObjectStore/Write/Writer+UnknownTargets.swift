// A request may name an object by its local identity before its creation. As the server may give the object another
// identity, the request acknowledges no link to it. The edit stays pending until a request names the object after its
// creation, or a fetch shows it.

extension Writer {
    /// Whether the server has sent the row's identity, or has acknowledged its creation.
    func isAtServer(_ record: RecordID) throws -> Bool {
        let entries = try unsentChanges(of: record).entries
        return try isAtServer(record) { entries[$0]?.base }
    }

    /// - Parameter base: the base of a property with a pending edit, by name.
    func isAtServer(_ record: RecordID, _ base: (String) -> StoredValue?) throws -> Bool {
        let model = schema[record.table]
        return try model.identityColumns.allSatisfy { column in
            let base = base(model[column.property].name)
            return try !(base ?? statements[record.table].value(of: column, in: record.row)).isNull
        }
    }

    /// Keeps acknowledged links and memberships pending if the server lacks their targets. The base of such a link is
    /// the identity that was sent.
    func keepUnknownTargets(_ confirmation: WriteBatch.Confirmation) throws {
        guard !confirmation.isLink else { return }
        let (record, model) = (survivor(of: confirmation.record), schema[confirmation.record.table])
        for property in model.properties
        where confirmation.properties.contains(property.name) && model.namesTargets(of: property) {
            if let sent = confirmation.lists[property.index] {
                try keepUnknownMembers(sent, of: ListOwner(property.index, of: record))
            } else if let column = model.column(of: property.index),
                let row = confirmation.values[property.index]?.row, let table = column.target
            {
                let target = RecordID(table: table, row: survivor(of: row, in: table))
                try keepUnknownTarget(target, of: column, in: record)
            }
        }
    }

    /// - Parameter target: the target that was sent. A newer edit may have changed the link.
    private func keepUnknownTarget(_ target: RecordID, of column: Column, in record: RecordID) throws {
        guard unsentRows[target.table].contains(target.row), try !isAtServer(target),
            let key = try pendingKey(of: target)
        else { return }
        let name = schema[record.table][column.property].name
        var unsent = try unsentChanges(of: record)
        let stamp = unsent.entries[name]?.stamp ?? .now()
        unsent.entries[name] = UnsentChanges.Entry(base: .text(key), stamp: stamp)
        try set(unsent, of: record)
    }

    private func keepUnknownMembers(_ members: [RowID], of owner: ListOwner) throws {
        guard let list = schema[owner.record.table][owner.property].list, schema.hasPairs(list),
            !unsentRows[list.target].isEmpty
        else { return }
        for member in members.map({ survivor(of: $0, in: list.target) }) {
            let record = RecordID(table: list.target, row: member)
            guard unsentRows[list.target].contains(member), try !isAtServer(record), try pendingKey(of: record) != nil
            else { continue }
            try keepPending(member, in: list, of: owner)
        }
    }
}

extension ModelSchema {
    fileprivate func namesTargets(of property: Property) -> Bool {
        guard property.target != nil, !identity.contains(property.index), !hasInURL(property) else { return false }
        switch property.sentAs {
        case .identities, .identitiesByName, .conventional: return true
        case .key, .nested, .never, nil: return false
        }
    }
}
