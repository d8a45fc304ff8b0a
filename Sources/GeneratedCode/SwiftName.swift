package enum SwiftName {
    /// `PharmacyService` of `pharmacy-service.plist`.
    package static func type(ofFile name: String) -> String {
        let stem = name.split(separator: ".").first.map(String.init) ?? name
        return words(of: stem).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// `zipCode` for `zip_code`, `xLocale` for `X-Locale`; nil if the name would be empty or begin with a digit.
    package static func variable(of text: String) -> String? {
        let words = words(of: text)
        guard let first = words.first else { return nil }
        let isAcronym = first.allSatisfy { $0.isUppercase || $0.isNumber }
        let head = isAcronym ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
        let name = head + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name.first?.isNumber == true ? nil : name
    }

    /// The words of a text: its runs of ASCII letters and digits.
    package static func words(of text: String) -> [String] {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.map(String.init)
    }

    /// Whether the text is a valid name when written plainly, that is, outside backticks.
    package static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.first, first.isLetter || first == "_", name != "_", !keywords.contains(name) else {
            return false
        }
        return name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// The name as it is spelt where it is declared and used.
    package static func spelt(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    package static func literal(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\\": "\\\\"
            case "\"": "\\\""
            case _ where [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory):
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    /// The keywords, which are names only in backticks.
    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
