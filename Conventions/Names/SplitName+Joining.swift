extension SplitName {
    /// The name as JSON has it, written in the given case. A word that a convention wrote stands as it is there.
    func joined(in jsonCase: JSONCase) -> String {
        switch jsonCase {
        case .snakeCase: surrounded(separated(by: "_"))
        case .kebabCase: surrounded(separated(by: "-"))
        case .camelCase: surrounded(camelCased(capitalizingFirst: false))
        case .pascalCase: surrounded(camelCased(capitalizingFirst: true))
        }
    }

    /// The name as Swift has it: `avatarURL`, with a leading acronym in lower case (`url`), and with an underscore
    /// more where it would begin with a digit (`_1Clicks`). It is not put into backticks where it is a keyword.
    func joinedForSwift() -> String {
        let name = camelCased(capitalizingFirst: false)
        let isInvalid = name.first?.isDecimalDigit ?? false
        return surrounded(isInvalid ? "_" + name : name)
    }

    private func surrounded(_ name: String) -> String {
        String(repeating: "_", count: leadingUnderscores) + name + String(repeating: "_", count: trailingUnderscores)
    }

    private func separated(by separator: String) -> String {
        words.map { $0.isConventional ? $0.text : $0.key }.joined(separator: separator)
    }

    /// The words without separators, each beginning with a capital.
    ///
    /// An underscore stays between two words where the capital would not tell them apart when the name is split
    /// again: single letters after each other (`aB_c`), words that begin with an uncased letter, digits after a
    /// conventional word (`identifier_1`). Digits after any other word are appended to it (`addressLine1`).
    private func camelCased(capitalizingFirst: Bool) -> String {
        var name = ""
        var previous: Word?
        for word in words {
            guard let before = previous else {
                name = capitalizingFirst ? (word.acronym ?? word.capitalized ?? word.key) : word.key
                previous = word
                continue
            }
            name += Self.continuation(with: word, after: before, endingIn: name.last)
            previous = word
        }
        return name
    }

    private static func continuation(with word: Word, after previous: Word, endingIn last: Character?) -> String {
        if word.startsWithDigit {
            return previous.isConventional ? "_" + word.key : word.key
        }
        guard let capitalized = word.capitalized else { return "_" + word.key }
        guard let last, last.changesWhenLowercased else { return word.acronym ?? capitalized }
        return startsWordAfterCapital(capitalized) ? capitalized : "_" + word.key
    }

    /// Whether a word is told from a capital before it: its second letter is small, and not an acronym's plural `s`.
    private static func startsWordAfterCapital(_ capitalized: String) -> Bool {
        let rest = capitalized.dropFirst()
        guard let second = rest.first, second.isSmallLetter else { return false }
        return second != "s" || (rest.dropFirst().first?.isSmallLetter ?? false)
    }
}

extension Word {
    /// The word as it is written, if a convention writes it in capitals.
    fileprivate var acronym: String? {
        isConventional && isAcronym ? text : nil
    }
}
