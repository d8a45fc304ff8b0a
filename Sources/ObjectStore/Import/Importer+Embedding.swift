import JSONBytes

// Embedded objects have no identity: the one that stands where another stood is that one, with all its values replaced.

extension Importer {
    /// Reads a relationship to embedded objects, once the owner's row is there.
    mutating func readEmbedded(
        _ body: JSONReader, _ place: (property: Int, offset: Int), _ owner: ImportPlan, _ plan: ImportPlan,
        of row: StoredRow
    ) throws {
        let property = owner.table.properties[place.property]
        if try isUnsent(owner.table, row.id, property.name) { return }
        let old = row.isNew ? [] : try writer.targets(of: property, owner.table, row.id).map(\.id)
        containers.append(Container(table: owner.table.index, id: row.id))
        path.append(.property(table: owner.table.index, index: place.property))
        defer {
            containers.removeLast()
            path.removeLast()
        }
        var reader = body
        try reader.move(to: place.offset)
        if let column = property.column {
            let id = try readEmbeddedObject(&reader, plan, into: old.first)
            guard old.first != id else { return }
            try writer.update(owner.table, row.id, [(column: owner.table.columns[column], value: .integer(id))])
            try writer.leadBack(owner.table, owner.table.columns[column], row.id, id, &changes)
            noteChange(row.id, owner)
        } else {
            try store(readEmbeddedObjects(&reader, plan, into: old), place.property, owner, of: row)
        }
    }

    private mutating func readEmbeddedObjects(
        _ reader: inout JSONReader, _ plan: ImportPlan, into old: [Int64]
    ) throws -> [Int64] {
        var members: [Int64] = []
        guard try reader.enterArray() else { return members }
        var index = 0
        repeat {
            path.append(.element(index))
            switch try reader.peekKind() {
            case .object:
                let known = members.count < old.count ? old[members.count] : nil
                members.append(try readEmbeddedObject(&reader, plan, into: known))
            case .null: _ = try reader.readScalar()
            default: reject(plan, .notAnObject(found: try describeNext(&reader)))
            }
            path.removeLast()
            index += 1
        } while try reader.continueArray()
        return members
    }

    /// - Parameter known: the row that stood in this place.
    private mutating func readEmbeddedObject(
        _ reader: inout JSONReader, _ plan: ImportPlan, into known: Int64?
    ) throws -> Int64 {
        let frame = plan.frame()
        defer { plan.giveBack(frame) }
        let body = reader
        try readKeys(&reader, plan, plan.nodes[0], frame)
        fillAbsent(plan, frame)
        let row = try storeEmbedded(plan, frame, known)
        try forgetPendingLinks(plan, frame, of: row.id)
        for link in frame.pending { try remember(link, plan, of: row.id) }
        for list in frame.lists { try store(list.members, list.property, plan, of: row) }
        for list in frame.postponed { try readPostponed(body, list, plan, of: row) }
        for list in plan.table.properties where list.list != nil && !row.isNew && !isRead(list.index, frame) {
            try store([], list.index, plan, of: row)
        }
        return row.id
    }

    private func isRead(_ property: Int, _ frame: ImportFrame) -> Bool {
        frame.lists.contains { $0.property == property } || frame.postponed.contains { $0.property == property }
    }

    /// What the JSON leaves out is as in a new object: the value is replaced, not merged in.
    private mutating func fillAbsent(_ plan: ImportPlan, _ frame: ImportFrame) {
        for (column, compiled) in plan.table.columns.enumerated() where !frame.has(column) {
            let property = plan.table.properties[compiled.property]
            if let link = property.link {
                let isBack = link.inverse.map { schema.tables[link.target].properties[$0].owns } ?? false
                if !isBack, !isRead(property.index, frame) { frame.set(column, .null) }
            } else {
                frame.set(column, defaultSlot(plan, column))
            }
        }
    }
}
