import RestfulData
import Testing

@testable import ObjectStore

/// Families that contradict themselves are refused when the store opens, with all that is wrong with them.
@Suite struct InheritanceProblemTests {
    enum Wrong {
        @Model(discriminator: "type")
        class Shape {
            var identifier: Int?
            var type: Int?
            var drawing: Drawing?
        }

        @Model(inherits: Shape.self, as: "1")
        final class Circle: Shape {
            var size = 0
            @Relationship(inverse: "circle") var drawings: [Drawing]
        }

        @Model("/squares/:typ", inherits: Shape.self, as: "1", "two", key: "sise")
        final class Square: Shape {
            var size = 1
            @Attribute("drawing") var title = ""
        }

        @Model
        final class Drawing {
            var identifier: Int?
            var circle: Circle?
            @Relationship(inverse: "drawing") var circles: [Circle]
        }

        @Model(discriminator: "tags")
        class Vehicle {
            var identifier: Int?
            var tags: [String] = []
        }

        @Model(inherits: Vehicle.self)
        final class Car: Vehicle {
            var doors = 0
        }
    }

    private func problems(_ models: [any Model.Type]) -> [String] {
        do {
            _ = try Schema(models: models, conventions: .default)
            return []
        } catch {
            guard case .models(let problems) = error else { return ["\(error)"] }
            return problems
        }
    }

    @Test func `All problems of inheritance are listed`() {
        #expect(
            problems([Wrong.Shape.self, Wrong.Circle.self, Wrong.Square.self, Wrong.Drawing.self]) == [
                "Square and Circle would share the column of \"size\", which they declare differently; rename one",
                "Square: the JSON name \"drawing\" is claimed by drawing (the name as it is) and title (explicit in the "
                    + "declaration); give all but one of them another name with @Attribute(\"…\")",
                "Square's discriminator is a whole number; name the one that stands for it with @Model(inherits:as:)",
                "Circle and Square both stand for the discriminator integer(1); rename one with `as:`",
                "Square names \"sise\" as its key, which is no attribute or to-one relationship of it; did you mean \"size\"?",
                "Drawing.circles and Shape.drawing can't be each other's inverse, as one of them leads to some only of the "
                    + "models that declare the other; declare both in the model that the others inherit from, or leave it "
                    + "out with `inverse: nil`",
            ])
    }

    @Test func `A parent that isn't among the store's models is reported`() {
        #expect(
            problems([Wrong.Circle.self, Wrong.Drawing.self]) == [
                "Circle inherits from Shape, which is not among the store's models",
                "Drawing.circle leads to Circle, which is not among the store's models",
                "Drawing.circles leads to Circle, which is not among the store's models",
            ])
    }

    @Test func `A discriminator that is neither text nor a whole number is reported`() {
        #expect(
            problems([Wrong.Vehicle.self, Wrong.Car.self]) == [
                "Vehicle's discriminator \"tags\" is neither text nor a whole number"
            ])
    }

    /// Declarations that a macro would refuse.
    class Root: Model {
        struct Properties: Sendable { let identifier = Declaration<Root>.property(0, "identifier", Int?.self) }
        static let properties = Properties()
        class var modelDescription: ModelDescription {
            ModelDescription(Root.self, "Root", ModelOptions(), [properties.identifier])
        }
        let _object: ObjectState
        required init(_object: ObjectState) { self._object = _object }
    }

    class Middle: Root {
        override class var modelDescription: ModelDescription {
            ModelDescription(Middle.self, "Middle", ModelOptions(inherits: Root.self), [])
        }
    }

    final class Leaf: Middle {
        override class var modelDescription: ModelDescription {
            ModelDescription(Leaf.self, "Leaf", ModelOptions(inherits: Middle.self), [])
        }
    }

    @Test func `Inheritance over two levels and a missing discriminator are reported`() {
        #expect(
            problems([Root.self, Middle.self, Leaf.self]) == [
                "Leaf inherits from Middle, which inherits from Root itself; inheritance of models is one level deep, so "
                    + "inherit from Root",
                "Middle inherits from Root, which has no discriminator: name the attribute that tells them apart with "
                    + "@Model(discriminator:)",
            ])
    }
}
