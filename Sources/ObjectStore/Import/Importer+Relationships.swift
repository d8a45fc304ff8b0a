import JSONBytes

extension Importer {
    /// A to-one relationship: an object, its identity, or null.
    mutating func readLink(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int, _ property: Int, _ frame: ImportFrame
    ) throws {
        switch try reader.peekKind() {
        case .object:
            guard path.count < Self.depthLimit else {
                let found = try describeNext(&reader)
                mismatch(plan, property, expected: "objects nested less deeply", found: found)
                return
            }
            path.append(.property(table: plan.table.index, index: property))
            defer { path.removeLast() }
            if let id = try readNested(&reader, self.plan(plan.targets[property])) { frame.set(column, .integer(id)) }
        case .null:
            _ = try reader.readScalar()
            frame.set(column, .null)
        case .number, .string: try readIdentity(&reader, plan, property, column, frame)
        default:
            let found = try describeNext(&reader)
            mismatch(plan, property, expected: "an object, an identity or null", found: found)
        }
    }

    /// `owner_id`: an identity or null. Where the body has the object too, the object says more.
    mutating func readLinkIdentity(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int, _ property: Int, _ frame: ImportFrame
    ) throws {
        if frame.has(column) {
            _ = try reader.skipValue()
            return
        }
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            frame.set(column, .null)
        case .number, .string: try readIdentity(&reader, plan, property, column, frame)
        default:
            let found = try describeNext(&reader)
            mismatch(plan, property, expected: "an identity or null", found: found)
        }
    }

    private mutating func readIdentity(
        _ reader: inout JSONReader, _ owner: ImportPlan, _ property: Int, _ column: Int, _ frame: ImportFrame
    ) throws {
        let plan = try self.plan(owner.targets[property])
        let (read, scalar) = try readIdentitySlot(&reader, owner, property, plan)
        guard let slot = read else {
            mismatch(
                owner, property, expected: "an identity of \(plan.table.modelName)",
                found: unsafe String(decoding: reader.bytes(of: scalar).prefix(40), as: UTF8.self))
            return
        }
        if let id = try localID(slot, plan) {
            frame.set(column, .integer(id))
        } else {
            frame.set(column, .null)
            frame.pending.append(
                ImportFrame.PendingLink(property: property, identity: slot.stored, position: nil))
        }
    }

    /// Reads an identity by which a relationship leads to its target.
    private mutating func readIdentitySlot(
        _ reader: inout JSONReader, _ owner: ImportPlan, _ property: Int, _ plan: ImportPlan
    ) throws -> (slot: ImportSlot?, scalar: JSONScalar) {
        var again = reader
        let scalar = try reader.readScalar()
        guard plan.hasSimpleIdentity, let column = plan.identity.first else { return (nil, scalar) }
        let conversion = plan.columns[column]
        let slot =
            conversion.isWhole
            ? try plan.table.properties[plan.table.columns[column].property].slot(&again, &memory)
            : conversion.slot(scalar, reader, &memory)
        if let slot { owner.shapes.note(slot.shape, ofRelationship: property) }
        return (slot, scalar)
    }

    private func localID(_ identity: ImportSlot, _ plan: ImportPlan) throws -> Int64? {
        plan.find.bind(identity, at: 1)
        guard try plan.find.step() else { return nil }
        defer { plan.find.reset() }
        return plan.find.integer(0)
    }

    // MARK: Lists

    /// A to-many relationship: an array of objects or identities, or null for none.
    mutating func readList(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ property: Int, _ frame: ImportFrame
    ) throws {
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            frame.lists.append((property, []))
        case .array:
            guard path.count < Self.depthLimit else {
                let found = try describeNext(&reader)
                mismatch(plan, property, expected: "objects nested less deeply", found: found)
                return
            }
            let target = try self.plan(plan.targets[property])
            if needsOwner(target, plan) {
                frame.postponed.append((property, reader.offset))
                _ = try reader.skipValue()
            } else {
                try readMembers(&reader, plan, property, target, frame)
            }
        default:
            let found = try describeNext(&reader)
            mismatch(plan, property, expected: "an array or null", found: found)
        }
    }

    /// Whether the members' identity includes a link to their owner, which must have a row first.
    private func needsOwner(_ target: ImportPlan, _ owner: ImportPlan) -> Bool {
        !target.hasSimpleIdentity
            && target.identity.contains { target.table.columns[$0].target == owner.table.index }
    }

    private mutating func readMembers(
        _ reader: inout JSONReader, _ owner: ImportPlan, _ property: Int, _ target: ImportPlan, _ frame: ImportFrame
    ) throws {
        path.append(.property(table: owner.table.index, index: property))
        defer { path.removeLast() }
        var members: [Int64] = []
        guard try reader.enterArray() else {
            frame.lists.append((property, members))
            return
        }
        var index = 0
        repeat {
            path.append(.element(index))
            if let id = try readMember(&reader, owner, property, target, index, frame) { members.append(id) }
            path.removeLast()
            index += 1
        } while try reader.continueArray()
        frame.lists.append((property, members))
    }

    private mutating func readMember(
        _ reader: inout JSONReader, _ owner: ImportPlan, _ property: Int, _ target: ImportPlan, _ index: Int,
        _ frame: ImportFrame
    ) throws -> Int64? {
        switch try reader.peekKind() {
        case .object: return try readNested(&reader, target)
        case .null:
            _ = try reader.readScalar()
            return nil
        case .number, .string:
            guard let slot = try readIdentitySlot(&reader, owner, property, target).slot else {
                reject(target, .noIdentity(missing: SQL.identityColumns(target.table).joined(separator: ", ")))
                return nil
            }
            if let id = try localID(slot, target) { return id }
            frame.pending.append(
                ImportFrame.PendingLink(property: property, identity: slot.stored, position: index))
            return nil
        default:
            reject(target, .notAnObject(found: try describeNext(&reader)))
            return nil
        }
    }

    /// Reads a list again that stood before its owner's row was there.
    mutating func readPostponed(
        _ body: JSONReader, _ list: (property: Int, offset: Int), _ plan: ImportPlan, of row: StoredRow
    ) throws {
        let target = try self.plan(plan.targets[list.property])
        let frame = ImportFrame(columnCount: 0)
        containers.append(Container(table: plan.table.index, id: row.id))
        defer { containers.removeLast() }
        var reader = body
        try reader.move(to: list.offset)
        try readMembers(&reader, plan, list.property, target, frame)
        for link in frame.pending { try remember(link, plan, of: row.id) }
        for list in frame.lists { try store(list.members, list.property, plan, of: row) }
    }
}
