// Unifies rows with the same identity. The newest row survives, with the values that only older ones have, and all
// links.

extension MigrationRun {
    /// Goes on to tables whose identity has a link to unified rows.
    func unify(_ tables: [TableID]) throws {
        var waiting = tables
        while let table = waiting.popLast() {
            guard try unifyRows(of: schema[table]) else { continue }
            waiting += schema.models(identifiedBy: table).map(\.table)
        }
    }

    /// - Returns: whether there were duplicates.
    private func unifyRows(of model: ModelSchema) throws -> Bool {
        try findDuplicates(of: model)
        defer { try? connection.execute("DROP TABLE IF EXISTS temp._unified") }
        guard try connection.integer("SELECT count(*) FROM temp._unified") > 0 else { return false }
        let layout = try FileLayout(connection)
        try mergeUnsent(model)
        try mergeValues(model, columns: layout.tables[model.tableName]?.columns.map(\.name) ?? [])
        try mergeLoaded(model)
        for (table, column) in layout.links(to: model.tableName) { try relink(column, of: table, in: layout) }
        try relinkPending(model)
        try relinkUnsent(model)
        try connection.execute("DELETE FROM \(model.sqlName) WHERE _id IN (SELECT duplicate FROM temp._unified)")
        try mendOneToOne(model)
        return true
    }

    /// The age counts a survivor's duplicates from 1, the newest.
    private func findDuplicates(of model: ModelSchema) throws {
        try connection.execute("DROP TABLE IF EXISTS temp._unified")
        try connection.execute(
            "CREATE TEMP TABLE _unified (duplicate INTEGER PRIMARY KEY, survivor INTEGER NOT NULL, age INTEGER NOT NULL)"
        )
        let identity = model.identityColumns.map(\.sqlName)
        guard !identity.isEmpty else { return }
        try connection.execute(
            """
            INSERT INTO temp._unified SELECT * FROM (
                SELECT _id, first_value(_id) OVER _same AS survivor, row_number() OVER _same - 1 AS age
                FROM \(model.sqlName) WHERE \(identity.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))
                WINDOW _same AS (PARTITION BY \(identity.joined(separator: ", ")) ORDER BY _id DESC)) WHERE age > 0
            """)
        try connection.execute("CREATE INDEX temp._unified_survivor ON _unified(survivor)")
    }

    // MARK: Values

    /// Keeps the pending edits of all rows. The survivor's values become the bases of theirs.
    private func mergeUnsent(_ model: ModelSchema) throws {
        let name = model.sqlName
        let read = try RawStatement(
            connection,
            """
            SELECT _same.survivor, _same.duplicate, _older._unsent FROM temp._unified AS _same \
            JOIN \(name) AS _older ON _older._id = _same.duplicate \
            WHERE _older._unsent IS NOT NULL ORDER BY _same.survivor, _same.age
            """)
        var merges: [(survivor: RowID, duplicate: RowID, unsent: UnsentChanges)] = []
        while try read.step() { merges.append((read.row(0), read.row(1), UnsentChanges(text: read.text(2)))) }
        for (survivor, duplicate, older) in merges {
            var unsent = try unsent(of: survivor, in: model)
            var added = older.entries.filter { !unsent.contains($0.key) }
            for column in model.columns {
                let property = model[column.property]
                guard added[property.name] != nil else { continue }
                if let value = try serverValue(property, of: survivor, in: model) { added[property.name]?.base = value }
                try connection.execute(
                    """
                    UPDATE \(name) SET \(column.sqlName) = (
                        SELECT _older.\(column.sqlName) FROM \(name) AS _older WHERE _older._id = \(duplicate.rawValue)) \
                    WHERE _id = \(survivor.rawValue)
                    """)
            }
            unsent.entries.merge(added) { first, _ in first }
            try setUnsent(unsent, of: survivor, in: model.tableName)
        }
    }

    private func unsent(of row: RowID, in model: ModelSchema) throws -> UnsentChanges {
        let statement = try connection.statement("SELECT _unsent FROM \(model.sqlName) WHERE _id = ?")
        statement.bind(row, at: 1)
        guard try statement.step() else { return UnsentChanges() }
        defer { statement.reset() }
        return UnsentChanges(text: statement.isNull(0) ? nil : statement.text(0))
    }

    /// The server's value of an unedited property. Nil: unknown.
    private func serverValue(_ property: Property, of row: RowID, in model: ModelSchema) throws -> StoredValue? {
        guard let column = model.column(of: property.index), let place = model.loadedBit(of: property) else {
            return nil
        }
        let statement = try connection.statement(
            "SELECT \(column.sqlName) FROM \(model.sqlName) WHERE _id = ? AND \(place.condition)")
        statement.bind(row, at: 1)
        defer { statement.reset() }
        return try statement.step() ? statement.value(0) : nil
    }

    /// Completes unloaded properties of the survivor: with the newest loaded value of a duplicate, else its own, else
    /// the newest other value.
    private func mergeValues(_ model: ModelSchema, columns: [String]) throws {
        let name = model.sqlName
        let columns = columns.filter { !["_id", "_unsent"].contains($0) && !model.loadedColumns.contains($0) }
        guard !columns.isEmpty else { return }
        let sets = columns.map { column in
            let quoted = SQL.quoted(column)
            func older(_ condition: String) -> String {
                """
                (SELECT _older.\(quoted) FROM temp._unified AS _same JOIN \(name) AS _older ON _older._id = _same.duplicate
                WHERE _same.survivor = \(name)._id AND \(condition) ORDER BY _same.age LIMIT 1)
                """
            }
            let anything = "coalesce(\(quoted), \(older("_older.\(quoted) IS NOT NULL")))"
            guard let place = loadedBitIfAny(column, in: model) else { return "\(quoted) = \(anything)" }
            return """
                \(quoted) = CASE WHEN \(place.condition) THEN \(quoted)
                ELSE coalesce(\(older("_older.\(quoted) IS NOT NULL AND \(place.condition(of: "_older"))")), \(anything)) END
                """
        }
        let survivors = "_id IN (SELECT survivor FROM temp._unified)"
        // A pending edit to nil counts as a value.
        try connection.execute(
            "UPDATE \(name) SET \(sets.joined(separator: ", ")) WHERE \(survivors) AND _unsent IS NULL")
        let kept = try RawStatement(
            connection, "SELECT _id, _unsent FROM \(name) WHERE \(survivors) AND _unsent IS NOT NULL")
        var rows: [(RowID, UnsentChanges)] = []
        while try kept.step() { rows.append((kept.row(0), UnsentChanges(text: kept.text(1)))) }
        for (row, unsent) in rows {
            let edited = Set(model.columns.filter { unsent.contains(model[$0.property].name) }.map(\.name))
            let others = zip(columns, sets).filter { !edited.contains($0.0) }.map(\.1)
            guard !others.isEmpty else { continue }
            try connection.execute(
                "UPDATE \(name) SET \(others.joined(separator: ", ")) WHERE _id = \(row.rawValue)")
        }
    }

    /// Nil for a position. Also nil for a one-to-one link, since both sides must agree on one of the partners.
    private func loadedBitIfAny(_ column: String, in model: ModelSchema) -> LoadedBit? {
        guard let column = model.columns.first(where: { $0.name == column }) else { return nil }
        let property = model[column.property]
        if let link = property.link, let inverse = link.inverse, schema[link.target][inverse].link != nil { return nil }
        return model.loadedBit(of: property)
    }

    private func mergeLoaded(_ model: ModelSchema) throws {
        let words = model.loadedColumns
        let read = try RawStatement(
            connection,
            """
            SELECT _same.survivor, \(words.map { "ifnull(_older.\($0), 0)" }.joined(separator: ", ")) \
            FROM temp._unified AS _same JOIN \(model.sqlName) AS _older ON _older._id = _same.duplicate
            """)
        var loaded: [RowID: [Int64]] = [:]
        while try read.step() {
            for number in words.indices {
                loaded[read.row(0), default: words.map { _ in 0 }][number] |= read.integer(Int32(number + 1))
            }
        }
        let sets = words.enumerated().map { "\($1) = ifnull(\($1), 0) | ?\($0 + 2)" }.joined(separator: ", ")
        let write = try RawStatement(connection, "UPDATE \(model.sqlName) SET \(sets) WHERE _id = ?1")
        for (survivor, bits) in loaded {
            write.bind(survivor, at: 1)
            for (number, word) in bits.enumerated() { write.bind(word, at: Int32(number + 2)) }
            try write.run()
        }
    }

    // MARK: Links

    /// In a list, members of a duplicate follow those of newer rows.
    private func relink(_ column: String, of table: String, in layout: FileLayout) throws {
        let name = SQL.quoted(table)
        let link = SQL.quoted(column)
        let isDuplicate = "\(link) IN (SELECT duplicate FROM temp._unified)"
        if let position = positionColumn(of: column, in: table, layout).map(SQL.quoted) {
            let room = try connection.integer("SELECT coalesce(max(\(position)), -1) + 1 FROM \(name)")
            try connection.execute(
                """
                UPDATE \(name) SET \(position) = \(position) + \(room) * (
                    SELECT age FROM temp._unified WHERE duplicate = \(link)) WHERE \(isDuplicate)
                """)
        }
        try connection.execute(
            """
            UPDATE OR IGNORE \(name) SET \(link) = (SELECT survivor FROM temp._unified WHERE duplicate = \(link)) \
            WHERE \(isDuplicate)
            """)
        // The remaining rows repeat a member that both lists had.
        if layout.tables[table]?.isJoinTable ?? false {
            try connection.execute("DELETE FROM \(name) WHERE \(isDuplicate)")
            try connection.execute(
                """
                UPDATE OR REPLACE _pair SET \(link) = (SELECT survivor FROM temp._unified WHERE duplicate = \(link)) \
                WHERE list = \(SQL.literal(.text(table)) ?? "''") AND \(isDuplicate)
                """)
        }
    }

    private func positionColumn(of column: String, in table: String, _ layout: FileLayout) -> String? {
        if let join = layout.tables[table], join.isJoinTable {
            return join.column(column == "source_id" ? "position" : "inverse_position")?.name
        }
        guard let model = schema.roots.first(where: { $0.tableName == table }),
            let link = model.columns.first(where: { $0.name == column })
        else { return nil }
        return schema.positionColumn(of: link, in: model)
    }

    private func relinkPending(_ model: ModelSchema) throws {
        let statement = try RawStatement(
            connection,
            """
            UPDATE OR REPLACE _pending_link
            SET source_id = (SELECT survivor FROM temp._unified WHERE duplicate = source_id) \
            WHERE source = ? AND source_id IN (SELECT duplicate FROM temp._unified)
            """)
        statement.bind(.text(model.tableName), at: 1)
        try statement.run()
        try movePartialLists(model)
        try move("_wire_text", by: "model", "row", of: model)
        try move("_validator", by: "model", "row", of: model)
        try move("_send", by: "source", "source_id", of: model)
        try move("_outbox", by: "source", "source_id", of: model)
        try moveQueuedMembers(model)
    }

    private func moveQueuedMembers(_ target: ModelSchema) throws {
        for model in schema.roots {
            for list in model.properties where list.list?.target == target.table {
                for sql in [
                    """
                    UPDATE OR IGNORE _outbox SET member = (SELECT survivor FROM temp._unified WHERE duplicate = member) \
                    WHERE source = ?1 AND relationship = ?2 AND member IN (SELECT duplicate FROM temp._unified)
                    """,
                    """
                    DELETE FROM _outbox WHERE source = ?1 AND relationship = ?2 \
                    AND member IN (SELECT duplicate FROM temp._unified)
                    """,
                ] {
                    try run(sql, .text(model.tableName), .text(list.name))
                }
            }
        }
    }

    /// A survivor's own entry takes precedence.
    private func move(_ notes: String, by table: String, _ row: String, of model: ModelSchema) throws {
        for sql in [
            """
            UPDATE OR IGNORE \(notes) SET \(row) = (SELECT survivor FROM temp._unified WHERE duplicate = \(row)) \
            WHERE \(table) = ? AND \(row) IN (SELECT duplicate FROM temp._unified)
            """,
            "DELETE FROM \(notes) WHERE \(table) = ? AND \(row) IN (SELECT duplicate FROM temp._unified)",
        ] {
            let statement = try RawStatement(connection, sql)
            statement.bind(.text(model.tableName), at: 1)
            try statement.run()
        }
    }

    /// A list that is partial in either row is partial in the survivor.
    private func movePartialLists(_ model: ModelSchema) throws {
        for sql in [
            """
            INSERT INTO _paged_list (source, source_id, relationship, is_whole)
            SELECT source, survivor, relationship, is_whole
            FROM _paged_list JOIN temp._unified ON duplicate = source_id WHERE source = ?
            ON CONFLICT DO UPDATE SET is_whole = \(Schema.wholenessOfBoth)
            """,
            "DELETE FROM _paged_list WHERE source = ? AND source_id IN (SELECT duplicate FROM temp._unified)",
        ] {
            let statement = try RawStatement(connection, sql)
            statement.bind(.text(model.tableName), at: 1)
            try statement.run()
        }
    }

    /// Replaces duplicates in the bases of edited links.
    private func relinkUnsent(_ target: ModelSchema) throws {
        let read = try RawStatement(connection, "SELECT duplicate, survivor FROM temp._unified")
        var survivors: [RowID: RowID] = [:]
        while try read.step() { survivors[read.row(0)] = read.row(1) }
        for model in schema.roots {
            let links = model.properties.filter { $0.link?.target == target.table }.map(\.name)
            guard !links.isEmpty else { continue }
            try changeUnsent(in: model.tableName) { unsent in
                for name in links {
                    guard let row = unsent.entries[name]?.base.row, let survivor = survivors[row] else { continue }
                    unsent.entries[name]?.base = StoredValue(survivor)
                }
            }
        }
    }

    /// The survivor keeps its own of two partners.
    private func mendOneToOne(_ model: ModelSchema) throws {
        for column in model.columns {
            guard let link = model[column.property].link, let inverse = link.inverse else { continue }
            let other = schema[link.target]
            guard other[inverse].link != nil, let back = other.column(of: inverse) else { continue }
            let (own, theirs) = (column.sqlName, back.sqlName)
            try connection.execute(
                """
                UPDATE \(other.sqlName) AS _partner SET \(theirs) = NULL \
                WHERE \(theirs) IN (SELECT survivor FROM temp._unified) AND EXISTS (
                    SELECT 1 FROM \(model.sqlName) AS _kept
                    WHERE _kept._id = _partner.\(theirs) AND _kept.\(own) IS NOT NULL AND _kept.\(own) <> _partner._id)
                """)
        }
    }
}

extension LoadedBit {
    /// SQL: whether the property has a known value.
    fileprivate var condition: String { condition(of: nil) }

    fileprivate func condition(of table: String?) -> String {
        "(ifnull(\(table.map { "\($0)." } ?? "")\(column), 0) >> \(bit) & 1)"
    }
}
