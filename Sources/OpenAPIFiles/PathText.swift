// Paths such as `/users/{id}/posts`.

extension String {
    package var withoutSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }

    package var pathSegments: [String] { split(separator: "/").map(String.init) }

    /// `id` for `{id}`; nil for a segment with other text.
    package var soleParameter: String? {
        guard hasPrefix("{"), hasSuffix("}"), count > 2, !dropFirst().dropLast().contains("{") else { return nil }
        return String(dropFirst().dropLast())
    }

    package var pathParameters: [String] { matches(of: /\{([^{}]+)\}/).map { String($0.output.1) } }

    /// Such as `/users/:id/posts`.
    package var routeTemplate: String {
        let text = replacing(":", with: "%3A")
        return text.replacing(/\{([^{}]+)\}/) { match in
            let name = String(match.output.1)
            let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
            let isAlone = text[match.range.upperBound...].first.map { $0 == "/" } ?? true
            return isPlain && isAlone && name.first?.isNumber == false ? ":\(name)" : ":{\(name)}"
        }
    }
}
