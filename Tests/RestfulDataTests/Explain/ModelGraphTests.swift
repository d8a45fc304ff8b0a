import RestfulData
import Testing

@Model("/shelves")
final class DrawnShelf {
    var identifier: Int?
    var name = ""
    @Relationship(inverse: "shelf", owns: true) var books: [DrawnBook]
    var place: DrawnPlace?
}

@Model("/books", discriminator: "kind")
class DrawnBook {
    var identifier: Int?
    var kind = ""
    var shelf: DrawnShelf?
    @Relationship(inverse: "books") var readers: [DrawnReader]
}

@Model(inherits: DrawnBook.self)
final class DrawnAtlas: DrawnBook {
    var scale = 0
}

@Model("/readers")
final class DrawnReader {
    var identifier: Int?
    @Relationship(inverse: "readers") var books: [DrawnBook]
    @Relationship(inverse: nil) var favourite: DrawnAtlas?
}

@Model(embedded: true)
final class DrawnPlace {
    var room = ""
}

@ModelChoice enum DrawnThing {
    case shelf(DrawnShelf)
    case reader(DrawnReader)
}

@Model("/notes")
final class DrawnNote {
    var identifier: Int?
    var thing: DrawnThing?
}

/// The models as a class diagram.
@MainActor @Suite struct ModelGraphTests {
    @Test func `A class diagram has classes, inheritance and each relationship pair once`() throws {
        let store = try Store(
            .temporary,
            models: [DrawnShelf.self, DrawnBook.self, DrawnAtlas.self, DrawnReader.self, DrawnPlace.self])
        #expect(
            store.modelGraph == """
                classDiagram
                    class DrawnShelf {
                        INTEGER identifier
                        TEXT name
                    }
                    class DrawnBook {
                        INTEGER identifier
                        TEXT kind
                    }
                    class DrawnAtlas {
                        INTEGER scale
                    }
                    class DrawnReader {
                        INTEGER identifier
                    }
                    class DrawnPlace {
                        TEXT room
                    }
                    DrawnBook <|-- DrawnAtlas
                    DrawnShelf "0..1" *-- "*" DrawnBook : books / shelf
                    DrawnShelf *-- "0..1" DrawnPlace : place
                    DrawnBook "*" -- "*" DrawnReader : readers / books
                    DrawnReader --> "0..1" DrawnAtlas : favourite
                """)
    }

    @Test func `A relationship to one of several models is drawn to each`() throws {
        let store = try Store(
            .temporary,
            models: [
                DrawnNote.self, DrawnShelf.self, DrawnBook.self, DrawnAtlas.self, DrawnReader.self, DrawnPlace.self,
            ])
        let lines = store.modelGraph.split(separator: "\n").filter { $0.hasSuffix(": thing") }
        #expect(
            lines == [
                #"    DrawnNote --> "0..1" DrawnShelf : thing"#, #"    DrawnNote --> "0..1" DrawnReader : thing"#,
            ])
    }
}
