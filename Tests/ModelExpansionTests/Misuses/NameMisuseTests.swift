import Testing

/// What can be wrong with routes and JSON names.
@Suite struct NameMisuseTests {
    @Test func `Malformed base URL`() {
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

    @Test func `Malformed route`() {
        expectMisuse(
            ofProperty: "@Relationship(⏵\"repos\") var repositories: [Repository]",
            "the template can't be read: begin it with \"/\", or with \"https://\" and a host")
    }

    @Test func `Placeholder of no property`() {
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

    @Test func `Placeholder of no property in a route`() {
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

    @Test func `A placeholder with nothing near is left to the store, which knows the conventions`() {
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
    func `Placeholders of properties`(template: String) {
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

    @Test func `Templates that are no literals are not looked into`() {
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

    @Test func `Empty key in a JSON name`() {
        expectMisuse(
            ofProperty: "@Attribute(⏵\"plan..name\") var plan: String?",
            "a key in 'plan..name' is empty; write keys with dots between them, as in 'owner.login'")
    }

    @Test func `Two properties with one JSON name`() {
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

    @Test func `Explicit JSON name that is taken`() {
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
