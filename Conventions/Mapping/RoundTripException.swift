/// A reason why converting a JSON name to Swift and back may give another name; see
/// ``NamingConventions/exceptions(of:)``.
///
/// A name with an exception is still *read* by the property with the proposed Swift name, if the two differ only in
/// word breaks and letter case. Once the server has sent the name, requests use it unchanged. To *send* it before,
/// specify it in the property's declaration: `@Attribute("address_line_1")`.
///
/// The exceptions are determined from the name's characters alone, independently of the mapping, so that tests can
/// compare the two.
public enum RoundTripException: Hashable, Sendable, CaseIterable {
    /// A word begins with a digit, as in `address_line_1`. The digit joins the word before it (`addressLine1`, which is
    /// `address_line1` in JSON).
    case breakBeforeDigit

    /// The letter case differs from the API's case: `mediaType` or `SPDXID` among snake_case names, for example. Also
    /// one of the few titlecase letters, such as `ǅ`.
    case capitals

    /// Two consecutive separators inside the name, as in `a__b`. Underscores around a name are kept.
    case doubledSeparator

    /// A character that is invalid in Swift names and in the API's case, as in `@timestamp`, `$ref`, `+1`, `a.b`, or a
    /// space at the end of `name `.
    case punctuation

    /// The name contains a convention's Swift word, for example `identifier` at an API that also has `id`.
    case conventionWord

    /// The name has neither letters nor digits.
    case noWords

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

    /// Whether there are characters other than letters, digits, and separators between them.
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

    /// Whether the name contains a convention's Swift side in another form than its JSON side.
    ///
    /// The Swift side's letters and digits must be adjacent, in any case, and begin and end at word boundaries.
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
    fileprivate var separator: Character? {
        switch self {
        case .snakeCase: "_"
        case .kebabCase: "-"
        case .camelCase, .pascalCase: nil
        }
    }
}
