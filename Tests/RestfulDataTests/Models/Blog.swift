import Foundation
import RestfulData

// A service in Rails' manner, with an example of every declaration of a property.

@Model("/posts")
final class Post {
    var identifier: Int?
    var title = ""
    var text: String?
    var rating = 0.5
    var isPublic = false
    var publishedAt: Date?
    var tags: [String] = []
    @Attribute("meta.source") var source: String?
    @Attribute("meta.wordCount") var wordCount: Int?
    @Attribute(access: .readOnly) var slug: String?
    @Attribute(access: .createOnly) var language: String?
    @Attribute(access: .writeOnly) var password: String?
    var author: Author?
    @Relationship(inverse: nil, sentAs: .nested) var cover: Picture?
    @Relationship(inverse: nil, sentAs: .nested) var pictures: [Picture]
    @Relationship(inverse: nil, sentAs: .never) var lastReader: Author?
    @Relationship(inverse: nil) var readers: [Author]
    var comments: [Remark]
}

@Model("/authors")
final class Author {
    var identifier: Int?
    var name = ""
    @Relationship("/authors/:id/posts", inverse: "author") var posts: [Post]
    @Relationship("/authors/:id/favourite", inverse: nil) var favourite: Post?
    @Relationship("/authors/:id/friends", inverse: nil) var friends: [Author]
    @Relationship("/authors/:id/followed", inverse: nil, merges: true) var followed: [Author]
}

@Model
final class Picture {
    var identifier: Int?
    var file: URL?
    var width: Int?
}

@Model("/posts/:post_id/comments", identity: "post", "number")
final class Remark {
    var post: Post?
    var number: Int?
    var text = ""
}

enum Blog {
    static let models: [any Model.Type] = [Post.self, Author.self, Picture.self, Remark.self]
}
