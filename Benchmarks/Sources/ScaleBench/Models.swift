import Foundation
import RestfulData

// Small models: the measurements are about the growth of a cost, rather than the cost of a column.

@Model("/posts")
final class Post {
    var identifier: Int?
    var title = ""
    var score = 0
    @Relationship(inverse: "posts") var tags: [Tag]
}

@Model("/tags")
final class Tag {
    var identifier: Int?
    @Relationship(inverse: "tags") var posts: [Post]
}

/// Each takes the next one with it.
@Model
final class Step {
    var identifier: Int?
    @Relationship(inverse: nil, onDelete: .cascade) var next: Step?
}

/// Takes its documents with it.
@Model
final class Folder {
    var identifier: Int?
    @Relationship(inverse: "folder", onDelete: .cascade) var documents: [Document]
}

@Model
final class Document {
    var identifier: Int?
    var folder: Folder?
}

/// Has lists that are kept in each way: as links, in a join table, and one that imports only add to.
@Model("/feeds")
final class Feed {
    var identifier: Int?
    @Relationship("/feeds/:id/entries", inverse: "feed") var entries: [Entry]
    @Relationship("/feeds/:id/starred", inverse: nil) var starred: [Entry]
    @Relationship("/feeds/:id/history", inverse: nil, merges: true) var history: [Entry]
}

@Model("/entries")
final class Entry {
    var identifier: Int?
    var title = ""
    var feed: Feed?
}

/// Its lines lack an identity.
@Model
final class Order {
    var identifier: Int?
    @Relationship(inverse: nil) var lines: [OrderLine]
}

@Model(embedded: true)
final class OrderLine {
    var title = ""
    var score = 0
}

/// The same values as texts, and in their own types.
@Model
final class Named {
    var identifier: Int?
    var token = ""
    var first = ""
    var second = ""
    var third = ""
}

@Model
final class Addressed {
    var identifier: Int?
    var token: UUID?
    var first: URL?
    var second: URL?
    var third: URL?
}

enum Models {
    static let all: [any Model.Type] = [
        Post.self, Tag.self, Step.self, Folder.self, Document.self, Feed.self, Entry.self,
        Order.self, OrderLine.self, Named.self, Addressed.self,
    ]
}
