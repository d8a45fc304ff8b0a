/// One word of a name, such as `avatar` and `URL` in `avatarURL`.
///
/// Words are compared without regard to letter case; `text` keeps the case for those words whose case is part of
/// their spelling.
struct Word: Hashable, Sendable {
    /// The word as it was written.
    let text: String

    /// The word in lower case, by which words are compared.
    let key: String

    /// Whether a naming convention wrote the word. Such a word stays apart from digits that follow it, because
    /// `identifier1` would be one word, which the convention no longer matches.
    let isConventional: Bool

    init(_ text: String, isConventional: Bool = false) {
        self.text = text
        self.key = text.lowercased()
        self.isConventional = isConventional
    }

    /// Whether the word is written in capitals: `URL`, or its plural `URLs`.
    var isAcronym: Bool {
        let letters = text.filter(\.isLetter)
        let capitals = letters.filter(\.changesWhenLowercased).count
        return capitals > 1 && (capitals == letters.count || (capitals == letters.count - 1 && text.last == "s"))
    }

    /// Whether the word begins with one of the digits 0 to 9.
    var startsWithDigit: Bool {
        key.first?.isDecimalDigit ?? false
    }

    /// The word in lower case with a capital first letter, or nil when that letter has no capital from which the
    /// word could be had back (`ß`, `名`, a digit).
    var capitalized: String? {
        guard let first = key.first, first.isLetter else { return nil }
        let capital = first.uppercased()
        guard capital.count == 1, capital != String(first), capital.lowercased() == String(first) else { return nil }
        return capital + key.dropFirst()
    }
}
