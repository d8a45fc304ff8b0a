extension Statements {
    /// By table: the largest row id in the bases of edited links and in pending edits of memberships.
    func lastRowsInUnsentChanges() throws(SQLiteFailure) -> [TableID: RowID] {
        var last: [TableID: RowID] = [:]
        for model in schema.roots where model.properties.contains(where: { $0.link != nil }) {
            let read = try connection.statement(
                "SELECT _unsent FROM \(model.sqlName) WHERE _unsent IS NOT NULL AND instr(_unsent, '\"integer\":')")
            while try read.step() {
                for (name, entry) in UnsentChanges(text: read.text(0)).entries {
                    guard let target = model.property(named: name)?.target, let row = entry.base.row else { continue }
                    last[target] = max(last[target] ?? row, row)
                }
            }
        }
        let rows = try connection.statement("SELECT list, max(source_id), max(target_id) FROM _pair GROUP BY list")
        while try rows.step() {
            guard let join = schema.joinTable(named: rows.text(0)) else { continue }
            for (table, row) in [(join.source, rows.row(1)), (join.target, rows.row(2))] {
                last[table] = max(last[table] ?? row, row)
            }
        }
        return last
    }
}
