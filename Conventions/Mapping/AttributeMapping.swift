/// Converts the name of a declared property to its JSON name, and a JSON name to Swift.
///
/// It splits a name into words, applies conventions to whole words, and joins the result in the case of the other side:
///
/// ```
/// avatarURL       → avatar|URL       → avatar|url     → avatar_url
/// userIdentifier  → user|identifier  → user|id        → user_id
/// address_line_1  → address|line|1   → address|line|1 → addressLine1
/// ```
///
/// Every text has a name on the other side, so a conversion always succeeds. A Swift name that was made from a JSON
/// name returns unchanged from a conversion to JSON and back, as long as no convention's words consist of the words of
/// others. A JSON name returns unchanged from Swift, except for the cases of ``RoundTripException``. To send such a
/// name anyway, declare it explicitly.
package struct AttributeMapping: Sendable {
    /// Of all layers (default, API, models), the oldest first.
    private let conventions: NamingConventions
    private let rules: ConventionRules

    package init(_ conventions: NamingConventions = .default) {
        self.conventions = conventions
        self.rules = ConventionRules(conventions)
    }

    /// Returns this mapping with a model's own conventions added, which take precedence over the present ones.
    ///
    /// For a model with superclasses, begin with the topmost one, so that each class's conventions take precedence over
    /// inherited ones.
    ///
    /// - Parameters:
    ///   - own: The model's own conventions, the oldest first.
    ///   - model: The model's name, for explanations.
    package func registering(_ own: [NamingConvention], ofModelNamed model: String) -> AttributeMapping {
        guard !own.isEmpty else { return self }
        return AttributeMapping(conventions.registering(own, origin: "convention of \(model)"))
    }

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
    /// The name is a valid declaration in Swift, in backticks if it is a keyword. A JSON name that has neither letters
    /// nor digits becomes `unnamed` between its underscores.
    package func swiftName(forJSONName jsonName: String) -> DerivedName {
        let split = SplitName(json: jsonName)
        let translation = rules.translate(split.words, to: .swift)
        let words = translation.words.isEmpty ? [Word("unnamed")] : translation.words.flatMap(\.withSignSpelledOut)
        let name = split.with(words).joinedForSwift()
        let joining = JSONCase.camelCase.explanation
        return DerivedName(name, because: explanation(of: translation, made: name, joining: joining))
    }

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
    fileprivate func with(_ words: [Word]) -> SplitName {
        SplitName(
            leadingUnderscores: leadingUnderscores, words: words, trailingUnderscores: trailingUnderscores)
    }
}

extension Word {
    /// `plus`, `1` for `+1` and `minus`, `1` for `-1`, because Swift names can't contain signs; other words unchanged.
    fileprivate var withSignSpelledOut: [Word] {
        guard !isConventional else { return [self] }
        return switch key.first {
        case "+": [Word("plus"), Word(String(key.dropFirst()))]
        case "-": [Word("minus"), Word(String(key.dropFirst()))]
        default: [self]
        }
    }
}

package struct DerivedName: Hashable, Sendable {
    package let name: String

    /// The reason for the name, as a phrase for a listing:
    /// `"id" ↔ "identifier" (default convention), words joined with "_"`.
    package let explanation: String

    package init(_ name: String, because explanation: String) {
        self.name = name
        self.explanation = explanation
    }
}
