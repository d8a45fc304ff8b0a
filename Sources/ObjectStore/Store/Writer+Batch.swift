extension Writer {
    /// Writes a batch within the running transaction.
    ///
    /// - Throws: ``StoreError/duplicateIdentity(model:identity:)``,
    ///   ``StoreError/deleteDenied(model:identity:relationship:count:)``; the caller ends the transaction.
    func apply(_ batch: WriteBatch, _ changes: inout ChangeSet) throws {
        let batch = successors.isEmpty ? batch : successor(of: batch)
        var orphans: [WriteBatch.Key] = []
        var rules = DeletionRules(isConfirmed: batch.isConfirmed)
        var identities = BatchIdentities(batch)
        for row in batch.rows { try write(row, &identities, &changes, &orphans) }
        for membership in batch.memberships {
            let table = schema.tables[membership.table]
            let name = table.properties[membership.property].name
            // What the server says of a list that was edited here and not sent yet waits for that.
            if batch.isConfirmed, unsentRows[table.index].contains(membership.owner),
                try unsentChanges(table, membership.owner).bases[name] != nil
            {
                continue
            }
            try write(batch.isConfirmed ? membership : merged(membership), &changes, &orphans)
            guard !batch.isConfirmed else { continue }
            if table.isEmbedded {
                try noteUnsentEmbedding(table, membership.owner, &changes)
            } else {
                try noteUnsent(table, membership.owner, [name: .null])
            }
        }
        for deletion in batch.deletions {
            try delete(schema.tables[deletion.table], deletion.id, &changes, &rules)
        }
        try deleteOrphans(orphans, &changes, &rules)
        if schema.hasEmbedded { try checkEmbedding(batch, &changes, &rules) }
        try rules.check(self)
    }

    // MARK: Rows

    private func write(
        _ row: WriteBatch.Row, _ identities: inout BatchIdentities, _ changes: inout ChangeSet,
        _ orphans: inout [WriteBatch.Key]
    ) throws {
        let table = schema.tables[row.table]
        let isConfirmed = identities.batch.isConfirmed
        let values = row.values.sorted { $0.key < $1.key }.compactMap { index, value in
            table.properties[index].column.map { (column: table.columns[$0], value: value) }
        }
        // Another save may have inserted the row since the batch was made. What it wrote then is as new or newer, but for what
        // the server has confirmed.
        let isInsert = try row.isInsert && !hasRow(table, row.id)
        if row.isInsert, !isInsert, !isConfirmed { return }
        if !isInsert { try noteOrphans(table, row, &orphans) }
        let edited = values.map(\.column).filter { row.edited?.contains($0.property) != false }
        let bases =
            try isConfirmed || table.isEmbedded
            ? [:] : bases(table, row, of: edited).merging(identities.bases(row)) { $1 }
        if !isInsert { try noteUnsent(table, row.id, bases) }
        let id = try makingRoom(for: row, table, isInsert: isInsert, &identities, &changes, &orphans) {
            if isInsert { try insert(table, row.id, values) } else { try update(table, row.id, values) }
        }
        if isInsert, id == row.id {
            try noteUnsent(table, row.id, bases)
            changes.tables[table.index].inserted.append(row.id)
        } else {
            changes.tables[table.index].updated.append(id)
        }
        noteLinks(table, values.map(\.column), &changes)
        if table.isEmbedded, !isInsert, !isConfirmed { try noteUnsentEmbedding(table, id, &changes) }
        try notePendingLinks(table, row, id, isInsert: isInsert, &changes)
    }

    /// What the file says now of the columns that are about to change, by the property's name.
    func bases(
        _ table: ModelSchema, _ row: WriteBatch.Row, of columns: [Column]
    ) throws -> [String: StoredValue] {
        var bases = Dictionary(
            uniqueKeysWithValues: columns.map { (table.properties[$0.property].name, StoredValue.null) })
        guard !row.isInsert, !columns.isEmpty else { return bases }
        let statement = try connection.statement(
            "SELECT \(SQL.list(columns.map(\.name))) FROM \(SQL.quoted(table.name)) WHERE _id = ?")
        statement.bind(row.id, at: 1)
        guard try statement.step() else { return bases }
        defer { statement.reset() }
        for (n, column) in columns.enumerated() {
            bases[table.properties[column.property].name] = statement.value(Int32(n))
        }
        return bases
    }

    private func insert(_ table: ModelSchema, _ id: Int64, _ values: [(column: Column, value: StoredValue)]) throws {
        let names = ["_id"] + values.map(\.column.name)
        let statement = try connection.statement(
            """
            INSERT INTO \(SQL.quoted(table.name)) (\(SQL.list(names))) \
            VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
            """)
        statement.bind(id, at: 1)
        for (n, (_, value)) in values.enumerated() { statement.bind(value, at: Int32(n + 2)) }
        try statement.run()
    }

    func update(_ table: ModelSchema, _ id: Int64, _ values: [(column: Column, value: StoredValue)]) throws {
        guard !values.isEmpty else { return }
        let sets = values.enumerated().map { place, value in
            let name = SQL.quoted(value.column.name)
            return "\(name) = ?\(place + 1)" + resettingPosition(of: value.column, table, name, place + 1)
        }.joined(separator: ", ")
        let statement = try connection.statement(
            "UPDATE \(SQL.quoted(table.name)) SET \(sets) WHERE _id = ?\(values.count + 1)")
        for (n, (_, value)) in values.enumerated() { statement.bind(value, at: Int32(n + 1)) }
        statement.bind(id, at: Int32(values.count + 1))
        try statement.run()
    }

    /// A row that comes under another owner comes last in its list, whatever place it had in the former one's.
    private func resettingPosition(of column: Column, _ table: ModelSchema, _ name: String, _ parameter: Int) -> String
    {
        guard let position = positionColumn(of: column, in: table).map(SQL.quoted) else { return "" }
        return ", \(position) = CASE WHEN \(name) IS ?\(parameter) THEN \(position) END"
    }

    /// Lists whose members are rows with such a link may have changed.
    func noteLinks(_ table: ModelSchema, _ columns: [Column], _ changes: inout ChangeSet) {
        for column in columns {
            guard let link = table.properties[column.property].link, let inverse = link.inverse,
                let list = schema.tables[link.target].properties[inverse].list
            else { continue }
            changes.lists.insert(list.number)
        }
    }

    // MARK: Memberships

    /// Makes `members` the list, in their order. What leaves an owning list is noted.
    func write(
        _ membership: WriteBatch.Membership, _ changes: inout ChangeSet, _ orphans: inout [WriteBatch.Key]
    ) throws {
        let table = schema.tables[membership.table]
        guard let list = table.properties[membership.property].list else { return }
        let gone: [Int64]
        switch list.storage {
        case .join(let join, let isReversed):
            gone = try setMembers(join, isReversed: isReversed, membership.owner, membership.members)
        case .column(let property, let column, let position):
            gone = try setMembers(list, property, column, position, membership, &changes)
        }
        if list.options.owns { orphans += gone.map { WriteBatch.Key(table: list.target, id: $0) } }
        noteList(list, &changes)
    }

    /// The relationship changed, and so did its inverse.
    func noteList(_ list: List, _ changes: inout ChangeSet) {
        changes.lists.insert(list.number)
        guard let inverse = list.inverse, let other = schema.tables[list.target].properties[inverse].list else {
            return
        }
        changes.lists.insert(other.number)
    }

    /// - Returns: the members that left.
    private func setMembers(
        _ join: JoinTable, isReversed: Bool, _ owner: Int64, _ members: [Int64]
    ) throws -> [Int64] {
        let name = SQL.quoted(join.name)
        let (mine, theirs) = isReversed ? ("target_id", "source_id") : ("source_id", "target_id")
        let position = isReversed ? "inverse_position" : "position"
        let wanted = Set(members)
        let read = try connection.statement("SELECT \(theirs) FROM \(name) WHERE \(mine) = ?")
        read.bind(owner, at: 1)
        var gone: [Int64] = []
        while try read.step() { if !wanted.contains(read.integer(0)) { gone.append(read.integer(0)) } }
        let delete = try connection.statement("DELETE FROM \(name) WHERE \(mine) = ? AND \(theirs) = ?")
        for member in gone {
            delete.bind(owner, at: 1)
            delete.bind(member, at: 2)
            try delete.run()
        }
        let insert = try connection.statement(
            """
            INSERT INTO \(name) (\(mine), \(theirs), \(position)) VALUES (?, ?, ?) \
            ON CONFLICT (source_id, target_id) DO UPDATE SET \(position) = excluded.\(position)
            """)
        for (place, member) in members.enumerated() {
            insert.bind(owner, at: 1)
            insert.bind(member, at: 2)
            insert.bind(Int64(place), at: 3)
            try insert.run()
        }
        return gone
    }

    /// - Returns: the members that left.
    private func setMembers(
        _ list: List, _ property: Int, _ column: String, _ position: String, _ membership: WriteBatch.Membership,
        _ changes: inout ChangeSet
    ) throws -> [Int64] {
        let target = schema.tables[list.target]
        let name = SQL.quoted(target.name)
        let wanted = Set(membership.members)
        let read = try connection.statement("SELECT _id FROM \(name) WHERE \(SQL.quoted(column)) = ?")
        read.bind(membership.owner, at: 1)
        var gone: [Int64] = []
        while try read.step() { if !wanted.contains(read.integer(0)) { gone.append(read.integer(0)) } }
        let unlink = try connection.statement(
            "UPDATE \(name) SET \(SQL.quoted(column)) = NULL, \(SQL.quoted(position)) = NULL WHERE _id = ?")
        for member in gone {
            unlink.bind(member, at: 1)
            try unlink.run()
            changes.tables[target.index].updated.append(member)
        }
        let link = try connection.statement(
            """
            UPDATE \(name) SET \(SQL.quoted(column)) = ?1, \(SQL.quoted(position)) = ?2 WHERE _id = ?3 \
            AND (\(SQL.quoted(column)) IS NOT ?1 OR \(SQL.quoted(position)) IS NOT ?2)
            """)
        for (place, member) in membership.members.enumerated() {
            link.bind(membership.owner, at: 1)
            link.bind(Int64(place), at: 2)
            link.bind(member, at: 3)
            try link.run()
            if connection.changes > 0 { changes.tables[target.index].updated.append(member) }
        }
        return gone
    }
}
