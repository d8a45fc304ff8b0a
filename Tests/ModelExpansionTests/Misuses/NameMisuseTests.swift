import Testing

/// Mistakes in routes and JSON names.
@Suite struct NameMisuseTests {
    @Test func `A malformed base URL is refused`() {
        expectMisuse(
            """
            @Model(⏵"/repos/:/issues")
            final class Issue {
                var identifier: Int?
            }
            """,
            "the template can't be read: a name is missing behind the colon; write \"%3A\" for a colon "
                + "that starts no placeholder"
        )
    }

    @Test func `A malformed route is refused`() {
        expectMisuse(
            ofProperty: "@Relationship(⏵\"repos\") var repositories: [Repository]",
            "the template can't be read: begin it with \"/\", or with \"https://\" and a host")
    }

    @Test func `An unknown placeholder in a base URL is refused with the nearest name`() {
        expectMisuse(
            """
            @Model(⏵"/repos/:repositroy.full_name/issues?of=:repositroy", key: "number")
            final class Issue {
                var identifier: Int?
                var number: Int?
                var repository: Repository?
            }
            """,
            "':repositroy' stands for a property that 'Issue' does not have; did you mean ':repository'?",
            fixIts: [
                FixIt(
                    "replace ':repositroy' with ':repository'",
                    """
                    @Model("/repos/:repository.full_name/issues?of=:repository", key: "number")
                    final class Issue {
                        var identifier: Int?
                        var number: Int?
                        var repository: Repository?
                    }
                    """)
            ])
    }

    @Test func `An unknown placeholder in a route is refused with the nearest name`() {
        let others = "var htmlURL: URL?\n    "
        expectMisuse(
            ofProperty: others
                + "@Relationship(⏵\"/x/:htm_url/y/:{htm_url}z/:htm_url.path/:html_url\") var labels: [Label]",
            "':htm_url' stands for a property that 'Issue' does not have; did you mean ':html_url'?",
            fixIts: [
                FixIt(
                    "replace ':htm_url' with ':html_url'",
                    others
                        + "@Relationship(\"/x/:html_url/y/:{html_url}z/:html_url.path/:html_url\") var labels: [Label]")
            ])
    }

    @Test func `An unknown placeholder without a near name is left to the store`() {
        expectNoMisuse(
            """
            @Model("/:repo.full_name/issues")
            final class Issue {
                var identifier: Int?
                @Attribute("base.repo.id") var baseNumber: Int?
                var repository: Repository?
                @Relationship("/bases/:base.repo.id") var labels: [Label]
            }
            """)
    }

    @Test(arguments: [
        "/users/:login", "/users/:id", "/users/:identifier", "/users/:avatarURL/:avatar_url/:avatarurl",
        "/:owner.login",
        "/:owner_id", "/:ownerId", "/:text", "/:company.name", "https://host:8080/:login.json",
        "/users?since=:created_at",
    ])
    func `Placeholders of known properties are accepted`(template: String) {
        expectNoMisuse(
            """
            @Model("\(template)")
            final class User {
                var identifier: Int?
                var login = ""
                var avatarURL: URL?
                var createdAt: Date?
                @Attribute("text") var summary: String?
                var owner: User?
                @Relationship("\(template)", json: "company") var employer: Company?
            }
            """)
    }

    @Test func `Templates that aren't literals are accepted without a check`() {
        expectNoMisuse(
            """
            @Model("\\(root)/:nothing")
            final class User {
                var identifier: Int?
                @Relationship(Routes.owner) var owner: User?
                @Relationship(json: Names.x) var x: User?
                @Attribute(Names.x) var y: String?
            }
            """)
    }

    @Test func `An empty key in a JSON name is refused`() {
        expectMisuse(
            ofProperty: "@Attribute(⏵\"plan..name\") var plan: String?",
            "a key in 'plan..name' is empty; write keys with dots between them, as in 'owner.login'")
    }

    @Test func `Two properties with one JSON name are refused with a fix`() {
        expectMisuse(
            """
            @Model
            final class User {
                var ⏷identifier: Int?
                /// Documented.
                var ⏵id: Int?
            }
            """,
            "'id' and 'identifier' would both be 'id' in JSON; give one of them another name with '@Attribute(\"…\")'",
            note: "'identifier' is 'id' in JSON",
            fixIts: [
                FixIt(
                    "mark it '@Attribute(\"<#JSON name#>\")'",
                    """
                    @Model
                    final class User {
                        var identifier: Int?
                        /// Documented.
                        @Attribute("<#JSON name#>") var id: Int?
                    }
                    """)
            ])
    }

    @Test func `An explicit JSON name of another property is refused`() {
        expectMisuse(
            """
            @Model
            final class User {
                var identifier: Int?
                var ⏷owner: User?
                @Attribute("owner") var ⏵ownerName = ""
            }
            """,
            "'ownerName' and 'owner' would both be 'owner' in JSON; give one of them another name with "
                + "'@Attribute(\"…\")'",
            note: "'owner' is 'owner' in JSON")
    }
}
