/// Why a text isn't a template, or why no URL can be made of one.
///
/// No case has a value that was to be sent, and no description shows the secrets of a template that has some.
public enum RouteTemplateError: Error, Hashable, Sendable {
    /// The text isn't a template.
    ///
    /// - Parameters:
    ///   - template: The text.
    ///   - offset: The number of characters before the mistake.
    ///   - reason: What is wrong, and what to write.
    case malformed(template: String, offset: Int, reason: String)

    /// The template names key paths that don't exist; all of them are listed.
    case unknownNames(template: String, names: [UnknownRouteName])

    /// A name that exists has no value, or an empty one. Nothing was sent.
    case missingValue(template: String, name: String)

    /// The value of a name would change which resource the path points to: it would make an empty, `.` or `..` segment.
    /// Nothing was sent.
    case unsafePath(template: String, name: String)
}

/// A key path in a template that doesn't exist.
public struct UnknownRouteName: Hashable, Sendable {
    /// The key path as the template has it.
    public let name: String

    /// The known key path that was most likely meant, if one is near.
    public let suggestion: String?
}

extension RouteTemplateError: CustomStringConvertible, CustomReflectable {
    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .enum) }

    /// What is wrong, where, and what to do about it.
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
