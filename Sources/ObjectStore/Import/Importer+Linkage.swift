import JSONBytes

// Resource linkage of JSON:API: `{"type": "people", "id": "9"}` is a link by identity, and never a row of its own.

extension Importer {
    /// A to-one relationship's `data`: a resource identifier or null.
    mutating func readLinkage(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int, _ property: Int, _ frame: ImportFrame
    ) throws {
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            frame.set(column, .null)
        case .object:
            guard let identity = try readIdentifier(&reader, plan, property) else { return }
            try link(to: identity, plan, property, column, frame)
        default:
            let found = try describeNext(&reader)
            mismatch(plan, property, expected: "a resource identifier or null", found: found)
        }
    }

    /// A to-many relationship's `data`: an array of resource identifiers. One that can't be read is reported and left out.
    mutating func readLinkages(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ property: Int, _ frame: ImportFrame
    ) throws {
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            frame.lists.append((property, []))
        case .array: try readIdentifiers(&reader, plan, property, frame)
        default:
            let found = try describeNext(&reader)
            mismatch(plan, property, expected: "an array of resource identifiers", found: found)
        }
    }

    private mutating func readIdentifiers(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ property: Int, _ frame: ImportFrame
    ) throws {
        let target = try self.plan(plan.targets[property])
        var members: [Int64] = []
        var identities: [StoredValue] = []
        if try reader.enterArray() {
            var place = 0
            repeat {
                if let identity = try readIdentifier(&reader, plan, property) {
                    if let id = try localID(identity, target) {
                        if try isMember(id, plan.targetModels[property], target) {
                            members.append(id)
                            identities.append(identity.stored)
                        }
                    } else {
                        identities.append(identity.stored)
                        frame.pending.append(
                            ImportFrame.PendingLink(
                                property: property, identity: Writer.pendingText(identity.stored), position: place))
                    }
                }
                place += 1
            } while try reader.continueArray()
        }
        if members.count < identities.count { frame.incomplete.append((property, identities)) }
        frame.lists.append((property, members))
    }

    /// Puts the members in order that came after the lists that lead to them. A link that waits is made at its place among
    /// those that are there by then, which need not be the order of the list.
    mutating func completeLists() throws {
        for (plan, id, lists) in incompleteLists {
            for (property, identities) in lists {
                let target = try self.plan(plan.targets[property])
                var members: [Int64] = []
                for identity in identities {
                    target.find.bind(identity, at: 1)
                    if try target.find.step() { members.append(target.find.integer(0)) }
                    target.find.reset()
                }
                try store(members, property, plan, of: StoredRow(id: id, status: .unchanged))
            }
        }
    }

    /// The identity that a resource identifier names; `nil`, and reported, where it names none of the relationship's model.
    private mutating func readIdentifier(
        _ reader: inout JSONReader, _ owner: ImportPlan, _ property: Int
    ) throws -> ImportSlot? {
        let plan = try self.plan(owner.targets[property])
        let start = reader
        guard try reader.peekKind() == .object, try reader.enterObject() else {
            reader = start
            mismatch(owner, property, expected: "a resource identifier", found: try describeNext(&reader))
            return nil
        }
        var type: JSONScalar?
        var id: JSONReader?
        repeat {
            let key = try reader.readKey()
            let kind = try reader.peekKind()
            let isType = reader.isEqual(key, to: "type")
            guard isType || reader.isEqual(key, to: "id"), kind == .string || kind == .number else {
                _ = try reader.skipValue()
                continue
            }
            if !isType { id = reader }
            let scalar = try reader.readScalar()
            if isType { type = scalar }
        } while try reader.continueObject()
        if let type, schema.resources.table(of: reader.string(type)) == plan.table.index, var id,
            let slot = try readIdentitySlot(&id, owner, property, plan).slot
        {
            return slot
        }
        let expected = "a resource identifier of type \"\(schema.resources.type(of: plan.table.index))\""
        mismatch(owner, property, expected: expected, found: type.map { "\"\(reader.string($0))\"" } ?? "an object")
        return nil
    }
}
