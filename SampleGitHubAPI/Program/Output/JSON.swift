import Foundation

/// Two spaces a level, sorted keys, and escapes for all characters that a terminal would interpret.
enum JSON: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    case null
    case number(Int)
    case bool(Bool)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(_ number: Int?) { self = number.map(JSON.number) ?? .null }
    init(_ bool: Bool) { self = .bool(bool) }
    init(_ text: String?) { self = text.map(JSON.string) ?? .null }
    init(_ date: Date?) { self.init(date?.text) }
    init(_ texts: [String]) { self = .array(texts.map(JSON.string)) }
    init(stringLiteral text: String) { self = .string(text) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral members: (String, JSON)...) { self = .object(Dictionary(members) { $1 }) }

    var text: String { text(indentedBy: "") }

    private func text(indentedBy indent: String) -> String {
        switch self {
        case .null: "null"
        case .number(let number): String(number)
        case .bool(let bool): String(bool)
        case .string(let text): Self.quoted(text)
        case .array(let elements):
            Self.list(elements.map { $0.text(indentedBy: indent + "  ") }, within: ("[", "]"), indent: indent)
        case .object(let members):
            Self.list(
                members.sorted { $0.key < $1.key }.map {
                    Self.quoted($0.key) + ": " + $0.value.text(indentedBy: indent + "  ")
                }, within: ("{", "}"), indent: indent)
        }
    }

    private static func list(_ items: [String], within brackets: (open: String, close: String), indent: String)
        -> String
    {
        guard !items.isEmpty else { return brackets.open + brackets.close }
        let lines = items.map { "\(indent)  \($0)" }.joined(separator: ",\n")
        return "\(brackets.open)\n\(lines)\n\(indent)\(brackets.close)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            // Such scalars lie below U+10000.
            case _ where scalar.isTerminalControl:
                quoted += "\\u" + String(scalar.value + 0x10000, radix: 16).dropFirst()
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
