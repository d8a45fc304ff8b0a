extension MigrationStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .refuseUnsent(let table, _, let properties):
            "check that \(properties.joined(separator: ", ")) of \"\(table)\" may go"
        case .renameTable(let old, let new): "rename the table \"\(old)\" to \"\(new)\""
        case .keepMembers(let members): "put the members of \(members.property) aside"
        case .dropIndex(let name): "drop the index \"\(name)\""
        case .dropTable(let name): "drop the table \"\(name)\""
        case .addTable(let name, _): "add the table \"\(name)\""
        case .renameColumn(let table, let old, let new): "rename the column \"\(old)\" of \"\(table)\" to \"\(new)\""
        case .addColumn(let table, let column, _): "add the column \"\(column.name)\" to \"\(table)\""
        case .fillNulls(let table, let column, _): "give \"\(column)\" of \"\(table)\" its default where it is null"
        case .rebuild(let rebuild): "write the table \"\(rebuild.table)\" anew" + rebuild.changes
        case .restoreMembers(let members): "store the members of \(members.property)"
        case .updateUnsent(let update): "update the unsent changes of \"\(update.table)\""
        case .updatePendingLinks: "update the links that wait for their targets"
        case .unite: "make rows of one identity one"
        case .addIndex(let name, _): "add the index \"\(name)\""
        }
    }

    /// The table of whose rows many are written.
    var rowTable: String? {
        switch self {
        case .rebuild(let rebuild): rebuild.table
        default: nil
        }
    }
}

extension TableRebuild {
    /// `: converts "size", drops "title"`; a dropped column beside an added one may be a rename that was not declared.
    fileprivate var changes: String {
        var kept: Set<String> = []
        var words: [String] = []
        for (name, source) in columns {
            switch source {
            case .copy(let old), .fill(let old, _):
                kept.insert(old)
                if old != name { words.append("renames \"\(old)\" to \"\(name)\"") }
            case .convert(let old, _):
                kept.insert(old)
                words.append("converts \"\(old)\"" + (old == name ? "" : " to \"\(name)\""))
            case .constant: if !name.hasPrefix("_") { words.append("adds \"\(name)\"") }
            }
        }
        words += oldColumns.filter { !kept.contains($0.column) }.map { "drops \"\($0.column)\"" }
        words += steps.map { "applies \"\($0.migration)\"" }
        return words.isEmpty ? "" : ": " + words.joined(separator: ", ")
    }
}
