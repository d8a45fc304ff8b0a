extension String {
    /// In one line. Control characters become spaces, and a longer text ends in an ellipsis.
    ///
    /// - Complexity: linear in the limit.
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
