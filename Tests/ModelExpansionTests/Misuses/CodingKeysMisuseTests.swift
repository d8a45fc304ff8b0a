import Testing

/// `CodingKeys` in a type that gets its JSON names from its properties.
@Suite struct CodingKeysMisuseTests {
    @Test func `CodingKeys in a model become names at its properties`() {
        expectMisuse(
            """
            @Model("/users")
            final class User {
                enum ⏵CodingKeys: String, CodingKey {
                    case identifier = "id", login
                    case fullName = "name"
                    case createdAt
                    case secret = "@odata.secret"
                    case updatedAt = "updated_at"
                }

                var identifier: Int?
                var login = ""
                /// Documented.
                var fullName: String?
                var createdAt: Date?
                @Attribute(access: .writeOnly) var secret: String?
                @Attribute(access: .readOnly) var updatedAt: Date?
            }
            """,
            "'@Model' doesn't read 'CodingKeys'; write each JSON name at its property, as in "
                + "'@Attribute(\"name\") var fullName'",
            fixIts: [
                FixIt(
                    "write the names at the properties",
                    #"""
                    @Model("/users")
                    final class User {

                        var identifier: Int?
                        var login = ""
                        /// Documented.
                        @Attribute("name") var fullName: String?
                        @Attribute("createdAt") var createdAt: Date?
                        @Attribute("@odata\\.secret", access: .writeOnly) var secret: String?
                        @Attribute(access: .readOnly) var updatedAt: Date?
                    }
                    """#)
            ])
    }

    @Test func `CodingKeys of relationships become names of relationships`() {
        expectMisuse(
            """
            @Model
            final class Post {
                var identifier: Int?
                var state: State?
                var author: User?
                var tags: [Tag] = []
                @Relationship("/posts/:id/comments", inverse: "post") var comments: [Comment]
                @Relationship(inverse: nil) var editor: User?
                @Relationship(json: "kept") var kept: [Post]
                @Transient var draft: String?
                enum State: String {
                    case open
                }
                private enum ⏵CodingKeys: String, CodingKey {
                    case identifier = "id"
                    case state = "status"
                    case author = "user"
                    case tags = "labels"
                    case comments = "replies"
                    case editor = "changed_by"
                    case kept = "other"
                    case draft = "text"
                }
            }
            """,
            "'@Model' doesn't read 'CodingKeys'; write each JSON name at its property, as in "
                + "'@Attribute(\"status\") var state'",
            fixIts: [
                FixIt(
                    "write the names at the properties",
                    """
                    @Model
                    final class Post {
                        var identifier: Int?
                        @Attribute("status") var state: State?
                        @Relationship(json: "user") var author: User?
                        @Relationship(json: "labels") var tags: [Tag] = []
                        @Relationship("/posts/:id/comments", json: "replies", inverse: "post") var comments: [Comment]
                        @Relationship(json: "changed_by", inverse: nil) var editor: User?
                        @Relationship(json: "kept") var kept: [Post]
                        @Transient var draft: String?
                        enum State: String {
                            case open
                        }
                    }
                    """)
            ])
    }

    @Test(arguments: [
        "typealias ⏵CodingKeys = OtherKeys", "struct ⏵CodingKeys: CodingKey { }",
        "enum ⏵CodingKeys: String, CodingKey {\n    case identifier = \"\\u{69}d\"\n    }",
        "#if DEBUG\n    enum ⏵CodingKeys: String, CodingKey {\n    case identifier = \"id\"\n    }\n    #endif",
    ])
    func `CodingKeys that can't be read have no fix`(_ keys: String) {
        expectMisuse(
            ofProperty: keys,
            "'@Model' doesn't read 'CodingKeys'; write each JSON name at its property, as in "
                + "'@Attribute(\"full_name\") var fullName'")
    }

    @Test(arguments: [
        "enum CodingKeys: String, CodingKey {\n    case identifier = \"id\"\n    }\n"
            + "    func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: CodingKeys.self) }",
        "enum Keys: String, CodingKey {\n    case identifier = \"id\"\n    }",
        "enum CodingKeys {\n    case first\n    }",
    ])
    func `CodingKeys that the type's own code uses, or keys of another name, are accepted`(_ keys: String) {
        expectNoMisuse(
            """
            @Model
            final class Issue {
                var identifier: Int?
                \(keys)
            }
            """)
    }

    @Test func `CodingKeys in a response type become names at its properties`() {
        expectResponseMisuse(
            """
            struct Page {
                var count = 0
                var users: [User]
                enum ⏵CodingKeys: String, CodingKey {
                    case count = "total_count"
                    case users = "items"
                }
            }
            """,
            "'@ResponseBody' doesn't read 'CodingKeys'; write each JSON name at its property, as in "
                + "'@Attribute(\"total_count\") var count'",
            fixIts: [
                FixIt(
                    "write the names at the properties",
                    """
                    struct Page {
                        @Attribute("total_count") var count = 0
                        @Relationship(json: "items") var users: [User]
                    }
                    """)
            ])
    }
}
