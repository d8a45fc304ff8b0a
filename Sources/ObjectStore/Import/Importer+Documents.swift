import JSONBytes

// JSON:API 1.1 documents (https://jsonapi.org/format/1.1/). The plan's key paths apply to resource objects, too.

extension Importer {
    /// Readers stand before the values.
    private struct Parts {
        var data: JSONReader?
        var included: JSONReader?
        var isResource = true
    }

    /// Reads `included` first, so that links of the primary data find their targets.
    mutating func readDocument(_ reader: inout JSONReader) throws {
        guard try reader.peekKind() == .object else { return try readPrimaryData(&reader) }
        let start = reader
        let parts = try readParts(&reader)
        if var included = parts.included {
            path.append(.key("included"))
            try readIncluded(&included)
            path.removeLast()
        }
        if var data = parts.data {
            path.append(.key("data"))
            try readPrimaryData(&data)
            path.removeLast()
        } else if parts.isResource {
            var resource = start
            try readPrimaryResource(&resource, into: request.target)
        } else {
            reject(.noEnvelope(missing: "data"), of: schema[request.table])
        }
    }

    /// Reads the whole root, which validates it.
    private func readParts(_ reader: inout JSONReader) throws -> Parts {
        var parts = Parts()
        guard try reader.enterObject() else { return parts }
        var keys: Set<String> = []
        repeat {
            let key = try reader.string(reader.readKey())
            if key == "data" || key == "included" {
                _ = try reader.peekKind()
                guard keys.insert(key).inserted else { throw reader.duplicateKey(at: pathText(to: .key(key))) }
                if key == "data" { parts.data = reader } else { parts.included = reader }
            } else {
                keys.insert(key)
            }
            _ = try reader.skipValue()
        } while try reader.continueObject()
        parts.isResource = !keys.isDisjoint(with: ["id", "type", "attributes", "relationships"])
        return parts
    }

    private mutating func readPrimaryData(_ reader: inout JSONReader) throws {
        switch try reader.peekKind() {
        case .null: _ = try reader.readScalar()
        case .array:
            outcome.isList = true
            try readElements(&reader) { (importer, reader) throws in
                try importer.refusingContradictions(&reader) { (importer, reader) throws in
                    try importer.readPrimaryResource(&reader)
                }
            }
        default: try readPrimaryResource(&reader, into: request.target)
        }
    }

    /// A resource of another model is imported, but left out of the body's own objects.
    private mutating func readPrimaryResource(_ reader: inout JSONReader, into target: RowID? = nil) throws {
        if let mixed = request.mixed { return try readMixed(&reader, mixed) }
        let requested = try plan(request.table)
        guard try reader.peekKind() == .object, let type = try type(ofNext: reader, at: "type"),
            resourceTypes.table(of: type) != request.table
        else { return try readRootElement(&reader, of: requested, into: target) }
        noteRootOfOtherModel()
        reject(.otherType(found: type), of: requested.model)
        try readResource(&reader, ofType: type)
    }

    private mutating func readIncluded(_ reader: inout JSONReader) throws {
        guard try reader.peekKind() == .array else { return }
        // Included objects count as related, like nested objects of plain bodies.
        depth += 1
        defer { depth -= 1 }
        try readElements(&reader) { (importer, reader) throws in
            if try reader.peekKind() == .object, let type = try importer.type(ofNext: reader, at: "type") {
                try importer.readResource(&reader, ofType: type)
            } else {
                _ = try reader.skipValue()
            }
        }
    }

    var resourceTypes: ResourceTypes { schema.resourceTypes(ofAPIOf: schema[request.table]) }

    /// Skips objects without a model in this API, such as other services' objects.
    ///
    /// - Returns: whether a model has the type.
    @discardableResult
    mutating func readResource(_ reader: inout JSONReader, ofType type: String) throws -> Bool {
        guard let table = resourceTypes.table(of: type), schema[table].api == schema[request.table].api else {
            _ = try reader.skipValue()
            return false
        }
        _ = try readObject(&reader, of: plan(table))
        memory.removeAll()
        return true
    }

    func type(ofNext reader: JSONReader, at name: String) throws -> String? {
        var reader = reader
        guard try reader.enterObject() else { return nil }
        repeat {
            if try reader.isEqual(reader.readKey(), to: name) {
                guard try reader.peekKind() == .string else { return nil }
                return try reader.string(reader.readScalar())
            }
            _ = try reader.skipValue()
        } while try reader.continueObject()
        return nil
    }
}

// MARK: Resource linkage

// `{"type": "people", "id": "9"}` is a link by identity, rather than a row.

extension Importer {
    mutating func readLinkage(_ reader: inout JSONReader, _ link: LinkField, of object: ReadingObject) throws {
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            object.frame[link.column] = .null
        case .object:
            guard let identity = try readIdentifier(&reader, of: link.property, in: object) else {
                object.frame.failedColumns.insert(link.column.rawValue)
                return
            }
            try self.link(link, of: object, to: identity)
        default:
            let found = try describeNext(&reader)
            noteUnread(link, of: object, expected: "a resource identifier or null", found: found)
        }
    }

    mutating func readLinkages(
        _ reader: inout JSONReader, _ property: PropertyIndex, of object: ReadingObject
    ) throws {
        switch try reader.peekKind() {
        case .null:
            _ = try reader.readScalar()
            object.frame.lists.append((property, []))
        case .array: try readIdentifiers(&reader, of: property, in: object)
        default:
            let found = try describeNext(&reader)
            noteMismatch(
                of: property, in: object.plan, expected: "an array of resource identifiers", found: found)
        }
    }

    private mutating func readIdentifiers(
        _ reader: inout JSONReader, of property: PropertyIndex, in object: ReadingObject
    ) throws {
        let expected = object.plan.target(of: property)
        let target = try plan(expected.table)
        var members: [RowID] = []
        let earlier = object.frame.pending.count
        if try reader.enterArray() {
            repeat {
                try countElement()
                guard let identity = try readIdentifier(&reader, of: property, in: object) else {
                    object.frame.unreadLists.append(property)
                    continue
                }
                if let row = try find(identity, in: target) {
                    if try isMember(row, of: target, expecting: expected.submodel) { members.append(row) }
                } else {
                    let waiting = object.frame.pending.count - earlier
                    notePending(property, to: identity, at: members.count + waiting, of: object, in: target)
                }
            } while try reader.continueArray()
        }
        object.frame.keepPendingOnce(from: earlier, in: property)
        object.frame.lists.append((property, members))
    }

    /// Nil, and reported, for other types and unreadable identities.
    private mutating func readIdentifier(
        _ reader: inout JSONReader, of property: PropertyIndex, in object: ReadingObject
    ) throws -> ImportSlot? {
        let target = try plan(ofTarget: property, in: object.plan)
        let types = schema.resourceTypes(ofAPIOf: object.plan.model)
        let start = reader
        guard try reader.peekKind() == .object, try reader.enterObject() else {
            reader = start
            let found = try describeNext(&reader)
            noteMismatch(of: property, in: object.plan, expected: "a resource identifier", found: found)
            return nil
        }
        let (written, id) = try readTypeAndID(&reader)
        let type = written.map(reader.string)
        if let type,
            types.table(of: type) == target.model.table || types.type(of: target.model.table) == type
        {
            let identity = try id.map { id in
                var id = id
                return try readIdentity(&id, of: target, by: property, of: object)
            }
            if let slot = identity?.slot { return slot }
            noteMismatch(
                of: property, in: object.plan, expected: "an identity of \(target.model.modelName)",
                found: identity.map { describe($0.scalar, reader) } ?? "no \"id\"")
            return nil
        }
        noteMismatch(
            of: property, in: object.plan,
            expected: "a resource identifier of type \"\(types.type(of: target.model.table))\"",
            found: type.map { "\"\($0)\"" } ?? "an object")
        return nil
    }

    /// - Returns: the type, and a reader before the `id`.
    private func readTypeAndID(_ reader: inout JSONReader) throws -> (type: JSONScalar?, id: JSONReader?) {
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
        return (type, id)
    }
}
