import Foundation
import RestfulData

/// The models of the examples in the JSON:API specification.
enum Library {
    @Model("/people")
    final class Person {
        var identifier: Int?
        var firstName: String?
        var lastName: String?
        var twitter: String?
    }

    @Model("/articles")
    final class Article {
        var identifier: Int?
        var title: String?
        var wordCount: Int?
        @Attribute("meta.revision", access: .readOnly) var revision: Int?
        @Attribute("links.self", access: .readOnly) var page: URL?
        @Attribute("layout.columns") var columns: Int?
        var author: Person?
        var comments: [Comment]
        @Relationship(inverse: nil) var reviewers: [Person]
    }

    @Model("/comments")
    final class Comment {
        var identifier: Int?
        var body: String?
        var author: Person?
        var article: Article?
    }

    static let models: [any Model.Type] = [Person.self, Article.self, Comment.self]

    /// The example on the front page of jsonapi.org.
    static let frontPage = """
        {
          "links": {
            "self": "http://example.com/articles",
            "next": "http://example.com/articles?page[offset]=2",
            "last": "http://example.com/articles?page[offset]=10"
          },
          "data": [{
            "type": "articles",
            "id": "1",
            "attributes": {
              "title": "JSON:API paints my bikeshed!"
            },
            "relationships": {
              "author": {
                "links": {
                  "self": "http://example.com/articles/1/relationships/author",
                  "related": "http://example.com/articles/1/author"
                },
                "data": { "type": "people", "id": "9" }
              },
              "comments": {
                "links": {
                  "self": "http://example.com/articles/1/relationships/comments",
                  "related": "http://example.com/articles/1/comments"
                },
                "data": [
                  { "type": "comments", "id": "5" },
                  { "type": "comments", "id": "12" }
                ]
              }
            },
            "links": {
              "self": "http://example.com/articles/1"
            }
          }],
          "included": [{
            "type": "people",
            "id": "9",
            "attributes": {
              "firstName": "Dan",
              "lastName": "Gebhardt",
              "twitter": "dgeb"
            },
            "links": {
              "self": "http://example.com/people/9"
            }
          }, {
            "type": "comments",
            "id": "5",
            "attributes": {
              "body": "First!"
            },
            "relationships": {
              "author": {
                "data": { "type": "people", "id": "2" }
              }
            },
            "links": {
              "self": "http://example.com/comments/5"
            }
          }, {
            "type": "comments",
            "id": "12",
            "attributes": {
              "body": "I like XML better"
            },
            "relationships": {
              "author": {
                "data": { "type": "people", "id": "9" }
              }
            },
            "links": {
              "self": "http://example.com/comments/12"
            }
          }]
        }
        """
}
