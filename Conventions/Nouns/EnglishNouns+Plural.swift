extension EnglishNouns {
    /// The plural of a noun: `categories` for `category`, `people` for `person`; the other way of ``singular(of:)``.
    ///
    /// A noun that is no singular, or has no plural of its own, comes back as it is.
    ///
    /// - Parameter noun: One word. Its letter case is kept as far as the plural has the same letters, and a capital first
    ///   letter always.
    package static func plural(of noun: String) -> String {
        let key = noun.lowercased()
        guard !key.isEmpty, singular(of: key) == key, !invariable.contains(key) else { return noun }
        let plural = Self.plural(ofLowercased: key)
        if plural.hasPrefix(key) { return noun + plural.dropFirst(key.count) }
        let isCapitalized = noun.first?.changesWhenLowercased ?? false
        return isCapitalized ? (Word(plural).capitalized ?? plural) : plural
    }

    private static func plural(ofLowercased noun: String) -> String {
        if singularsInS.contains(noun) { return noun + "es" }
        if let plural = irregularPlurals[noun] { return plural }
        // The first ending of which the rules make the very same singular again.
        let candidates = candidateEndings(of: noun).map { String(noun.dropLast($0.dropping)) + $0.adding }
        return candidates.first { singular(of: $0) == noun } ?? noun + "s"
    }

    private static func candidateEndings(of noun: String) -> [(dropping: Int, adding: String)] {
        let beforeLast = noun.dropLast().last ?? "a"
        if noun.last == "y", !"aeiou".contains(beforeLast) { return [(1, "ies"), (0, "s")] }
        let sibilants = ["s", "x", "z", "ch", "sh"]
        if sibilants.contains(where: noun.hasSuffix) || nounsInOes.contains(noun) { return [(0, "es"), (0, "s")] }
        return [(0, "s"), (0, "es")]
    }

    private static let nounsInOes: Set<String> = ["hero", "echo", "potato", "tomato", "veto", "embargo", "torpedo"]

    /// Of several plurals the first by letters.
    private static let irregularPlurals = Dictionary(
        irregular.map { ($0.value, $0.key) }, uniquingKeysWith: { min($0, $1) })
}
