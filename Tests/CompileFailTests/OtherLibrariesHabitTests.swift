import Testing

/// Habits from SwiftData, Core Data and GRDB are refused with the library's own spelling.
@Suite(.serialized, .enabled(if: ClientCompiler.isExpected, "no record of the build's compiler calls is here"))
struct OtherLibrariesHabitTests {
    @Test(arguments: macros + members)
    func `The compiler suggests a replacement for each habit from another library`(_ misuse: Misuse) async throws {
        try await misuse.check(.swift6, models: Self.models, in: .plain)
    }

    static func programs(_ settings: Client.Settings) -> [Client] {
        settings == .swift6 ? (macros + members).flatMap { $0.programs(models: models) } : []
    }

    private static let models = """
        import Foundation
        import RestfulData

        @Model("/posts") final class Post {
            var identifier: Int?
            var title = ""
            var author: User?
            @Relationship(inverse: nil) var tags: [Tag]
        }
        @Model("/tags") final class Tag { var identifier: Int?; var name = "" }
        @Model("/users") final class User { var identifier: Int?; var login = ""; var posts: [Post] }
        """

    private static let macros = [
        Misuse(
            "a unique attribute",
            refused: "@Model final class Team { var identifier: Int?; @Attribute(.unique) var name = \"\" }",
            error: "'.unique' is SwiftData's; an object is unique by its identity",
            accepted: "@Model(identity: \"name\") final class Team { var identifier: Int?; var name: String? }"),
        Misuse(
            "an attribute's original name",
            refused:
                "@Model final class Team { var identifier: Int?; @Attribute(.spotlight, originalName: \"x\") var name = \"\" }",
            error: "'.spotlight' is SwiftData's",
            accepted: "@Model final class Team { var identifier: Int?; @Attribute(renamedFrom: \"x\") var name = \"\" }"
        ),
        Misuse(
            "a relationship's delete rule",
            refused:
                "@Model final class Team { var identifier: Int?; @Relationship(deleteRule: .cascade, inverse: \\User.team) "
                + "var users: [User] }\nextension User { var team: Int { 0 } }",
            error: "'deleteRule:' is SwiftData's; write 'onDelete: .cascade'",
            accepted:
                "@Model final class Team { var identifier: Int?; @Relationship(onDelete: .cascade) var users: [User] }"),
        Misuse(
            "keys for Codable",
            refused: "@Model final class Team { var identifier: Int?; var name = \"\"; "
                + "enum CodingKeys: String, CodingKey { case identifier, name = \"title\" } }",
            error: "'@Model' doesn't read 'CodingKeys'; write each JSON name at its property",
            accepted: "@Model final class Team { var identifier: Int?; @Attribute(\"title\") var name = \"\" }"),
    ]

    private static func query(_ call: String) -> String {
        "func find(_ title: String, in context: ObjectContext) throws { _ = context.query(Post.self)\(call) }"
    }

    private static func work(_ statement: String) -> String {
        "@MainActor func work(_ store: Store, _ context: ObjectContext, _ user: User, _ post: Post) async throws { \(statement) }"
    }

    private static let members = [
        Misuse(
            "a predicate", refused: query(".where(#Predicate<Post> { _ in true })"),
            error: "a condition is a closure of the properties", accepted: query(".where { $0.title == title }")),
        Misuse(
            "SQL with marks for values", refused: query(".where(\"title = ?\", title)"),
            error: "a condition is a closure of the properties",
            accepted: query(".where(sql: \"\\(Post.properties.title) = \\(title)\")")),
        Misuse(
            "SQL with arguments", refused: query(".where(sql: \"title = ?\", arguments: [title])"),
            error: "values are put into the SQL, and bound",
            accepted: query(".where(sql: \"\\(Post.properties.title) = \\(title)\")")),
        Misuse(
            "SQL alone", refused: query(".where(\"title = 'a'\")"), error: "a condition is a closure of the properties",
            accepted: query(".where(sql: \"title = 'a'\")")),
        Misuse(
            "a filter of objects", refused: query(".filter { $0.title == title }"),
            error: "'filter' is unavailable: objects are chosen by where { … }",
            accepted: query(".where { $0.title == title }")),
        Misuse(
            "a filter in a condition", refused: query(".where { $0.tags.filter { $0.name == title }.count > 0 }"),
            error: "'filter' is unavailable: a list is asked by contains { }, allSatisfy { } or count(where:)",
            accepted: query(".where { $0.tags.count(where: { $0.name == title }) > 0 }")),
        Misuse(
            "a closure with a label", refused: query(".where { $0.tags.contains(where: { $0.name == title }) }"),
            error: "'contains(where:)' has been renamed to 'contains(_:)'",
            accepted: query(".where { $0.tags.contains { $0.name == title } }")),
        Misuse(
            "lower case", refused: query(".where { $0.title.lowercased() == title && $0.author.login == \"x\" }"),
            error: "'lowercased()' is unavailable: write $0.title.insensitive == \"x\"",
            accepted: query(".where { $0.title.insensitive == title && $0.author.login == \"x\" }")),
        Misuse(
            "an empty text", refused: query(".where { $0.title.isEmpty }"),
            error: "'isEmpty' is unavailable: compare the text",
            accepted: query(".where { $0.title == \"\" && $0.tags.isEmpty }")),
        Misuse(
            "an insertion", refused: work("context.insert(post)"),
            error: "'insert' is unavailable: an object is inserted by its initializer, as in User(in: context)",
            accepted: work("_ = Post(in: context)")),
        Misuse(
            "a fetch of a context", refused: work("_ = try context.fetch(Post.self)"),
            error: "'fetch' is unavailable: objects are read by a query",
            accepted: work("_ = try context.query(Post.self).fetch()")),
        Misuse(
            "a store that is saved", refused: work("try await store.save()"),
            error: "'save()' is unavailable: a context is saved, as in try await store.main.save()",
            accepted: work("try await store.main.save()")),
        Misuse(
            "a main context", refused: work("_ = store.viewContext"), error: "'viewContext' has been renamed to 'main'",
            accepted: work("_ = store.main")),
        Misuse(
            "a write of a store", refused: work("try store.write { context in _ = Post(in: context) }"),
            error: "'write' is unavailable: objects are edited in a context",
            accepted: work("try await store.background { context in _ = Post(in: context) }")),
        Misuse(
            "an object that is saved in its context", refused: work("try await post.save(in: context)"),
            error: "save() sends the object to the server", accepted: work("try await post.save(using: .put)")),
        Misuse(
            "a list without its dollar sign", refused: work("try await user.posts.fetch()"),
            error:
                "'fetch(_:query:at:pages:prune:)' is unavailable: a list is fetched by its relationship: user.$posts.fetch()",
            accepted: work("try await user.$posts.fetch(.reload, pages: .all())")),
        Misuse(
            "a member that is added without the dollar sign", refused: work("try await user.posts.add(post)"),
            error: "'add' is unavailable: the server is told by the relationship",
            accepted: work("user.posts.append(post); try await user.$posts.add(post)")),
        Misuse(
            "a policy without its label", refused: work("_ = try await Post.fetchAll(.offline, in: context)"),
            error: "the policy has a label, as in fetchAll(policy: .offline, in: context)",
            accepted: work("_ = try await Post.fetchAll(policy: .offline, in: context)")),
        Misuse(
            "a policy without its label before pages", refused: work("_ = Post.pages(.offline, in: context)"),
            error: "the policy has a label, as in pages(policy: .offline, in: context)",
            accepted: work("_ = Post.pages(policy: .offline, in: context)")),
        Misuse(
            "a policy without its label behind a path",
            refused: work("_ = try await Post.fetchAll(\"/posts\", .offline, in: context)"),
            error: "the policy has a label",
            accepted: work("_ = try await Post.fetchAll(\"/posts\", policy: .offline, in: context)")),
    ]

    /// In a file that imports SwiftData as well, its options have SwiftData's meaning.
    @Test func `SwiftData's options keep their meaning in a file that imports both libraries`() async throws {
        let compiler = try #require(ClientCompiler.current)
        let data = """
            public struct Option: Sendable { public static var unique: Option { Option() } }
            public enum Rule: Sendable { case cascade }
            @attached(peer)
            public macro Attribute(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) =
                #externalMacro(module: "RestfulDataMacros", type: "ModelRelationshipMacro")
            @attached(peer)
            public macro Relationship(
                _ options: Option..., deleteRule: Rule = .cascade, inverse: AnyKeyPath? = nil
            ) = #externalMacro(module: "RestfulDataMacros", type: "ModelRelationshipMacro")
            """
        let source = """
            import OtherData
            import RestfulData
            final class Team {
                @Attribute(.unique) var name = ""
                @Relationship(deleteRule: .cascade) var users: [Int] = []
            }
            """
        let verdict = try await compiler.check(source, besideModules: ["OtherData": data])
        // This library's macro would report that the class must be a model.
        #expect(verdict.isAccepted && !verdict.log.contains("ambiguous"), "\(verdict.log)")
    }
}
