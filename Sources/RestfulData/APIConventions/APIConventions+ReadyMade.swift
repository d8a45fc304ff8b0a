public import Conventions

extension APIConventions {
    /// Plain JSON in snake_case, as Rails' controllers answer it: the same as ``rails``.
    public static let `default` = APIConventions()

    /// Rails: snake_case names, relationships sent as `author_id` and `tag_ids`, pages by `Link`. With
    /// `ActiveModel::Serializers`' `:json` adapter or `wrap_parameters`, set ``envelopes`` to `.byName`.
    public static let rails = APIConventions.default

    /// GitHub's REST API: ``rails`` with GitHub's names, lists within `items` when a search wraps them; lists whose
    /// members lead back themselves aren't sent. At api.github.com requests are held back as ``RequestLimits/github``
    /// says.
    public static let github = APIConventions(.github).with {
        $0.envelopes = .lists("items")
        $0.inverseLists = .never
        $0.urls.paths = ["full_name"]
        $0.limits = .github
    }

    /// Django REST Framework: URLs end in a slash, a list may be a page object (`count`, `next`, `previous`,
    /// `results`), relationships travel as primary keys under their own name (`"author": 3`, `"tags": [1, 2]`), reverse
    /// ones do not go out.
    ///
    /// See <https://www.django-rest-framework.org/api-guide/relations/> and
    /// <https://www.django-rest-framework.org/api-guide/pagination/>.
    public static let djangoREST = APIConventions(.djangoREST).with {
        $0.urls = .trailingSlash
        $0.envelopes = .lists("results")
        $0.paging = .nextLink(at: "next")
        $0.pageSize = "page_size"
        $0.relationships = .identitiesByName
        $0.inverseLists = .never
    }

    /// [JSON:API 1.1](https://jsonapi.org/format/1.1/): documents with `data`, `attributes`, `relationships` and
    /// `included`, in its media type, names in camelCase, pages by `links.next`. For a service that writes names
    /// otherwise: `.jsonAPI.writing(.kebabCase)`.
    public static let jsonAPI = APIConventions(.jsonAPI).with {
        $0.document = .jsonAPI
        $0.mediaType = "application/vnd.api+json"
        $0.paging = .nextLink(at: "links.next")
        $0.pageSize = "page[size]"
    }

    /// Plain JSON in camelCase: `userId`, `avatarUrl`, relationships sent as `authorId` and `tagIds`.
    public static let camelCase = APIConventions(.camelCase)

    /// The same with what the closure changes.
    func with(_ change: (inout APIConventions) -> Void) -> APIConventions {
        var copy = self
        change(&copy)
        return copy
    }
}

// The most frequent changes of names, so that `.github.registering(json: "repo", swift: "repository")` reads as it does
// for the names alone.
extension APIConventions {
    /// The same with one more pair of words, which is taken before others that match as many words.
    public func registering(json: String, swift: String) -> APIConventions {
        with { $0.names = names.registering(json: json, swift: swift) }
    }

    /// The same with more pairs of words, of which the last is taken first among those that match as many words.
    public func registering(_ conventions: NamingConvention...) -> APIConventions {
        with { copy in for convention in conventions { copy.names = copy.names.registering(convention) } }
    }

    /// The same for an API that writes the words of its names in another case.
    public func writing(_ jsonCase: JSONCase) -> APIConventions {
        with { $0.names = names.writing(jsonCase) }
    }
}
