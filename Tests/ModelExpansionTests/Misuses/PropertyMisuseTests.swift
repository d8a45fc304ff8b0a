import Testing

/// Mistakes in a single property.
@Suite struct PropertyMisuseTests {
    @Test(arguments: [
        ("String", "\"\""), ("Int", "0"), ("UInt8", "0"), ("Double", "0"), ("Bool", "false"),
        ("Foundation.Decimal", "0"),
        ("Data", "Data()"), ("UUID", "UUID()"), ("[String]", "[]"), ("Set<Int>", "[]"), ("[String: Int]", "[:]"),
    ])
    func `An attribute without a default is refused with fixes`(type: String, value: String) {
        expectMisuse(
            ofProperty: "var ⏵title: \(type) // said",
            "'title' is neither optional nor defaulted, and a reply may leave it out; make it "
                + "'\(type)?', or add a default "
                + "such as '= \(value)'",
            fixIts: [
                FixIt("make it '\(type)?'", "var title: \(type)? // said"),
                FixIt("add the default '\(value)'", "var title: \(type) = \(value) // said"),
            ])
    }

    @Test(arguments: [
        ("URL", "URL?"), ("Date", "Date?"), ("State", "State?"), ("User", "User?"), ("Range<Int>", "Range<Int>?"),
        ("any Shape", "(any Shape)?"), ("(Int, Int)", "(Int, Int)?"),
    ])
    func `An attribute whose type has no neutral default must be optional`(type: String, optional: String) {
        expectMisuse(
            ofProperty: "var ⏵title: \(type)",
            "'title' is neither optional nor defaulted, and a reply may leave it out; make it '\(optional)'",
            fixIts: [FixIt("make it '\(optional)'", "var title: \(optional)")])
    }

    @Test func `A list attribute without a default is refused with fixes`() {
        expectMisuse(
            ofProperty: "@Attribute var ⏵points: [Point]",
            "'points' is neither optional nor defaulted, and a reply may leave it out; make it "
                + "'[Point]?', or add a default "
                + "such as '= []'",
            fixIts: [
                FixIt("make it '[Point]?'", "@Attribute var points: [Point]?"),
                FixIt("add the default '[]'", "@Attribute var points: [Point] = []"),
            ])
    }

    @Test(arguments: [
        ("size = 0", "what it holds"), ("size: Int?", "'Int?'"), ("size: [String] = []", "'[String]'"),
        ("size: [String: String] = [:]", "'[String: String]'"), ("size: Foundation.Date?", "'Foundation.Date?'"),
        ("size: URL?", "'URL?'"),
    ])
    func `An attribute without text can't be searchable`(property: String, type: String) {
        expectMisuse(
            ofProperty: "@Attribute(\"s\", ⏵searchable: true) var \(property)",
            "only text is searchable, and \(type) is none; declare 'size' 'String' or 'String?', or leave out 'searchable:'"
        )
    }

    @Test(arguments: [
        "searchable: true) var title = \"\"", "searchable: true) var title: String?",
        "searchable: true) var state: State?",
        "searchable: false) var size = 0", "searchable: true) var title: Swift.String = \"\"",
    ])
    func `An attribute of text may be searchable`(property: String) {
        expectNoMisuse(
            """
            @Model
            final class Issue {
                var identifier: Int?
                @Attribute(\(property)
            }
            """)
    }

    @Test func `A constant is refused with fixes`() {
        expectMisuse(
            ofProperty: "⏵let title: String?",
            "a model's property is a 'var', as a reply can change it; or mark 'title' '@Transient'",
            fixIts: [
                FixIt("replace 'let' with 'var'", "var title: String?"),
                FixIt("mark it '@Transient'", "@Transient let title: String?"),
            ])
    }

    @Test(arguments: [("lazy", "= 1"), ("weak", ": User?"), ("unowned", ": User?")])
    func `A property modifier of storage is refused with fixes`(modifier: String, rest: String) {
        expectMisuse(
            ofProperty: "/// Documented.\n    private(set) ⏵\(modifier) var value \(rest)",
            "'\(modifier)' can't be said of a model's property, whose value the store holds; remove it, "
                + "or mark 'value' "
                + "'@Transient'",
            fixIts: [
                FixIt("remove '\(modifier)'", "/// Documented.\n    private(set) var value \(rest)"),
                FixIt(
                    "mark it '@Transient'", "/// Documented.\n    @Transient private(set) \(modifier) var value \(rest)"
                ),
            ])
    }

    @Test(arguments: ["willSet", "didSet"])
    func `A property observer is refused with a fix`(observer: String) {
        expectMisuse(
            ofProperty: "var title = \"\" { ⏵\(observer) { print(1) } }",
            "'\(observer)' is not called when a reply changes 'title'; observe the context instead, or "
                + "mark the property "
                + "'@Transient'",
            fixIts: [FixIt("mark it '@Transient'", "@Transient var title = \"\" { \(observer) { print(1) } }")])
    }

    @Test func `Several properties in one declaration are refused with a fix`() {
        expectMisuse(
            ofProperty: "public var ⏵title = \"\", body = \"\"", "declare each property of a model by itself",
            fixIts: [
                FixIt("declare them one by one", "public var title = \"\"\n    public var body = \"\"")
            ])
        expectMisuse(
            ofProperty: "var ⏵first, last: String?, count = 0, number : Int? // four",
            "declare each property of a model by itself",
            fixIts: [
                FixIt(
                    "declare them one by one",
                    """
                    var first: String?
                        var last: String?
                        var count = 0
                        var number: Int?
                    """ + " // four")
            ])
    }

    @Test func `A pattern of properties is refused`() {
        expectMisuse(
            ofProperty: "var ⏵(x, y) = (1, 2)", "declare each property of a model by itself, not in a pattern")
    }

    @Test func `A property without type and default is refused with a fix`() {
        expectMisuse(
            ofProperty: "var ⏵title",
            "'title' has neither a type nor a default; write its type, as in 'title: Int?'",
            fixIts: [FixIt("add a type", "var title: <#Type#>?")])
    }

    @Test func `A relationship without a type is refused with a fix`() {
        expectMisuse(
            ofProperty: "@Relationship var ⏵labels = makeLabels()",
            "the type of a relationship is written out: '[Model]' for many objects, 'Model?' for one",
            fixIts: [FixIt("add a type", "@Relationship var labels: [<#Model#>]")])
    }

    @Test func `An implicitly unwrapped property is refused with a fix`() {
        expectMisuse(
            ofProperty: "var owner: ⏵User!", "'owner' would trap where a reply left it out; make it an optional",
            fixIts: [FixIt("replace '!' with '?'", "var owner: User?")])
    }

    @Test func `A property can't be attribute and relationship at once`() {
        expectMisuse(
            ofProperty: "@Attribute(\"x\") ⏵@Relationship var owner: User?",
            "'owner' can't be '@Attribute' and '@Relationship' at once; keep one",
            fixIts: [
                FixIt("remove '@Attribute'", "@Relationship var owner: User?"),
                FixIt("remove '@Relationship'", "@Attribute(\"x\") var owner: User?"),
            ])
    }

    @Test func `A property can't have two attribute macros`() {
        expectMisuse(
            ofProperty: "@Attribute(\"x\") ⏵@Attribute(access: .readOnly) var login: String?",
            "'login' has 2 times '@Attribute'; say all in one")
    }

    @Test(arguments: [
        ("context", "context"), ("fetchedAt", "fetched_at"), ("outboxEntry", "outbox_entry"),
        ("discardQueued", "discard_queued"),
    ])
    func `A property can't have the name of a member that every model has`(name: String, json: String) {
        expectMisuse(
            ofProperty: "var ⏵\(name): String?",
            "'\(name)' is the name of a member that every model has; choose another, and keep the JSON name with "
                + "'@Attribute(\"\(json)\")'",
            fixIts: [
                FixIt("rename it to '\(name)Value'", "@Attribute(\"\(json)\") var \(name)Value: String?")
            ])
    }

    @Test func `A property can't be attribute and transient at once`() {
        expectMisuse(
            ofProperty: "@Attribute\n    ⏵@Transient\n    var owner: User?",
            "'owner' can't be '@Attribute' and '@Transient' at once; keep one",
            fixIts: [
                FixIt("remove '@Attribute'", "@Transient\n    var owner: User?"),
                FixIt("remove '@Transient'", "@Attribute\n    var owner: User?"),
            ])
    }

    @Test(arguments: [": String?", ": [String]", ": [String: Int]", ": Set<Label>", ": (Label, Label)?", ": [UUID]?"])
    func `A relationship to values is refused with a fix`(type: String) {
        expectMisuse(
            ofProperty: "⏵@Relationship var tags\(type)",
            "'tags' is no relationship, as '\(type.dropFirst(2))' holds values and no models; remove '@Relationship'",
            fixIts: [FixIt("remove '@Relationship'", "var tags\(type)")])
    }

    @Test func `A relationship to an inferred value is refused with a fix`() {
        expectMisuse(
            ofProperty: "⏵@Relationship var tags = \"\"",
            "'tags' is no relationship, as it holds values and no models; remove '@Relationship'",
            fixIts: [FixIt("remove '@Relationship'", "var tags = \"\"")])
    }

    @Test func `An optional list of objects is refused with a fix`() {
        expectMisuse(
            ofProperty: "@Relationship var labels: ⏵[Label]?",
            "a relationship to many objects is never nil, as it can be empty; remove the '?'",
            fixIts: [FixIt("remove '?'", "@Relationship var labels: [Label]")])
    }

    @Test func `A relationship to one object must be optional`() {
        expectMisuse(
            ofProperty: "@Relationship var owner: ⏵User",
            "a relationship is an optional or an array, as nothing may be linked yet; 'owner' is 'User'",
            fixIts: [FixIt("make it 'User?'", "@Relationship var owner: User?")])
    }

    @Test func `A relationship of another type is refused`() {
        expectMisuse(
            ofProperty: "@Relationship var labels: ⏵[[Label]]",
            "a relationship is an optional or an array, as nothing may be linked yet; 'labels' is '[[Label]]'")
    }

    @Test func `A relationship with a default is refused with a fix`() {
        expectMisuse(
            ofProperty: "@Relationship var labels: [Label] ⏵= makeLabels()",
            "a relationship starts out empty; remove the default of 'labels'",
            fixIts: [FixIt("remove the default", "@Relationship var labels: [Label]")])
    }

    @Test(arguments: [
        ("properties", "properties", "propertiesValue"),
        ("modelDescription", "model_description", "modelDescriptionValue"),
        ("_object", "_object", "objectValue"), ("Properties", "properties", "propertiesValue"),
    ])
    func `A property can't have the name of a member that the macro adds`(name: String, json: String, renamed: String) {
        expectMisuse(
            ofProperty: "var ⏵\(name) = \"\"",
            "'\(name)' is the name of a member that '@Model' adds; choose another, and keep the JSON name with "
                + "'@Attribute(\"\(json)\")'",
            fixIts: [FixIt("rename it to '\(renamed)'", "@Attribute(\"\(json)\") var \(renamed) = \"\"")])
    }

    @Test(arguments: [("Self", "self"), ("Swift", "swift"), ("RestfulData", "restful_data")])
    func `A property can't have a name that the added code uses otherwise`(name: String, json: String) {
        let renamed = name.prefix(1).lowercased() + name.dropFirst() + "Value"
        let spelled = name == "Self" ? "`Self`" : name
        expectMisuse(
            ofProperty: "var ⏵\(spelled): Int?",
            "'\(name)' is what other things are called in the code that '@Model' adds; choose another, and keep the "
                + "JSON name with '@Attribute(\"\(json)\")'",
            fixIts: [FixIt("rename it to '\(renamed)'", "@Attribute(\"\(json)\") var \(renamed): Int?")])
    }

    @Test func `A relationship can't have the name of a member that the macro adds`() {
        expectMisuse(
            ofProperty: "var ⏵properties: [Property]",
            "'properties' is the name of a member that '@Model' adds; choose another, and keep the JSON name with "
                + "'@Attribute(\"properties\")'")
    }

    @Test(arguments: ["Attribute(\"x\")", "Relationship(inverse: nil)", "Transient", "RestfulData.Attribute"])
    func `A property macro in a condition is refused`(marker: String) {
        let name = marker.prefix { $0 != "(" }.split(separator: ".").last ?? ""
        expectMisuse(
            ofProperty: "#if DEBUG\n    ⏵@\(marker)\n    #endif\n    var size: Size?",
            "no macro can see which branch of '#if' is compiled, and so no '@\(name)' in one; write it outside")
    }
}
