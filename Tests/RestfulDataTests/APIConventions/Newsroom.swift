import RestfulData

/// The same three models for services of every house style.
enum Newsroom {
    @Model("/authors")
    final class Author {
        var identifier: Int?
        var fullName = ""
        @Relationship("/authors/:id/articles", inverse: "author") var articles: [Article]
    }

    @Model("/articles")
    final class Article {
        var identifier: Int?
        var title = ""
        var wordCount: Int?
        var author: Author?
        @Relationship(inverse: nil) var reviewers: [Author]
        var comments: [Comment]
    }

    @Model("/comments")
    final class Comment {
        var identifier: Int?
        var text = ""
        var article: Article?
    }

    static let models: [any Model.Type] = [Author.self, Article.self, Comment.self]
}
