import JSONBytes

// This code runs for rejected parts only.

extension Importer {
    mutating func reject(_ reason: ImportReport.Rejection.Reason, of model: ModelSchema) {
        reject(reason, ofModelNamed: model.modelName)
    }

    mutating func reject(_ reason: ImportReport.Rejection.Reason, ofModelNamed model: String) {
        outcome.report.rejectedCount += 1
        guard outcome.report.rejected.count < ImportReport.listLimit else { return }
        outcome.report.rejected.append(ImportReport.Rejection(path: pathText(), model: model, reason: reason))
    }

    /// Skips messages beyond the limit: a body may have millions of such objects.
    mutating func rejectWithoutIdentity(_ missing: Property, of model: ModelSchema) {
        if outcome.report.rejected.count < ImportReport.listLimit {
            reject(.noIdentity(missing: missing.jsonPath.joined(separator: ".")), of: model)
        } else {
            outcome.report.rejectedCount += 1
        }
    }

    mutating func noteMismatch(
        of property: PropertyIndex, in plan: ImportPlan, expected: String, found: String
    ) {
        path.append(.property(property, of: plan.model.table))
        noteMismatch(expected: expected, found: found)
        path.removeLast()
    }

    /// The value at `path` was left out.
    mutating func noteMismatch(expected: String, found: String) {
        outcome.report.mismatchedCount += 1
        guard outcome.report.mismatched.count < ImportReport.listLimit else { return }
        outcome.report.mismatched.append(
            ImportReport.Mismatch(path: pathText(), expected: expected, found: found))
    }

    /// The object's own code has read the value that the declaration couldn't.
    mutating func forgetMismatch(of property: PropertyIndex, in plan: ImportPlan) {
        let path = pathText(to: .property(property, of: plan.model.table))
        outcome.report.mismatchedCount -= 1
        guard let index = outcome.report.mismatched.lastIndex(where: { $0.path == path }) else { return }
        outcome.report.mismatched.remove(at: index)
    }

    /// The default is the body's own list.
    mutating func noteRepeatedMember(in property: PropertyIndex? = nil, of plan: ImportPlan? = nil) {
        let last = property.flatMap { property in plan.map { PathPart.property(property, of: $0.model.table) } }
        outcome.report.noteRepeatedMember(at: pathText(to: last))
    }

    /// Accepts null and an empty array, which is PHP's empty object.
    @inline(never)
    mutating func noteNoObject(_ from: borrowing JSONReader, at keys: [String] = []) throws {
        var reader = copy from
        let kind = try reader.peekKind()
        if kind == .null { return }
        if kind == .array {
            var elements = reader
            guard try elements.enterArray() else { return }
        }
        path += keys.map(PathPart.key)
        noteMismatch(expected: "an object", found: try describeNext(&reader))
        path.removeLast(keys.count)
    }

    func pathText(to last: PathPart? = nil) -> String {
        var text = request.keyPath.joined(separator: ".")
        for part in path + (last.map { [$0] } ?? []) {
            switch part {
            case .element(let index): text += "[\(index)]"
            case .property(let property, let table):
                let keys = schema[table][property].documentPath
                text += (text.isEmpty ? "" : ".") + keys.joined(separator: ".")
            case .key(let key): text += (text.isEmpty ? "" : ".") + key
            }
        }
        return text.isEmpty ? "the body" : text
    }

    /// Skips the value, and returns at most 40 bytes of it.
    func describeNext(_ reader: inout JSONReader) throws -> String {
        let fragment = try reader.skipValue()
        return describe(fragment, reader)
    }

    func describe(_ fragment: JSONFragment, _ reader: borrowing JSONReader) -> String {
        switch fragment.kind {
        case .object: "an object"
        case .array: "an array"
        default:
            unsafe String(decoding: reader.bytes(of: fragment).prefix(40), as: UTF8.self)
                + (fragment.count > 40 ? "…" : "")
        }
    }

    func describe(_ scalar: JSONScalar, _ reader: borrowing JSONReader) -> String {
        let text = unsafe String(decoding: reader.bytes(of: scalar).prefix(40), as: UTF8.self)
        return scalar.kind == .string ? "\"\(text)\(scalar.count > 40 ? "…" : "")\"" : text
    }
}
