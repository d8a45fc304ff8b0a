/// The singular of English nouns, by lists and a few rules that never change: keys that models send depend on them.
package enum EnglishNouns {
    /// The singular of a noun: `category` for `categories`, `person` for `people`.
    ///
    /// The noun is looked up among those that are the same in singular and plural, then among the irregular ones, then
    /// the first rule that fits its ending is applied. A noun that is no plural comes back as it is.
    ///
    /// - Parameter noun: One word. Its letter case is kept as far as the singular has the same letters, and a capital
    ///   first letter always.
    package static func singular(of noun: String) -> String {
        let key = noun.lowercased()
        let singular = singular(ofLowercased: key)
        if key.hasPrefix(singular) { return String(noun.prefix(singular.count)) }
        let isCapitalized = noun.first?.changesWhenLowercased ?? false
        return isCapitalized ? (Word(singular).capitalized ?? singular) : singular
    }

    private static func singular(ofLowercased noun: String) -> String {
        if invariable.contains(noun) || irregularSingulars.contains(noun) { return noun }
        if let singular = irregular[noun] { return singular }
        if noun.hasSuffix("es"), singularsInS.contains(String(noun.dropLast(2))) { return String(noun.dropLast(2)) }
        if singularsInS.contains(noun) { return noun }
        for rule in rules where noun.hasSuffix(rule.plural) && noun.count > rule.plural.count {
            return noun.dropLast(rule.plural.count) + rule.singular
        }
        return noun
    }

    private static let irregularSingulars = Set(irregular.values)

    /// Endings of plurals and singulars. The first that fits is applied.
    private static let rules: [(plural: String, singular: String)] = [
        ("ss", "ss"),  // address
        ("us", "us"),  // status
        ("sis", "sis"),  // analysis
        ("sses", "ss"),  // addresses
        ("shes", "sh"),  // dishes
        ("ches", "ch"),  // branches
        ("xes", "x"),  // boxes
        ("zzes", "zz"),  // buzzes
        ("oes", "o"),  // heroes
        ("ies", "y"),  // categories
        ("s", ""),  // labels
    ]
}
