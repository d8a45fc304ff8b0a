import RestfulData

/// Denies its deletion by each kind of relationship: a list of rows that lead back, one of rows that do not, one
/// object.
@Model
final class Shelf {
    var identifier: Int?
    @Relationship(inverse: "shelf", onDelete: .deny) var books: [Book]
    @Relationship(inverse: nil, onDelete: .deny) var tools: [Tool]
    @Relationship(inverse: nil, onDelete: .deny) var keeper: Tool?
}

/// Takes others with it by each kind of relationship.
@Model
final class Book {
    var identifier: Int?
    var shelf: Shelf?
    @Relationship(inverse: "book", onDelete: .cascade) var pages: [Page]
    @Relationship(inverse: nil, onDelete: .cascade) var tools: [Tool]
    @Relationship(inverse: nil, onDelete: .cascade) var cover: Tool?
}

/// Takes the next one with it, which may be itself, or lead back.
@Model
final class Page {
    var identifier: Int?
    var book: Book?
    @Relationship(inverse: nil, onDelete: .cascade) var next: Page?
    @Relationship(inverse: nil, onDelete: .deny) var pinnedBy: Tool?
}

@Model
final class Tool {
    var identifier: Int?
}
