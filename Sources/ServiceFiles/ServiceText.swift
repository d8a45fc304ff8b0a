/// A text with indicators: `%0` is the first argument, and `%1[owner.login]` a property of the second one.
package struct ServiceText: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case text(String)
        case argument(ArgumentPlace)
    }

    package let parts: [Part]

    /// - Throws: ``Mistake`` for a percent sign other than `%%` and those with one digit.
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

    /// The indicator that is the whole text.
    package var onlyPlace: ArgumentPlace? {
        guard parts.count == 1, case .argument(let place) = parts[0] else { return nil }
        return place
    }

    struct Mistake: Error {
        let reason: String
    }
}

package struct ArgumentPlace: Sendable, Hashable, CustomStringConvertible {
    /// From 0 to 9.
    package let index: Int
    /// Empty for the argument itself.
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
