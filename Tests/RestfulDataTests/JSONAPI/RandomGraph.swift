import Foundation
import RestfulData
import TestSupport

/// Authors, articles and comments by identity: the expected contents of a store, and the documents with them.
struct RandomGraph: Equatable {
    struct AuthorValue: Equatable {
        var name: String
        var articles: [Int] = []
    }

    struct ArticleValue: Equatable {
        var title: String
        var wordCount: Int?
        var author: Int?
        var reviewers: [Int]
        var comments: [Int] = []
    }

    struct CommentValue: Equatable {
        var text: String
        var article: Int?
    }

    var authors: [Int: AuthorValue] = [:]
    var articles: [Int: ArticleValue] = [:]
    var comments: [Int: CommentValue] = [:]

    init() {}

    init(using generator: inout SeededGenerator) {
        let texts = ["", "plain", "quote \" back \\ slash /", "é 🚀\n\t", "null", "7"]
        for id in 1...Int.random(in: 1...4, using: &generator) {
            authors[id] = AuthorValue(name: texts.randomElement(using: &generator) ?? "")
        }
        for id in 1...Int.random(in: 1...5, using: &generator) {
            let author = Bool.random(using: &generator) ? authors.keys.sorted().randomElement(using: &generator) : nil
            articles[id] = ArticleValue(
                title: texts.randomElement(using: &generator) ?? "",
                wordCount: Bool.random(using: &generator)
                    ? Int.random(in: -9...9_007_199_254_740_993, using: &generator) : nil,
                author: author,
                reviewers: Array(
                    authors.keys.sorted().shuffled(using: &generator)
                        .prefix(Int.random(in: 0...authors.count, using: &generator))))
            if let author { authors[author]?.articles.append(id) }
        }
        for id in 0..<Int.random(in: 0...6, using: &generator) {
            let article = Bool.random(using: &generator) ? articles.keys.sorted().randomElement(using: &generator) : nil
            comments[id] = CommentValue(text: texts.randomElement(using: &generator) ?? "", article: article)
            if let article { articles[article]?.comments.append(id) }
        }
        for id in authors.keys.sorted() { authors[id]?.articles.shuffle(using: &generator) }
        for id in articles.keys.sorted() { articles[id]?.comments.shuffle(using: &generator) }
    }

    /// The contents of a context.
    @MainActor init(_ context: ObjectContext) throws {
        for author in try context.query(Newsroom.Author.self).fetch() {
            authors[author.identifier ?? -1] = AuthorValue(
                name: author.fullName, articles: author.articles.compactMap(\.identifier))
        }
        for article in try context.query(Newsroom.Article.self).fetch() {
            articles[article.identifier ?? -1] = ArticleValue(
                title: article.title, wordCount: article.wordCount, author: article.author?.identifier,
                reviewers: article.reviewers.compactMap(\.identifier),
                comments: article.comments.compactMap(\.identifier))
        }
        for comment in try context.query(Newsroom.Comment.self).fetch() {
            comments[comment.identifier ?? -1] = CommentValue(
                text: comment.text, article: comment.article?.identifier)
        }
    }
}

// The oracle's way to documents, by dictionaries and Foundation.
extension RandomGraph {
    typealias JSONObject = [String: Any]

    static func identifier(_ type: String, _ id: Int) -> JSONObject { ["type": type, "id": String(id)] }

    private static func resource(
        _ type: String, _ id: Int, _ attributes: JSONObject, _ relationships: JSONObject
    ) -> JSONObject {
        var resource = identifier(type, id)
        resource["attributes"] = attributes
        if !relationships.isEmpty { resource["relationships"] = relationships.mapValues { ["data": $0] } }
        return resource
    }

    func article(_ id: Int, withComments: Bool) -> JSONObject {
        guard let article = articles[id] else { return [:] }
        var relationships: JSONObject = [
            "author": article.author.map { Self.identifier("authors", $0) } ?? NSNull(),
            "reviewers": article.reviewers.map { Self.identifier("authors", $0) },
        ]
        if withComments { relationships["comments"] = article.comments.map { Self.identifier("comments", $0) } }
        return Self.resource(
            "articles", id, ["title": article.title, "wordCount": article.wordCount.map { $0 as Any } ?? NSNull()],
            relationships)
    }

    /// A resource as a PUT sends it, without empty lists: a new object's empty list may only be unknown.
    static func withoutEmptyLists(_ resource: JSONObject) -> JSONObject {
        var resource = resource
        let relationships = (resource["relationships"] as? [String: JSONObject])?.filter { _, value in
            (value["data"] as? [Any])?.isEmpty != true
        }
        resource["relationships"] = relationships?.isEmpty == true ? nil : relationships
        return resource
    }

    var resources: [JSONObject] {
        articles.keys.sorted().map { article($0, withComments: true) }
            + authors.sorted { $0.key < $1.key }.map { id, author in
                Self.resource(
                    "authors", id, ["fullName": author.name],
                    ["articles": author.articles.map { Self.identifier("articles", $0) }])
            }
            + comments.sorted { $0.key < $1.key }.map { id, comment in
                let article: Any = comment.article.map { Self.identifier("articles", $0) } ?? NSNull()
                return Self.resource("comments", id, ["text": comment.text], ["article": article])
            }
    }

    /// All of it in one document: any of the articles are its data, the rest is included, some of it twice, in any
    /// order.
    func document(using generator: inout SeededGenerator) throws -> Data {
        let all = resources.shuffled(using: &generator)
        let primary = all.filter { $0["type"] as? String == "articles" }
            .prefix(Int.random(in: 0...articles.count, using: &generator))
        let ids = Set(primary.compactMap { $0["id"] as? String })
        let others = all.filter { $0["type"] as? String != "articles" || !ids.contains($0["id"] as? String ?? "") }
        let twice = all.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
        let unknown: [JSONObject] = [["type": "tags", "id": "1", "attributes": ["name": "x"]]]
        let included = (others + twice + unknown).shuffled(using: &generator)
        return try JSONSerialization.data(withJSONObject: ["data": Array(primary), "included": included])
    }
}
