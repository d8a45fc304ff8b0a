extension Statements {
    /// The last row of each table that changes which wait to be sent name: where a link led before, and what was added
    /// to a list.
    func lastRowsInUnsentChanges() throws(SQLiteFailure) -> [TableID: RowID] {
        var last: [TableID: RowID] = [:]
        for model in schema.roots where model.properties.contains(where: { $0.target != nil }) {
            let read = try connection.statement(
                """
                SELECT _unsent FROM \(model.sqlName) WHERE _unsent IS NOT NULL \
                AND (instr(_unsent, '"integer":') OR instr(_unsent, '"added":'))
                """)
            while try read.step() {
                for (name, entry) in UnsentChanges(text: read.text(0)).entries {
                    guard let target = model.property(named: name)?.target else { continue }
                    let added = entry.difference?.added ?? []
                    guard let row = added.union([entry.base.row].compactMap(\.self)).max() else { continue }
                    last[target] = max(last[target] ?? row, row)
                }
            }
        }
        return last
    }
}
