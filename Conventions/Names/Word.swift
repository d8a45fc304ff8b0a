/// One word of a name, such as `avatar` and `URL` in `avatarURL`.
///
/// Words compare case-insensitively, by `key`. `text` has the written letter case, which acronyms need.
struct Word: Hashable, Sendable {
    let text: String

    /// The word in lower case, for comparisons.
    let key: String

    /// Whether the word comes from a convention. Digits after such a word stay separate: the convention would not match
    /// `identifier1`.
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

    var startsWithDigit: Bool {
        key.first?.isDecimalDigit ?? false
    }

    /// The word with a capital first letter and the rest in lower case; nil if lowercasing can't restore that letter
    /// (`ß`, `名`, a digit).
    var capitalized: String? {
        guard let first = key.first, first.isLetter else { return nil }
        let capital = first.uppercased()
        guard capital.count == 1, capital != String(first), capital.lowercased() == String(first) else { return nil }
        return capital + key.dropFirst()
    }
}

extension Character {
    /// Whether the character is one of 0 to 9. Swift names accept other digits only under further rules.
    var isDecimalDigit: Bool {
        self >= "0" && self <= "9" && isASCII
    }

    var changesWhenLowercased: Bool {
        if isASCII { return self >= "A" && self <= "Z" }
        return lowercased() != String(self)
    }

    /// Also true for letters of uncased scripts.
    var isSmallLetter: Bool {
        isLetter && !changesWhenLowercased
    }

    var isLetterOrDecimalDigit: Bool {
        isLetter || isDecimalDigit
    }
}
