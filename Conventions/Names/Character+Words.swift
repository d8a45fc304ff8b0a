extension Character {
    /// Whether the character is one of the digits 0 to 9. No other digit may stand in a Swift name without further
    /// rules.
    var isDecimalDigit: Bool {
        self >= "0" && self <= "9" && isASCII
    }

    /// Whether the character is a capital: it is another character in lower case.
    var changesWhenLowercased: Bool {
        if isASCII { return self >= "A" && self <= "Z" }
        return lowercased() != String(self)
    }

    /// Whether the character is a letter that is no capital, in a script with capitals or without.
    var isSmallLetter: Bool {
        isLetter && !changesWhenLowercased
    }

    /// Whether the character can be part of a word in a name of any language: a letter or a digit.
    var isLetterOrDecimalDigit: Bool {
        isLetter || isDecimalDigit
    }
}
