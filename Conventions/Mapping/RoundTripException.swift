/// Why a JSON name may come back as another one, after it was turned into a Swift name; see
/// ``NamingConventions/exceptions(of:)``.
///
/// A name to which none of these applies goes to Swift and back unchanged. A name to which one applies is still *read*
/// by the property that has the name which the mapping proposes, if it differs only in word breaks and letter case; to
/// *send* it so before it ever came, the property's declaration has to specify it: `@Attribute("address_line_1")`. Once
/// the server has sent it, it goes out as it came.
///
/// The classes are determined from the name's characters alone, not by running the mapping, so that each can be tested
/// against the other.
public enum RoundTripException: Hashable, Sendable, CaseIterable {
    /// A word begins with a digit, as in `address_line_1`: the digit joins the word before it (`addressLine1`, which
    /// is `address_line1` in JSON).
    case breakBeforeDigit

    /// A capital letter where the API's case has a small one, as in `mediaType` or `SPDXID` among snake_case names, or
    /// the reverse; also one of the few letters that are half a capital, such as `ǅ`.
    case capitals

    /// Two consecutive separators inside the name, as in `a__b`. Underscores around a name are kept.
    case doubledSeparator

    /// A character that neither a Swift name nor the API's case can have, as in `@timestamp`, `$ref`, `+1`, `a.b`, or
    /// in `name ` with a space at its end.
    case punctuation

    /// The name contains a convention's Swift word, as a native `identifier` beside `id` does.
    case conventionWord

    /// The name has neither letters nor digits.
    case noWords

    /// The classes to which a JSON name belongs under the given conventions.
    package static func classes(
        of jsonName: String, under conventions: NamingConventions
    ) -> Set<RoundTripException> {
        let characters = trimmingUnderscores(jsonName)
        let separator = conventions.jsonCase.separator
        var classes: Set<RoundTripException> = []
        if !characters.contains(where: \.isLetterOrDecimalDigit) { classes.insert(.noWords) }
        if hasUnexpectedCapitals(characters, in: conventions.jsonCase) { classes.insert(.capitals) }
        if hasPunctuation(characters, besides: separator) { classes.insert(.punctuation) }
        if let separator {
            for (first, second) in zip(characters, characters.dropFirst()) where first == separator {
                if second == separator { classes.insert(.doubledSeparator) }
                if second.isDecimalDigit { classes.insert(.breakBeforeDigit) }
            }
        }
        if conventions.conventions.contains(where: { isUndone(by: $0, characters) }) {
            classes.insert(.conventionWord)
        }
        return classes
    }

    private static func trimmingUnderscores(_ name: String) -> [Character] {
        let start = name.drop { $0 == "_" }
        return Array(start.reversed().drop { $0 == "_" }.reversed())
    }

    /// Whether there are characters other than letters, digits and separators between them.
    private static func hasPunctuation(_ characters: [Character], besides separator: Character?) -> Bool {
        if let separator, characters.first == separator || characters.last == separator { return true }
        return characters.contains { !$0.isLetterOrDecimalDigit && $0 != separator }
    }

    private static func hasUnexpectedCapitals(_ characters: [Character], in jsonCase: JSONCase) -> Bool {
        let first = characters.first
        return switch jsonCase {
        case .snakeCase, .kebabCase: characters.contains(where: \.changesWhenLowercased)
        case .camelCase: first?.changesWhenLowercased ?? false || hasUnusualCapitals(characters)
        case .pascalCase: first?.isSmallLetter ?? false || hasUnusualCapitals(characters)
        }
    }

    private static func hasUnusualCapitals(_ characters: [Character]) -> Bool {
        let hasHalfCapital = characters.contains { $0.changesWhenLowercased && $0.uppercased() != String($0) }
        return hasHalfCapital || hasAdjacentCapitals(characters)
    }

    private static func hasAdjacentCapitals(_ characters: [Character]) -> Bool {
        zip(characters, characters.dropFirst()).contains { $0.changesWhenLowercased && $1.changesWhenLowercased }
    }

    /// Whether the name contains a convention's Swift side and doesn't write it as the JSON side: its letters and
    /// digits occur in a row, in any case, and begin and end where words can.
    private static func isUndone(by convention: NamingConvention, _ characters: [Character]) -> Bool {
        let pattern = convention.swift.filter(\.isLetterOrDecimalDigit).lowercased()
        let positions = characters.indices.filter { characters[$0].isLetterOrDecimalDigit }
        let letters = positions.map { characters[$0].lowercased() }
        guard !pattern.isEmpty, pattern.count <= letters.count else { return false }
        return (0...(letters.count - pattern.count)).contains { start in
            let end = start + pattern.count
            guard letters[start..<end].joined() == pattern else { return false }
            let range = positions[start]...positions[end - 1]
            return wordCanBegin(at: range.lowerBound, in: characters)
                && wordCanEnd(at: range.upperBound, in: characters)
                && withSmallFirstLetter(String(characters[range])) != withSmallFirstLetter(convention.json)
        }
    }

    private static func withSmallFirstLetter(_ text: String) -> String {
        text.prefix(1).lowercased() + text.dropFirst()
    }

    private static func wordCanBegin(at index: Int, in characters: [Character]) -> Bool {
        index == 0 || !characters[index - 1].isLetterOrDecimalDigit || characters[index].changesWhenLowercased
    }

    private static func wordCanEnd(at index: Int, in characters: [Character]) -> Bool {
        guard index + 1 < characters.count else { return true }
        return !characters[index + 1].isLetterOrDecimalDigit || characters[index + 1].changesWhenLowercased
    }
}

extension JSONCase {
    /// The character between words, if there is one.
    fileprivate var separator: Character? {
        switch self {
        case .snakeCase: "_"
        case .kebabCase: "-"
        case .camelCase, .pascalCase: nil
        }
    }
}
