// Imports recognize a deleted object by its key until the server has deleted it. Another identity gives it another key.

extension MigrationRun {
    /// Call it once rows have their final identities.
    func updateKeys(ofDeletionsIn tables: [TableID]) throws {
        for model in schema.roots where tables.contains(model.table) {
            try forEachDeletion(in: model.tableName) { row, deleted in
                var new = deleted
                new.key = try key(of: deleted, model)
                guard new.key != deleted.key else { return }
                try run(
                    """
                    UPDATE _outbox SET key = ?1, object = ?2 \
                    WHERE source = ?3 AND source_id = ?4 AND object IS NOT NULL
                    """, new.key.map(StoredValue.text) ?? .null, .text(new.text), .text(model.tableName),
                    .integer(row.rawValue))
            }
        }
    }

    /// The key at the server. Nil if a part is missing.
    private func key(of deleted: DeletedRows, _ model: ModelSchema) throws -> String? {
        let identity = model.identity.map { deleted.serverValue(model[$0], of: model) }
        return try key(ofIdentity: identity, model)
    }

    private func key(ofIdentity identity: [StoredValue], _ model: ModelSchema) throws -> String? {
        guard !identity.isEmpty else { return nil }
        var parts: [String] = []
        for (index, value) in zip(model.identity, identity) {
            if value.isNull { return nil }
            if let link = model[index].link, let target = value.row {
                guard let part = try key(of: target, schema[link.target]) else { return nil }
                parts.append(part)
            } else {
                parts.append(Writer.pendingText(value))
            }
        }
        return Writer.pendingKey(parts, of: model)
    }

    /// The key of a link's target.
    private func key(of row: RowID, _ model: ModelSchema) throws -> String? {
        let columns = model.identityColumns
        guard !columns.isEmpty else { return nil }
        let read = try RawStatement(
            connection,
            "SELECT _unsent, \(columns.map(\.sqlName).joined(separator: ", ")) FROM \(model.sqlName) WHERE _id = ?")
        read.bind(row, at: 1)
        guard try read.step() else { return nil }
        let unsent = UnsentChanges(text: read.isNull(0) ? nil : read.text(0))
        let identity = columns.enumerated().map { index, column in
            let base = unsent.entries[model[column.property].name]?.base ?? .null
            return base.isNull ? read.value(Int32(index + 1)) : base
        }
        return try key(ofIdentity: identity, model)
    }
}
