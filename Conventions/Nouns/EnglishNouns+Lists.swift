extension EnglishNouns {
    /// Nouns without a plural of their own, and words in `s` that are no plural.
    static let invariable: Set<String> = words(
        """
        advice aircraft analytics aws baggage beta bison chassis css data deer diabetes dns economics equipment ethics \
        evidence feedback firmware fish furniture gps hardware has headquarters https info information ios is jeans \
        knowledge kubernetes logistics luggage mail mathematics means media metadata money moose music news offspring \
        os paas physics police politics pos postgres progress redis research rice rss saas salmon series sheep shrimp \
        sms software sos spacecraft species staff swine tennis this tls traffic trout was weather
        """)

    /// Singulars in `s` of which the plural is made with `es`.
    static let singularsInS: Set<String> = words(
        """
        abacus alias apparatus atlas bias bonus bus cactus callus campus canvas census chorus circus consensus corpus \
        cosmos cutlass discus exodus focus gas genius genus hiatus impetus iris lens lotus minibus minus nexus octopus \
        omnibus plus prospectus radius rebus rhombus sinus status stimulus surplus syllabus terminus thesaurus trellis \
        venus versus virus walrus yes
        """)

    /// Plurals that no rule makes a singular of.
    static let irregular: [String: String] = pairs(
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
