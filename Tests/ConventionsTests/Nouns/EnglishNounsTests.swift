import Conventions
import Testing

@Suite struct EnglishNounsTests {
    static let plurals: [(String, String)] = [
        ("labels", "label"), ("users", "user"), ("categories", "category"), ("repositories", "repository"),
        ("replies", "reply"), ("statuses", "status"), ("aliases", "alias"), ("buses", "bus"), ("bonuses", "bonus"),
        ("viruses", "virus"), ("lenses", "lens"), ("houses", "house"), ("causes", "cause"), ("responses", "response"),
        ("releases", "release"), ("licenses", "license"), ("databases", "database"), ("purchases", "purchase"),
        ("courses", "course"), ("addresses", "address"), ("classes", "class"), ("processes", "process"),
        ("boxes", "box"), ("indexes", "index"), ("taxes", "tax"), ("axes", "axis"), ("branches", "branch"),
        ("patches", "patch"), ("caches", "cache"), ("hashes", "hash"), ("dishes", "dish"), ("heroes", "hero"),
        ("photos", "photo"), ("videos", "video"), ("shoes", "shoe"), ("movies", "movie"), ("cookies", "cookie"),
        ("ties", "tie"), ("series", "series"), ("archives", "archive"), ("drives", "drive"), ("leaves", "leaf"),
        ("shelves", "shelf"), ("knives", "knife"), ("prices", "price"), ("indices", "index"), ("vertices", "vertex"),
        ("matrices", "matrix"), ("sizes", "size"), ("quizzes", "quiz"), ("analyses", "analysis"), ("crises", "crisis"),
        ("criteria", "criterion"), ("people", "person"), ("men", "man"), ("children", "child"), ("mice", "mouse"),
        ("feet", "foot"), ("geese", "goose"), ("apis", "api"), ("wikis", "wiki"), ("menus", "menu"), ("cpus", "cpu"),
        ("emojis", "emoji"), ("keys", "key"), ("days", "day"), ("gases", "gas"), ("canvases", "canvas"),
        ("foci", "focus"), ("employees", "employee"), ("types", "type"), ("issues", "issue"), ("values", "value"),
        ("milestones", "milestone"), ("queues", "queue"), ("octopuses", "octopus"), ("foes", "foe"),
    ]

    static let unchanged: [String] = [
        "label", "status", "address", "analysis", "basis", "alias", "bus", "lens", "person", "child", "data",
        "metadata",
        "media", "news", "sheep", "species", "series", "information", "equipment", "fish", "police", "has", "this",
        "dns",
        "s", "", "index", "axis", "campus", "gas", "staff", "criterion",
    ]

    @Test(arguments: plurals)
    func `A plural is turned into its singular`(_ plural: String, _ singular: String) {
        #expect(EnglishNouns.singular(of: plural) == singular)
    }

    /// Nouns of which there are other plurals than the one that is made.
    private static let others: Set<String> = ["indexes", "foci"]

    @Test(arguments: plurals.filter { !others.contains($0.0) })
    func `A singular is turned into its plural`(_ plural: String, _ singular: String) {
        #expect(EnglishNouns.plural(of: singular) == plural)
    }

    @Test(arguments: [
        ("labels", "labels"), ("news", "news"), ("data", "data"), ("", ""), ("hero", "heroes"), ("photo", "photos"),
        ("Person", "People"), ("Label", "Labels"), ("URL", "URLs"), ("box", "boxes"), ("day", "days"),
        ("quiz", "quizzes"),
        ("focus", "focuses"), ("index", "indices"), ("die", "dice"), ("entry", "entries"), ("Entry", "Entries"),
    ])
    func `The plural is made of a noun that is singular`(_ noun: String, _ plural: String) {
        #expect(EnglishNouns.plural(of: noun) == plural)
    }

    @Test(arguments: plurals.map(\.1) + unchanged)
    func `A noun that is singular already stays unchanged`(_ noun: String) {
        #expect(EnglishNouns.singular(of: noun) == noun)
    }

    @Test(arguments: [
        ("Labels", "Label"), ("URLs", "URL"), ("Categories", "Category"), ("People", "Person"), ("STATUS", "STATUS"),
    ])
    func `The letter case of a plural is kept in its singular`(_ plural: String, _ singular: String) {
        #expect(EnglishNouns.singular(of: plural) == singular)
    }
}
