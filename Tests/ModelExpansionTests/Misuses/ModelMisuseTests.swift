import Testing

/// Mistakes in a class, except for its names.
@Suite struct ModelMisuseTests {
    @Test(arguments: ["struct", "enum", "actor"])
    func `A type that is no class can't be a model`(keyword: String) {
        expectMisuse(
            """
            @Model
            public ⏵\(keyword) User {
            }
            """,
            "a model is a class, as all who hold an object see the same one; '\(keyword)' can't be one",
            fixIts: [
                FixIt(
                    "replace '\(keyword)' with 'final class'",
                    """
                    @Model
                    public final class User {
                    }
                    """)
            ])
    }

    @Test func `A protocol can't be a model`() {
        expectMisuse(
            """
            @Model
            ⏵protocol User {
            }
            """,
            "a model is a class, as all who hold an object see the same one; 'protocol' can't be one",
            fixIts: [
                FixIt(
                    "replace 'protocol' with 'final class'",
                    """
                    @Model
                    final class User {
                    }
                    """)
            ])
    }

    @Test func `An extension can't be a model`() {
        expectMisuse(
            """
            ⏵@Model
            extension User {
            }
            """,
            "'@Model' can't be attached to an extension; attach it to the class's own declaration")
    }

    @Test func `A generic class can't be a model`() {
        expectMisuse(
            """
            @Model
            final class Page⏵<Item> {
                var identifier: Int?
            }
            """,
            "a model can't be generic, as it has one table; declare a class for each type that it is used with")
    }

    @Test func `An open class can't be a model`() {
        expectMisuse(
            """
            @Model
            ⏵open class User {
                var identifier: Int?
            }
            """,
            "a model can't be 'open', as another module's subclass would have no table; make it 'public'",
            fixIts: [
                FixIt(
                    "replace 'open' with 'public'",
                    """
                    @Model
                    public class User {
                        var identifier: Int?
                    }
                    """)
            ])
    }

    @Test(arguments: ["MainActor", "StoreActor", "Swift.MainActor"])
    func `A class isolated to an actor can't be a model`(actor: String) {
        expectMisuse(
            """
            @Model
            ⏵@\(actor)
            final class User {
                var identifier: Int?
            }
            """,
            "a model belongs to its context, on the main actor or elsewhere; remove '@\(actor)'",
            fixIts: [
                FixIt(
                    "remove '@\(actor)'",
                    """
                    @Model
                    final class User {
                        var identifier: Int?
                    }
                    """)
            ])
    }

    @Test(arguments: [
        (": ⏵Sendable", ""), (": ⏵@unchecked Sendable", ""), (": Named, ⏵@unchecked Sendable", ": Named"),
        (": ⏵Swift.Sendable, Named", ": Named"),
    ])
    func `A model can't be declared as Sendable`(clause: String, fixed: String) {
        expectMisuse(
            """
            @Model
            final class User\(clause) {
                var identifier: Int?
            }
            """,
            "a model can't be 'Sendable', as an object is used where its context is; pass its identity on",
            fixIts: [
                FixIt(
                    "remove 'Sendable'",
                    """
                    @Model
                    final class User\(fixed) {
                        var identifier: Int?
                    }
                    """)
            ])
    }

    @Test(arguments: [
        (": ⏵Identifiable", ""), (": Named, ⏵Identifiable", ": Named"), (": ⏵Swift.Identifiable, Named", ": Named"),
    ])
    func `A model can't be declared as Identifiable again`(clause: String, fixed: String) {
        expectMisuse(
            """
            @Model
            final class User\(clause) {
                var id: Int?
            }
            """,
            "every model is 'Identifiable' already, by the object that it is and not by its 'id'; remove it",
            fixIts: [
                FixIt(
                    "remove 'Identifiable'",
                    """
                    @Model
                    final class User\(fixed) {
                        var id: Int?
                    }
                    """)
            ])
    }

    @Test(arguments: ["struct ⏵Properties {}", "typealias ⏵Properties = Int", "enum ⏵Properties {}"])
    func `A nested type can't have the name of an added type`(member: String) {
        expectMisuse(
            ofProperty: member, "'Properties' is the name of a member that '@Model' adds; rename yours")
    }

    @Test(arguments: [
        "static let ⏵properties = 1", "static var ⏵modelDescription: String { \"\" }", "var ⏵_object: Int { 1 }",
    ])
    func `A member can't have the name of an added member`(member: String) {
        let name = member.drop { $0 != "⏵" }.dropFirst().prefix { $0.isLetter || $0 == "_" }
        expectMisuse(
            ofProperty: member, "'\(name)' is the name of a member that '@Model' adds; rename yours")
    }

    @Test func `A designated initializer is refused with a fix`() {
        expectMisuse(
            ofProperty: "/// Documented.\n    public ⏵init(title: String, in context: ObjectContext) {}",
            "a model's initializer is a 'convenience' one that calls 'self.init(in:)', which gives the object its row",
            fixIts: [
                FixIt(
                    "make it 'convenience'",
                    "/// Documented.\n    public convenience init(title: String, in context: ObjectContext) {}")
            ])
        expectMisuse(
            ofProperty: "⏵init() {}",
            "a model's initializer is a 'convenience' one that calls 'self.init(in:)', which gives the object its row",
            fixIts: [FixIt("make it 'convenience'", "convenience init() {}")])
    }

    @Test(arguments: ["in", "_object"])
    func `An initializer that the macro adds can't be declared`(label: String) {
        expectMisuse(
            ofProperty: "convenience init(⏵\(label) context: ObjectContext) {}",
            "'init(\(label):)' is what '@Model' adds; give yours other parameters")
    }

    @Test func `A property in a condition is refused with a fix`() {
        expectMisuse(
            ofProperty: "#if DEBUG\n    #if os(Linux)\n    ⏵var trace = \"\"\n    #endif\n    #endif",
            "'@Model' can't see which branch of '#if' is compiled; declare the property outside, or mark "
                + "it '@Transient'",
            fixIts: [
                FixIt(
                    "mark it '@Transient'",
                    "#if DEBUG\n    #if os(Linux)\n    @Transient var trace = \"\"\n    #endif\n    #endif")
            ])
    }

    @Test(arguments: [("var ", ": Cache"), ("let ", ": Cache")])
    func `A transient property needs a default or an optional type`(keyword: String, type: String) {
        expectMisuse(
            ofProperty: "@Transient \(keyword)⏵cache\(type)",
            "the context makes instances by itself, so '@Transient' 'cache' is optional or has a default",
            fixIts: [FixIt("make it 'Cache?'", "@Transient \(keyword)cache: Cache?")])
    }

    @Test func `A private type of a property is refused with a fix`() {
        expectMisuse(
            ofProperty: "⏵private enum State: String {\n        case open\n    }\n    private var state: State?",
            "'State' is the type of a modelled property, whose token can't see it; make it 'fileprivate'",
            fixIts: [
                FixIt(
                    "replace 'private' with 'fileprivate'",
                    "fileprivate enum State: String {\n        case open\n    }\n    private var state: State?")
            ])
    }

    @Test func `A property macro where no model reads it is refused`() {
        expectComplaint(
            of: "@Attribute(\"login\")",
            in: """
                struct User {
                    ⏵@Attribute("login") var name = ""
                }
                """,
            "'@Attribute' says nothing here, as it is in no '@Model' class; remove it", fixIt: "remove '@Attribute'")
        expectComplaint(
            of: "@Transient",
            in: """
                @Model
                final class User {
                    var identifier: Int?
                    ⏵@Transient var name: String { "" }
                }
                """,
            "'@Transient' says nothing here, as the property is computed or static; remove it",
            fixIt: "remove '@Transient'")
        expectComplaint(
            of: "@Relationship",
            in: """
                @Model
                final class User {
                    var identifier: Int?
                    ⏵@Relationship func name() {}
                }
                """,
            "'@Relationship' says nothing here, as this is no property; remove it", fixIt: nil)
    }
}
