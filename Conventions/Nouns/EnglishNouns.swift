/// The singular and plural of English nouns, from lists and a few rules. They must never change: JSON keys depend on
/// them.
package enum EnglishNouns {
    /// The singular of a noun: `category` for `categories`, `person` for `people`.
    ///
    /// Nouns with equal singular and plural come first, then irregular nouns, then the first rule that fits the ending.
    /// A singular is returned unchanged.
    ///
    /// - Parameter noun: One word. A capital first letter is kept. The case of other letters is kept if the singular
    ///   begins the plural.
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

    /// Endings of plurals and singulars. The first match is applied.
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

    /// The plural of a noun: `categories` for `category`, `people` for `person`; the inverse of ``singular(of:)``.
    ///
    /// A plural, or a noun with equal singular and plural, is returned unchanged.
    ///
    /// - Parameter noun: One word. A capital first letter is kept. The case of other letters is kept if the plural
    ///   begins with the singular.
    package static func plural(of noun: String) -> String {
        let key = noun.lowercased()
        guard !key.isEmpty, singular(of: key) == key, !invariable.contains(key) else { return noun }
        let plural = Self.plural(ofLowercased: key)
        if plural.hasPrefix(key) { return noun + plural.dropFirst(key.count) }
        let isCapitalized = noun.first?.changesWhenLowercased ?? false
        return isCapitalized ? (Word(plural).capitalized ?? plural) : plural
    }

    private static func plural(ofLowercased noun: String) -> String {
        if singularsInS.contains(noun) { return noun + "es" }
        if let plural = irregularPlurals[noun] { return plural }
        // The first ending that `singular(of:)` reverts.
        let candidates = candidateEndings(of: noun).map { String(noun.dropLast($0.dropping)) + $0.adding }
        return candidates.first { singular(of: $0) == noun } ?? noun + "s"
    }

    private static func candidateEndings(of noun: String) -> [(dropping: Int, adding: String)] {
        let beforeLast = noun.dropLast().last ?? "a"
        if noun.last == "y", !"aeiou".contains(beforeLast) { return [(1, "ies"), (0, "s")] }
        let sibilants = ["s", "x", "z", "ch", "sh"]
        if sibilants.contains(where: noun.hasSuffix) || nounsInOes.contains(noun) { return [(0, "es"), (0, "s")] }
        return [(0, "s"), (0, "es")]
    }

    private static let nounsInOes: Set<String> = ["hero", "echo", "potato", "tomato", "veto", "embargo", "torpedo"]

    /// Of several plurals, the first in alphabetical order.
    private static let irregularPlurals = Dictionary(
        irregular.map { ($0.value, $0.key) }, uniquingKeysWith: { min($0, $1) })
}

// MARK: - Lists

extension EnglishNouns {
    /// Nouns with equal singular and plural, and singulars or other words that end in `s`.
    private static let invariable: Set<String> = words(
        """
        advice aircraft analytics aws baggage beta bison chassis css data deer diabetes dns economics equipment ethics \
        evidence feedback firmware fish furniture gps hardware has headquarters https info information ios is jeans \
        knowledge kubernetes logistics luggage mail mathematics means media metadata money moose music news offspring \
        os paas physics police politics pos postgres progress redis research rice rss saas salmon series sheep shrimp \
        sms software sos spacecraft species staff swine tennis this tls traffic trout was weather
        """)

    private static let singularsInS: Set<String> = words(
        """
        abacus alias apparatus atlas bias bonus bus cactus callus campus canvas census chorus circus consensus corpus \
        cosmos cutlass discus exodus focus gas genius genus hiatus impetus iris lens lotus minibus minus nexus octopus \
        omnibus plus prospectus radius rebus rhombus sinus status stimulus surplus syllabus terminus thesaurus trellis \
        venus versus virus walrus yes
        """)

    private static let irregular: [String: String] = pairs(
        """
        men man, women woman, people person, children child, feet foot, teeth tooth, geese goose, oxen ox,
        mice mouse, lice louse, dice die, dies die, ties tie, pies pie, lies lie,
        movies movie, cookies cookie, calories calorie, zombies zombie, selfies selfie, brownies brownie,
        rookies rookie, smoothies smoothie, genies genie, prairies prairie, freebies freebie, newbies newbie,
        leaves leaf, wolves wolf, knives knife, wives wife, lives life, halves half, shelves shelf,
        bookshelves bookshelf, selves self, calves calf, loaves loaf, thieves thief, elves elf, scarves scarf,
        hooves hoof, dwarves dwarf,
        caches cache, niches niche, aches ache, headaches headache, creches creche, avalanches avalanche,
        psyches psyche, axes axis, shoes shoe, toes toe, canoes canoe, horseshoes horseshoe, foes foe, woes woe,
        quizzes quiz, gasses gas, lenses lens,
        analyses analysis, crises crisis, theses thesis, hypotheses hypothesis, diagnoses diagnosis,
        synopses synopsis, oases oasis, emphases emphasis, parentheses parenthesis, ellipses ellipsis,
        prognoses prognosis, neuroses neurosis, syntheses synthesis, antitheses antithesis, nemeses nemesis,
        metamorphoses metamorphosis, catharses catharsis,
        indices index, vertices vertex, matrices matrix, appendices appendix, vortices vortex, codices codex,
        criteria criterion, phenomena phenomenon, automata automaton, bacteria bacterium, curricula curriculum,
        memoranda memorandum, errata erratum, addenda addendum, strata stratum, symposia symposium,
        schemata schema, stigmata stigma, alumni alumnus, cacti cactus, foci focus, fungi fungus, nuclei nucleus,
        radii radius, stimuli stimulus, syllabi syllabus, loci locus, octopi octopus, corpora corpus, genera genus,
        menus menu, gurus guru, emus emu, gnus gnu, gpus gpu, cpus cpu, skus sku, tofus tofu, thesauri thesaurus
        """)

    private static func words(_ text: String) -> Set<String> {
        Set(text.split { $0.isWhitespace }.map(String.init))
    }

    private static func pairs(_ text: String) -> [String: String] {
        let pairs = text.split(separator: ",").map { pair in pair.split { $0.isWhitespace }.map(String.init) }
        return Dictionary(pairs.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
    }
}
