import Testing

/// Arguments of SwiftData's macros that these macros lack.
@Suite struct SwiftDataMisuseTests {
    @Test(arguments: [
        ("@Model", "@Model(identity: \"login\")"), ("@Model()", "@Model(identity: \"login\")"),
        ("@Model(\"/users\")", "@Model(\"/users\", identity: \"login\")"),
        (
            "@Model(\"/users\", key: \"login\", table: \"people\")",
            "@Model(\"/users\", key: \"login\", identity: \"login\", table: \"people\")"
        ),
    ])
    func `A unique attribute of SwiftData is refused, with the identity as a fix`(_ model: String, _ identified: String)
    {
        func source(_ model: String, _ marker: String) -> String {
            """
            \(model)
            final class User {
                var identifier: Int?
                \(marker)var login = ""
            }
            """
        }
        expectMisuse(
            source(model, "@Attribute(⏵.unique) "),
            "'.unique' is SwiftData's; an object is unique by its identity. Write '@Model(identity: \"login\")' if the "
                + "server knows it by 'login', and remove '.unique'",
            fixIts: [
                FixIt("declare 'identity: \"login\"'", source(identified, "")),
                FixIt("remove '.unique'", source(model, "")),
            ])
    }

    @Test(arguments: ["@Model(identity: \"identifier\")", "@Model(embedded: true)"])
    func `A unique attribute of SwiftData besides a declared identity is refused with a fix`(_ model: String) {
        func source(_ options: String) -> String {
            """
            \(model)
            final class User {
                var identifier: Int?
                @Attribute(\(options)access: .readOnly) var login = ""
            }
            """
        }
        expectMisuse(
            source("⏵.unique, "),
            "'.unique' is SwiftData's; an object is unique by its identity. Write '@Model(identity: \"login\")' if the "
                + "server knows it by 'login', and remove '.unique'",
            fixIts: [FixIt("remove '.unique'", source(""))])
    }

    @Test func `A unique identity of SwiftData is refused with a fix`() {
        expectMisuse(
            """
            @Model
            final class User {
                @Attribute(⏵.unique) var id: UUID?
            }
            """,
            "'.unique' is SwiftData's; 'id' is the identity, which is unique; remove it",
            fixIts: [
                FixIt(
                    "remove '.unique'",
                    """
                    @Model
                    final class User {
                        var id: UUID?
                    }
                    """)
            ])
    }

    @Test(arguments: [
        (
            "@Attribute(⏵.externalStorage) var photo: Data?",
            "'.externalStorage' is SwiftData's, and says nothing here; remove it", "remove '.externalStorage'",
            "var photo: Data?"
        ),
        (
            "@Attribute(⏵.transformable(by: \"Name\")) var photo: Data?",
            "'.transformable' is SwiftData's; make the type 'Codable', or name a 'transformer:', and remove it",
            "remove '.transformable'", "var photo: Data?"
        ),
        (
            "@Attribute(⏵.spotlight) var title = \"\"",
            "'.spotlight' is SwiftData's; write 'searchable: true' for a text that 'search' finds, or remove it",
            "remove '.spotlight'", "var title = \"\""
        ),
        (
            "@Attribute(⏵.ephemeral) var isOpen = false",
            "'.ephemeral' is SwiftData's; what is not stored is marked '@Transient'", "mark it '@Transient'",
            "@Transient var isOpen = false"
        ),
        (
            "@Attribute(⏵originalName: \"name\") var title = \"\"",
            "'originalName:' is SwiftData's; write 'renamedFrom:'", "replace 'originalName:' with 'renamedFrom:'",
            "@Attribute(renamedFrom: \"name\") var title = \"\""
        ),
        (
            "@Attribute(⏵hashModifier: \"2\") var title = \"\"",
            "'hashModifier:' is SwiftData's, and says nothing here; remove it", "remove 'hashModifier:'",
            "var title = \"\""
        ),
    ])
    func `An attribute's option that only SwiftData has is refused with a fix`(
        _ property: String, _ message: String, _ fixIt: String, _ fixed: String
    ) {
        expectMisuse(ofProperty: property, message, fixIts: [FixIt(fixIt, fixed)])
    }

    @Test(arguments: [
        (
            "⏵deleteRule: .cascade", "'deleteRule:' is SwiftData's; write 'onDelete: .cascade'", "onDelete: .cascade"
        ),
        (
            "⏵deleteRule: .noAction", "'deleteRule:' is SwiftData's; write 'onDelete: .nullify'", "onDelete: .nullify"
        ),
        (
            #"⏵deleteRule: .deny, inverse: \Post.author"#, "'deleteRule:' is SwiftData's; write 'onDelete: .deny'",
            "inverse: \"author\", onDelete: .deny"
        ),
        (
            #""/users/:id/posts", ⏵inverse: \.author"#,
            "the inverse is named by a text; write 'inverse: \"author\"'", "\"/users/:id/posts\", inverse: \"author\""
        ),
        (
            #"⏵.unique, deleteRule: .cascade, maximumModelCount: 3, originalName: "all""#,
            "'.unique' is SwiftData's, and says nothing here; remove it", "onDelete: .cascade, renamedFrom: \"all\""
        ),
    ])
    func `A relationship's argument of SwiftData's form is refused with a fix`(
        _ arguments: String, _ message: String, _ fixed: String
    ) {
        expectMisuse(
            ofProperty: "@Relationship(\(arguments)) var posts: [Post]", message,
            fixIts: [FixIt("write '@Relationship(\(fixed))'", "@Relationship(\(fixed)) var posts: [Post]")])
    }

    @Test func `A relationship with only arguments of SwiftData's loses its macro in the fix`() {
        expectMisuse(
            ofProperty: "@Relationship(⏵minimumModelCount: 1) var posts: [Post]",
            "'minimumModelCount:' is SwiftData's, and says nothing here; remove it",
            fixIts: [FixIt("remove '@Relationship'", "var posts: [Post]")])
    }

    @Test func `An inverse by a key path through another object is refused without a fix`() {
        expectMisuse(
            ofProperty: #"@Relationship(⏵inverse: \Post.author.team) var posts: [Post]"#,
            "the inverse is named by a text; write 'inverse: \"…\"'")
    }

    @Test func `A response type can't have unique attributes`() {
        expectResponseMisuse(
            """
            struct Page {
                @Attribute(⏵.unique) var count = 0
            }
            """,
            "'.unique' is SwiftData's; remove it",
            fixIts: [
                FixIt(
                    "remove '.unique'",
                    """
                    struct Page {
                        var count = 0
                    }
                    """)
            ])
    }
}
