import RestfulData
import Testing

@testable import ObjectStore

/// Models that contradict each other are refused when the store opens, with all that is wrong with them.
@Suite struct SchemaProblemTests {
    enum Wrong {
        @Model(table: "twice")
        final class First {
            var identifier: Int?
            var second: Second?
            var missing: Missing?
            @Relationship(inverse: "firts") var others: [Second]
            @Relationship(inverse: "label") var seconds: [Second]
        }

        @Model(table: "Twice")
        final class Second {
            var identifier: Int?
            var number: Int?
            var first: First?
            var label: Label?
        }

        @Model
        final class Missing {
            var identifier: Int?
        }

        @Model
        final class Columns {
            var identifier: Int?
            @Attribute("other") var userIdValue: Int?
            var userId: Int?
            var user: Missing?
        }
    }

    /// Declares the given number of attributes, which a macro would refuse.
    final class Wide: Model {
        struct Properties: Sendable {}
        static let properties = Properties()
        static let modelDescription = ModelDescription(
            Wide.self, "Wide", ModelOptions(),
            (0...300).map { number in
                Declaration<Wide>.property(number, number == 0 ? "identifier" : "value\(number)", Int?.self)
            })
        let _object: ObjectState
        init(_object: ObjectState) { self._object = _object }
    }

    /// Names that a macro would refuse.
    final class ByHand: Model {
        struct Properties: Sendable {}
        static let properties = Properties()
        static let modelDescription = ModelDescription(
            ByHand.self, "ByHand", ModelOptions(key: "nmuber", identity: "naem"),
            [
                Declaration<ByHand>.property(0, "name", String?.self),
                Declaration<ByHand>.property(1, "number", Int?.self),
            ])
        let _object: ObjectState
        init(_object: ObjectState) { self._object = _object }
    }

    private func problems(_ models: [any Model.Type]) -> [String] {
        do {
            _ = try Store(.temporary, models: models)
        } catch StoreError.models(let problems) {
            return problems
        } catch {
            Testing.Issue.record("\(error)")
        }
        return []
    }

    @Test func `All problems of a schema are listed together`() {
        let problems = problems([Wrong.First.self, Wrong.Second.self, Label.self, ByHand.self])
        for part in [
            "ByHand names \"naem\" as its identity", "did you mean \"name\"?", "First.missing leads to", "Missing",
            "names the inverse \"firts\", which Second does not have", "did you mean \"first\"?",
            "First.seconds names the inverse \"label\", but Second.label does not lead back to First",
            "ByHand names \"nmuber\" as its key", "the table name \"twice\" is taken",
        ] {
            #expect(problems.contains { $0.contains(part) }, "\(part) in \(problems)")
        }
    }

    class Base {
        var age = 0
    }

    @Model
    final class Heir: Base, CustomStringConvertible {
        var identifier: Int?
        var description: String { "\(identifier ?? 0)" }
    }

    @Test func `A superclass that isn't a model is reported with advice`() {
        let problems = problems([Heir.self])
        let words = [
            "Heir inherits from Base, which is no model", "what Base declares is neither stored nor sent",
            "@Model(inherits: Base.self)",
        ]
        #expect(problems.count == 1 && words.allSatisfy { problems[0].contains($0) }, "\(problems)")
    }

    @Test func `Colliding columns are reported by name`() {
        let problems = problems([Wrong.Columns.self, Wrong.Missing.self])
        #expect(
            problems.contains { $0.contains("userIdValue and userId") && $0.contains("\"user_id_value\"") },
            "\(problems)")
    }

    @Test func `Too many columns are reported`() {
        #expect(problems([Wide.self]).contains { $0.contains("Wide has 301") && $0.contains("256") })
    }

    enum Taken {
        @Model(table: "order")
        final class Order {
            var identifier: Int?
            @Relationship(inverse: "order") var lines: [OrderLine]
        }

        @Model
        final class OrderLine {
            var identifier: Int?
            var order: Order?
            // swift-format-ignore: AlwaysUseLowerCamelCase
            var _Order_position = 0
        }

        @Model(table: "Order_Identity")
        final class Identity {
            var identifier: Int?
        }

        @Model(table: "team")
        final class Team {
            var identifier: Int?
            @Relationship(inverse: nil, onDelete: .deny) var memberHead: Person?
            // swift-format-ignore: AlwaysUseLowerCamelCase
            @Relationship(inverse: nil, onDelete: .cascade) var a_b: Person?
        }

        @Model(table: "team_member")
        final class Member {
            var identifier: Int?
            @Relationship(inverse: nil) var head: Person?
        }

        @Model(table: "team_a")
        final class Assistant {
            var identifier: Int?
            @Relationship(inverse: nil, onDelete: .deny) var b: Person?
        }

        @Model
        final class Person {
            var identifier: Int?
        }
    }

    enum Own {
        @Model(identity: "_id")
        final class Document {
            var _id: String?
            var _unsent: Document?
        }
    }

    @Test func `A property with a column name that the store reserves is reported`() {
        let problems = problems([Own.Document.self])
        #expect(
            problems == [
                "Document: _id would have the column \"_id\", which is the store's own; rename it, and keep its JSON name "
                    + "with @Attribute"
            ])
    }

    @Test func `Names that collide in the file are reported`() {
        let problems = problems([
            Taken.Order.self, Taken.OrderLine.self, Taken.Identity.self, Taken.Team.self, Taken.Member.self,
            Taken.Assistant.self, Taken.Person.self,
        ])
        for part in [
            "OrderLine: _Order_position would share the column", "with the order of Order.lines; rename it",
            "the index of Order's identity and the table of Identity would share the name \"order_identity\"",
            "the index of Member.head and the index of Team.memberHead would share the name \"team_member_head_id\"",
            "the triggers of the delete rules of Assistant.b and Team.a_b would share a name",
        ] {
            #expect(problems.contains { $0.contains(part) }, "\(part) in \(problems)")
        }
    }

    enum Shared {
        @Model
        final class Shelf {
            var identifier: Int?
            @Relationship(inverse: "shelf") var books: [Volume]
            @Relationship("/search/books", inverse: "shelf") var found: [Volume]
        }

        @Model
        final class Volume {
            var identifier: Int?
            var shelf: Shelf?
        }
    }

    @Test func `Two lists with one inverse are reported`() {
        #expect(
            problems([Shared.Shelf.self, Shared.Volume.self]) == [
                "Shelf.books and Shelf.found have the same inverse, which makes one list of them; say `inverse: nil` in one "
                    + "of them"
            ])
    }

    @Test func `A model listed twice counts once`() throws {
        let store = try Store(.temporary, models: [Label.self, Label.self])
        #expect(store.schema.roots.count == 1)
    }
}
