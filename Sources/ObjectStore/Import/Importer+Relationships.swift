import JSONBytes

extension Importer {
    /// A to-one relationship: an object, its identity, or null.
    mutating func readLink(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int, _ property: Int, _ frame: ImportFrame
    ) throws {
        // Where `owner_id` stood before, the object says more, and should say the same.
        let earlier = frame.has(column) ? takeIdentity(column, property, frame) : nil
        switch try reader.peekKind() {
        case .object:
            guard path.count < Self.depthLimit else {
                let found = try describeNext(&reader)
                mismatch(plan, property, expected: "objects nested less deeply", found: found)
                return
            }
            let target = try self.plan(plan.targets[property])
            if target.isEmbedded {
                frame.postponed.append((property, reader.offset))
                _ = try reader.skipValue()
                return
            }
            path.append(.property(table: plan.table.index, index: property))
            let id = try readOther(&reader, target, expecting: plan.targetModels[property])
            path.removeLast()
            if let id {
                if try acceptsTarget(id, plan, property, target) { frame.set(column, .integer(id)) }
            } else {
                notePending(property, at: nil, column, frame)
            }
        case .null:
            _ = try reader.readScalar()
            frame.set(column, .null)
        case .number, .string: try readIdentity(&reader, plan, property, column, frame)
        default:
            let found = try describeNext(&reader)
            mismatch(plan, property, expected: "an object, an identity or null", found: found)
        }
        if let earlier { try compare(earlier, with: column, property, plan, frame) }
    }

    /// An object that a relationship leads to, or, below the depth that was asked for, the row of its identity.
    ///
    /// - Parameter expected: the number of the only model that it may be; 0 for any.
    mutating func readOther(
        _ reader: inout JSONReader, _ plan: ImportPlan, expecting expected: Int
    ) throws -> Int64? {
        guard depth < request.depth else { return try readReference(&reader, plan) }
        depth += 1
        defer { depth -= 1 }
        return try readNested(&reader, plan, expecting: expected)
    }

    /// An object was rejected: if all of its identity is known but the target of a link, the link to it waits.
    private mutating func notePending(_ property: Int, at position: Int?, _ column: Int?, _ frame: ImportFrame) {
        guard let identity = unknownIdentity else { return }
        unknownIdentity = nil
        if let column { frame.set(column, .null) }
        frame.pending.append(ImportFrame.PendingLink(property: property, identity: identity, position: position))
    }

    /// `owner_id`: an identity or null. Where the body has the object too, the object says more.
    mutating func readLinkIdentity(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int, _ property: Int, _ frame: ImportFrame
    ) throws {
        let object = frame.has(column) ? takeIdentity(column, property, frame) : nil
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            frame.set(column, .null)
        case .number, .string: try readIdentity(&reader, plan, property, column, frame)
        default:
            let found = try describeNext(&reader)
            mismatch(plan, property, expected: "an identity or null", found: found)
        }
        guard let object else { return }
        let identity = takeIdentity(column, property, frame)
        putBack(object, column, property, frame)
        if let identity { try compare(identity, with: column, property, plan, frame) }
    }

    mutating func readIdentity(
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
        try link(to: slot, owner, property, column, frame)
    }

    /// Links to the row that has an identity, or remembers the link until one has it.
    mutating func link(
        to identity: ImportSlot, _ owner: ImportPlan, _ property: Int, _ column: Int, _ frame: ImportFrame
    ) throws {
        let plan = try self.plan(owner.targets[property])
        if let id = try localID(identity, plan) {
            if try acceptsTarget(id, owner, property, plan) { frame.set(column, .integer(id)) }
        } else {
            frame.set(column, .null)
            frame.pending.append(
                ImportFrame.PendingLink(
                    property: property, identity: Writer.pendingText(identity.stored), position: nil))
        }
    }

    /// Whether a row is of the model that a link leads to; else the link is left alone, and that is reported.
    private mutating func acceptsTarget(
        _ id: Int64, _ owner: ImportPlan, _ property: Int, _ target: ImportPlan
    ) throws -> Bool {
        let expected = owner.targetModels[property]
        if expected == 0 { return true }
        if try isModel(expected, id, target) { return true }
        mismatch(
            owner, property, expected: "a \(target.table.model(expected).modelName)",
            found: "a \(try modelName(of: id, target))")
        return false
    }

    /// Reads an identity by which a relationship leads to its target.
    mutating func readIdentitySlot(
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

    func localID(_ identity: ImportSlot, _ plan: ImportPlan) throws -> Int64? {
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
            if target.isEmbedded || needsOwner(target, plan) {
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

    /// `label_ids`. Where the body has the list too, the list says more.
    mutating func readListIdentities(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ property: Int, _ frame: ImportFrame
    ) throws {
        let list = takeList(property, frame)
        try readList(&reader, plan, property, frame)
        guard let list else { return }
        let identities = takeList(property, frame)
        putBack(list, frame)
        if let identities { try compare(identities, with: list, property, plan) }
    }

    /// The array by which a list is given as objects.
    mutating func readListObjects(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ property: Int, _ frame: ImportFrame
    ) throws {
        let identities = takeList(property, frame)
        try readList(&reader, plan, property, frame)
        guard let identities else { return }
        let list = takeList(property, frame)
        putBack(list ?? identities, frame)
        if let list { try compare(identities, with: list, property, plan) }
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

    /// Whether a row is of the model whose objects are the members; else it is none, and that is reported.
    mutating func isMember(_ id: Int64, _ expected: Int, _ target: ImportPlan) throws -> Bool {
        if expected == 0 { return true }
        if try isModel(expected, id, target) { return true }
        reject(target, .otherModel(found: try modelName(of: id, target)), expected)
        return false
    }

    private mutating func readMember(
        _ reader: inout JSONReader, _ owner: ImportPlan, _ property: Int, _ target: ImportPlan, _ index: Int,
        _ frame: ImportFrame
    ) throws -> Int64? {
        switch try reader.peekKind() {
        case .object:
            let expected = owner.targetModels[property]
            if let id = try readOther(&reader, target, expecting: expected) {
                return try isMember(id, expected, target) ? id : nil
            }
            notePending(property, at: index, nil, frame)
            return nil
        case .null:
            _ = try reader.readScalar()
            return nil
        case .number, .string:
            guard let slot = try readIdentitySlot(&reader, owner, property, target).slot else {
                reject(target, .noIdentity(missing: SQL.identityColumns(target.table).joined(separator: ", ")))
                return nil
            }
            if let id = try localID(slot, target) {
                return try isMember(id, owner.targetModels[property], target) ? id : nil
            }
            frame.pending.append(
                ImportFrame.PendingLink(
                    property: property, identity: Writer.pendingText(slot.stored), position: index))
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
        if target.isEmbedded { return try readEmbedded(body, list, plan, target, of: row) }
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
