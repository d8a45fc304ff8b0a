import Testing

/// The macro's diagnostics reach the compiler's user. Their texts and fix-its are tested in the macro's own tests.
@Suite(.serialized, .enabled(if: ClientCompiler.isExpected, "no record of the build's compiler calls is here"))
struct MacroMisuseTests {
    private static let imports = "import RestfulData"

    static func programs(_ settings: Client.Settings) -> [Client] {
        guard settings == .swift6 else { return [] }
        let sources =
            impossibleAttributes.map(pointed) + undefaultedLists.map(placed) + impossibleParts.map(paged)
            + misplacedTypes
        return misuses.flatMap { $0.programs(models: imports) } + sources.map(refused)
    }

    private static func refused(_ source: String) -> Client {
        Client(models: imports, source: source, isRefused: true)
    }

    private static func verdict(on source: String) async throws -> Verdict {
        try await ProgramSet.plain.verdict(on: refused(source), .swift6)
    }

    @Test(arguments: misuses)
    func `The compiler refuses each misused declaration with an explanation`(_ misuse: Misuse) async throws {
        try await misuse.check(.swift6, models: Self.imports, in: .plain)
    }

    private static let subject = """
        @Model final class Post { var identifier: Int? }
        @Model final class User { var identifier: Int? }
        @ModelChoice enum Subject { case post(Post) }
        """ + "\n"

    private static let notice = """
        @Model final class Notice { var identifier: Int?; var subject: Subject? }
        func find(_ post: Post, _ user: User, in context: ObjectContext) {
        """ + " "

    private static let user = """
        @Model final class User { var identifier: Int?; var age: Int? }
        func find(_ text: String, in context: ObjectContext) throws {
        """ + " "

    private static let impossibleAttributes = [
        "var place: Point?", "var place = Point()", "var places: [Point] = []", "var places = [Point]()",
        "var places: [String: Point] = [:]",
    ]

    private static func pointed(_ property: String) -> String {
        "struct Point {}\n@Model final class User { var identifier: Int?; \(property) }"
    }

    /// One mistake is one error, though its property is used in several places of the expansion.
    @Test(arguments: impossibleAttributes)
    func `A property that can't be an attribute causes only one error`(_ property: String) async throws {
        let verdict = try await Self.verdict(on: Self.pointed(property))
        #expect(Set(verdict.errors).count == 1, "\(verdict.log)")
    }

    private static let undefaultedLists = ["enum Place: String { case home }", "struct Place: Codable {}"]

    private static func placed(_ type: String) -> String {
        "\(type)\n@Model final class User { var identifier: Int?; var places: [Place] }"
    }

    @Test(arguments: undefaultedLists)
    func `A list without a default value causes only one error`(_ type: String) async throws {
        let verdict = try await Self.verdict(on: Self.placed(type))
        #expect(Set(verdict.errors).count == 1, "\(verdict.log)")
    }

    private static let event =
        #"@Model(discriminator: "type") class Event { var identifier: Int?; var type = "" }"# + "\n"

    private static let impossibleParts = [
        "var place: Point?", "var place = Point()", "var user: User", "var users: [User]?", "var map: [String: User]?",
    ]

    private static func paged(_ part: String) -> String {
        "struct Point {}\n@Model final class User { var identifier: Int? }\n@ResponseBody struct Page { \(part) }"
    }

    @Test(arguments: impossibleParts)
    func `A property that can't be part of a response causes only one error`(_ part: String) async throws {
        let verdict = try await Self.verdict(on: Self.paged(part))
        #expect(Set(verdict.errors).count == 1, "\(verdict.log)")
        #expect(verdict.errors.allSatisfy { $0.contains("a part ") || $0.contains("a list of ") }, "\(verdict.log)")
    }

    private static let misplacedTypes = [
        "struct Page<Item> { @Model final class Entry { var identifier: Int?; var owner: Entry? } }",
        "enum Box { @Model private final class Entry { var identifier: Int?; var owner: Entry? } }",
        "func make() { @Model final class User { var identifier: Int?; var owner: User? } }",
        "enum Box { @ResponseBody private struct Page { var total = 0 } }",
    ]

    /// The macro adds only code that compiles there.
    @Test(arguments: misplacedTypes)
    func `A type declared where a model can't be causes only one error`(_ declaration: String) async throws {
        let verdict = try await Self.verdict(on: declaration)
        #expect(Set(verdict.errors).count == 1, "\(verdict.log)")
    }

    static let misuses: [Misuse] = [
        Misuse(
            "a struct",
            refused: "@Model struct User { var identifier: Int? }",
            error: "a model is a class, as all who hold an object see the same one; 'struct' can't be one",
            accepted: "@Model final class User { var identifier: Int? }"),
        Misuse(
            "an attribute that is neither optional nor defaulted",
            refused: "@Model final class User { var identifier: Int?; var login: String }",
            error: "'login' is neither optional nor defaulted, and a reply may leave it out",
            accepted: "@Model final class User { var identifier: Int?; var login: String = \"\" }"),
        Misuse(
            "a fetch without an address of a model that isn't singular",
            refused: """
                @Model("/users") final class User { var identifier: Int? }
                func load(_ context: ObjectContext) async throws { _ = try await User.fetch(in: context) }
                """,
            error: "missing argument for parameter #1 in call",
            accepted: """
                @Model("/user", singular: true) final class User { var identifier: Int? }
                func load(_ context: ObjectContext) async throws { _ = try await User.fetch(in: context) }
                """),
        Misuse(
            "a name in a route that the class does not have",
            refused: #"@Model("/users/:logn") final class User { var identifier: Int?; var login = "" }"#,
            error: "':logn' stands for a property that 'User' does not have; did you mean ':login'?",
            accepted: #"@Model("/users/:login") final class User { var identifier: Int?; var login = "" }"#),
        Misuse(
            "an attribute of a type that JSON has nothing for",
            refused: "struct Point {}\n@Model final class User { var identifier: Int?; var place: Point? }",
            error: "an attribute's type is one that JSON has a value for, a Codable and Sendable type, or an enum",
            accepted: "struct Point: Codable {}\n@Model final class User { var identifier: Int?; var place: Point? }"),
        Misuse(
            "a comparison with another type",
            refused: user + "_ = try context.query(User.self).where { $0.age == text } }",
            error: "'==' is unavailable: an attribute is compared with a value of its own type; convert the value",
            accepted: user + "_ = try context.query(User.self).where { $0.age == Int(text) } }"),
        Misuse(
            "an order with another type",
            refused: user + "_ = try context.query(User.self).where { $0.age < \"7\" } }",
            error: "'<' is unavailable: an attribute is compared with a value of its own type; convert the value",
            accepted: user + "_ = try context.query(User.self).where { $0.age < 7 && [1, 2].contains($0.age) } }"),
        Misuse(
            "a comparison the other way around",
            refused: user + "_ = try context.query(User.self).where { text == $0.age } }",
            error: "the attribute stands on the left, a value of its own type on the right",
            accepted: user + "_ = try context.query(User.self).where { $0.age == Int(text) } }"),
        Misuse(
            "a list compared with a value",
            refused: "@Model final class Tag { var identifier: Int?; var name = \"\" }\n"
                + "@Model final class Post { var identifier: Int?; var tags: [Tag] }\n"
                + "func find(_ context: ObjectContext) { _ = context.query(Post.self).where { $0.tags == \"a\" } }",
            error: "'==' is unavailable: a list is asked by contains { }, allSatisfy { }, isEmpty or count",
            accepted: "@Model final class Tag { var identifier: Int?; var name = \"\" }\n"
                + "@Model final class Post { var identifier: Int?; var tags: [Tag] }\n"
                + "func find(_ context: ObjectContext) { _ = context.query(Post.self).where { $0.tags.contains { $0.name == \"a\" } } }"
        ),
        Misuse(
            "a value of another model among those that are selected",
            refused: "@Model final class Tag { var identifier: Int?; var name = \"\" }\n" + user
                + "_ = try context.query(User.self).select { ($0.age, Tag.properties.name) }.fetch() }",
            error: "ambiguous use of 'select'",
            accepted: user + "_ = try context.query(User.self).select { ($0.age, $0.identifier) }.fetch() }"),
        Misuse(
            "a number computed with one of another type",
            refused: user + "_ = try context.query(User.self).where { $0.age + 1.5 > 3 } }",
            error: "cannot convert value of type 'Double'",
            accepted: user + "_ = try context.query(User.self).where { $0.age.double + 1.5 > 3 } }"),
        Misuse(
            "an order the other way around",
            refused: user + "_ = try context.query(User.self).where { 7 < $0.age } }",
            error: "the attribute stands on the left, a value of its own type on the right",
            accepted: user + "_ = try context.query(User.self).where { $0.age > 7 } }"),
        Misuse(
            "a superclass that is a model, and is not named",
            refused: event + "@Model final class Push: Event { var size: Int? }",
            error:
                "'Push' inherits from a model; write '@Model(inherits: Event.self)', and give 'Event' a 'discriminator:'",
            accepted: event + "@Model(inherits: Event.self) final class Push: Event { var size: Int? }"),
        Misuse(
            "a constant",
            refused: "@Model final class User { var identifier: Int?; let login = \"\" }",
            error: "a model's property is a 'var', as a reply can change it",
            accepted: "@Model final class User { var identifier: Int?; var login = \"\" }"),
        Misuse(
            "a Sendable model",
            refused: "@Model final class User: @unchecked Sendable { var identifier: Int? }",
            error: "a model can't be 'Sendable', as an object is used where its context is",
            accepted: "@Model final class User { var identifier: Int? }"),
        Misuse(
            "a model within a generic type",
            refused: "struct Page<Item> { @Model final class Entry { var identifier: Int?; var owner: Entry? } }",
            error: "a model can't be within 'Page', which is generic, as it has one table; declare it outside",
            accepted: "struct Page { @Model final class Entry { var identifier: Int?; var owner: Entry? } }"),
        Misuse(
            "a private model within a type",
            refused: "enum Box { @Model private final class Entry { var identifier: Int?; var owner: Entry? } }",
            error: "what '@Model' adds beside 'Entry' can't see it; make it 'fileprivate'",
            accepted: "enum Box { @Model fileprivate final class Entry { var identifier: Int?; var owner: Entry? } }"),
        Misuse(
            "a model within a private type of another",
            refused:
                "enum Box {}\nextension Box { private enum Lid { @Model final class Entry { var identifier: Int? } } }",
            error: "what '@Model' adds beside 'Entry' can't see 'Lid', which it is within; make that 'fileprivate'",
            accepted: "enum Box {}\nprivate enum Lid { @Model final class Entry { var identifier: Int? } }"),
        Misuse(
            "a private response type within a type",
            refused: "enum Box { @ResponseBody private struct Page { var total = 0 } }",
            error: "what '@ResponseBody' adds beside 'Page' can't see it; make it 'fileprivate'",
            accepted: "enum Box { @ResponseBody fileprivate struct Page { var total = 0 } }"),
        Misuse(
            "a model within a function",
            refused: "func make() { @Model final class User { var identifier: Int?; var owner: User? } }",
            error: "local type cannot have attached extension macro",
            accepted: "@Model final class User { var identifier: Int?; var owner: User? }"),
        Misuse(
            "a list of enums without a default",
            refused: "enum State: String { case open }\n"
                + "@Model final class Issue { var identifier: Int?; var states: [State] }",
            error: "an attribute needs a default, as in '= []', or an optional type",
            accepted: "enum State: String { case open }\n"
                + "@Model final class Issue { var identifier: Int?; var states: [State] = [] }"),
        Misuse(
            "a list of several models",
            refused: subject + "@Model final class Notice { var identifier: Int?; var subjects: [Subject] }",
            error: "a list that mixes models has no place in the store: fetch it with 'Choice.fetchAll(_:in:)'",
            accepted: subject + "@ResponseBody struct Page { var subjects: [Subject] }"),
        Misuse(
            "a relationship to one of several models that is never nil",
            refused: subject + "@Model final class Notice { var identifier: Int?; var subject: Subject }",
            error: "'subject' is neither optional nor defaulted, and a reply may leave it out; make it 'Subject?'",
            accepted: subject + "@Model final class Notice { var identifier: Int?; var subject: Subject? }"),
        Misuse(
            "an object that is of none of several models",
            refused: subject + notice + "_ = context.query(Notice.self).where { $0.subject == .user(user) } }",
            error: "binary operator '==' cannot be applied",
            accepted: subject + notice + "_ = context.query(Notice.self).where { $0.subject == .post(post) } }"),
        Misuse(
            "a link with a default",
            refused: "@Model final class User { var identifier: Int?; var owner: User? = .none }",
            error: "a relationship starts out empty: remove the default",
            accepted: "@Model final class User { var identifier: Int?; var owner: User? = nil }"),
    ]
}
