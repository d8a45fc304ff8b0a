/// An error in a template's text, or in making a URL from it.
///
/// It contains no values that were to be sent, and its description replaces secrets of the template.
public enum RouteTemplateError: Error, Hashable, Sendable {
    /// The text is an invalid template.
    ///
    /// - Parameters:
    ///   - template: The text.
    ///   - offset: The number of characters before the error.
    ///   - reason: The error, and advice.
    case malformed(template: String, offset: Int, reason: String)

    /// The template contains unknown key paths; all of them are listed.
    case unknownNames(template: String, names: [UnknownRouteName])

    /// A known name's value is missing or empty. Nothing was sent.
    case missingValue(template: String, name: String)

    /// The value of a name would change the resource that the path points to, by an empty, `.` or `..` segment. Nothing
    /// was sent.
    case unsafePath(template: String, name: String)
}

/// An unknown key path in a template.
public struct UnknownRouteName: Hashable, Sendable {
    /// The key path as the template has it.
    public let name: String

    /// The most similar known key path; nil if none is near.
    public let suggestion: String?
}

extension RouteTemplateError: CustomStringConvertible, CustomReflectable {
    /// A mirror that shows the description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .enum) }

    /// The error, its position, and advice.
    public var description: String {
        switch self {
        case .malformed(let template, let offset, let reason):
            "The route \"\(shown(template))\" is malformed at character \(offset + 1): \(reason)."
        case .unknownNames(let template, let names):
            "The route \"\(shown(template))\" has "
                + names.map(\.description).joined(separator: " and ")
                + "; a placeholder names an attribute as the JSON does."
        case .missingValue(let template, let name):
            """
            The route "\(shown(template))" needs a value for ":\(name)", which has none or an empty one; set it before \
            the request.
            """
        case .unsafePath(let template, let name):
            """
            The value of ":\(name)" would make an empty, "." or ".." segment in the path of the route \
            "\(shown(template))", which could lead to another resource; nothing was sent.
            """
        }
    }

    private func shown(_ template: String) -> String {
        RedactedURL.text(of: template)
    }
}

extension UnknownRouteName: CustomStringConvertible {
    /// `the unknown name ":nme" (did you mean ":name"?)`.
    public var description: String {
        guard let suggestion else { return "the unknown name \":\(name)\"" }
        let spelling = RouteTemplate.spelling(of: suggestion.split(separator: ".").map(String.init), before: "")
        return "the unknown name \":\(name)\" (did you mean \"\(spelling)\"?)"
    }
}
