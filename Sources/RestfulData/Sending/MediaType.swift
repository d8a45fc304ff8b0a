import Conventions

/// [RFC 9110 §8.3.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1)
struct MediaType {
    /// The type in lower case, parameters removed; nil if it is malformed.
    let name: String?
    private let parameters: [String]

    init(_ text: String) {
        let parts = text.lowercased().split(separator: ";", omittingEmptySubsequences: false).map { part in
            String(part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
        let halves = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        let isToken = { (half: Substring) in !half.isEmpty && half.allSatisfy { $0.isASCII && !" \t,=\"".contains($0) }
        }
        name = halves.count == 2 && halves.allSatisfy(isToken) ? parts[0] : nil
        parameters = Array(parts.dropFirst())
    }

    /// Whether the subtype names JSON: `vnd.api+json`, `x-amz-json-1.1`.
    var isJSON: Bool {
        guard let subtype = name?.split(separator: "/").last else { return false }
        return subtype.split { !$0.isLetter && !$0.isNumber }.contains { $0.hasPrefix("json") || $0.hasSuffix("json") }
    }

    var isForm: Bool { name == "application/x-www-form-urlencoded" }

    var isUTF8: Bool {
        parameters.filter { $0.hasPrefix("charset=") }
            .allSatisfy { ["utf-8", "utf8"].contains($0.dropFirst("charset=".count).filter { $0 != "\"" }) }
    }
}

extension APIConventions.BodyFormat {
    func isDescribed(by type: MediaType) -> Bool { (self == .form ? type.isForm : type.isJSON) && type.isUTF8 }

    var name: String { self == .form ? "a form in UTF-8" : "JSON in UTF-8" }
}
