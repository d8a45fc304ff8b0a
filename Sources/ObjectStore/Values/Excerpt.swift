extension String {
    /// The beginning of the text in one line, for descriptions and errors. Control characters become spaces, and a
    /// longer text ends in an ellipsis.
    ///
    /// - Complexity: linear in the limit, for texts of any length.
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
