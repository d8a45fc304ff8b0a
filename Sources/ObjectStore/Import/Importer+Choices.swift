import JSONBytes

// A choice is a relationship to one of several models. Its target arrives as an object that names its model, as a pair
// of keys (`subject_type`, `subject_id`), or as a resource identifier. It is read last: its keys have any order.

extension ImportFrame {
    struct ChoiceKey {
        let property: PropertyIndex
        let role: Choice.Role
        /// Offset in the body.
        let offset: Int
    }
}

extension Importer {
    /// Skips the value, to read it once the object's other keys are known.
    mutating func noteChoice(
        _ reader: inout JSONReader, of property: PropertyIndex, as role: Choice.Role, in object: ReadingObject
    ) throws {
        _ = try reader.peekKind()
        if role != .type { try refuseSecond(property, isIdentity: role == .identity, of: object, reader) }
        object.frame.choices.append(ImportFrame.ChoiceKey(property: property, role: role, offset: reader.offset))
        _ = try reader.skipValue()
    }

    mutating func readChoices(of object: ReadingObject, from body: JSONReader) throws {
        for choice in object.plan.model.choices {
            let keys = object.frame.choices.filter { $0.property == choice.property }
            guard !keys.isEmpty else { continue }
            func reader(_ role: Choice.Role) throws -> JSONReader? {
                try keys.first { $0.role == role }.map { key in
                    var reader = body
                    try reader.move(to: key.offset)
                    return reader
                }
            }
            try read(
                choice, of: object,
                ChoiceReaders(object: reader(.object), identity: reader(.identity), type: reader(.type)))
        }
    }

    /// Readers before the values. Nil for missing keys.
    private struct ChoiceReaders {
        var object, identity, type: JSONReader?

        /// Nil for null or a missing key.
        func typeName() throws -> JSONReader? {
            guard let type, try type.nextKind() != .null else { return nil }
            return type
        }
    }

    private mutating func read(_ choice: Choice, of object: ReadingObject, _ values: ChoiceReaders) throws {
        if let whole = values.object, try whole.nextKind() == .object {
            return try readWhole(whole, choice, of: object, beside: values)
        }
        let type = try values.typeName()
        // The relationship's own key may have an identity, too.
        let identity = try [values.identity, values.object].compactMap(\.self).first { try !$0.isNothing() }
        guard let identity else {
            // A type without the other keys is ignored.
            if type == nil || values.identity != nil || values.object != nil { clear(choice, of: object) }
            return
        }
        guard var type else {
            return noteUnread(
                choice, of: object, expected: "its model at \"\(choice.typePath.joined(separator: "."))\" too",
                found: try text(of: identity))
        }
        try readIdentity(identity, typed: &type, by: choice, of: object)
    }

    // MARK: Objects

    private mutating func readWhole(
        _ reader: JSONReader, _ choice: Choice, of object: ReadingObject, beside values: ChoiceReaders
    ) throws {
        let types = object.plan.types(of: choice)
        let beside = try values.typeName().map { try typeName(ofNext: $0, at: []) } ?? nil
        let own = try types.map { try typeName(ofNext: reader, at: $0.path[...]) } ?? nil
        let names = [own, beside].compactMap(\.self)
        guard let types, let first = names.first else {
            let key = types?.path.joined(separator: ".") ?? choice.choices.key
            return noteUnread(
                choice, of: object, expected: "an object with its model at \"\(key)\"", found: "an object")
        }
        // The object's value under that key may mean something else.
        let found = names.compactMap { name in types.link(for: name).map { (name: name, $0.link, $0.expected) } }
        guard let (name, link, expected) = found.first else { return leaveUnknown(first, choice, of: object) }
        let target = try plan(expected.table)
        var reader = reader
        if object.plan.model.isInDocument(choice) {
            return try readIdentifier(&reader, of: link, named: name, by: choice, of: object, in: target)
        }
        guard try !refuseDepth(&reader, choice.property, of: object) else { return }
        path.append(.property(choice.property, of: object.plan.model.table))
        let row = try readOther(&reader, of: target, expecting: expected.submodel)
        path.removeLast()
        guard let column = object.plan.model.columnIndex(of: link) else { return }
        let field = LinkField(property: link, column: column)
        if let row {
            guard try isTarget(row, of: field, in: object.plan) else { return }
            set(choice, named: memory.slot(.text(name)), of: object)
            object.frame[column] = .row(row)
        } else if notePending(link, of: object) {
            set(choice, named: memory.slot(.text(name)), of: object)
        } else {
            leaveOut(choice, of: object)
        }
    }

    private mutating func readIdentifier(
        _ reader: inout JSONReader, of link: PropertyIndex, named name: String, by choice: Choice,
        of object: ReadingObject,
        in target: ImportPlan
    ) throws {
        guard try reader.enterObject() else { return }
        repeat {
            let isID = try reader.isEqual(reader.readKey(), to: "id")
            let kind = try reader.peekKind()
            guard isID, kind != .object, kind != .array else {
                _ = try reader.skipValue()
                continue
            }
            let slot = try readIdentity(&reader, of: target, by: link, of: object).slot
            return try self.link(choice, by: link, to: slot, named: memory.slot(.text(name)), of: object, in: target)
        } while try reader.continueObject()
        noteUnread(choice, of: object, expected: "a resource identifier", found: "no \"id\"")
    }

    // MARK: Identities

    private mutating func readIdentity(
        _ identity: JSONReader, typed type: inout JSONReader, by choice: Choice, of object: ReadingObject
    ) throws {
        guard let name = try typeName(ofNext: type, at: []) else {
            return noteUnread(choice, of: object, expected: "the name of a model", found: try text(of: type))
        }
        guard let found = object.plan.types(of: choice)?.link(for: name) else {
            return leaveUnknown(name, choice, of: object)
        }
        let target = try plan(found.expected.table)
        var reader = identity
        guard [.number, .string].contains(try reader.peekKind()) else {
            return noteUnread(
                choice, of: object, expected: "an identity of \(target.model.modelName) or null",
                found: try text(of: identity))
        }
        let slot = try readIdentity(&reader, of: target, by: found.link, of: object).slot
        try link(
            choice, by: found.link, to: slot, named: try nameSlot(&type, name, by: choice, of: object), of: object,
            in: target)
    }

    /// The type's name in the server's form.
    private mutating func nameSlot(
        _ type: inout JSONReader, _ name: String, by choice: Choice, of object: ReadingObject
    ) throws -> ImportSlot {
        guard let column = object.plan.model.columnIndex(of: choice.property) else { return .null }
        let scalar = try type.readScalar()
        guard let slot = object.plan[column].slot(for: scalar, in: type, &memory) else {
            return memory.slot(.text(name))
        }
        if object.plan.shapes.isNewShape(slot.shape, of: column) {
            try noteShape(slot.shape, of: column, in: object, written: type.text(of: scalar))
        }
        return slot
    }

    private mutating func link(
        _ choice: Choice, by link: PropertyIndex, to identity: ImportSlot?, named name: ImportSlot,
        of object: ReadingObject, in target: ImportPlan
    ) throws {
        guard let identity, let column = object.plan.model.columnIndex(of: link) else {
            return noteUnread(
                choice, of: object, expected: "an identity of \(target.model.modelName)", found: "another value")
        }
        set(choice, named: name, of: object)
        try self.link(LinkField(property: link, column: column), of: object, to: identity)
    }

    // MARK: Results

    private func clear(_ choice: Choice, of object: ReadingObject) { set(choice, named: .null, of: object) }

    /// Sets the name. All links become nil.
    private func set(_ choice: Choice, named name: ImportSlot, of object: ReadingObject) {
        let model = object.plan.model
        for link in choice.links { if let column = model.columnIndex(of: link) { object.frame[column] = .null } }
        if let column = model.columnIndex(of: choice.property) { object.frame[column] = name }
    }

    /// The object is of another model. The stored target is outdated, so the relationship becomes nil and keeps the
    /// name.
    private mutating func leaveUnknown(_ name: String, _ choice: Choice, of object: ReadingObject) {
        set(choice, named: memory.slot(.text(name)), of: object)
        let names = choice.links.map { schema.target(of: object.plan.model[$0])?.modelName ?? "" }
        noteMismatch(
            of: choice.property, in: object.plan,
            expected: "one of \(names.joined(separator: ", "))", found: "an object of type \"\(name)\"")
    }

    private mutating func noteUnread(_ choice: Choice, of object: ReadingObject, expected: String, found: String) {
        leaveOut(choice, of: object)
        noteMismatch(of: choice.property, in: object.plan, expected: expected, found: found)
    }

    /// The server's value is unknown, and the stored one stays.
    private func leaveOut(_ choice: Choice, of object: ReadingObject) {
        for member in choice.members {
            if let column = object.plan.model.columnIndex(of: member) {
                object.frame.failedColumns.insert(column.rawValue)
            }
        }
    }

    private func text(of reader: JSONReader) throws -> String {
        var reader = reader
        return try describeNext(&reader)
    }
}

extension JSONReader {
    fileprivate func nextKind() throws(JSONError) -> JSONKind {
        var reader = self
        return try reader.peekKind()
    }

    /// In forms, `""` is an empty choice.
    fileprivate func isNothing() throws(JSONError) -> Bool {
        var reader = self
        switch try reader.peekKind() {
        case .null: return true
        case .string: return try reader.readScalar().count == 0
        default: return false
        }
    }
}

extension ModelSchema {
    fileprivate func isInDocument(_ choice: Choice) -> Bool { self[choice.property].resourcePath != nil }
}

/// A choice's models, by their names in JSON.
struct ChoiceTypes {
    private let types: MixedTypes
    private let links: [(link: PropertyIndex, expected: ExpectedModel)]

    var path: [String] { types.path }

    /// Nil for declarations that the schema refuses.
    init?(_ choice: Choice, of model: ModelSchema, in schema: Schema) {
        var (models, links): ([(model: ModelSchema, names: [String])], _) = ([], [(PropertyIndex, ExpectedModel)]())
        for (link, element) in zip(choice.links, choice.choices.types) {
            guard let target = schema.target(of: model[link]) else { continue }
            models.append((target, [element.name]))
            links.append((link, ExpectedModel(table: target.table, submodel: target.submodel)))
        }
        let key = model[choice.property].resourcePath == nil ? choice.choices.key : "type"
        guard let types = try? MixedTypes(models, by: key) else { return nil }
        (self.types, self.links) = (types, links)
    }

    func link(for name: String) -> (link: PropertyIndex, expected: ExpectedModel)? {
        guard let model = types.model(for: name) else { return nil }
        return links.first { $0.expected.table == model.table }
    }
}
