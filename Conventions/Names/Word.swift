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
    /// `identifier1` would be one word, which the convention wouldn't match.
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

    /// The word in lower case with a capital first letter, or nil if that letter has no capital from which the word
    /// could be recovered (`ß`, `名`, a digit).
    var capitalized: String? {
        guard let first = key.first, first.isLetter else { return nil }
        let capital = first.uppercased()
        guard capital.count == 1, capital != String(first), capital.lowercased() == String(first) else { return nil }
        return capital + key.dropFirst()
    }
}

extension Character {
    /// Whether the character is one of the digits 0 to 9. No other digit may be in a Swift name without further
    /// rules.
    var isDecimalDigit: Bool {
        self >= "0" && self <= "9" && isASCII
    }

    /// Whether the character is a capital: its lower case is another character.
    var changesWhenLowercased: Bool {
        if isASCII { return self >= "A" && self <= "Z" }
        return lowercased() != String(self)
    }

    /// Whether the character is a letter that isn't a capital, in a script with capitals or without.
    var isSmallLetter: Bool {
        isLetter && !changesWhenLowercased
    }

    /// Whether the character can be part of a word in a name of any language: a letter or a digit.
    var isLetterOrDecimalDigit: Bool {
        isLetter || isDecimalDigit
    }
}
