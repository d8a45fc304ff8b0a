import JSONBytes

extension Importer {
    /// Reads an object and writes its row. The reader stands before the object, and after it when this returns.
    ///
    /// - Returns: the row's local key; `nil` where the object has no identity and was rejected.
    mutating func readObject(
        _ reader: inout JSONReader, _ plan: ImportPlan, target: Int64?, expecting expected: Int = 0
    ) throws -> Int64? {
        let frame = plan.frame()
        defer { plan.giveBack(frame) }
        let body = reader
        if let models = plan.models {
            try readKeys(&reader, plan, models, frame, target, expecting: expected)
        } else {
            try readKeys(&reader, plan, plan.nodes[0], frame)
        }
        guard try completeIdentity(plan, frame, target) else { return nil }
        let row = try store(plan, frame, target: target)
        try forgetPendingLinks(plan, frame, of: row.id)
        for link in frame.pending { try remember(link, plan, of: row.id) }
        for list in frame.lists { try store(list.members, list.property, plan, of: row) }
        for list in frame.postponed { try readPostponed(body, list, plan, of: row) }
        if !frame.incomplete.isEmpty { incompleteLists.append((plan, row.id, frame.incomplete)) }
        // Last, as the object may be what a link of its own waits for.
        try resolvePendingLinks(to: plan, frame, row.id)
        return row.id
    }

    /// Reads a nested object, or passes it where an object of the very same bytes was imported before.
    mutating func readNested(
        _ reader: inout JSONReader, _ plan: ImportPlan, expecting expected: Int
    ) throws -> Int64? {
        guard plan.hasSimpleIdentity else { return try readObject(&reader, plan, target: nil, expecting: expected) }
        let fingerprint = reader.fingerprint(ofNext: 64)
        if let known = plan.repeats[fingerprint], reader.skipRepeat(of: known.fragment) { return known.id }
        let start = UInt32(truncatingIfNeeded: reader.offset)
        guard let id = try readObject(&reader, plan, target: nil, expecting: expected) else { return nil }
        plan.repeats[fingerprint] = ImportPlan.Repeat(fragment: reader.fragment(from: start), id: id)
        return id
    }

    /// Reads the members of an object of a table with several models, by the keys of its own.
    private mutating func readKeys(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ models: ImportedModels, _ frame: ImportFrame,
        _ target: Int64?,
        expecting expected: Int
    ) throws {
        let model = try self.model(of: reader, plan, models, target, expecting: expected)
        try readKeys(&reader, plan, plan.nodes[models.roots[model.number]], frame)
        guard model.isExpected, let value = models.family.values[model.number].first else { return }
        frame.set(models.family.column, memory.slot(value))
    }

    /// Reads the members of an object, whichever node of the plan it is.
    mutating func readKeys(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ node: KeyNode, _ frame: ImportFrame
    ) throws {
        guard try reader.enterObject() else { return }
        var expected = 0
        let known = node.orderCount
        repeat {
            switch try node.nextAction(&reader, &expected, below: known) {
            case .ignore: _ = try reader.skipValue()
            case .attribute(let column): try readAttribute(&reader, plan, column, frame)
            case .link(let column, let property):
                try refuseDuplicate(key: property * 2, frame, plan.table, reader)
                try readLink(&reader, plan, column, property, frame)
            case .linkIdentity(let column, let property):
                try refuseDuplicate(key: property * 2 + 1, frame, plan.table, reader)
                try readLinkIdentity(&reader, plan, column, property, frame)
            case .list(let property):
                try refuseDuplicate(key: property * 2, frame, plan.table, reader)
                try readListObjects(&reader, plan, property, frame)
            case .listIdentities(let property):
                try refuseDuplicate(key: property * 2 + 1, frame, plan.table, reader)
                try readListIdentities(&reader, plan, property, frame)
            case .linkage(let column, let property):
                try refuseDuplicate(key: property * 2, frame, plan.table, reader)
                try readLinkage(&reader, plan, column, property, frame)
            case .linkages(let property):
                try refuseDuplicate(key: property * 2, frame, plan.table, reader)
                try readLinkages(&reader, plan, property, frame)
            case .nested(let node): try readNode(&reader, plan, node, frame)
            case .linkAndNested(let column, let property, let node):
                try refuseDuplicate(key: property * 2, frame, plan.table, reader)
                var again = reader
                try readLink(&reader, plan, column, property, frame)
                try readNode(&again, plan, node, frame)
            }
        } while try reader.continueObject()
    }

    /// Values by key path stand in an object; where there is none, there are no values.
    private mutating func readNode(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ node: Int, _ frame: ImportFrame
    ) throws {
        if try reader.peekKind() == .object {
            try readKeys(&reader, plan, plan.nodes[node], frame)
        } else {
            _ = try reader.skipValue()
        }
    }

    // MARK: Attributes

    @inline(__always)
    mutating func readAttribute(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int, _ frame: ImportFrame
    ) throws {
        let conversion = plan.columns[column]
        let kind = try reader.peekKind()
        if kind == .object || kind == .array || conversion.isWhole {
            return try readWholeValue(&reader, plan, column, frame)
        }
        try refuseDuplicate(column, frame, plan.table, reader)
        let scalar = try reader.readScalar()
        if scalar.kind == .null {
            frame.set(column, defaultSlot(plan, column))
        } else if let slot = conversion.slot(scalar, reader, &memory) {
            frame.set(column, slot)
            plan.shapes.note(slot.shape, column)
        } else {
            noteMismatch(plan, column, found: describe(scalar, reader))
        }
    }

    /// A value that is kept as JSON or converted as a whole, or is not what the attribute takes.
    private mutating func readWholeValue(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ column: Int, _ frame: ImportFrame
    ) throws {
        var again = reader
        let fragment = try reader.skipValue()
        guard !plan.columns[column].isIgnored else { return }
        try refuseDuplicate(column, frame, plan.table, reader)
        let property = plan.table.properties[plan.table.columns[column].property]
        if fragment.kind == .null {
            frame.set(column, defaultSlot(plan, column))
        } else if let slot = try property.slot(&again, &memory) {
            frame.set(column, slot)
            plan.shapes.note(slot.shape, column)
        } else {
            mismatch(plan, property.index, expected: property.expectation, found: describe(fragment, reader))
        }
    }

    /// `null` is nil where the attribute is optional, else its default.
    mutating func defaultSlot(_ plan: ImportPlan, _ column: Int) -> ImportSlot {
        let property = plan.table.properties[plan.table.columns[column].property]
        guard !property.isOptional, case .attribute(_, let value, _) = property.kind else { return .null }
        return memory.slot(value())
    }

    private mutating func noteMismatch(_ plan: ImportPlan, _ column: Int, found: String) {
        let property = plan.table.properties[plan.table.columns[column].property]
        mismatch(plan, property.index, expected: property.expectation, found: found)
    }

    private func describe(_ scalar: JSONScalar, _ reader: borrowing JSONReader) -> String {
        let text = unsafe String(decoding: reader.bytes(of: scalar).prefix(40), as: UTF8.self)
        return scalar.kind == .string ? "\"\(text)\(scalar.count > 40 ? "…" : "")\"" : text
    }

    /// Two values for one property in one object: no reader could tell which one is meant (RFC 7493 §2.3).
    @inline(__always)
    func refuseDuplicate(
        _ column: Int, _ frame: ImportFrame, _ table: ModelSchema, _ reader: borrowing JSONReader
    ) throws {
        guard frame.has(column) else { return }
        throw duplicateKey(table.columns[column].property, table, reader)
    }

    /// The same for the keys of relationships, of which each may have two: `owner` and `owner_id`.
    private func refuseDuplicate(
        key: Int, _ frame: ImportFrame, _ table: ModelSchema, _ reader: borrowing JSONReader
    ) throws {
        guard !frame.relationshipKeys.contains(key) else { throw duplicateKey(key / 2, table, reader) }
        frame.relationshipKeys.append(key)
    }

    @inline(never)
    private func duplicateKey(_ property: Int, _ table: ModelSchema, _ reader: borrowing JSONReader) -> JSONError {
        reader.duplicateKey(at: pathText(to: .property(table: table.index, index: property)))
    }
}
