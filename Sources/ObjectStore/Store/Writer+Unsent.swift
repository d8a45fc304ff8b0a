extension Writer {
    /// The changes of a row that the server has not confirmed.
    func unsentChanges(_ table: ModelSchema, _ id: Int64) throws -> UnsentChanges {
        let statement = try connection.statement("SELECT _unsent FROM \(SQL.quoted(table.name)) WHERE _id = ?")
        statement.bind(id, at: 1)
        guard try statement.step() else { return UnsentChanges() }
        defer { statement.reset() }
        return UnsentChanges(text: statement.isNull(0) ? nil : statement.text(0))
    }

    /// Adds to the changes that the server has not confirmed. What it last said of a property is kept from the first change
    /// on.
    func noteUnsent(_ table: ModelSchema, _ id: Int64, _ bases: [String: StoredValue]) throws {
        guard !bases.isEmpty else { return }
        var unsent = try unsentChanges(table, id)
        unsent.bases.merge(bases) { first, _ in first }
        try setUnsent(table, id, unsent)
    }

    /// The server has confirmed these properties.
    func noteSent(_ table: ModelSchema, _ id: Int64, _ names: some Sequence<String>) throws {
        guard unsentRows[table.index].contains(id) else { return }
        var unsent = try unsentChanges(table, id)
        for name in names { unsent.bases[name] = nil }
        try setUnsent(table, id, unsent)
    }

    private func setUnsent(_ table: ModelSchema, _ id: Int64, _ unsent: UnsentChanges) throws {
        let statement = try connection.statement("UPDATE \(SQL.quoted(table.name)) SET _unsent = ? WHERE _id = ?")
        statement.bind(unsent.text.map(StoredValue.text) ?? .null, at: 1)
        statement.bind(id, at: 2)
        try statement.run()
        if unsent.bases.isEmpty {
            unsentRows[table.index].remove(id)
        } else {
            unsentRows[table.index].insert(id)
        }
    }
}
