import JSONBytes

// Arrays, sets and dictionaries are kept as JSON text, and their elements converted as attributes of the element's type
// are. Elements of which the type has no value, as an enum's unknown cases, are kept in the text and left out of what
// is read.

extension AttributeKind {
    /// The elements of an array that is kept as JSON text, as they would be stored one by one.
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

    /// The same of a dictionary.
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
            // The bytes live as long as this closure, and the values are copies.
            guard var reader = unsafe try? JSONReader(unsafe: bytes) else { return nil }
            return try? body(&reader, &memory)
        }
    }

    /// The JSON of one element in the standard shape; `nil` where JSON has none.
    func elementText(_ value: StoredValue) -> String? {
        guard !value.isNull else { return nil }
        // A number of so many seconds would read as milliseconds.
        if case (.date, .real(let seconds)) = (self, value), !DateText.years0to9999.contains(seconds) { return nil }
        return try? WireText(value, self, shape: .standard, dates: .automatic).json
    }

    /// What a column keeps of elements; text that is no JSON, which can't be saved, where one of them has none.
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
    /// The text of an array or dictionary as it came; one that was edited with its elements in the shape in which they
    /// last came.
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
