import JSONBytes

extension Importer {
    /// Reads what a response type takes from the value that the reader stands before, importing the models in it.
    ///
    /// - Returns: `nil`, and reported, for a value that can hold none of the type's parts; one without parts for null.
    mutating func readResponse(
        _ reader: inout JSONReader, _ plan: ResponsePlan, body index: Int = 0
    ) throws -> ResponseRecord? {
        let body = plan.bodies[index]
        let kind = try reader.peekKind()
        if body.root.parts.isEmpty, kind != .object, kind != .null {
            reject(model: body.name, .notAnObject(found: try describeNext(&reader)))
            return nil
        }
        var record = ResponseRecord()
        try readPlace(&reader, plan, body, body.root, isRoot: true, &record)
        return record
    }

    /// A place: the parts that are its whole value, then those within it.
    private mutating func readPlace(
        _ reader: inout JSONReader, _ plan: ResponsePlan, _ body: ResponsePlan.Body, _ node: ResponsePlan.Node,
        isRoot: Bool, _ record: inout ResponseRecord
    ) throws {
        // Most places are one part and nothing else, which is read where it stands.
        if node.children.isEmpty, node.parts.count == 1, !record.has(node.parts[0]) {
            return try readPart(&reader, plan, body, node.parts[0], &record)
        }
        for part in node.parts {
            guard !record.has(part) else { throw reader.duplicateKey(at: pathText()) }
            var again = reader
            try readPart(&again, plan, body, part, &record)
        }
        guard try !node.children.isEmpty && reader.peekKind() == .object else {
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
                try readPlace(&reader, plan, body, child, isRoot: false, &record)
            } else if isRoot, let part = body.part(loosely: key), !record.has(part) {
                try readPart(&reader, plan, body, part, &record)
            } else {
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
    }

    private mutating func readPart(
        _ reader: inout JSONReader, _ plan: ResponsePlan, _ body: ResponsePlan.Body, _ part: Int,
        _ record: inout ResponseRecord
    ) throws {
        switch body.parts[part].kind {
        case .value(let property): record.values[part] = try readValue(&reader, property)
        case .object(let place): record.objects[part] = try readPartObject(&reader, place).map { [$0] }
        case .list(let place):
            let plan = try self.plan(place.table)
            record.objects[part] = try readElements(&reader) { (importer, reader) throws in
                try importer.readElement(&reader, plan, place.model)
            }
        case .body(let index):
            if try reader.peekKind() == .null {
                _ = try reader.readScalar()
            } else {
                record.bodies[part] = try readResponse(&reader, plan, body: index).map { [$0] }
            }
        case .bodies(let index):
            record.bodies[part] = try readElements(&reader) { (importer, reader) throws in
                try importer.readResponse(&reader, plan, body: index)
            }
        }
    }

    // MARK: Models

    private mutating func readPartObject(
        _ reader: inout JSONReader, _ place: ResponsePlan.ModelPlace
    ) throws -> Int64? {
        if try reader.peekKind() == .null {
            _ = try reader.readScalar()
            return nil
        }
        return try readElement(&reader, plan(place.table), place.model)
    }

    private mutating func readElement(
        _ reader: inout JSONReader, _ plan: ImportPlan, _ model: Int
    ) throws -> Int64? {
        guard try reader.peekKind() == .object else {
            reject(plan, .notAnObject(found: try describeNext(&reader)))
            return nil
        }
        let id = try readObject(&reader, plan, target: nil, expecting: model)
        // The object's rows are written, and no other is being read around it.
        memory.removeAll()
        return try id.flatMap { try isMember($0, model, plan) ? $0 : nil }
    }

    /// The elements of an array, without those that are null; none of null. `nil` for anything else, which is reported.
    private mutating func readElements<Element>(
        _ reader: inout JSONReader, _ read: (inout Importer, inout JSONReader) throws -> Element?
    ) throws -> [Element]? {
        switch try reader.peekKind() {
        case .array: break
        case .null:
            _ = try reader.readScalar()
            return []
        default:
            noteMismatch(expected: "an array or null", found: try describeNext(&reader))
            return nil
        }
        var elements: [Element] = []
        guard try reader.enterArray() else { return elements }
        var index = 0
        repeat {
            path.append(.element(index))
            if try reader.peekKind() == .null {
                _ = try reader.readScalar()
            } else if let element = try read(&self, &reader) {
                elements.append(element)
            }
            path.removeLast()
            index += 1
        } while try reader.continueArray()
        return elements
    }

    // MARK: Values

    /// A value, converted as an attribute's is; `nil` where it can't be, which is reported.
    private mutating func readValue(_ reader: inout JSONReader, _ property: Property) throws -> StoredValue? {
        var again = reader
        let fragment = try reader.skipValue()
        guard fragment.kind != .null else {
            guard case .attribute(_, let value, _) = property.kind, !property.isOptional else { return .null }
            return value()
        }
        // What is stored is a copy, so what the conversion made is let go of.
        let stored = try property.slot(&again, &memory)?.stored
        memory.removeAll()
        if stored == nil { noteMismatch(expected: property.expectation, found: describe(fragment, reader)) }
        return stored
    }
}
