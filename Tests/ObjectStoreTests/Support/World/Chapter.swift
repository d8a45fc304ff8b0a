import RestfulData

/// Owns in every way that there is: a list of rows that lead back, one of rows that only belong to it, and one object;
/// and is owned.
@Model
final class Chapter {
    var identifier: Int?
    var parent: Chapter?
    @Relationship(inverse: "parent", owns: true) var parts: [Chapter]
    @Relationship(inverse: nil, owns: true) var notes: [Note]
    @Relationship(inverse: nil, owns: true) var cover: Note?
}

@Model
final class Note {
    var identifier: Int?
    var text = ""
}
