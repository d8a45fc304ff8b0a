import JSONBytes

// Embedded objects have no identity: the one that is where another was is that one, with all its values replaced.

extension Importer {
    /// Reads a relationship to embedded objects, once the owner's row is there.
    mutating func readEmbedded(
        _ postponed: ImportFrame.Postponed, of object: ReadingObject, from body: JSONReader, _ row: StoredRow
    ) throws {
        let owner = object.plan
        let property = owner.model[postponed.property]
        let record = RecordID(table: owner.model.table, row: row.id)
        if try writer.isUnsent(property.index, of: record) { return }
        let target = try plan(ofTarget: property.index, in: owner)
        let old = row.isNew ? [] : try writer.targets(of: property, in: record).map(\.row)
        containers.append(record)
        path.append(.property(property.index, of: record.table))
        defer {
            containers.removeLast()
            path.removeLast()
        }
        var reader = body
        try reader.move(to: postponed.offset)
        guard let column = owner.model.column(of: property.index) else {
            let members = try readEmbeddedList(&reader, of: target, over: old)
            let isPart = isPart(property.index, of: object, read: members.count)
            return try store(members, in: property.index, of: row, owner, isPart: isPart)
        }
        let embedded = try readEmbeddedObject(&reader, of: target, over: old.first)
        guard old.first != embedded else { return }
        try owner.statements.update([(column: column, value: StoredValue(embedded))], in: row.id)
        try writer.keepOneToOne(column, of: record, to: embedded, &progress)
        noteChange(of: row.id, in: owner)
    }

    /// - Parameter old: the list's rows, of which each takes the values of the object that is at its index now.
    private mutating func readEmbeddedList(
        _ reader: inout JSONReader, of plan: ImportPlan, over old: [RowID]
    ) throws -> [RowID] {
        var members: [RowID] = []
        guard try reader.enterArray() else { return members }
        var index = 0
        repeat {
            path.append(.element(index))
            switch try reader.peekKind() {
            case .object:
                let known = members.count < old.count ? old[members.count] : nil
                members.append(try readEmbeddedObject(&reader, of: plan, over: known))
            case .null: _ = try reader.readScalar()
            default: reject(.notAnObject(found: try describeNext(&reader)), of: plan.model)
            }
            path.removeLast()
            index += 1
        } while try reader.continueArray()
        return members
    }

    /// - Parameter known: the row that takes the object's values; a new one if there is none.
    private mutating func readEmbeddedObject(
        _ reader: inout JSONReader, of plan: ImportPlan, over known: RowID?
    ) throws -> RowID {
        counts.nested += 1
        let frame = plan.frame()
        defer { plan.giveBack(frame) }
        let object = ReadingObject(plan, frame)
        let body = reader
        try readKeys(&reader, of: object, at: plan.nodes[0])
        fillAbsent(in: object)
        let row = try storeEmbedded(object, into: known)
        try storeRelationships(of: object, from: body, row)
        for property in plan.model.properties
        where property.list != nil && !row.isNew && !frame.isRead(property.index) {
            try store([], in: property.index, of: row, plan)
        }
        return row.id
    }

    /// What the JSON leaves out is as in a new object: the value is replaced, not merged in.
    private mutating func fillAbsent(in object: ReadingObject) {
        let (plan, frame) = (object.plan, object.frame)
        for column in plan.model.columns where !frame.has(column.index) {
            let property = plan.model[column.property]
            if property.link != nil {
                let isToOwner = schema.inverse(of: property)?.owns ?? false
                if !isToOwner, !frame.isRead(property.index) { frame[column.index] = .null }
            } else {
                frame[column.index] = defaultSlot(of: column.index, in: plan)
            }
        }
    }
}
