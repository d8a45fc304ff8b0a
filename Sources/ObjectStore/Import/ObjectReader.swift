import JSONBytes

/// Reads objects of a model out of JSON without importing them: the values that an import would take, and nothing written.
package struct ObjectReader: ~Copyable {
    private let schema: Schema
    private var memory = ImportMemory()
    /// Whether only the attributes of the identity are taken, so that a long body costs no copy of it.
    private var takesIdentityOnly = false

    package init(_ schema: Schema) { self.schema = schema }

    /// The identity's attributes of the object at a key path of a body; `nil` where there is no object.
    ///
    /// - Throws: `JSONError` for bytes that are not JSON.
    package mutating func identity(in body: [UInt8], at keyPath: [String], of table: ModelSchema) throws
        -> PropertyValues?
    {
        takesIdentityOnly = true
        // The bytes stay where they are until the reader is gone.
        return try unsafe body.withUnsafeBytes { bytes in
            var reader = unsafe try JSONReader(unsafe: bytes)
            let object = try find(keyPath[...], &reader, table)
            try reader.finish()
            return object
        }
    }

    private mutating func find(
        _ keys: ArraySlice<String>, _ reader: inout JSONReader, _ table: ModelSchema
    ) throws -> PropertyValues? {
        guard try reader.peekKind() == .object else {
            _ = try reader.skipValue()
            return nil
        }
        guard let key = keys.first else { return try read(&reader, table) }
        var found: PropertyValues?
        guard try reader.enterObject() else { return nil }
        repeat {
            if try reader.string(reader.readKey()) == key {
                found = try find(keys.dropFirst(), &reader, table)
            } else {
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
        return found
    }

    /// The object that a body is, or, where it is an envelope, those that its members are.
    ///
    /// - Throws: `JSONError` for bytes that are not JSON.
    package mutating func objects(in body: [UInt8], of table: ModelSchema) throws -> [PropertyValues] {
        // The bytes stay where they are until the reader is gone.
        try unsafe body.withUnsafeBytes { bytes in
            var reader = unsafe try JSONReader(unsafe: bytes)
            var objects: [PropertyValues] = []
            guard try reader.peekKind() == .object else { return objects }
            var again = reader
            objects.append(try read(&again, table))
            guard try reader.enterObject() else { return objects }
            repeat {
                _ = try reader.readKey()
                if try reader.peekKind() == .object {
                    objects.append(try read(&reader, table))
                } else {
                    _ = try reader.skipValue()
                }
            } while try reader.continueObject()
            try reader.finish()
            return objects
        }
    }

    private mutating func read(_ reader: inout JSONReader, _ table: ModelSchema) throws -> PropertyValues {
        var values = PropertyValues(model: table.modelName)
        let nodes = KeyNodeCompiler.nodes(of: table, table.isEmbedded ? .plain : schema.style.document)
        try read(&reader, table, nodes, 0, &values)
        return values
    }

    private mutating func read(
        _ reader: inout JSONReader, _ table: ModelSchema, _ nodes: [KeyNode], _ node: Int,
        _ values: inout PropertyValues
    ) throws {
        guard try reader.enterObject() else { return }
        var expected = 0
        repeat {
            let action = try nodes[node].nextAction(&reader, &expected, below: 0)
            guard isWanted(action, table) else {
                _ = try reader.skipValue()
                continue
            }
            switch action {
            case .ignore: _ = try reader.skipValue()
            case .attribute(let column):
                try readAttribute(&reader, table.properties[table.columns[column].property], &values)
            case .link(_, let property), .linkIdentity(_, let property), .linkage(_, let property),
                .list(let property), .listIdentities(let property), .linkages(let property):
                try readTargets(&reader, table.properties[property], &values)
            case .nested(let inner): try readNested(&reader, table, nodes, inner, &values)
            case .linkAndNested(_, let property, let inner):
                var again = reader
                try readTargets(&again, table.properties[property], &values)
                try readNested(&reader, table, nodes, inner, &values)
            }
        } while try reader.continueObject()
    }

    private func isWanted(_ action: KeyNode.Action, _ table: ModelSchema) -> Bool {
        guard takesIdentityOnly else { return true }
        return switch action {
        case .attribute(let column): table.identity.contains(table.columns[column].property)
        case .nested: true
        default: false
        }
    }

    private mutating func readNested(
        _ reader: inout JSONReader, _ table: ModelSchema, _ nodes: [KeyNode], _ node: Int,
        _ values: inout PropertyValues
    ) throws {
        if try reader.peekKind() == .object {
            try read(&reader, table, nodes, node, &values)
        } else {
            _ = try reader.skipValue()
        }
    }

    private mutating func readAttribute(
        _ reader: inout JSONReader, _ property: Property, _ values: inout PropertyValues
    ) throws {
        if let value = try value(of: property, &reader) { values.attributes[property.name] = value }
    }

    // MARK: Relationships, by identity

    private mutating func readTargets(
        _ reader: inout JSONReader, _ property: Property, _ values: inout PropertyValues
    ) throws {
        guard let target = property.link?.target ?? property.list?.target else { return }
        var identities: [StoredValue] = []
        if try reader.peekKind() == .array {
            guard try reader.enterArray() else {
                values.relationships[property.name] = []
                return
            }
            repeat {
                if let identity = try readIdentity(&reader, schema.tables[target]) { identities.append(identity) }
            } while try reader.continueArray()
        } else if try reader.peekKind() == .null {
            _ = try reader.readScalar()
        } else if let identity = try readIdentity(&reader, schema.tables[target]) {
            identities.append(identity)
        }
        values.relationships[property.name] = identities
    }

    private mutating func readIdentity(_ reader: inout JSONReader, _ table: ModelSchema) throws -> StoredValue? {
        guard let part = table.identity.last(where: { table.properties[$0].link == nil }) else {
            _ = try reader.skipValue()
            return nil
        }
        let property = table.properties[part]
        if try reader.peekKind() == .object {
            return try read(&reader, table).attributes[property.name]
        }
        return try value(of: property, &reader)
    }

    /// An attribute's value as an import converts it; `nil` where it can't be, or is not taken from replies.
    private mutating func value(of property: Property, _ reader: inout JSONReader) throws -> StoredValue? {
        var again = reader
        let fragment = try reader.skipValue()
        guard case .attribute(_, let value, let options) = property.kind, options.access != .writeOnly else {
            return nil
        }
        guard fragment.kind != .null else { return property.isOptional ? .null : value() }
        // What is stored is a copy, so what the conversion made is let go of.
        defer { memory.removeAll() }
        return try property.slot(&again, &memory)?.stored
    }
}
