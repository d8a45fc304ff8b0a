extension RouteTemplate {
    /// Makes a URL with the values that a closure returns.
    ///
    /// Values are requested in the template's order. For `:id.json` in an unchecked template, `id.json` is requested
    /// first, then `id` if `id.json` is unknown.
    ///
    /// - Parameter value: Returns the value of a placeholder; ``RouteValue/missing`` if it has none, nil for an unknown
    ///   name. Its errors are rethrown.
    /// - Returns: The path and query, after the scheme and host if the template has them.
    /// - Throws: ``RouteTemplateError/missingValue(template:name:)``,
    ///   ``RouteTemplateError/unknownNames(template:names:)`` with one name, or
    ///   ``RouteTemplateError/unsafePath(template:name:)``. In a checked template, nil counts as a missing value.
    public func expand(_ value: (Placeholder) throws -> RouteValue?) throws -> String {
        try url(path: answers(for: path, value), query: query.map { try answers(for: $0, value) })
    }

    /// Makes a URL with the values of a dictionary, whose keys are key paths such as `repository.full_name`.
    ///
    /// - Throws: ``RouteTemplateError``. Names that are missing in the dictionary are listed together, each with the
    ///   most similar key.
    public func expand(_ values: [String: RouteValue]) throws(RouteTemplateError) -> String {
        let checked = try checked(against: values.keys.sorted())
        let value = { (placeholder: Placeholder) in values[placeholder.name] }
        return try checked.url(
            path: checked.answers(for: checked.path, value),
            query: checked.query.map { checked.answers(for: $0, value) })
    }

    private enum Answer {
        case literal(String)
        /// A placeholder's value, nil for an unknown name, and the text after it if its name ended in a file format.
        case value(RouteValue?, Placeholder, suffix: String)
    }

    private func answers(
        for parts: [Part], _ value: (Placeholder) throws -> RouteValue?
    ) rethrows -> [Answer] {
        // A loop, because Swift 6.3 miscompiles `map` with a throwing closure in a rethrowing function whose result is
        // as large as an `Answer`: the program crashes when the closure throws.
        var answers: [Answer] = []
        for part in parts {
            switch part {
            case .literal(let literal):
                answers.append(.literal(literal))
            case .placeholder(let placeholder):
                answers.append(try answer(for: placeholder, value))
            }
        }
        return answers
    }

    private func answer(for placeholder: Placeholder, _ value: (Placeholder) throws -> RouteValue?) rethrows -> Answer {
        if let found = try value(placeholder) { return .value(found, placeholder, suffix: "") }
        if let (shorter, suffix) = placeholder.withoutFormat, let found = try value(shorter) {
            return .value(found, shorter, suffix: suffix)
        }
        return .value(nil, placeholder, suffix: "")
    }

    private func url(path: [Answer], query: [Answer]?) throws(RouteTemplateError) -> String {
        var url = origin + (try pathText(of: path))
        guard let query else { return url }
        url += "?"
        for answer in query { url += try text(of: answer, as: .queryValue) }
        return url
    }

    /// The path. Each segment that contains a value has been checked to be safe.
    private func pathText(of answers: [Answer]) throws(RouteTemplateError) -> String {
        var path = ""
        var segment = ""
        var valueInSegment: Placeholder?
        for answer in answers {
            let placeholder: Placeholder? = if case .value(_, let it, _) = answer { it } else { nil }
            let pieces = try text(of: answer, as: .path).split(separator: "/", omittingEmptySubsequences: false)
            for (index, piece) in pieces.enumerated() {
                if index > 0 {
                    try refuseUnsafe(segment, of: valueInSegment)
                    path += segment + "/"
                    segment = ""
                    valueInSegment = nil
                }
                segment += placeholder != nil && segment.isEmpty ? PathSegment.nameless(piece) : String(piece)
                valueInSegment = placeholder ?? valueInSegment
            }
        }
        try refuseUnsafe(segment, of: valueInSegment)
        return path + segment
    }

    private func refuseUnsafe(_ segment: String, of placeholder: Placeholder?) throws(RouteTemplateError) {
        guard let placeholder, PathSegment.isUnsafe(segment) else { return }
        throw .unsafePath(template: text, name: placeholder.name)
    }

    private func text(
        of answer: Answer, as component: PercentEncoding.Component
    ) throws(RouteTemplateError) -> String {
        switch answer {
        case .literal(let literal):
            return literal
        case .value(nil, let placeholder, _) where !isChecked:
            let unknown = UnknownRouteName(name: placeholder.name, suggestion: nil)
            throw .unknownNames(template: text, names: [unknown])
        case .value(let value, let placeholder, let suffix):
            guard let found = value?.text, !found.isEmpty else {
                throw .missingValue(template: text, name: placeholder.name)
            }
            guard component == .path, escapesSlashes || placeholder.isSegment else {
                return PercentEncoding.encode(found, as: component) + suffix
            }
            // Some servers decode a path before they split it, and would see these pieces as segments.
            let encoded = PercentEncoding.encode(found, as: .path)
            let pieces = encoded.split(separator: "/", omittingEmptySubsequences: false).map {
                PathSegment.nameless($0)
            }
            guard pieces.count > 1 else { return encoded + suffix }
            if pieces.contains(where: { PathSegment.isUnsafe($0) }) {
                throw .unsafePath(template: text, name: placeholder.name)
            }
            return pieces.joined(separator: "%2F") + suffix
        }
    }
}
