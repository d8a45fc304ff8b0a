// Identities are unique at each statement, and a batch is written row by row: what a later row of it gives up is free from
// the moment that an earlier one needs it.

extension Writer {
    /// Runs the write of a row. Where its identity is that of a row which the batch deletes or names anew, that one is
    /// unnamed first; where the server has said that it is another row's, the two become one.
    ///
    /// - Returns: the key of the row that was written.
    /// - Throws: ``StoreError/duplicateIdentity(model:identity:)``.
    func makingRoom(
        for row: WriteBatch.Row, _ table: ModelSchema, isInsert: Bool, _ identities: inout BatchIdentities,
        _ changes: inout ChangeSet, _ orphans: inout [WriteBatch.Key], _ write: () throws -> Void
    ) throws -> Int64 {
        do {
            try write()
        } catch let failure as SQLiteFailure where failure.isDuplicate {
            guard let holder = try holder(of: row, table) else { throw failure }
            if try makeRoom(WriteBatch.Key(table: table.index, id: holder), table, &identities, &orphans) {
                try write()
            } else if isInsert, identities.batch.isConfirmed {
                try succeed(row, by: holder, table, &changes)
                return holder
            } else {
                throw StoreError.duplicateIdentity(
                    model: table.modelName, identity: try identityText(table, row.id, row.values))
            }
        }
        return row.id
    }

    /// The row that has the identity which another is about to get.
    private func holder(of row: WriteBatch.Row, _ table: ModelSchema) throws -> Int64? {
        let identity = try table.identity.map { index in
            if let value = row.values[index] { return value }
            guard let column = table.properties[index].column else { return .null }
            return try value(of: table.columns[column], table, row.id)
        }
        return try find(table, identity: identity)
    }

    /// - Returns: whether the row's identity is free now.
    private func makeRoom(
        _ key: WriteBatch.Key, _ table: ModelSchema, _ identities: inout BatchIdentities,
        _ orphans: inout [WriteBatch.Key]
    ) throws -> Bool {
        guard !identities.hasMadeRoom(key) else { return false }
        if identities.deletes(key) {
            identities.keep([:], of: key)
            try unname(key, table, table.identity)
            return true
        }
        guard let row = identities.row(key) else { return false }
        let changing = table.identity.filter { row.values[$0] != nil }
        guard try !changing.isEmpty && isChange(row, changing, table) else { return false }
        let columns = row.values.keys.sorted().compactMap { table.properties[$0].column }.map { table.columns[$0] }
        identities.keep(try bases(table, row, of: columns), of: key)
        try noteOrphans(table, row, &orphans)
        try unname(key, table, changing)
        return true
    }

    /// Whether the row is yet to get what the batch has for it; one that was written is as it will be.
    private func isChange(_ row: WriteBatch.Row, _ properties: [Int], _ table: ModelSchema) throws -> Bool {
        for index in properties {
            guard let column = table.properties[index].column else { continue }
            if try value(of: table.columns[column], table, row.id) != row.values[index] { return true }
        }
        return false
    }

    /// One column less is enough, as NULLs are equal to nothing; a link is taken only where there is no attribute.
    private func unname(_ key: WriteBatch.Key, _ table: ModelSchema, _ properties: [Int]) throws {
        let columns = properties.compactMap { table.properties[$0].column }.map { table.columns[$0] }
        guard let column = columns.first(where: { $0.target == nil }) ?? columns.first else { return }
        let statement = try connection.statement(
            "UPDATE \(SQL.quoted(table.name)) SET \(SQL.quoted(column.name)) = NULL WHERE _id = ?")
        statement.bind(key.id, at: 1)
        try statement.run()
    }

    // MARK: Rows that become one

    /// The server has confirmed a new object whose identity a row has that came meanwhile: they are one.
    private func succeed(
        _ row: WriteBatch.Row, by holder: Int64, _ table: ModelSchema, _ changes: inout ChangeSet
    ) throws {
        successors[WriteBatch.Key(table: table.index, id: row.id)] = holder
        changes.replaced.append(ChangeSet.Replacement(table: table.index, old: row.id, new: holder))
        let values = row.values.sorted { $0.key < $1.key }.compactMap { index, value in
            row.edited?.contains(index) == false
                ? nil : table.properties[index].column.map { (column: table.columns[$0], value: value) }
        }
        try update(table, holder, values)
    }

    /// The key of a row, or of the one that it became one with.
    func successor(of id: Int64, in table: Int) -> Int64 {
        var id = id
        while let next = successors[WriteBatch.Key(table: table, id: id)] { id = next }
        return id
    }

    /// The same batch about the rows that those of it have become.
    func successor(of batch: WriteBatch) -> WriteBatch {
        var batch = batch
        batch.rows = batch.rows.map { row in
            let table = schema.tables[row.table]
            let id = successor(of: row.id, in: row.table)
            let isOther = id != row.id
            var values = isOther ? row.values.filter { row.edited?.contains($0.key) != false } : row.values
            for (index, value) in values {
                guard case .integer(let target) = value, let link = table.properties[index].link else { continue }
                values[index] = .integer(successor(of: target, in: link.target))
            }
            return WriteBatch.Row(
                table: row.table, id: id, values: values, isInsert: row.isInsert && !isOther, edited: row.edited)
        }
        batch.memberships = batch.memberships.map { membership in
            guard let list = schema.tables[membership.table].properties[membership.property].list else {
                return membership
            }
            var seen: Set<Int64> = []
            return WriteBatch.Membership(
                table: membership.table, property: membership.property,
                owner: successor(of: membership.owner, in: membership.table),
                members: membership.members.map { successor(of: $0, in: list.target) }
                    .filter { seen.insert($0).inserted },
                base: membership.base?.map { successor(of: $0, in: list.target) })
        }
        batch.deletions = batch.deletions.map {
            WriteBatch.Key(table: $0.table, id: successor(of: $0.id, in: $0.table))
        }
        return batch
    }
}

extension Writer {
    /// The values of a row's identity by property name, as a reader is told them.
    func identityText(
        _ table: ModelSchema, _ id: Int64, _ values: [Int: StoredValue] = [:]
    ) throws -> [String: String] {
        var identity: [String: String] = [:]
        for index in table.identity {
            let property = table.properties[index]
            guard let column = property.column else { continue }
            let value = try values[index] ?? value(of: table.columns[column], table, id)
            if case .integer(let target) = value, let link = property.link {
                let parts = try identityText(schema.tables[link.target], target)
                identity[property.name] = parts.sorted { $0.key < $1.key }.map(\.value).joined(separator: "/")
            } else {
                identity[property.name] = value.text
            }
        }
        return identity
    }
}

extension StoredValue {
    /// The value as a reader of an error is told it.
    var text: String {
        switch self {
        case .null: "nil"
        case .integer(let value): String(value)
        case .real(let value): String(value)
        case .text(let text): text
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
