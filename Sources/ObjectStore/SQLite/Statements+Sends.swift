// `_send`: the rows and relationships in requests that are in flight or have an unknown outcome.

extension Statements {
    /// Without those of unknown models or relationships.
    func sendMarks() throws(SQLiteFailure) -> [SentFact: SendMark] {
        let read = try connection.statement(
            "SELECT source, source_id, relationship, holder, lists FROM _send")
        var marks: [SentFact: SendMark] = [:]
        while try read.step() {
            let (source, name) = (read.text(0), read.text(2))
            guard let model = schema.roots.first(where: { $0.tableName == source }),
                let part = model.sentPart(named: name)
            else { continue }
            marks[SentFact(part, of: RecordID(table: model.table, row: read.row(1)))] = SendMark(
                processToken: ProcessToken(text: read.text(3)), lists: read.isNull(4) ? nil : read.text(4))
        }
        return marks
    }

    /// - Parameter mark: `nil` deletes the mark.
    func set(_ mark: SendMark?, of fact: SentFact) throws(SQLiteFailure) {
        let model = schema[fact.record.table]
        let key: [StoredValue] = [
            .text(model.tableName), .integer(fact.record.row.rawValue), .text(model.name(of: fact.part)),
        ]
        guard let mark else {
            let delete = try connection.statement(
                "DELETE FROM _send WHERE source = ? AND source_id = ? AND relationship = ?")
            delete.bind(key)
            return try delete.run()
        }
        let write = try connection.statement(
            """
            INSERT OR REPLACE INTO _send (source, source_id, relationship, holder, lists) \
            VALUES (?, ?, ?, ?, ?)
            """)
        write.bind(key + [.text(mark.processToken.text), mark.lists.map(StoredValue.text) ?? .null])
        try write.run()
    }
}

extension ModelSchema {
    /// Empty for the row itself.
    fileprivate func name(of part: SentPart) -> String {
        if case .relationship(let property) = part { self[property].name } else { "" }
    }

    fileprivate func sentPart(named name: String) -> SentPart? {
        name.isEmpty ? .row : property(named: name).map { .relationship($0.index) }
    }
}
