import JSONBytes

// Relationships arrive as objects, which are written at once, or as identities. If the row is missing, the link is
// pending.

extension Importer {
    // MARK: Links

    mutating func readLink(_ reader: inout JSONReader, _ link: LinkField, of object: ReadingObject) throws {
        // The object outranks an earlier `owner_id`, which is compared.
        let earlier = object.frame.take(link)
        switch try reader.peekKind() {
        case .object: guard try readLinkedObject(&reader, link, of: object) else { return }
        case .null, .number, .string: try readIdentity(&reader, link, of: object)
        default:
            let found = try describeNext(&reader)
            noteUnread(link, of: object, expected: "an object, an identity or null", found: found)
        }
        if let earlier { try compare(earlier, with: link, of: object) }
    }

    /// - Returns: false if skipped: nested too deeply, or postponed.
    private mutating func readLinkedObject(
        _ reader: inout JSONReader, _ link: LinkField, of object: ReadingObject
    ) throws -> Bool {
        guard try !refuseDepth(&reader, link.property, of: object) else { return false }
        let target = try plan(ofTarget: link.property, in: object.plan)
        if target.isEmbedded {
            try postpone(&reader, link.property, of: object)
            return false
        }
        path.append(.property(link.property, of: object.plan.model.table))
        let expected = object.plan.target(of: link.property).submodel
        let row = try readOther(&reader, of: target, expecting: expected)
        path.removeLast()
        if let row {
            if try isTarget(row, of: link, in: object.plan) { object.frame[link.column] = .row(row) }
        } else if notePending(link.property, of: object) {
            object.frame[link.column] = .null
        }
        return true
    }

    /// Skips and reports a value that is nested too deeply.
    mutating func refuseDepth(
        _ reader: inout JSONReader, _ property: PropertyIndex, of object: ReadingObject
    ) throws -> Bool {
        guard path.count >= Self.depthLimit else { return false }
        counts.dependences += 1
        let found = try describeNext(&reader)
        noteMismatch(of: property, in: object.plan, expected: "objects nested less deeply", found: found)
        return true
    }

    /// Skips the value, until the object has a row.
    private func postpone(
        _ reader: inout JSONReader, _ property: PropertyIndex, of object: ReadingObject
    ) throws {
        object.frame.postponed.append(ImportFrame.Postponed(property: property, offset: reader.offset))
        _ = try reader.skipValue()
    }

    /// Below the requested depth, only finds the row.
    ///
    /// - Parameter expected: the root stands for any model.
    mutating func readOther(
        _ reader: inout JSONReader, of plan: ImportPlan, expecting expected: SubmodelIndex
    ) throws -> RowID? {
        guard depth < request.depth else {
            counts.nested += 1
            return try readReference(&reader, of: plan)
        }
        depth += 1
        defer { depth -= 1 }
        return try readNested(&reader, of: plan, expecting: expected)
    }

    /// Notes a link to an object that got no row, if its key is known.
    ///
    /// - Returns: whether the link is pending.
    @discardableResult
    mutating func notePending(
        _ property: PropertyIndex, at position: Int? = nil, of object: ReadingObject
    ) -> Bool {
        guard let identity = unknownIdentity else { return false }
        unknownIdentity = nil
        object.frame.pending.append(
            ImportFrame.PendingLink(property: property, key: identity, position: position))
        return true
    }

    // MARK: Identities

    /// Reads `owner_id`. The object itself outranks it.
    mutating func readLinkIdentity(_ reader: inout JSONReader, _ link: LinkField, of object: ReadingObject) throws {
        let earlier = object.frame.take(link)
        switch try reader.peekKind() {
        case .null, .number, .string: try readIdentity(&reader, link, of: object)
        default:
            let found = try describeNext(&reader)
            noteUnread(link, of: object, expected: "an identity or null", found: found)
        }
        guard let earlier else { return }
        let identity = object.frame.take(link)
        object.frame.putBack(earlier, in: link)
        if let identity { try compare(identity, with: link, of: object) }
    }

    /// Null, or `""` in place of an identity, as forms send it.
    private func namesNothing(_ reader: JSONReader, of target: ImportPlan) throws -> Bool {
        var reader = reader
        switch try reader.peekKind() {
        case .null: return true
        case .string: return try !target.isEmbedded && reader.readScalar().count == 0
        default: return false
        }
    }

    mutating func noteUnread(_ link: LinkField, of object: ReadingObject, expected: String, found: String) {
        object.frame.failedColumns.insert(link.column.rawValue)
        noteMismatch(of: link.property, in: object.plan, expected: expected, found: found)
    }

    private mutating func readIdentity(
        _ reader: inout JSONReader, _ link: LinkField, of object: ReadingObject
    ) throws {
        let target = try plan(ofTarget: link.property, in: object.plan)
        if try namesNothing(reader, of: target) {
            _ = try reader.readScalar()
            object.frame[link.column] = .null
            return
        }
        let (slot, scalar) = try readIdentity(&reader, of: target, by: link.property, of: object)
        if let slot { return try self.link(link, of: object, to: slot) }
        noteUnread(
            link, of: object, expected: "an identity of \(target.model.modelName)", found: describe(scalar, reader))
    }

    /// - Returns: the slot is nil for identities of several parts, `""`, and failed conversions.
    mutating func readIdentity(
        _ reader: inout JSONReader, of target: ImportPlan, by property: PropertyIndex, of object: ReadingObject
    ) throws -> (slot: ImportSlot?, scalar: JSONScalar) {
        var again = reader
        let scalar = try reader.readScalar()
        guard target.hasSimpleIdentity, let column = target.identity.first else { return (nil, scalar) }
        let conversion = target[column]
        let slot =
            conversion.isWhole
            ? try target.property(of: column).slot(&again, &memory)
            : conversion.slot(for: scalar, in: reader, &memory)
        guard let slot, !slot.isEmptyText else { return (nil, scalar) }
        object.plan.shapes.note(slot.shape, ofRelationship: property)
        return (slot, scalar)
    }

    /// The link is pending if the row is missing.
    mutating func link(_ link: LinkField, of object: ReadingObject, to identity: ImportSlot) throws {
        let target = try plan(ofTarget: link.property, in: object.plan)
        if let row = try find(identity, in: target) {
            if try isTarget(row, of: link, in: object.plan) { object.frame[link.column] = .row(row) }
        } else {
            object.frame[link.column] = .null
            notePending(link.property, to: identity, of: object, in: target)
        }
    }

    /// Notes the link, unless its target was deleted locally since the request, or has a queued deletion.
    mutating func notePending(
        _ property: PropertyIndex, to identity: ImportSlot, at position: Int? = nil, of object: ReadingObject,
        in target: ImportPlan
    ) {
        let table = target.model.table
        if isLate || writer.tablesOfQueuedDeletions.contains(table),
            case let key = Writer.pendingText(identity.stored),
            writer.recentChanges.hasDeleted(key, in: table, since: request.requestTime)
                || (try? writer.isDeletionQueued(key, in: table)) == true
        {
            deletedCount += 1
        } else {
            object.frame.notePending(property, to: identity, at: position)
        }
    }

    /// Reports a different identity. If the target is unreadable, the link gets the identity.
    private mutating func compare(
        _ identity: ImportFrame.LinkTarget, with link: LinkField, of object: ReadingObject
    ) throws {
        let frame = object.frame
        guard frame.has(link.column) else { return frame.putBack(identity, in: link) }
        let target = object.plan.target(of: link.property).table
        let named =
            switch identity {
            case .row(let slot): try pendingKey(of: slot.row, in: target)
            case .pending(let pending): pending.key as String?
            }
        let pending = frame.pending.last { $0.property == link.property }?.key
        let other = try pending ?? pendingKey(of: frame[link.column].row, in: target)
        guard named != other else { return }
        // Logs have `expected` as it is, and only the kind of `found`.
        noteMismatch(
            of: link.property, in: object.plan,
            expected: "the identity of the \(schema[target].modelName) in the same body",
            found: named.map { "\"\($0)\"" } ?? "none")
    }

    private func pendingKey(of row: RowID?, in table: TableID) throws -> String? {
        guard let row else { return nil }
        return try writer.pendingKey(of: RecordID(table: table, row: row))
    }

    // MARK: Lists

    mutating func readListObjects(
        _ reader: inout JSONReader, _ property: PropertyIndex, of object: ReadingObject
    ) throws {
        let identities = object.frame.takeList(property)
        try readList(&reader, property, of: object)
        guard let identities else { return }
        let list = object.frame.takeList(property)
        object.frame.putBack(list ?? identities)
        if let list { try compare(identities, with: list, of: object) }
    }

    /// Reads `label_ids`. The objects themselves outrank them.
    mutating func readListIdentities(
        _ reader: inout JSONReader, _ property: PropertyIndex, of object: ReadingObject
    ) throws {
        let list = object.frame.takeList(property)
        try readList(&reader, property, of: object)
        guard let list else { return }
        let identities = object.frame.takeList(property)
        object.frame.putBack(list)
        if let identities { try compare(identities, with: list, of: object) }
    }

    private mutating func readList(
        _ reader: inout JSONReader, _ property: PropertyIndex, of object: ReadingObject
    ) throws {
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            object.frame.lists.append((property, []))
        case .array:
            guard try !refuseDepth(&reader, property, of: object) else { return }
            let target = try plan(ofTarget: property, in: object.plan)
            if target.isEmbedded || needsOwner(target, object.plan.model) {
                try postpone(&reader, property, of: object)
            } else {
                try readMembers(&reader, property, of: object, in: target)
            }
        default:
            let found = try describeNext(&reader)
            noteMismatch(of: property, in: object.plan, expected: "an array or null", found: found)
        }
    }

    private func needsOwner(_ target: ImportPlan, _ owner: ModelSchema) -> Bool {
        !target.hasSimpleIdentity && target.identity.contains { target.model[$0].target == owner.table }
    }

    private mutating func readMembers(
        _ reader: inout JSONReader, _ property: PropertyIndex, of object: ReadingObject, in target: ImportPlan
    ) throws {
        path.append(.property(property, of: object.plan.model.table))
        defer { path.removeLast() }
        var members: [RowID] = []
        guard try reader.enterArray() else {
            object.frame.lists.append((property, members))
            return
        }
        var index = 0
        let earlier = object.frame.pending.count
        repeat {
            try countElement()
            path.append(.element(index))
            // Skipped elements don't count.
            let position = members.count + object.frame.pending.count - earlier
            let before = (waiting: object.frame.pending.count, deleted: deletedCount)
            if try namesNothing(reader, of: target) {
                _ = try reader.skipValue()
            } else if let member = try readMember(&reader, property, at: position, of: object, in: target) {
                members.append(member)
            } else if object.frame.pending.count == before.waiting, deletedCount == before.deleted {
                object.frame.unreadLists.append(property)
            }
            path.removeLast()
            index += 1
        } while try reader.continueArray()
        object.frame.keepPendingOnce(from: earlier, in: property)
        object.frame.lists.append((property, members))
    }

    private mutating func readMember(
        _ reader: inout JSONReader, _ property: PropertyIndex, at position: Int, of owner: ReadingObject,
        in target: ImportPlan
    ) throws -> RowID? {
        let expected = owner.plan.target(of: property).submodel
        switch try reader.peekKind() {
        case .object:
            if let row = try readOther(&reader, of: target, expecting: expected) {
                return try isMember(row, of: target, expecting: expected) ? row : nil
            }
            notePending(property, at: position, of: owner)
            return nil
        case .number, .string:
            guard let slot = try readIdentity(&reader, of: target, by: property, of: owner).slot else {
                let names = target.model.identityColumns.map(\.name)
                reject(.noIdentity(missing: names.joined(separator: ", ")), of: target.model)
                return nil
            }
            if let row = try find(slot, in: target) {
                return try isMember(row, of: target, expecting: expected) ? row : nil
            }
            notePending(property, to: slot, at: position, of: owner, in: target)
            return nil
        default:
            reject(.notAnObject(found: try describeNext(&reader)), of: target.model)
            return nil
        }
    }

    private mutating func compare(
        _ identities: ImportFrame.ReadList, with list: ImportFrame.ReadList, of object: ReadingObject
    ) throws {
        let areRows = identities.pending.isEmpty && list.pending.isEmpty
        let areSame =
            try areRows
            ? Set(identities.members) == Set(list.members)
            : members(of: identities, in: object.plan) == members(of: list, in: object.plan)
        guard !areSame else {
            let count = identities.members.count + identities.pending.count
            if count > list.members.count + list.pending.count { object.frame.repeatedLists.append(list.property) }
            return
        }
        noteMismatch(
            of: list.property, in: object.plan, expected: "the same members twice",
            found: "other ones by their identities")
    }

    /// The members' keys, since a pending member may have got a row meanwhile.
    private func members(of list: ImportFrame.ReadList, in plan: ImportPlan) throws -> Set<String> {
        let table = plan.target(of: list.property).table
        var keys = Set(list.pending.map(\.key))
        for member in list.members {
            if let key = try pendingKey(of: member, in: table) { keys.insert(key) }
        }
        return keys
    }

    // MARK: Read later

    mutating func readPostponed(
        _ postponed: ImportFrame.Postponed, of owner: ReadingObject, from body: JSONReader, _ row: StoredRow
    ) throws {
        let target = try plan(ofTarget: postponed.property, in: owner.plan)
        if target.isEmbedded { return try readEmbedded(postponed, of: owner, from: body, row) }
        let list = ReadingObject(owner.plan, ImportFrame(columnCount: 0))
        list.frame.signs = owner.frame.signs
        containers.append(RecordID(table: owner.plan.model.table, row: row.id))
        defer { containers.removeLast() }
        var reader = body
        try reader.move(to: postponed.offset)
        try readMembers(&reader, postponed.property, of: list, in: target)
        try storeLists(of: list, row)
    }

    /// Only finds the row of an object below the requested depth.
    ///
    /// - Returns: nil if its identity is incomplete, or if no row has it. In the second case, the link becomes pending.
    private mutating func readReference(_ reader: inout JSONReader, of plan: ImportPlan) throws -> RowID? {
        let frame = plan.frame()
        defer { plan.recycle(frame) }
        let object = ReadingObject(plan, frame)
        let body = reader
        try readIdentityKeys(&reader, of: object, at: plan.nodes[0])
        if !frame.loose.isEmpty { try readLoose(of: object, from: body) }
        if plan.hasReaders { try readByOwnCode(object, from: body) }
        guard try completeIdentity(of: object, nil) else { return nil }
        if let row = try find(object) { return row }
        unknownIdentity = try pendingKey(of: object)
        return nil
    }

    private mutating func readIdentityKeys(
        _ reader: inout JSONReader, of object: ReadingObject, at node: KeyNode
    ) throws {
        guard try reader.enterObject() else { return }
        let plan = object.plan
        var expected = 0
        let known = node.orderCount
        repeat {
            switch try node.nextAction(&reader, &expected, below: known) {
            case .attribute(let column) where plan.identity.contains(column),
                .attributeAndChoice(let column, _, _) where plan.identity.contains(column),
                .attributeAndIdentities(let column, _) where plan.identity.contains(column):
                try readAttribute(&reader, column, of: object)
            case .attributeAndIdentities(_, let relationship)
            where plan.identity.contains { plan.property(of: $0).index == relationship }:
                try readIdentities(&reader, of: relationship, of: object)
            case .link(let link) where plan.identity.contains(link.column),
                .linkAndNested(let link, _) where plan.identity.contains(link.column):
                try readLink(&reader, link, of: object)
            case .linkIdentity(let link) where plan.identity.contains(link.column):
                try readLinkIdentity(&reader, link, of: object)
            case .loose(let property)
            where plan.model.column(of: property).map({ plan.identity.contains($0.index) }) == true:
                try readLater(&reader, property, of: object)
            case .looseIdentity(let property)
            where plan.model.column(of: property).map({ plan.identity.contains($0.index) }) == true:
                try readLater(&reader, property, isIdentity: true, of: object)
            case .nested(let node), .linkAndNested(_, let node), .attributeAndNested(_, let node),
                .listAndNested(_, let node), .choiceAndNested(_, let node):
                if try reader.peekKind() == .object {
                    try readIdentityKeys(&reader, of: object, at: plan.nodes[node])
                } else {
                    _ = try reader.skipValue()
                }
            default: _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }
}
