extension UnsentUpdate {
    func apply(to unsent: inout UnsentChanges) {
        var entries: [String: UnsentChanges.Entry] = [:]
        var set: [String: UnsentChanges.Entry] = [:]
        for (name, entry) in unsent.entries where !removed.contains(name) {
            if name.hasPrefix(Self.stepMark) {
                set[String(name.dropFirst())] = entry
                continue
            }
            var entry = entry
            if let conversion = converted[name] {
                entry.base = conversion?(entry.base) ?? .null
                (entry.list, entry.origin) = (nil, nil)
            }
            // Pending members have other keys now.
            if renamedMembers.contains(name) { entry.list?.dismissed = [] }
            entries[renamed[name] ?? name] = entry
        }
        // The base of an edit from before the step stays.
        unsent.entries = entries.merging(set) { edited, _ in edited }
    }
}

extension DeletedRows {
    /// Gives these rows the columns of a rebuilt table. Steps in code see only live rows.
    mutating func follow(_ rebuild: TableRebuild) {
        let table = rebuild.model.tableName
        for index in rows.indices where rows[index].table == table {
            let old = rows[index].cells
            rows[index].cells = [:]
            for (name, source) in rebuild.columns {
                let value = source.value(from: source.oldColumn.flatMap { old[$0]?.value } ?? .null).value
                if !value.isNull { rows[index].cells[name] = Cell(value) }
            }
        }
        var names: [String: String] = [:]
        for (name, source) in rebuild.columns {
            if let old = source.oldColumn { names[old] = name }
        }
        links = Set(
            links.compactMap { link -> LinkCell? in
                guard link.table == table else { return link }
                guard let name = names[link.column] else { return nil }
                return LinkCell(table: table, row: link.row, column: name, target: link.target)
            })
    }

    mutating func moveLoaded(by update: LoadedUpdate) {
        for index in rows.indices where rows[index].table == update.table {
            let old = rows[index].cells
            var words: [String: UInt64] = [:]
            for (from, to) in update.moves {
                guard case .integer(let word)? = old[from.column]?.value else { continue }
                words[to.column, default: 0] |= (UInt64(bitPattern: word) >> UInt64(from.bit) & 1) << UInt64(to.bit)
            }
            for column in update.columns {
                rows[index].cells[column] = Cell(.integer(Int64(bitPattern: words[column] ?? 0)))
            }
        }
    }

    mutating func changeUnsent(of table: String, _ change: (inout UnsentChanges) -> Void) {
        for index in rows.indices where rows[index].table == table {
            guard case .text(let text) = rows[index].cells["_unsent"]?.value else { continue }
            var unsent = UnsentChanges(text: text)
            change(&unsent)
            rows[index].cells["_unsent"] = Cell(unsent.text.map(StoredValue.text) ?? .null)
        }
    }
}
