/// The conventions of all layers, split into words and ordered for each direction: the longest first, the newest
/// first among equals.
struct ConventionRules: Sendable {
    /// The side on which a translation ends.
    enum Side: Sendable {
        case json
        case swift
    }

    /// The words of one side in the words of the other.
    struct Translation: Sendable {
        var words: [Word] = []
        /// The conventions that were applied, in the order of the words, each once.
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

    /// The same words on the other side: each convention in turn is applied to every occurrence among
    /// the words that no convention before it has taken.
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

    /// A word in capitals, such as the `URLID` of `avatarURLID`, as the acronyms that it is made of; any other word
    /// itself.
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

    /// Sorts stably, so that among rules of one length the newest stays first.
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

    /// The text as a sequence of the given words, the longest possible first, or nil if it isn't one.
    private static func cover(_ text: Substring, with words: Set<String>) -> [String]? {
        guard text.count <= longestAcronymRun else { return nil }
        if text.isEmpty { return [] }
        for length in stride(from: text.count, to: 0, by: -1) {
            let word = String(text.prefix(length))
            if words.contains(word), let rest = cover(text.dropFirst(length), with: words) { return [word] + rest }
        }
        return nil
    }

    /// Longer runs of capitals are left as they are: nobody writes them, and the search would take long.
    private static let longestAcronymRun = 16
}
