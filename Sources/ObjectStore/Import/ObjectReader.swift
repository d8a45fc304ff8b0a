import JSONBytes

/// Reads values as an import does, and leaves the file alone.
package struct ObjectReader: ~Copyable {
    private let schema: Schema
    private var memory = ImportMemory()
    /// The attributes and links to read. Nil reads all properties.
    private var wanted: Set<PropertyIndex>?
    /// Compiling a model's keys costs more than reading an object, and a list has many objects.
    private var compiled: [ObjectIdentifier: Keys] = [:]

    private struct Keys {
        let model: ModelSchema
        let nodes: [KeyNode]

        init(_ model: ModelSchema, in document: DocumentFormat) {
            self.model = model
            nodes = KeyNodeCompiler.nodes(of: model, in: model.isEmbedded ? .plain : document)
        }
    }

    package init(_ schema: Schema) { self.schema = schema }

    /// Some attributes and the identities of links. Nil if the object is missing.
    ///
    /// - Throws: `JSONError` for anything but JSON.
    package mutating func attributes(
        _ wanted: [PropertyIndex], in body: [UInt8], at keyPath: [String], of model: ModelSchema
    ) throws -> PropertyValues? {
        self.wanted = Set(wanted)
        // The bytes outlive the reader.
        return try unsafe body.withUnsafeBytes { bytes in
            var reader = unsafe try JSONReader(unsafe: bytes)
            let object = try find(&reader, model, at: keyPath[...])
            try reader.finish()
            return object
        }
    }

    /// Some attributes of each element. Nil for elements other than objects, and if the list is missing.
    ///
    /// - Parameter elementPath: to the object in an element. An element that lacks it is the object itself.
    /// - Throws: `JSONError` for anything but JSON.
    package mutating func list(
        _ wanted: [PropertyIndex], in body: [UInt8], at keyPath: [String], within elementPath: [String] = [],
        of model: ModelSchema
    ) throws -> [PropertyValues?]? {
        self.wanted = Set(wanted)
        // The bytes outlive the reader.
        return try unsafe body.withUnsafeBytes { bytes in
            var reader = unsafe try JSONReader(unsafe: bytes)
            for key in keyPath {
                guard try reader.peekKind() == .object, try enter(key, &reader) else { return nil }
            }
            guard try reader.peekKind() == .array else { return nil }
            var elements: [PropertyValues?] = []
            guard try reader.enterArray() else { return elements }
            repeat {
                let element = reader
                let own = elementPath.isEmpty ? nil : try find(&reader, model, at: elementPath[...])
                if own == nil { reader = element }
                elements.append(try own ?? find(&reader, model, at: []))
            } while try reader.continueArray()
            return elements
        }
    }

    private func enter(_ key: String, _ reader: inout JSONReader) throws -> Bool {
        guard try reader.enterObject() else { return false }
        repeat {
            if try reader.string(reader.readKey()) == key { return true }
            _ = try reader.skipValue()
        } while try reader.continueObject()
        return false
    }

    private mutating func find(
        _ reader: inout JSONReader, _ model: ModelSchema, at keys: ArraySlice<String>
    ) throws -> PropertyValues? {
        guard try reader.peekKind() == .object else {
            _ = try reader.skipValue()
            return nil
        }
        guard let key = keys.first else { return try read(&reader, model) }
        var found: PropertyValues?
        guard try reader.enterObject() else { return nil }
        repeat {
            if try reader.string(reader.readKey()) == key {
                found = try find(&reader, model, at: keys.dropFirst())
            } else {
                _ = try reader.skipValue()
            }
        } while try reader.continueObject()
        return found
    }

    /// Reads the body's object and those in it, since it may be an envelope.
    ///
    /// - Throws: `JSONError` for anything but JSON.
    package mutating func objects(in body: [UInt8], of model: ModelSchema) throws -> [PropertyValues] {
        // The bytes outlive the reader.
        try unsafe body.withUnsafeBytes { bytes in
            var reader = unsafe try JSONReader(unsafe: bytes)
            var objects: [PropertyValues] = []
            guard try reader.peekKind() == .object else { return objects }
            var again = reader
            objects.append(try read(&again, model))
            guard try reader.enterObject() else { return objects }
            repeat {
                _ = try reader.readKey()
                if try reader.peekKind() == .object {
                    objects.append(try read(&reader, model))
                } else {
                    _ = try reader.skipValue()
                }
            } while try reader.continueObject()
            try reader.finish()
            return objects
        }
    }

    private mutating func read(_ reader: inout JSONReader, _ model: ModelSchema) throws -> PropertyValues {
        let body = reader
        var values = PropertyValues(model: model.modelName)
        let keys = compiledKeys(of: model)
        try read(&reader, keys, into: &values)
        try readByOwnCode(body, model, into: &values)
        return values
    }

    private mutating func compiledKeys(of model: ModelSchema) -> Keys {
        let id = ObjectIdentifier(model)
        if let known = compiled[id] { return known }
        let keys = Keys(model, in: schema.style(of: model).document)
        compiled[id] = keys
        return keys
    }

    /// The model's code replaces values read by declaration.
    private func readByOwnCode(_ body: JSONReader, _ model: ModelSchema, into values: inout PropertyValues) throws {
        guard let type = model.type as? any ImportReading.Type else { return }
        var reader = body
        for (description, value) in type.importedValues(of: try JSONValue(&reader)) {
            guard let property = model.index(of: description), wanted?.contains(property) != false else { continue }
            values.attributes[model[property].name] = value
        }
    }

    private mutating func read(
        _ reader: inout JSONReader, _ keys: Keys, node: Int = 0, into values: inout PropertyValues
    ) throws {
        guard try reader.enterObject() else { return }
        var expected = 0
        repeat {
            // Read anew for each key, since an object within this one may add keys to the node. That can only make
            // `expected`, the guess at the next key, wrong.
            let known = keys.nodes[node].orderCount
            var action = try keys.nodes[node].nextAction(&reader, &expected, below: known)
            if case .loose(let property) = action {
                // An exact key takes precedence.
                let name = keys.model[property].name
                let isKnown = values.attributes[name] != nil || values.relationships[name] != nil
                action = isKnown ? .ignore : KeyNodeCompiler.action(for: keys.model[property])
            } else if case .looseIdentity(let property) = action {
                let isKnown = values.relationships[keys.model[property].name] != nil
                action = isKnown ? .ignore : KeyNodeCompiler.action(for: keys.model[property])
            }
            guard isWanted(action, of: keys.model) else {
                _ = try reader.skipValue()
                continue
            }
            switch action {
            case .ignore, .loose, .looseIdentity, .choice, .pageSign, .tombstone: _ = try reader.skipValue()
            case .attribute(let column), .attributeAndChoice(let column, _, _):
                try readAttribute(&reader, keys.model[keys.model[column].property], into: &values)
            case .attributeAndIdentities(let column, let relationship):
                var again = reader
                try readAttribute(&reader, keys.model[keys.model[column].property], into: &values)
                if wanted?.contains(relationship) != false {
                    try readTargets(&again, keys.model[relationship], into: &values)
                }
            case .link(let link), .linkIdentity(let link), .linkage(let link):
                try readTargets(&reader, keys.model[link.property], into: &values)
            case .list(let property), .listIdentities(let property), .linkages(let property):
                try readTargets(&reader, keys.model[property], into: &values)
            case .nested(let inner), .choiceAndNested(_, let inner):
                try readNested(&reader, keys, node: inner, into: &values)
            case .linkAndNested(let link, let inner):
                var again = reader
                if wanted?.contains(link.property) != false {
                    try readTargets(&again, keys.model[link.property], into: &values)
                }
                try readNested(&reader, keys, node: inner, into: &values)
            case .listAndNested(let property, let inner):
                var again = reader
                if wanted == nil { try readTargets(&again, keys.model[property], into: &values) }
                try readNested(&reader, keys, node: inner, into: &values)
            case .attributeAndNested(let column, let inner):
                var again = reader
                let property = keys.model[keys.model[column].property]
                if wanted?.contains(property.index) != false { try readAttribute(&again, property, into: &values) }
                try readNested(&reader, keys, node: inner, into: &values)
            }
        } while try reader.continueObject()
    }

    private func isWanted(_ action: KeyNode.Action, of model: ModelSchema) -> Bool {
        guard let wanted else { return true }
        return switch action {
        case .attribute(let column), .attributeAndChoice(let column, _, _): wanted.contains(model[column].property)
        case .attributeAndIdentities(let column, let relationship):
            wanted.contains(model[column].property) || wanted.contains(relationship)
        case .link(let link), .linkIdentity(let link), .linkage(let link): wanted.contains(link.property)
        case .nested, .attributeAndNested, .linkAndNested, .listAndNested, .choiceAndNested: true
        default: false
        }
    }

    private mutating func readNested(
        _ reader: inout JSONReader, _ keys: Keys, node: Int, into values: inout PropertyValues
    ) throws {
        if try reader.peekKind() == .object {
            try read(&reader, keys, node: node, into: &values)
        } else {
            _ = try reader.skipValue()
        }
    }

    private mutating func readAttribute(
        _ reader: inout JSONReader, _ property: Property, into values: inout PropertyValues
    ) throws {
        if let value = try readValue(&reader, of: property) { values.attributes[property.name] = value }
    }

    /// Nil for a failed conversion or a write-only attribute.
    private mutating func readValue(_ reader: inout JSONReader, of property: Property) throws -> StoredValue? {
        var again = reader
        let fragment = try reader.skipValue()
        guard case .attribute(_, let value, let options) = property.kind, options.access != .writeOnly else {
            return nil
        }
        let isNothing = fragment.isEmptyText && property.format.nothing.contains(.emptyText)
        guard fragment.kind != .null, !isNothing else { return property.isOptional ? .null : value() }
        // Stored values are copies.
        defer { memory.removeAll() }
        return try property.slot(&again, &memory)?.stored
    }

    // MARK: Relationships, by identity

    private mutating func readTargets(
        _ reader: inout JSONReader, _ property: Property, into values: inout PropertyValues
    ) throws {
        guard let target = property.target.map({ schema[$0] }) else { return }
        var identities: [StoredValue] = []
        if try reader.peekKind() == .array {
            guard try reader.enterArray() else {
                values.relationships[property.name] = []
                return
            }
            repeat {
                if let identity = try readIdentity(&reader, of: target) { identities.append(identity) }
            } while try reader.continueArray()
        } else if try reader.peekKind() == .null {
            _ = try reader.readScalar()
        } else if let identity = try readIdentity(&reader, of: target) {
            identities.append(identity)
        }
        values.relationships[property.name] = identities.filter { $0 != .text("") }
    }

    private mutating func readIdentity(_ reader: inout JSONReader, of model: ModelSchema) throws -> StoredValue? {
        guard let property = model.identity.last(where: { model[$0].link == nil }).map({ model[$0] }) else {
            _ = try reader.skipValue()
            return nil
        }
        if try reader.peekKind() == .object {
            let outer = wanted
            wanted = [property.index]
            defer { wanted = outer }
            return try read(&reader, model).attributes[property.name]
        }
        return try readValue(&reader, of: property)
    }
}
