// swift-format-ignore-file
// The text is the README's.
import RestfulData

/// The house styles of the README, word for word, as something that compiles.
struct Styles {
    @Model("/authors")
    final class Author {
        var identifier: Int?
        var fullName = ""
    }

    @Model("/articles")
    final class Article {
        var identifier: Int?
        var title = ""
        var author: Author?
        var comments: [Comment]
    }

    @Model("/comments")
    final class Comment {
        var identifier: Int?
        var text = ""
        var article: Article?
    }

    func services() -> [API] {
        // PATCH /articles/1 {"title":"Notes","author_id":7}
        let rails = API("https://rails.example.com")

        // PATCH /articles/1/ {"title":"Notes","author":7}
        let django = API("https://django.example.com", conventions: .djangoREST)

        // PATCH /articles/1 {"data":{"type":"articles","id":"1","attributes":{"title":"Notes"},"relationships":…}}
        let jsonAPI = API("https://jsonapi.example.com", conventions: .jsonAPI)

        // Any of them with a line changed: PATCH /articles/1 {"article":{"title":"Notes","author_id":7}}
        var conventions = APIConventions.rails
        conventions.envelopes = .byName
        return [rails, django, jsonAPI, API("https://wrapped.example.com", conventions: conventions)]
    }
}
