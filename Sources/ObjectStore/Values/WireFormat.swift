import JSONBytes

/// The declared format of an attribute's values.
package struct WireFormat: Sendable {
    var dates = DateCoder.automatic
    var transformer: BoundTransformer?
    /// A missing value besides `null`.
    var nothing: NothingForms = []

    /// Whether values are converted outside the importer's fast path.
    var isDeclared: Bool { transformer != nil || dates.isDeclared }
}

extension AttributeKind {
    /// True also within elements.
    var hasDates: Bool {
        switch self {
        case .date: true
        case .list(let element), .set(let element), .dictionary(let element): element.hasDates
        default: false
        }
    }

    /// Reads a value outside the fast path.
    func slot(
        _ reader: inout JSONReader, dates: DateCoder, _ memory: inout ImportMemory
    ) throws(JSONError) -> ImportSlot? {
        switch self {
        case .json(let accepts):
            let fragment = try reader.skipValue()
            let bytes = unsafe reader.bytes(of: fragment)
            return accepts(unsafe Array(bytes)) ? unsafe .text(bytes) : nil
        case .list(let element), .set(let element):
            let from = reader
            let fragment = try reader.skipValue()
            guard fragment.kind == .array else { return nil }
            return unsafe try element.elements(from, in: reader.bytes(of: fragment), dates: dates, &memory)
        case .dictionary(let element):
            let from = reader
            let fragment = try reader.skipValue()
            guard fragment.kind == .object else { return nil }
            return unsafe try element.members(from, in: reader.bytes(of: fragment), dates: dates, &memory)
        default:
            let kind = try reader.peekKind()
            guard kind != .object, kind != .array else {
                _ = try reader.skipValue()
                return nil
            }
            return slot(for: try reader.readScalar(), in: reader, dates: dates, &memory)
        }
    }

    private func slot(
        for scalar: JSONScalar, in reader: borrowing JSONReader, dates: DateCoder, _ memory: inout ImportMemory
    ) -> ImportSlot? {
        guard dates.isDeclared, case .date = self else {
            return ImportColumn(self).slot(for: scalar, in: reader, &memory)
        }
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

    /// With the elements' common shape; `nil` if an element is of another kind. Dates in a declared format become
    /// standard ones, which later reads expect.
    private func elements(
        _ from: borrowing JSONReader, in bytes: UnsafeRawBufferPointer, dates: DateCoder,
        _ memory: inout ImportMemory
    ) throws(JSONError) -> ImportSlot? {
        var reader = copy from
        var shape: WireShape?
        var elements: [StoredValue] = []
        let isRewritten = dates.isDeclared && hasDates
        guard try reader.enterArray() else { return unsafe .text(bytes) }
        repeat {
            if try passNothing(&reader) { continue }
            guard let slot = try slot(&reader, dates: dates, &memory) else { return nil }
            shape = slot.shape.joined(to: shape)
            if isRewritten { elements.append(slot.stored) }
        } while try reader.continueArray()
        guard isRewritten else { return unsafe .text(bytes, shape?.learned ?? .standard) }
        return memory.slot(text(ofElements: elements), shape ?? .standard)
    }

    /// Skips `""` in an array of URLs. It remains in the stored text.
    func passNothing(_ reader: inout JSONReader) throws(JSONError) -> Bool {
        guard case .url = self, try reader.peekKind() == .string else { return false }
        var ahead = reader
        guard try ahead.readScalar().count == 0 else { return false }
        reader = ahead
        return true
    }

    private func members(
        _ from: borrowing JSONReader, in bytes: UnsafeRawBufferPointer, dates: DateCoder,
        _ memory: inout ImportMemory
    ) throws(JSONError) -> ImportSlot? {
        var reader = copy from
        var shape: WireShape?
        var members: [(key: String, value: StoredValue)] = []
        let isRewritten = dates.isDeclared && hasDates
        guard try reader.enterObject() else { return unsafe .text(bytes) }
        repeat {
            let key = try reader.readKey()
            if try passNothing(&reader) { continue }
            guard let slot = try slot(&reader, dates: dates, &memory) else { return nil }
            shape = slot.shape.joined(to: shape)
            if isRewritten { members.append((reader.string(key), slot.stored)) }
        } while try reader.continueObject()
        guard isRewritten else { return unsafe .text(bytes, shape?.learned ?? .standard) }
        return memory.slot(text(ofMembers: members), shape ?? .standard)
    }
}

extension WireShape {
    /// Given that of earlier elements: standard if their forms differ. One element may need the text.
    fileprivate func joined(to former: WireShape?) -> WireShape {
        var joined = former.map { $0.form == form ? self : .standard } ?? self
        joined.hasTime = false
        joined.needsText = needsText || former?.needsText == true
        return joined
    }
}
