import JSONBytes

// Collections are stored as JSON text. Elements that the type can't represent, such as an enum's unknown cases, stay in
// the text and are omitted when it is read.

extension AttributeKind {
    func storedElements(of text: String) -> [StoredValue]? {
        read(text) { (reader, memory) throws(JSONError) -> [StoredValue]? in
            var elements: [StoredValue] = []
            guard try reader.enterArray() else { return elements }
            repeat {
                if try passNothing(&reader) { continue }
                guard let slot = try slot(&reader, dates: .automatic, &memory) else { return nil }
                elements.append(slot.stored)
            } while try reader.continueArray()
            return elements
        }
    }

    func storedMembers(of text: String) -> [(key: String, value: StoredValue)]? {
        read(text) { (reader, memory) throws(JSONError) -> [(key: String, value: StoredValue)]? in
            var members: [(key: String, value: StoredValue)] = []
            guard try reader.enterObject() else { return members }
            repeat {
                let key = reader.string(try reader.readKey())
                if try passNothing(&reader) { continue }
                guard let slot = try slot(&reader, dates: .automatic, &memory) else { return nil }
                members.append((key, slot.stored))
            } while try reader.continueObject()
            return members
        }
    }

    private func read<Result>(
        _ text: String, _ body: (inout JSONReader, inout ImportMemory) throws(JSONError) -> Result?
    ) -> Result? {
        unsafe Array(text.utf8).withUnsafeBytes { bytes in
            var memory = ImportMemory(capacity: 64)
            // Safe: the bytes live as long as this closure, and the values are copies.
            guard var reader = unsafe try? JSONReader(unsafe: bytes) else { return nil }
            return try? body(&reader, &memory)
        }
    }

    /// JSON in the standard shape; `nil` if there is none.
    func elementText(_ value: StoredValue) -> String? {
        guard !value.isNull else { return nil }
        // The date would be written as seconds, and read as milliseconds.
        if case (.date, .real(let seconds)) = (self, value), !DateText.years0to9999.contains(seconds) { return nil }
        return try? WireText(value, self, shape: .standard, dates: .automatic).json
    }

    /// Empty if JSON can't represent an element; then a save throws.
    func text(ofElements elements: [StoredValue], isOrdered: Bool = true) -> StoredValue {
        var texts: [String] = []
        for element in elements {
            guard let text = elementText(element) else { return .text("") }
            texts.append(text)
        }
        if !isOrdered { texts.sort() }
        return .text("[" + texts.joined(separator: ",") + "]")
    }

    func text(ofMembers members: some Sequence<(key: String, value: StoredValue)>) -> StoredValue {
        var texts: [String] = []
        for member in members.sorted(by: { $0.key < $1.key }) {
            guard let text = elementText(member.value) else { return .text("") }
            texts.append(JSONText.quoted(member.key) + ":" + text)
        }
        return .text("{" + texts.joined(separator: ",") + "}")
    }
}

extension WireText {
    /// As received, or if edited, with elements in the last received shape.
    static func elements(
        _ text: String, _ element: AttributeKind, shape: WireShape, dates: DateCoder
    ) throws(UnsendableValue) -> String {
        let isRewritten = dates.isDeclared && element.hasDates
        guard shape != .standard || isRewritten else { return text }
        var texts: [String] = []
        if let elements = element.storedElements(of: text) {
            guard isRewritten || element.text(ofElements: elements) == .text(text) else { return text }
            for value in elements { texts.append(try WireText(value, element, shape: shape, dates: dates).json) }
            return "[" + texts.joined(separator: ",") + "]"
        }
        guard let members = element.storedMembers(of: text),
            isRewritten || element.text(ofMembers: members) == .text(text)
        else { return text }
        for member in members {
            let value = try WireText(member.value, element, shape: shape, dates: dates).json
            texts.append(JSONText.quoted(member.key) + ":" + value)
        }
        return "{" + texts.joined(separator: ",") + "}"
    }
}
