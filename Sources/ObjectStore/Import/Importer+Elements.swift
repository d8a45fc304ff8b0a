import JSONBytes

// Each element of the body's list is an object, or an envelope with one. A type key allows several types.

extension Importer {
    mutating func readListElement(_ reader: inout JSONReader, of plan: ImportPlan) throws {
        guard !request.elementPath.isEmpty, var object = try valueInEnvelope(of: reader) else {
            return try readTyped(&reader, of: plan)
        }
        for key in request.elementPath { path.append(.key(key)) }
        try readTyped(&object, of: plan)
        path.removeLast(request.elementPath.count)
        // Validates the values around the object.
        _ = try reader.skipValue()
    }

    /// Nil if the element lacks the envelope.
    private func valueInEnvelope(of reader: JSONReader) throws -> JSONReader? {
        var reader = reader
        for name in request.elementPath {
            guard try reader.peekKind() == .object, try reader.enterObject() else { return nil }
            var isFound = false
            repeat {
                isFound = try reader.isEqual(reader.readKey(), to: name)
                if isFound { break }
                _ = try reader.skipValue()
            } while try reader.continueObject()
            guard isFound else { return nil }
        }
        return reader
    }

    /// In a list, an object of another model is stored as that model's, and the list counts as a part.
    mutating func readTyped(
        _ reader: inout JSONReader, of plan: ImportPlan, into target: RowID? = nil
    ) throws {
        if let mixed = request.mixed { return try readMixed(&reader, mixed) }
        guard let key = schema.style(of: schema[request.table]).typeKey, try reader.peekKind() == .object,
            let type = try type(ofNext: reader, at: key), resourceTypes.table(of: type) != request.table
        else { return try readRootElement(&reader, of: plan, into: target) }
        noteRootOfOtherModel(isElement: false)
        let isKnown = try readResource(&reader, ofType: type)
        if !isKnown || !outcome.isList { reject(.otherType(found: type), of: plan.model) }
    }
}
