/// A name taken apart: its words, and the underscores around them, which are kept as they are.
///
/// A word ends
/// - at an underscore or, in a JSON name, at any other character that is neither a letter nor a digit,
/// - before a capital that follows something other than a capital: `created|At`, `line1|Check`,
/// - before the last of several capitals, when a small letter follows it: `HTML|Page`.
///
/// Digits stay with the word they follow (`line1`, `has2fa`), and the `s` of an acronym's plural stays with it
/// (`image|URLs`). In a JSON name the sign of a number at the beginning of a word is part of that word (`+1`).
struct SplitName: Hashable, Sendable {
    /// The number of underscores before the first word.
    let leadingUnderscores: Int

    let words: [Word]

    /// The number of underscores after the last word.
    let trailingUnderscores: Int

    /// Takes a JSON name apart. Any text is accepted; one without letters and digits has no words.
    init(json name: String) {
        self.init(Array(name), separators: \.isSeparatorInJSON, recognizesSigns: true)
    }

    /// Takes a Swift name apart, with or without backticks.
    ///
    /// If a digit follows the underscores at the beginning, one of them is left out, because it is there only since no
    /// Swift name can begin with a digit.
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

    /// A name of the given words.
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

    /// Whether a word starts at `index`, which is not the first character of a run of letters and digits.
    private static func wordStarts(at index: Int, in characters: [Character]) -> Bool {
        guard characters[index].changesWhenLowercased else { return false }
        guard characters[index - 1].changesWhenLowercased else { return true }
        guard index + 1 < characters.count, characters[index + 1].isSmallLetter else { return false }
        let isPlural =
            characters[index + 1] == "s" && !(index + 2 < characters.count && characters[index + 2].isSmallLetter)
        return !isPlural
    }

    /// Whether there is a sign at `index`: before a digit, at the beginning of a word.
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
    /// The name in JSON, written in the given case. A word that a convention wrote keeps the convention's spelling.
    func joined(in jsonCase: JSONCase) -> String {
        switch jsonCase {
        case .snakeCase: surrounded(separated(by: "_"))
        case .kebabCase: surrounded(separated(by: "-"))
        case .camelCase: surrounded(camelCased(capitalizingFirst: false))
        case .pascalCase: surrounded(camelCased(capitalizingFirst: true))
        }
    }

    /// The name in Swift: `avatarURL`, with a leading acronym in lower case (`url`), and with one more underscore if it
    /// would begin with a digit (`_1Clicks`). A keyword isn't put into backticks.
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
    /// An underscore stays between two words if the capital wouldn't separate them when the name is split again:
    /// consecutive single letters (`aB_c`), words that begin with an uncased letter, digits after a
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

    /// Whether a word can be distinguished from a capital before it: its second letter is small, and isn't an acronym's
    /// plural `s`.
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
