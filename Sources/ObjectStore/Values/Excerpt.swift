extension String {
    /// The beginning of the text in one line, for descriptions and errors: control characters are spaces, and a text
    /// that is longer than the limit ends in an ellipsis.
    ///
    /// - Complexity: linear in the limit, however long the text is.
    package func excerpt(limit: Int) -> String {
        let beginning = unicodeScalars.prefix(limit + 1)
        var line = String.UnicodeScalarView()
        for scalar in beginning.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line) + (beginning.count > limit ? "…" : "")
    }
}
