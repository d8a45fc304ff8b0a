extension MigrationRun {
    /// Finds changes that would be lost with their properties.
    mutating func refuseUnsent(_ table: String, _ model: String, _ properties: [String]) throws {
        var counts: [String: Int] = [:]
        try eachUnsent(table) { _, unsent in
            for name in properties where unsent.bases[name] != nil { counts[name, default: 0] += 1 }
        }
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            let rows = count == 1 ? "1 object has a change" : "\(count) objects have changes"
            problems.append(
                "\(model).\(name) is gone, and \(rows) of it that the server has not confirmed: send them first, say "
                    + "`renamedFrom: \"\(name)\"` where it has another name now, take it over with "
                    + "`Migration.rows(of:replacing: \"\(name)\")`, or let go of it with "
                    + "`Migration.discarding(\"\(model).\(name)\")`")
        }
    }

    /// Brings the notes of unsent changes to the properties' new names and kinds.
    func updateUnsent(_ update: UnsentUpdate) throws {
        var changed: [(id: Int64, unsent: UnsentChanges)] = []
        try eachUnsent(update.table) { id, unsent in
            var bases: [String: StoredValue] = [:]
            for (name, value) in unsent.bases where !update.removed.contains(name) {
                var value = value
                if let conversion = update.converted[name] { value = conversion?(value) ?? .null }
                bases[update.renamed[name] ?? name] = value
            }
            var new = UnsentChanges()
            new.bases = bases
            if new != unsent { changed.append((id, new)) }
        }
        for (id, unsent) in changed { try setUnsent(update.table, id, unsent) }
    }

    func unsent(_ table: String, _ id: Int64) throws -> UnsentChanges {
        let statement = try connection.statement("SELECT _unsent FROM \(SQL.quoted(table)) WHERE _id = ?")
        statement.bind(id, at: 1)
        guard try statement.step() else { return UnsentChanges() }
        defer { statement.reset() }
        return UnsentChanges(text: statement.isNull(0) ? nil : statement.text(0))
    }

    func setUnsent(_ table: String, _ id: Int64, _ unsent: UnsentChanges) throws {
        let statement = try connection.statement("UPDATE \(SQL.quoted(table)) SET _unsent = ? WHERE _id = ?")
        statement.bind(unsent.text.map(StoredValue.text) ?? .null, at: 1)
        statement.bind(id, at: 2)
        try statement.run()
    }

    func eachUnsent(_ table: String, _ body: (Int64, UnsentChanges) throws -> Void) throws {
        let read = try RawStatement(
            connection, "SELECT _id, _unsent FROM \(SQL.quoted(table)) WHERE _unsent IS NOT NULL")
        while try read.step() { try body(read.integer(0), UnsentChanges(text: read.text(1))) }
    }
}
