import JSONBytes

/// How an attribute's values are written in JSON, where its kind alone does not say.
package struct WireFormat: Sendable {
    var dates = DateCoder.automatic
    var transformer: BoundTransformer?

    /// Whether values are converted off the importer's fast path.
    var isDeclared: Bool { transformer != nil || dates.isDeclared }
}

extension Property {
    /// A value in JSON, in the shape in which one last came where no format is declared.
    package func wireText(of value: StoredValue, _ shape: WireShape) throws(UnsendableValue) -> WireText {
        guard case .attribute(let kind, _, _) = self.kind else { return .null }
        guard let transformer = format.transformer, !value.isNull else {
            return try WireText(value, kind, shape, format.dates)
        }
        guard let text = transformer.write(value)?.text else {
            throw UnsendableValue(value: "a value for which its transformer has no JSON")
        }
        return .raw(text)
    }

    /// Reads the next JSON value, which is not null: the form in which it is stored, or `nil` for a mismatch.
    func slot(_ reader: inout JSONReader, _ memory: inout ImportMemory) throws(JSONError) -> ImportSlot? {
        guard case .attribute(let kind, _, _) = self.kind else { return nil }
        guard let transformer = format.transformer else { return try kind.slot(&reader, format.dates, &memory) }
        return transformer.read(try JSONValue(&reader)).map { memory.slot($0) }
    }

    /// What an import expects to find, for its report.
    var expectation: String {
        guard case .attribute(let kind, _, _) = self.kind else { return "a relationship" }
        if format.transformer != nil { return "what the attribute's transformer takes" }
        if format.dates.isDeclared, case .date = kind { return "a date (\(format.dates.format))" }
        return kind.expectation
    }
}

extension AttributeKind {
    /// Whether values of it hold dates.
    var hasDates: Bool {
        switch self {
        case .date: true
        case .list(let element), .dictionary(let element): element.hasDates
        default: false
        }
    }

    /// Reads the next JSON value of any kind, off the fast path.
    func slot(
        _ reader: inout JSONReader, _ dates: DateCoder, _ memory: inout ImportMemory
    ) throws(JSONError) -> ImportSlot? {
        switch self {
        case .json(let accepts):
            let fragment = try reader.skipValue()
            let bytes = unsafe reader.bytes(of: fragment)
            return fragment.kind != .null && accepts(unsafe Array(bytes)) ? unsafe .text(bytes) : nil
        case .list(let element):
            let from = reader
            let fragment = try reader.skipValue()
            guard fragment.kind == .array else { return nil }
            return unsafe try element.elements(from, reader.bytes(of: fragment), dates, &memory)
        case .dictionary(let element):
            let from = reader
            let fragment = try reader.skipValue()
            guard fragment.kind == .object else { return nil }
            return unsafe try element.members(from, reader.bytes(of: fragment), dates, &memory)
        default:
            let kind = try reader.peekKind()
            guard kind != .object, kind != .array else {
                _ = try reader.skipValue()
                return nil
            }
            return slot(try reader.readScalar(), reader, dates, &memory)
        }
    }

    private func slot(
        _ scalar: JSONScalar, _ reader: borrowing JSONReader, _ dates: DateCoder, _ memory: inout ImportMemory
    ) -> ImportSlot? {
        guard dates.isDeclared, case .date = self else { return ImportColumn(self).slot(scalar, reader, &memory) }
        let reading: DateText.Reading?
        switch scalar.kind {
        case .string: reading = unsafe dates.read(text: reader.unescaped(scalar, into: &memory.scratch))
        case .number:
            guard let number = reader.number(scalar).double else { return nil }
            reading = unsafe dates.read(number: reader.bytes(of: scalar), number)
        default: return nil
        }
        return reading.map { .real($0.seconds, $0.shape) }
    }

    /// An array as it came, with the shape of its last element; dates of a declared format in the standard one, as what
    /// reads them later knows no other. `nil` where an element is none of this kind.
    private func elements(
        _ from: borrowing JSONReader, _ bytes: UnsafeRawBufferPointer, _ dates: DateCoder,
        _ memory: inout ImportMemory
    ) throws(JSONError) -> ImportSlot? {
        var reader = copy from
        var shape = WireShape.standard
        var elements: [StoredValue] = []
        let isRewritten = dates.isDeclared && hasDates
        guard try reader.enterArray() else { return unsafe .text(bytes) }
        repeat {
            guard let slot = try slot(&reader, dates, &memory) else { return nil }
            shape = slot.shape
            if isRewritten { elements.append(slot.stored) }
        } while try reader.continueArray()
        guard isRewritten else { return unsafe .text(bytes, shape) }
        return memory.slot(text(ofElements: elements), shape)
    }

    private func members(
        _ from: borrowing JSONReader, _ bytes: UnsafeRawBufferPointer, _ dates: DateCoder,
        _ memory: inout ImportMemory
    ) throws(JSONError) -> ImportSlot? {
        var reader = copy from
        var shape = WireShape.standard
        var members: [(key: String, value: StoredValue)] = []
        let isRewritten = dates.isDeclared && hasDates
        guard try reader.enterObject() else { return unsafe .text(bytes) }
        repeat {
            let key = try reader.readKey()
            guard let slot = try slot(&reader, dates, &memory) else { return nil }
            shape = slot.shape
            if isRewritten { members.append((reader.string(key), slot.stored)) }
        } while try reader.continueObject()
        guard isRewritten else { return unsafe .text(bytes, shape) }
        return memory.slot(text(ofMembers: members), shape)
    }
}
