import JSONBytes

private struct ReadingResponse {
    let plan: ResponsePlan
    let body: ResponsePlan.Body
}

extension Importer {
    /// - Returns: nil, and reported, for a value of another kind. An empty record for null.
    mutating func readResponse(
        _ reader: inout JSONReader, _ plan: ResponsePlan, body index: Int = 0
    ) throws -> ResponseRecord? {
        let body = plan.bodies[index]
        let kind = try reader.peekKind()
        if body.root.parts.isEmpty, kind != .object, kind != .null {
            reject(.notAnObject(found: try describeNext(&reader)), ofModelNamed: body.name)
            return nil
        }
        var record = ResponseRecord()
        let response = ReadingResponse(plan: plan, body: body)
        try readNode(&reader, body.root, of: response, isRoot: true, into: &record)
        return record
    }

    /// Parts that take the whole value are read first.
    private mutating func readNode(
        _ reader: inout JSONReader, _ node: ResponsePlan.Node, of response: ReadingResponse, isRoot: Bool = false,
        into record: inout ResponseRecord
    ) throws {
        if node.children.isEmpty, node.parts.count == 1, !record.has(node.parts[0]) {
            return try readPart(&reader, node.parts[0], of: response, into: &record)
        }
        for part in node.parts {
            guard !record.has(part) else { throw reader.duplicateKey(at: pathText()) }
            var again = reader
            try readPart(&again, part, of: response, into: &record)
        }
        guard try !node.children.isEmpty && reader.peekKind() == .object else {
            // A part that takes the whole value reports it itself.
            if node.parts.isEmpty { try noteNoObject(reader) }
            _ = try reader.skipValue()
            return
        }
        guard path.count < Self.depthLimit else {
            return noteMismatch(expected: "objects nested less deeply", found: try describeNext(&reader))
        }
        guard try reader.enterObject() else { return }
        repeat {
            let key = try reader.string(reader.readKey())
            path.append(.key(key))
            defer { path.removeLast() }
            if let child = node.children[key] {
                try readNode(&reader, child, of: response, into: &record)
            } else if isRoot, let part = response.body.part(loosely: key), !record.has(part) {
                try readPart(&reader, part, of: response, into: &record)
            } else {
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }

    private mutating func readPart(
        _ reader: inout JSONReader, _ part: Int, of response: ReadingResponse, into record: inout ResponseRecord
    ) throws {
        switch response.body.parts[part].kind {
        case .value(let property): record.values[part] = try readValue(&reader, of: property)
        case .object(let expected): record.objects[part] = try readPartObject(&reader, expected).map { [$0] }
        case .list(let expected):
            let plan = try plan(expected.table)
            record.objects[part] = try readPartList(&reader) { (importer, reader) throws in
                try importer.readPartMember(&reader, of: plan, expecting: expected.submodel)
            }
        case .mixed(let types, isList: false):
            guard try reader.peekKind() != .null else {
                _ = try reader.readScalar()
                return
            }
            record.mixed[part] = try readMixed(&reader, types, inListOf: response.body.name).map { [$0] }
        case .mixed(let types, isList: true):
            record.mixed[part] = try readPartList(&reader) { (importer, reader) throws in
                try importer.readMixed(&reader, types, inListOf: response.body.name)
            }
        case .body(let index):
            if try reader.peekKind() == .null {
                _ = try reader.readScalar()
            } else {
                record.bodies[part] = try readResponse(&reader, response.plan, body: index).map { [$0] }
            }
        case .bodies(let index):
            record.bodies[part] = try readPartList(&reader) { (importer, reader) throws in
                try importer.readResponse(&reader, response.plan, body: index)
            }
        }
    }

    // MARK: Models

    private mutating func readPartObject(_ reader: inout JSONReader, _ expected: ExpectedModel) throws -> RowID? {
        if try reader.peekKind() == .null {
            _ = try reader.readScalar()
            return nil
        }
        return try readPartMember(&reader, of: plan(expected.table), expecting: expected.submodel)
    }

    private mutating func readPartMember(
        _ reader: inout JSONReader, of plan: ImportPlan, expecting expected: SubmodelIndex
    ) throws -> RowID? {
        guard try reader.peekKind() == .object else {
            reject(.notAnObject(found: try describeNext(&reader)), of: plan.model)
            return nil
        }
        let row = try readObject(&reader, of: plan, expecting: expected)
        // The rows of this outermost object are written.
        memory.removeAll()
        return try row.flatMap { try isMember($0, of: plan, expecting: expected) ? $0 : nil }
    }

    /// Skips null elements. Null is an empty list; nil, and reported, for other values.
    private mutating func readPartList<Element>(
        _ reader: inout JSONReader, _ read: (inout Importer, inout JSONReader) throws -> Element?
    ) throws -> [Element]? {
        var elements: [Element] = []
        switch try reader.peekKind() {
        case .array:
            try readElements(&reader) { (importer, reader) throws in
                if try reader.peekKind() == .null {
                    _ = try reader.readScalar()
                } else if let element = try read(&importer, &reader) {
                    elements.append(element)
                }
            }
        case .null: _ = try reader.readScalar()
        default:
            noteMismatch(expected: "an array or null", found: try describeNext(&reader))
            return nil
        }
        return elements
    }

    // MARK: Values

    /// Nil, and reported, if the conversion fails.
    private mutating func readValue(_ reader: inout JSONReader, of property: Property) throws -> StoredValue? {
        var again = reader
        let fragment = try reader.skipValue()
        let isNothing = fragment.isEmptyText && property.format.nothing.contains(.emptyText)
        guard fragment.kind != .null, !isNothing else {
            guard case .attribute(_, let value, _) = property.kind, !property.isOptional else { return .null }
            return value()
        }
        // Stored values are copies.
        let stored = try property.slot(&again, &memory)?.stored
        memory.removeAll()
        if stored == nil { noteMismatch(expected: property.expectation, found: describe(fragment, reader)) }
        return stored
    }
}
