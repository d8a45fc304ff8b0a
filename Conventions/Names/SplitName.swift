/// A name taken apart: its words, and the underscores around them, which are kept as they are.
///
/// A word ends
/// - at an underscore or, in a JSON name, at any other character that is neither letter nor digit,
/// - before a capital that follows something else than a capital: `created|At`, `line1|Check`,
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

    /// Takes a JSON name apart. Any text will do; one without letters and digits has no words.
    init(json name: String) {
        self.init(Array(name), separators: \.isSeparatorInJSON, recognizesSigns: true)
    }

    /// Takes a Swift name apart, with or without backticks.
    ///
    /// Where a digit follows the underscores at the beginning, one of them is left out, for it is there only because
    /// no Swift name can begin with a digit.
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

    /// Whether a sign stands at `index`: before a digit, and where a word begins.
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
