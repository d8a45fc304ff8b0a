import Testing

/// The expansion of `@ResponseBody`.
@Suite struct ResponseExpansionTests {
    @Test func `A response type is expanded`() {
        expectExpansion(
            """
            @ResponseBody
            public struct Page<Item: Model> {
                public var total = 0
                @Attribute("meta.next") var next: URL?
                var `default`: [Item]
                @Relationship(json: .root) var users: [User] = []
                @Transient var isShown = false
                var count: Int { total }
            }
            """,
            """
            public struct Page<Item: Model> {
                public var total = 0
                var next: URL?
                var `default`: [Item]
                var users: [User] = []
                var isShown = false
                var count: Int { total }

                nonisolated public struct Parts {
                    let total = RestfulData.ResponseParts.part(0, "total", default: 0)
                    let next = RestfulData.ResponseParts.part(1, "next", URL?.self, RestfulData.AttributeOptions("meta.next"))
                    let `default` = RestfulData.ResponseParts.part(2, "default", [Item].self)
                    let users = RestfulData.ResponseParts.part(3, "users", [User].self, RestfulData.RelationshipOptions(json: .root))
                }

                nonisolated public static var responseDescription: RestfulData.ResponseDescription {
                    let parts = Parts()
                    return RestfulData.ResponseDescription("Page", [parts.total, parts.next, parts.`default`, parts.users])
                }
            }

            nonisolated extension Page: RestfulData.ResponseBody {
                nonisolated public init(_ values: RestfulData.ResponseValues) {
                    let parts = Parts()
                    self.total = values[parts.total]
                    self.next = values[parts.next]
                    self.`default` = values[parts.`default`]
                    self.users = values[parts.users]
                }
            }
            """)
    }

    // MARK: Misuse

    @Test func `A class can't be a response type`() {
        expectResponseMisuse(
            "final ⏵class Page {\n    var total = 0\n}",
            "a response type is a struct, as each reply is one value; 'class' can't be one",
            fixIts: [FixIt("replace 'class' with 'struct'", "final struct Page {\n    var total = 0\n}")])
    }

    @Test(arguments: [
        (
            "⏵let total = 0", "no response can set 'total', which is a 'let' that has its value; make it a 'var'",
            [("replace 'let' with 'var'", "var total = 0")]
        ),
        (
            "var ⏵total: Int",
            "'total' is neither optional nor defaulted, and a reply may leave it out; make it 'Int?', or add a default "
                + "such as '= 0'",
            [("make it 'Int?'", "var total: Int?"), ("add the default '0'", "var total: Int = 0")]
        ),
        (
            "@Relationship var issues: ⏵[Issue]?",
            "a relationship to many objects is never nil, as it can be empty; remove the '?'",
            [("remove '?'", "@Relationship var issues: [Issue]")]
        ),
    ])
    func `A response type's property that no reply can fill is refused with fixes`(
        property: String, message: String, fixes: [(message: String, source: String)]
    ) {
        expectResponseMisuse(
            "struct Page {\n    \(property)\n}", message,
            fixIts: fixes.map { FixIt($0.message, "struct Page {\n    \($0.source)\n}") })
    }

    @Test(arguments: ["let total: Int?", "var meta: Meta", "var metas: [Meta]", "@Transient var shown = false"])
    func `A response type's property that a reply can fill is accepted`(property: String) {
        expectResponseMisuse("struct Page {\n    \(property)\n}", nil)
    }

    @Test func `A response type's property in a condition is refused`() {
        expectResponseMisuse(
            """
            struct Page {
                var total = 0
                #if DEBUG
                ⏵var trace = ""
                #endif
            }
            """,
            "'@ResponseBody' can't see which branch of '#if' is compiled; declare the property outside, or mark it "
                + "'@Transient'",
            fixIts: [
                FixIt(
                    "mark it '@Transient'",
                    """
                    struct Page {
                        var total = 0
                        #if DEBUG
                        @Transient var trace = ""
                        #endif
                    }
                    """)
            ])
    }
}
