import Conventions

/// A media type, as `Content-Type` has it ([RFC 9110 §8.3.1](https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1)).
struct MediaType {
    /// Lower case, without parameters: `application/json`; nil for what is no media type.
    private let name: String?
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

    /// Whether it is a type of JSON: `application/json`, `text/json`, `application/vnd.api+json`,
    /// `application/x-amz-json-1.1`.
    var isJSON: Bool {
        guard let subtype = name?.split(separator: "/").last else { return false }
        return subtype.split { !$0.isLetter && !$0.isNumber }.contains { $0.hasPrefix("json") || $0.hasSuffix("json") }
    }

    /// Whether it is the type of a form that is one line of names and values.
    var isForm: Bool { name == "application/x-www-form-urlencoded" }

    /// Whether it says nothing of the charset, or says UTF-8.
    var isUTF8: Bool {
        parameters.filter { $0.hasPrefix("charset=") }
            .allSatisfy { ["utf-8", "utf8"].contains($0.dropFirst("charset=".count).filter { $0 != "\"" }) }
    }
}

extension APIConventions.BodyFormat {
    /// Whether a content type is one of such bodies.
    func isDescribed(by type: MediaType) -> Bool { (self == .form ? type.isForm : type.isJSON) && type.isUTF8 }

    /// The same in words.
    var name: String { self == .form ? "a form in UTF-8" : "JSON in UTF-8" }
}
