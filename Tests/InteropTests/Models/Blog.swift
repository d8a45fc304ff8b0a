import Foundation
import RestfulData

// The blog that every service has, declared once for all of them.

@Model("/articles")
final class Article {
    enum State: String { case draft, published }

    var identifier: Int?
    var title = ""
    var slug = ""
    var body: String?
    var state: State = .draft
    var publishedAt: Date?
    var price: Decimal?
    @Attribute("featured") var isFeatured = false
    @Attribute(access: .readOnly) var createdAt: Date?
    var author: Author?
    @Relationship("/articles/:id/tags") var tags: [Tag]
    var comments: [Comment]
}

@Model("/authors")
final class Author {
    var identifier: Int?
    var name = ""
    var email: String?
    var bornOn: Date?
    @Attribute(access: .readOnly) var createdAt: Date?
    @Relationship("/authors/:id/articles", inverse: "author") var articles: [Article]
}

@Model("/articles/:article.id/comments")
final class Comment {
    var identifier: Int?
    var body = ""
    @Attribute(access: .readOnly) var createdAt: Date?
    var article: Article?
    @Relationship(inverse: nil) var author: Author?
}

@Model("/tags")
final class Tag {
    var identifier: Int?
    var name = ""
}

enum Blog {
    static let models: [any Model.Type] = [Article.self, Author.self, Comment.self, Tag.self]
}
