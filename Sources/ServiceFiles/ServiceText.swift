/// A text of a service file with indicators: `%0` is the first argument of a call, and `%1[owner.login]` is a property
/// of the second one.
package struct ServiceText: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        case argument(ArgumentPlace)
    }

    package let parts: [Part]

    /// Parses a text. An indicator has one digit, and `%%` is a percent sign.
    ///
    /// - Throws: ``Mistake`` for a percent sign that begins neither.
    init(_ text: String) throws(Mistake) {
        var parser = Parser(rest: text[...])
        try parser.parse()
        parts = parser.parts
    }

    package var places: [ArgumentPlace] {
        parts.compactMap { part in
            if case .argument(let place) = part { place } else { nil }
        }
    }

    /// The indicator that is the whole text; nil for any other text.
    package var onlyPlace: ArgumentPlace? {
        guard parts.count == 1, case .argument(let place) = parts[0] else { return nil }
        return place
    }

    struct Mistake: Error {
        let reason: String
    }
}

/// An indicator: an argument, or a property of one.
package struct ArgumentPlace: Sendable, Hashable, CustomStringConvertible {
    /// The number of the argument, from 0 to 9.
    package let index: Int
    /// The path of properties from the argument; empty for the argument itself.
    package let property: [String]

    package init(index: Int, property: [String]) {
        (self.index, self.property) = (index, property)
    }

    package var description: String { property.isEmpty ? "%\(index)" : "%\(index)[\(property.joined(separator: "."))]" }
}

private struct Parser {
    var rest: Substring
    var parts: [ServiceText.Part] = []
    var text = ""

    mutating func parse() throws(ServiceText.Mistake) {
        while let character = rest.popFirst() {
            guard character == "%" else {
                text.append(character)
                continue
            }
            try parsePercent()
        }
        endText()
    }

    private mutating func parsePercent() throws(ServiceText.Mistake) {
        guard let next = rest.popFirst() else {
            throw ServiceText.Mistake(reason: "it ends with a percent sign; write %% for one")
        }
        if next == "%" { return text.append("%") }
        guard next.isASCII, let index = next.wholeNumberValue else {
            throw ServiceText.Mistake(
                reason:
                    "\"%\(next)\" is no indicator, which is a percent sign and one digit; write %% for a percent sign")
        }
        endText()
        parts.append(.argument(ArgumentPlace(index: index, property: try parseProperty(of: index))))
    }

    private mutating func parseProperty(of index: Int) throws(ServiceText.Mistake) -> [String] {
        guard rest.first == "[" else { return [] }
        guard let end = rest.firstIndex(of: "]") else {
            throw ServiceText.Mistake(reason: "the bracket behind %\(index) is not closed")
        }
        let names = rest[..<end].dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        rest = rest[end...].dropFirst()
        guard !names.isEmpty, names.allSatisfy({ !$0.isEmpty }) else {
            throw ServiceText.Mistake(reason: "the brackets behind %\(index) name no property; write %\(index)[name]")
        }
        return names.map(String.init)
    }

    private mutating func endText() {
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
    }
}
