public import Conventions

extension APIConventions {
    /// Plain JSON in snake_case, equal to ``rails``.
    public static let `default` = APIConventions()

    /// Rails: snake_case names, relationships sent as `author_id` and `tag_ids`, pages by `Link`. With
    /// `ActiveModel::Serializers`' `:json` adapter or `wrap_parameters`, set ``envelopes`` to `.byName`.
    public static let rails = APIConventions.default

    /// GitHub's REST API: ``rails`` with GitHub's names. A search wraps its list in `items`. Lists whose members link
    /// back aren't sent. At api.github.com, ``RequestLimits/github`` limits the requests.
    public static let github = APIConventions(.github).with {
        $0.envelopes = .lists("items")
        $0.inverseLists = .never
        $0.urls.paths = ["full_name"]
        $0.limits = .github
    }

    /// Django REST Framework: URLs end in a slash, and a list may be a page object (`count`, `next`, `previous`,
    /// `results`). Relationships are sent as primary keys under their own name (`"author": 3`). Lists whose members
    /// link back aren't sent.
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
    /// `included`, in its media type. Names are camelCase, and pages follow `links.next`. For a service with other
    /// names: `.jsonAPI.writing(.kebabCase)`.
    public static let jsonAPI = APIConventions(.jsonAPI).with {
        $0.document = .jsonAPI
        $0.mediaType = "application/vnd.api+json"
        $0.paging = .nextLink(at: "links.next")
        $0.pageSize = "page[size]"
    }

    /// Plain JSON in camelCase: `userId`, `avatarUrl`, relationships sent as `authorId` and `tagIds`.
    public static let camelCase = APIConventions(.camelCase)

    func with(_ change: (inout APIConventions) -> Void) -> APIConventions {
        var copy = self
        change(&copy)
        return copy
    }
}

// As for ``NamingConventions`` alone.
extension APIConventions {
    /// A copy with one more pair of words, which precedes others that match as many words.
    public func registering(json: String, swift: String) -> APIConventions {
        with { $0.names = names.registering(json: json, swift: swift) }
    }

    /// A copy with more pairs of words. Of pairs that match as many words, the last one applies.
    public func registering(_ conventions: NamingConvention...) -> APIConventions {
        with { copy in for convention in conventions { copy.names = copy.names.registering(convention) } }
    }

    /// A copy for an API with names in another letter case.
    public func writing(_ jsonCase: JSONCase) -> APIConventions {
        with { $0.names = names.writing(jsonCase) }
    }
}
