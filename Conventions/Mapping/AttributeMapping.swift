/// The engine that turns every declared name into its JSON name and back.
///
/// Both sides are split into words, conventions are tried on whole words, and the result is joined again in the case of
/// the other side:
///
/// ```
/// avatarURL       → avatar|URL       → avatar|url     → avatar_url
/// userIdentifier  → user|identifier  → user|id        → user_id
/// address_line_1  → address|line|1   → address|line|1 → addressLine1
/// ```
///
/// Every text has a name on the other side; nothing fails. From a Swift name that was made of a JSON name, the mapping
/// goes to JSON and back to the very same name, as long as no convention's words consist of the words of others.
/// From JSON to Swift and back it loses only what ``RoundTripException`` lists; a declaration with an explicit name
/// sends such a name nevertheless.
package struct AttributeMapping: Sendable {
    /// The conventions of all layers, the oldest and most general first.
    private let conventions: NamingConventions
    private let rules: ConventionRules

    /// A mapping by the conventions of an API.
    package init(_ conventions: NamingConventions = .default) {
        self.conventions = conventions
        self.rules = ConventionRules(conventions)
    }

    /// The same mapping with a model's own conventions, which take precedence over the present ones.
    ///
    /// For a model with superclasses begin with the topmost, so that a class's own take precedence over inherited ones.
    ///
    /// - Parameters:
    ///   - own: The model's own conventions, the oldest first.
    ///   - model: The model's name, for explanations.
    package func registering(_ own: [NamingConvention], ofModelNamed model: String) -> AttributeMapping {
        guard !own.isEmpty else { return self }
        return AttributeMapping(conventions.registering(own, origin: "convention of \(model)"))
    }

    /// How the API writes the words of a name.
    package var jsonCase: JSONCase {
        conventions.jsonCase
    }

    /// The JSON name of a property, such as `avatar_url` for `avatarURL`.
    ///
    /// - Parameter swiftName: The property's name, with or without backticks.
    package func jsonName(forSwiftName swiftName: String) -> DerivedName {
        let split = SplitName(swift: swiftName)
        let translation = jsonWords(of: split.words)
        let name = split.with(translation.words).joined(in: jsonCase)
        return DerivedName(name, because: explanation(of: translation, made: name, joining: jsonCase.explanation))
    }

    /// The Swift name for a JSON name, such as `avatarURL` for `avatar_url`.
    ///
    /// The name can be declared in Swift, in backticks if it is a keyword. A JSON name without letters and
    /// digits keeps only its underscores, around the word `unnamed`.
    package func swiftName(forJSONName jsonName: String) -> DerivedName {
        let split = SplitName(json: jsonName)
        let translation = rules.translate(split.words, to: .swift)
        let words = translation.words.isEmpty ? [Word("unnamed")] : translation.words.flatMap(\.withSignSpelledOut)
        let name = split.with(words).joinedForSwift()
        let joining = JSONCase.camelCase.explanation
        return DerivedName(name, because: explanation(of: translation, made: name, joining: joining))
    }

    /// The words that a Swift name has in JSON.
    private func jsonWords(of swiftWords: [Word]) -> ConventionRules.Translation {
        rules.translate(swiftWords.flatMap(rules.separatingAcronyms), to: .json)
    }

    private func explanation(
        of translation: ConventionRules.Translation, made name: String, joining: String
    ) -> String {
        var phrases = translation.applied.map { "\($0.convention) (\($0.origin))" }
        if translation.words.count > 1 {
            phrases.append(joining)
        } else if let word = translation.words.first, !word.isConventional {
            phrases.append(word.text == name ? "the name as it is" : "the name as one word")
        } else if translation.words.isEmpty {
            phrases.append("a name without a word")
        }
        return phrases.joined(separator: ", ")
    }
}

extension SplitName {
    /// The same underscores around other words.
    fileprivate func with(_ words: [Word]) -> SplitName {
        SplitName(
            leadingUnderscores: leadingUnderscores, words: words, trailingUnderscores: trailingUnderscores)
    }
}

extension Word {
    /// `plus`, `1` for `+1` and `minus`, `1` for `-1`, which no Swift name can contain; any other word itself.
    fileprivate var withSignSpelledOut: [Word] {
        guard !isConventional else { return [self] }
        return switch key.first {
        case "+": [Word("plus"), Word(String(key.dropFirst()))]
        case "-": [Word("minus"), Word(String(key.dropFirst()))]
        default: [self]
        }
    }
}

/// A name that was made from another one, and the rule that made it.
package struct DerivedName: Hashable, Sendable {
    /// The name.
    package let name: String

    /// Why the name is what it is, as a phrase for a listing:
    /// `"id" ↔ "identifier" (default convention), words joined with "_"`.
    package let explanation: String

    package init(_ name: String, because explanation: String) {
        self.name = name
        self.explanation = explanation
    }
}
