extension RouteTemplate {
    /// The text of a template that was made of parts, from which the same parts can be parsed.
    static func text(origin: String, path: [Part], query: [Part]?) -> String {
        origin + text(of: path) + (query.map { "?" + text(of: $0) } ?? "")
    }

    /// A placeholder as it is written in a template, in braces where it has to be.
    ///
    /// - Parameters:
    ///   - keyPath: The names to follow.
    ///   - following: The text that follows in the template.
    static func spelling(of keyPath: [String], before following: String, mayEndInFormat: Bool = false) -> String {
        let name = keyPath.joined(separator: ".")
        let looksLikeFormat = keyPath.count > 1 && Placeholder.formats.contains(keyPath[keyPath.count - 1])
        let isPlain =
            keyPath.allSatisfy(\.isPlainRouteName)
            && !continues(following)
            && looksLikeFormat == mayEndInFormat
        return isPlain ? ":" + name : ":{\(name)}"
    }

    private static func text(of parts: [Part]) -> String {
        var text = ""
        for (index, part) in parts.enumerated() {
            switch part {
            case .literal(let literal):
                text += literal
            case .placeholder(let placeholder):
                let following: String =
                    if index + 1 < parts.count, case .literal(let literal) = parts[index + 1] { literal } else { "" }
                text += spelling(
                    of: placeholder.keyPath, before: following, mayEndInFormat: placeholder.mayEndInFormat)
            }
        }
        return text
    }

    /// Whether text would be taken for the rest of a name that is written before it.
    private static func continues(_ following: String) -> Bool {
        guard let first = following.first else { return false }
        if first == "." { return following.dropFirst().first?.startsRouteName ?? false }
        return first.continuesRouteName
    }
}

extension String {
    fileprivate var isPlainRouteName: Bool {
        (first?.startsRouteName ?? false) && allSatisfy(\.continuesRouteName)
    }
}

extension Character {
    /// Whether a name in a template can begin with the character, without braces.
    var startsRouteName: Bool {
        isLetter || self == "_"
    }

    /// Whether a name in a template can contain the character, without braces.
    var continuesRouteName: Bool {
        startsRouteName || isDecimalDigit
    }
}
