/// A name split into words, and the underscores around them, which are kept.
///
/// A word ends
/// - at an underscore or, in a JSON name, at any other character than a letter or digit,
/// - before a capital that follows a character other than a capital: `created|At`, `line1|Check`,
/// - before the last of several capitals, if a small letter follows it: `HTML|Page`.
///
/// Digits stay with the word before them (`line1`, `has2fa`), and so does the `s` of an acronym's plural
/// (`image|URLs`). In a JSON name, a sign before a number at the beginning of a word is part of that word (`+1`).
struct SplitName: Hashable, Sendable {
    let leadingUnderscores: Int

    let words: [Word]

    let trailingUnderscores: Int

    /// Splits a JSON name. Every text is accepted; a text that has neither letters nor digits has no words.
    init(json name: String) {
        self.init(Array(name), separators: \.isSeparatorInJSON, recognizesSigns: true)
    }

    /// Splits a Swift name, with or without backticks.
    ///
    /// If a digit follows the leading underscores, one of them is removed: `joinedForSwift()` adds it, because Swift
    /// names can't begin with a digit.
    init(swift name: String) {
        var characters = Array(name)
        if characters.count > 2, characters.first == "`", characters.last == "`" {
            characters = Array(characters.dropFirst().dropLast())
        }
        let underscores = characters.prefix { $0 == "_" }.count
        if underscores > 0, underscores < characters.count, characters[underscores].isDecimalDigit {
            characters.removeFirst()
        }
        self.init(characters, separators: \.isUnderscore, recognizesSigns: false)
    }

    init(leadingUnderscores: Int = 0, words: [Word], trailingUnderscores: Int = 0) {
        self.leadingUnderscores = leadingUnderscores
        self.words = words
        self.trailingUnderscores = trailingUnderscores
    }

    private init(_ characters: [Character], separators isSeparator: (Character) -> Bool, recognizesSigns: Bool) {
        let leading = characters.prefix { $0 == "_" }.count
        let trailing = characters.dropFirst(leading).reversed().prefix { $0 == "_" }.count
        let core = Array(characters[leading..<(characters.count - trailing)])
        self.init(
            leadingUnderscores: leading,
            words: Self.words(in: core, separators: isSeparator, recognizesSigns: recognizesSigns),
            trailingUnderscores: trailing)
    }

    private static func words(
        in characters: [Character], separators isSeparator: (Character) -> Bool, recognizesSigns: Bool
    ) -> [Word] {
        var words: [Word] = []
        var current = ""
        func endWord() {
            if !current.isEmpty { words.append(Word(current)) }
            current = ""
        }
        for (index, character) in characters.enumerated() {
            if recognizesSigns, isSign(at: index, in: characters) {
                endWord()
                current = String(character)
            } else if isSeparator(character) {
                endWord()
            } else {
                if !current.isEmpty, wordStarts(at: index, in: characters) { endWord() }
                current.append(character)
            }
        }
        endWord()
        return words
    }

    /// Whether a word starts at `index`, which is inside a run of letters and digits.
    private static func wordStarts(at index: Int, in characters: [Character]) -> Bool {
        guard characters[index].changesWhenLowercased else { return false }
        guard characters[index - 1].changesWhenLowercased else { return true }
        guard index + 1 < characters.count, characters[index + 1].isSmallLetter else { return false }
        let isPlural =
            characters[index + 1] == "s" && !(index + 2 < characters.count && characters[index + 2].isSmallLetter)
        return !isPlural
    }

    /// Whether the character at `index` is a sign before a digit, at the beginning of a word.
    private static func isSign(at index: Int, in characters: [Character]) -> Bool {
        guard characters[index] == "+" || characters[index] == "-" else { return false }
        guard index + 1 < characters.count, characters[index + 1].isDecimalDigit else { return false }
        return index == 0 || characters[index - 1] == "_" || characters[index - 1] == "-"
    }
}

extension Character {
    fileprivate var isUnderscore: Bool { self == "_" }

    fileprivate var isSeparatorInJSON: Bool { !isLetterOrDecimalDigit }
}

extension SplitName {
    /// The JSON name in the given case. Words from conventions keep their spelling.
    func joined(in jsonCase: JSONCase) -> String {
        switch jsonCase {
        case .snakeCase: surrounded(separated(by: "_"))
        case .kebabCase: surrounded(separated(by: "-"))
        case .camelCase: surrounded(camelCased(capitalizingFirst: false))
        case .pascalCase: surrounded(camelCased(capitalizingFirst: true))
        }
    }

    /// The name in Swift: `avatarURL`. A leading acronym is in lower case (`url`). An underscore is added before a
    /// leading digit (`_1Clicks`). Keywords are returned plainly, outside backticks.
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

    /// Joins the words by capitals.
    ///
    /// An underscore stays between two words if splitting the name again couldn't separate them: single letters in a
    /// row (`aB_c`), words that begin with an uncased letter, digits after a word from a convention (`identifier_1`).
    /// Digits after any other word are appended to it (`addressLine1`).
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

    /// Whether splitting can find a word that follows a capital: its second letter is small, and isn't an acronym's
    /// plural `s`.
    private static func startsWordAfterCapital(_ capitalized: String) -> Bool {
        let rest = capitalized.dropFirst()
        guard let second = rest.first, second.isSmallLetter else { return false }
        return second != "s" || (rest.dropFirst().first?.isSmallLetter ?? false)
    }
}

extension Word {
    /// The word as written, if it is an acronym from a convention.
    fileprivate var acronym: String? {
        isConventional && isAcronym ? text : nil
    }
}
