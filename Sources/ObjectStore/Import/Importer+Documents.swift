import JSONBytes

// Documents of JSON:API 1.1 (https://jsonapi.org/format/1.1/): what the root holds, and which model each resource is. The
// resource objects themselves are read as any other object is; their key paths are in the plan.

extension Importer {
    /// The parts of a document that matter, each with a reader that stands before it.
    private struct Parts {
        var data: JSONReader?
        var included: JSONReader?
        /// Whether the root may be a resource object itself, without a document around it.
        var isResource = true
    }

    /// Reads a document: what is included first, so that the primary data's links find it. Where the included resources lead
    /// to each other, those that lead ahead are made when their targets come.
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
            try readPrimaryResource(&resource, target: request.target)
        } else {
            reject(try plan(request.table), .noEnvelope(missing: "data"))
        }
        try completeLists()
    }

    /// Walks the whole root, so that all of it is validated.
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
            guard try reader.enterArray() else { return }
            var index = 0
            repeat {
                path.append(.element(index))
                try readPrimaryResource(&reader, target: nil)
                path.removeLast()
                index += 1
            } while try reader.continueArray()
        default: try readPrimaryResource(&reader, target: request.target)
        }
    }

    /// A resource of another model than the one that was asked for is imported, and is none of the body's own objects.
    private mutating func readPrimaryResource(_ reader: inout JSONReader, target: Int64?) throws {
        let asked = try plan(request.table)
        guard try reader.peekKind() == .object, let type = try resourceType(ofNext: reader),
            schema.resources.table(of: type) != request.table
        else { return try readRootElement(&reader, asked, target: target) }
        noteRootThatIsNone()
        reject(asked, .otherType(found: type))
        try readResource(&reader, ofType: type)
    }

    private mutating func readIncluded(_ reader: inout JSONReader) throws {
        guard try reader.peekKind() == .array, try reader.enterArray() else { return }
        var index = 0
        repeat {
            path.append(.element(index))
            if try reader.peekKind() == .object, let type = try resourceType(ofNext: reader) {
                try readResource(&reader, ofType: type)
            } else {
                _ = try reader.skipValue()
            }
            path.removeLast()
            index += 1
        } while try reader.continueArray()
    }

    /// A resource of a type that no model has is passed over: a service may include more than an app has models for.
    private mutating func readResource(_ reader: inout JSONReader, ofType type: String) throws {
        if let table = schema.resources.table(of: type) {
            _ = try readObject(&reader, plan(table), target: nil)
            memory.removeAll()
        } else {
            _ = try reader.skipValue()
        }
    }

    /// The `type` of the object that comes next; `nil` where it says none. `reader` is a copy.
    private func resourceType(ofNext reader: JSONReader) throws -> String? {
        var reader = reader
        guard try reader.enterObject() else { return nil }
        repeat {
            if try reader.isEqual(reader.readKey(), to: "type") {
                guard try reader.peekKind() == .string else { return nil }
                return try reader.string(reader.readScalar())
            }
            _ = try reader.skipValue()
        } while try reader.continueObject()
        return nil
    }
}
