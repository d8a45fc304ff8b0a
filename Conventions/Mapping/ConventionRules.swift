/// The conventions of all layers, split into words and sorted for each direction: the longest first, among equal
/// lengths the newest first.
struct ConventionRules: Sendable {
    enum Side: Sendable {
        case json
        case swift
    }

    struct Translation: Sendable {
        var words: [Word] = []
        /// The applied conventions in the order of the words, each once.
        var applied: [NamingConventions.Entry] = []
    }

    private struct Rule: Sendable {
        let entry: NamingConventions.Entry
        let json: [Word]
        let swift: [Word]

        func words(on side: Side) -> [Word] {
            switch side {
            case .json: json
            case .swift: swift
            }
        }
    }

    private let toJSON: [Rule]
    private let toSwift: [Rule]
    private let swiftWords: Set<String>
    private let acronyms: Set<String>

    init(_ conventions: NamingConventions) {
        let rules = conventions.entries.reversed().compactMap(Self.rule)
        toJSON = Self.longestFirst(rules, by: \.swift)
        toSwift = Self.longestFirst(rules, by: \.json)
        let allSwiftWords = rules.flatMap(\.swift)
        swiftWords = Set(allSwiftWords.map(\.key))
        acronyms = Set(allSwiftWords.filter(\.isAcronym).map(\.key))
    }

    /// Translates words to the other side.
    ///
    /// Rules are applied in order. Each replaces all its occurrences among words that earlier rules have left.
    func translate(_ words: [Word], to side: Side) -> Translation {
        let (rules, source): ([Rule], Side) = side == .json ? (toJSON, .swift) : (toSwift, .json)
        var isTaken = [Bool](repeating: false, count: words.count)
        var matches: [Int: Rule] = [:]
        for rule in rules {
            let pattern = rule.words(on: source)
            var start = 0
            while start + pattern.count <= words.count {
                let range = start..<(start + pattern.count)
                if !isTaken[range].contains(true), words[range].elementsEqual(pattern, by: { $0.key == $1.key }) {
                    matches[start] = rule
                    for index in range { isTaken[index] = true }
                    start += pattern.count
                } else {
                    start += 1
                }
            }
        }
        return Self.replacing(matches, in: words, from: source, to: side)
    }

    /// Splits a word in capitals, such as `URLID` of `avatarURLID`, into known acronyms; returns other words unchanged.
    func separatingAcronyms(in word: Word) -> [Word] {
        guard word.isAcronym, !swiftWords.contains(word.key) else { return [word] }
        return Self.cover(word.key[...], with: acronyms)?.map { Word($0) } ?? [word]
    }

    private static func rule(for entry: NamingConventions.Entry) -> Rule? {
        let json = SplitName(json: entry.convention.json).words
        let swift = SplitName(swift: entry.convention.swift).words
        guard !json.isEmpty, !swift.isEmpty else { return nil }
        return Rule(
            entry: entry,
            json: json.map { Word($0.text, isConventional: true) },
            swift: swift.map { Word($0.text, isConventional: true) })
    }

    /// The sort is stable, so among rules of equal length the newest stays first.
    private static func longestFirst(_ rules: [Rule], by words: (Rule) -> [Word]) -> [Rule] {
        rules.enumerated().sorted { left, right in
            (words(right.element).count, left.offset) < (words(left.element).count, right.offset)
        }.map(\.element)
    }

    private static func replacing(
        _ matches: [Int: Rule], in words: [Word], from source: Side, to side: Side
    ) -> Translation {
        var translation = Translation()
        var index = 0
        while index < words.count {
            guard let rule = matches[index] else {
                translation.words.append(words[index])
                index += 1
                continue
            }
            translation.words += rule.words(on: side)
            if !translation.applied.contains(rule.entry) { translation.applied.append(rule.entry) }
            index += rule.words(on: source).count
        }
        return translation
    }

    /// The text as a sequence of the given words, preferring longer ones; nil for any other text.
    private static func cover(_ text: Substring, with words: Set<String>) -> [String]? {
        guard text.count <= longestAcronymRun else { return nil }
        if text.isEmpty { return [] }
        for length in stride(from: text.count, to: 0, by: -1) {
            let word = String(text.prefix(length))
            if words.contains(word), let rest = cover(text.dropFirst(length), with: words) { return [word] + rest }
        }
        return nil
    }

    /// Longer runs of capitals are left unsplit: names rarely have them, and the search would take long.
    private static let longestAcronymRun = 16
}
