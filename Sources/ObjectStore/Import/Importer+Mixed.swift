import JSONBytes

extension Importer {
    /// Reads an element of a list that mixes models. An element that names no model of the list is reported and left
    /// out.
    mutating func readMixed(_ reader: inout JSONReader, _ types: MixedTypes) throws {
        noteRootOfOtherModel()
        let record = try readMixed(&reader, types, inListOf: schema[request.table].modelName)
        if let record { outcome.mixed.append(record) }
    }

    /// - Parameter name: the name of a model or response type, for the report.
    /// - Returns: nil, and reported, if the object is of none of the models or can't be read.
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
        // The object's rows are written, and it is an outermost object.
        memory.removeAll()
        guard let row, try isMember(row, of: plan, expecting: expected.submodel) else { return nil }
        return RecordID(table: expected.table, row: row)
    }

    /// The text or number at a key path of the object that comes next; `nil` if there is none. `reader` is a copy.
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
