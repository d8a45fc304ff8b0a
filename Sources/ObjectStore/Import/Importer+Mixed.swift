import JSONBytes

extension Importer {
    mutating func readMixed(_ reader: inout JSONReader, _ types: MixedTypes) throws {
        noteRootOfOtherModel()
        let record = try readMixed(&reader, types, inListOf: schema[request.table].modelName)
        if let record { outcome.mixed.append(record) }
    }

    /// - Parameter name: the model's or response type's, for the report.
    /// - Returns: nil, and reported, for an unreadable object or another model.
    mutating func readMixed(
        _ reader: inout JSONReader, _ types: MixedTypes, inListOf name: String
    ) throws -> RecordID? {
        guard try reader.peekKind() == .object else {
            reject(.notAnObject(found: try describeNext(&reader)), ofModelNamed: name)
            return nil
        }
        guard let type = try typeName(ofNext: reader, at: types.path[...]) else {
            reject(.noType(missing: types.path.joined(separator: ".")), ofModelNamed: name)
            _ = try reader.skipValue()
            return nil
        }
        guard let expected = types.model(for: type) else {
            reject(.unknownType(found: type), ofModelNamed: name)
            _ = try reader.skipValue()
            return nil
        }
        let plan = try plan(expected.table)
        let row = try readObject(&reader, of: plan, expecting: expected.submodel)
        // The rows of this outermost object are written.
        memory.removeAll()
        guard let row, try isMember(row, of: plan, expecting: expected.submodel) else { return nil }
        return RecordID(table: expected.table, row: row)
    }

    /// The text or number at a key path; `nil` if it is missing.
    func typeName(ofNext reader: JSONReader, at path: ArraySlice<String>) throws -> String? {
        var reader = reader
        guard let key = path.first else {
            switch try reader.peekKind() {
            case .string: return try reader.string(reader.readScalar())
            case .number:
                let fragment = try reader.skipValue()
                return describe(fragment, reader)
            default: return nil
            }
        }
        guard try reader.peekKind() == .object, try reader.enterObject() else { return nil }
        repeat {
            if try reader.isEqual(reader.readKey(), to: key) {
                return try typeName(ofNext: reader, at: path.dropFirst())
            }
            _ = try reader.skipValue()
        } while try reader.continueObject()
        return nil
    }
}
