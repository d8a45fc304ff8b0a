import Testing

/// Mistakes in `identity:` and `key:`.
@Suite struct IdentityMisuseTests {
    @Test func `A model without an identity is refused with a fix`() {
        expectMisuse(
            """
            @Model
            final class ⏵Label {
                /// What it says.
                var name = ""
            }
            """,
            "'Label' has no identity; declare 'var identifier: Int?', or name the properties that are "
                + "unique together with "
                + "'@Model(identity:)'",
            fixIts: [
                FixIt(
                    "declare 'var identifier: Int?'",
                    """
                    @Model
                    final class Label {
                        var identifier: Int?
                        /// What it says.
                        var name = ""
                    }
                    """)
            ])
    }

    @Test func `An empty model without an identity is refused with a fix`() {
        expectMisuse(
            """
            @Model
            final class ⏵Label {
            }
            """,
            "'Label' has no identity; declare 'var identifier: Int?', or name the properties that are "
                + "unique together with "
                + "'@Model(identity:)'",
            fixIts: [
                FixIt(
                    "declare 'var identifier: Int?'",
                    """
                    @Model
                    final class Label {
                        var identifier: Int?
                    }
                    """)
            ])
    }

    @Test func `A model marked as not singular is refused`() {
        expectMisuse(
            """
            @Model("/settings", ⏵singular: false)
            final class Settings {
                var identifier: Int?
            }
            """,
            "'singular: false' has no effect; remove it")
    }

    @Test func `An embedded model can't be renamed by the server`() {
        expectMisuse(
            """
            @Model(⏵renames: .byServer, embedded: true)
            final class Address {
                var street = ""
            }
            """,
            "'renames:' says nothing here, as an embedded model has no identity; remove it")
    }

    @Test func `A model without a URL can't be renamed by the server`() {
        expectMisuse(
            """
            @Model(identity: "slug", ⏵renames: .byServer)
            final class Article {
                var slug: String?
            }
            """,
            "'renames:' says nothing here, as 'Article' has no URL at which it is saved; give it one, as in "
                + "'@Model(\"/articles\")', or remove it")
    }

    @Test(arguments: [
        (#"@Model("/articles", identity: "slug", renames: .byServer)"#, "final class"),
        (#"@Model(articlesURL, identity: "slug", renames: .byServer)"#, "final class"),
        (#"@Model(identity: "slug", renames: .byServer, discriminator: "kind")"#, "class"),
    ])
    func `A model with an identity and a URL may be renamed by the server`(attribute: String, keywords: String) {
        expectNoMisuse(
            """
            \(attribute)
            \(keywords) Article {
                var slug: String?
                var kind = ""
            }
            """)
    }

    @Test func `An embedded model needs no identity`() {
        expectNoMisuse(
            """
            @Model(embedded: true)
            final class Address {
                var street = ""
            }
            """)
    }

    @Test func `An identity of any name is accepted`() {
        expectNoMisuse(
            """
            @Model
            final class Label {
                var id: String?
            }
            """)
        expectNoMisuse(
            """
            @Model(identity: "url")
            final class Label {
                var url: URL?
            }
            """)
        expectNoMisuse(
            """
            @Model("/repos/:repository.full_name/issues", key: "number", identity: "repository", "number", table: "issues")
            final class Issue {
                var number: Int?
                var repository: Repository?
            }
            """)
        expectNoMisuse(
            """
            @Model(key: Names.key, identity: Names.identity)
            final class Issue {
                var number: Int?
            }
            """)
        expectNoMisuse(
            """
            @Model
            final class Issue {
                var identifier = UUID()
            }
            """)
    }

    @Test func `An unknown key is refused with the nearest name`() {
        expectMisuse(
            """
            @Model("/issues", key: ⏵"nubmer")
            final class Issue {
                var identifier: Int?
                var number: Int?
            }
            """,
            "'key:' names 'nubmer', and 'Issue' has no such property; did you mean 'number'?",
            fixIts: [
                FixIt(
                    "replace 'nubmer' with 'number'",
                    """
                    @Model("/issues", key: "number")
                    final class Issue {
                        var identifier: Int?
                        var number: Int?
                    }
                    """)
            ])
    }

    @Test func `An unknown part of an identity is refused with the nearest name`() {
        expectMisuse(
            """
            @Model(identity: "number", ⏵"repositry", table: "x")
            final class Issue {
                var number: Int?
                var repository: Repository?
            }
            """,
            "'identity:' names 'repositry', and 'Issue' has no such property; did you mean 'repository'?",
            fixIts: [
                FixIt(
                    "replace 'repositry' with 'repository'",
                    """
                    @Model(identity: "number", "repository", table: "x")
                    final class Issue {
                        var number: Int?
                        var repository: Repository?
                    }
                    """)
            ])
    }

    @Test func `An unknown part of an index is refused with the nearest name`() {
        expectMisuse(
            """
            @Model(indexes: [["number"], ["number", ⏵"titel"]])
            final class Issue {
                var identifier: Int?
                var number: Int?
                var title = ""
            }
            """,
            "'indexes:' names 'titel', and 'Issue' has no such property; did you mean 'title'?",
            fixIts: [
                FixIt(
                    "replace 'titel' with 'title'",
                    """
                    @Model(indexes: [["number"], ["number", "title"]])
                    final class Issue {
                        var identifier: Int?
                        var number: Int?
                        var title = ""
                    }
                    """)
            ])
        expectMisuse(
            """
            @Model(indexes: [[⏵"full_name"]])
            final class Issue {
                var identifier: Int?
                var fullName = ""
            }
            """,
            "'indexes:' names 'full_name', and 'Issue' has no such property; did you mean 'fullName'?",
            fixIts: [
                FixIt(
                    "replace 'full_name' with 'fullName'",
                    """
                    @Model(indexes: [["fullName"]])
                    final class Issue {
                        var identifier: Int?
                        var fullName = ""
                    }
                    """)
            ])
    }

    @Test func `Parts of an index that the macro can't see are accepted`() {
        expectNoMisuse(
            """
            @Model(discriminator: "type", indexes: [["type", "declaredByASubmodel"]])
            class Event {
                var identifier: Int?
                var type = ""
            }
            """)
        expectNoMisuse(
            """
            @Model(indexes: Names.indexes + [["title"]])
            final class Event {
                var identifier: Int?
            }
            """)
    }

    @Test func `An unknown identity without a near name is refused without a fix`() {
        expectMisuse(
            """
            @Model(identity: ⏵"slug")
            final class Issue {
                var number: Int?
            }
            """,
            "'identity:' names 'slug', and 'Issue' has no such property")
    }

    @Test(arguments: [
        ("identifier = 0", "identifier: Int?"), ("identifier: Int64 = 0", "identifier: Int64?"),
        ("identifier = \"\"", "identifier: String?"), ("identifier = makeOne()", "identifier: <#Type#>?"),
        ("id: String = \"\" // unique", "id: String? // unique"),
    ])
    func `An identity with a default value is refused with a fix`(property: String, fixed: String) {
        expectMisuse(
            """
            @Model
            final class Issue {
                var ⏵\(property)
            }
            """,
            "'\(property.prefix { $0.isLetter })' is the identity, and an object made here has none "
                + "until the server gives "
                + "it one; make it optional, without a default",
            fixIts: [
                FixIt(
                    "make it optional",
                    """
                    @Model
                    final class Issue {
                        var \(fixed)
                    }
                    """)
            ])
    }

    @Test func `A list can't be part of an identity`() {
        expectMisuse(
            """
            @Model(identity: "labels")
            final class Issue {
                var ⏵labels: [Label]
            }
            """,
            "'labels' is a list, which can't be part of an identity; name an attribute or a relationship to one object")
    }
}
