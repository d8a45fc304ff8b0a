// A request can name an object that the server doesn't have: its identity was set locally, and it wasn't created yet.
// The server may then give the object another identity, so the request acknowledges no link to it. The edit stays
// pending until a request names the object after its creation, or after a fetch has shown it.

extension Writer {
    /// Whether the server has a row: it has sent the row's identity, or has acknowledged its creation.
    func isAtServer(_ record: RecordID) throws -> Bool {
        guard unsentRows[record.table].contains(record.row) else { return true }
        let (model, entries) = (
            schema[record.table], try statements[record.table].unsentChanges(of: record.row).entries
        )
        return !model.identity.contains { entries[model[$0].name]?.base.isNull == true }
    }

    /// Keeps the acknowledged links and memberships pending that lead to objects which the server doesn't have.
    ///
    /// The base of such a link is the identity that was sent.
    func keepUnknownTargets(_ confirmation: WriteBatch.Confirmation) throws {
        guard !confirmation.isLink else { return }
        let (record, model) = (survivor(of: confirmation.record), schema[confirmation.record.table])
        for property in model.properties
        where confirmation.properties.contains(property.name) && model.namesTargets(of: property) {
            if let sent = confirmation.lists[property.index] {
                try keepUnknownMembers(sent, of: ListOwner(property.index, of: record))
            } else if let column = model.column(of: property.index) {
                try keepUnknownTarget(of: column, in: record)
            }
        }
    }

    private func keepUnknownTarget(of column: Column, in record: RecordID) throws {
        let name = schema[record.table][column.property].name
        guard let table = column.target, !unsentRows[table].isEmpty,
            let row = try statements[record.table].value(of: column, in: record.row).row,
            case let target = RecordID(table: table, row: row), try !isAtServer(target),
            let key = try pendingKey(of: target)
        else { return }
        var unsent = try statements[record.table].unsentChanges(of: record.row)
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
            guard try !isAtServer(record), try pendingKey(of: record) != nil else { continue }
            try keepPending(member, in: list, of: owner)
        }
    }
}

extension ModelSchema {
    /// Whether a relationship is sent as the identities of its targets, in the body.
    fileprivate func namesTargets(of property: Property) -> Bool {
        guard property.target != nil, !identity.contains(property.index), !hasInURL(property) else { return false }
        switch property.sentAs {
        case .identities, .identitiesByName, .conventional: return true
        case .key, .nested, .never, nil: return false
        }
    }
}
