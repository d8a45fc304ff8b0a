import JSONBytes

extension Importer {
    /// A to-one relationship: an object, its identity, or null.
    func readLink(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int, _ index: Int, _ frame: ImportFrame
    ) throws {
        let property = plan.table.properties[index]
        guard let link = property.link else { return }
        switch try reader.peekKind() {
        case .object:
            path.append(.property(property))
            defer { path.removeLast() }
            if let id = try readNested(&reader, self.plan(link.target)) { frame.set(column, .integer(id)) }
        case .null:
            _ = try reader.readScalar()
            frame.set(column, .null)
        case .number, .string: try readIdentity(&reader, link.target, property, column, frame)
        default: try mismatch(property, expected: "an object, an identity or null", found: try describeNext(&reader))
        }
    }

    /// `owner_id`: an identity or null. Where the body has the object too, the object says more.
    func readLinkIdentity(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int, _ index: Int, _ frame: ImportFrame
    ) throws {
        let property = plan.table.properties[index]
        guard let link = property.link else { return }
        if frame.present.contains(column) {
            _ = try reader.skipValue()
            return
        }
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            frame.set(column, .null)
        case .number, .string: try readIdentity(&reader, link.target, property, column, frame)
        default: try mismatch(property, expected: "an identity or null", found: try describeNext(&reader))
        }
    }

    private func readIdentity(
        _ reader: inout JSONReader, _ target: Int, _ property: Property, _ column: Int, _ frame: ImportFrame
    ) throws {
        let plan = try self.plan(target)
        let scalar = try reader.readScalar()
        guard let slot = identitySlot(scalar, reader, plan) else {
            mismatch(
                property, expected: "an identity of \(plan.table.modelName)",
                found: unsafe String(decoding: reader.bytes(of: scalar).prefix(40), as: UTF8.self))
            return
        }
        if let id = try localID(slot, plan) {
            frame.set(column, .integer(id))
        } else {
            frame.set(column, .null)
            frame.pending.append(
                ImportFrame.PendingLink(property: property.index, identity: slot.stored, position: nil))
        }
    }

    private func identitySlot(
        _ scalar: JSONScalar, _ reader: borrowing JSONReader, _ plan: ImportPlan
    ) -> ImportSlot? {
        guard plan.hasSimpleIdentity, let column = plan.identity.first else { return nil }
        return plan.columns[column].slot(scalar, reader, &memory)
    }

    private func localID(_ identity: ImportSlot, _ plan: ImportPlan) throws -> Int64? {
        plan.find.bind(identity, at: 1)
        guard try plan.find.step() else { return nil }
        defer { plan.find.reset() }
        return plan.find.integer(0)
    }

    // MARK: Lists

    /// A to-many relationship: an array of objects or identities, or null for none.
    func readList(_ reader: inout JSONReader, _ plan: ImportPlan, _ index: Int, _ frame: ImportFrame) throws {
        let property = plan.table.properties[index]
        guard let list = property.list else { return }
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            frame.lists.append((index, []))
        case .array:
            let target = try self.plan(list.target)
            if needsOwner(target, plan) {
                frame.postponed.append((index, reader.offset))
                _ = try reader.skipValue()
            } else {
                try readMembers(&reader, property, target, frame)
            }
        default: try mismatch(property, expected: "an array or null", found: try describeNext(&reader))
        }
    }

    /// Whether the members' identity includes a link to their owner, which must have a row first.
    private func needsOwner(_ target: ImportPlan, _ owner: ImportPlan) -> Bool {
        !target.hasSimpleIdentity
            && target.identity.contains { target.table.columns[$0].target == owner.table.index }
    }

    private func readMembers(
        _ reader: inout JSONReader, _ property: Property, _ target: ImportPlan, _ frame: ImportFrame
    ) throws {
        path.append(.property(property))
        defer { path.removeLast() }
        var members: [Int64] = []
        guard try reader.enterArray() else {
            frame.lists.append((property.index, members))
            return
        }
        var index = 0
        repeat {
            path.append(.element(index))
            if let id = try readMember(&reader, property, target, index, frame) { members.append(id) }
            path.removeLast()
            index += 1
        } while try reader.continueArray()
        frame.lists.append((property.index, members))
    }

    private func readMember(
        _ reader: inout JSONReader, _ property: Property, _ target: ImportPlan, _ index: Int, _ frame: ImportFrame
    ) throws -> Int64? {
        switch try reader.peekKind() {
        case .object: return try readNested(&reader, target)
        case .null:
            _ = try reader.readScalar()
            return nil
        case .number, .string:
            let scalar = try reader.readScalar()
            guard let slot = identitySlot(scalar, reader, target) else {
                reject(target, .noIdentity(missing: SQL.identityColumns(target.table).joined(separator: ", ")))
                return nil
            }
            if let id = try localID(slot, target) { return id }
            frame.pending.append(
                ImportFrame.PendingLink(property: property.index, identity: slot.stored, position: index))
            return nil
        default:
            reject(target, .notAnObject(found: try describeNext(&reader)))
            return nil
        }
    }

    /// Reads a list again that stood before its owner's row was there.
    func readPostponed(
        _ body: JSONReader, _ list: (property: Int, offset: Int), _ plan: ImportPlan, of row: StoredRow
    ) throws {
        let property = plan.table.properties[list.property]
        guard let compiled = property.list else { return }
        let target = try self.plan(compiled.target)
        let frame = ImportFrame(columnCount: 0)
        containers.append(Container(table: plan.table.index, id: row.id))
        defer { containers.removeLast() }
        var reader = body
        try reader.move(to: list.offset)
        try readMembers(&reader, property, target, frame)
        for link in frame.pending { try remember(link, plan, of: row.id) }
        for list in frame.lists { try store(list.members, list.property, plan, of: row) }
    }
}
