import Conventions
import ObjectStore

// From the documentation of services and standards. If your service differs, change a copy.

extension APIConventions {
    /// [Stripe](https://docs.stripe.com/api): bodies are forms. Lists are in `data`, and `has_more` leads to the page
    /// after `starting_after`. A change is a POST. A deleted object has `"deleted": true`. The outbox repeats a
    /// creation with its `Idempotency-Key`.
    ///
    /// See <https://docs.stripe.com/api/pagination>, <https://docs.stripe.com/api/errors> and
    /// <https://docs.stripe.com/api/idempotent_requests>.
    public static let stripe = APIConventions.rails.with {
        $0.envelopes = .lists("data")
        $0.paging = .more()
        $0.pageSize = "limit"
        $0.bodies = .form
        $0.formLists = .indexes
        $0.relationships = .identitiesByName
        $0.inverseLists = .never
        $0.saveMethod = .post
        $0.tombstones = ["deleted"]
        $0.usesIdempotencyKeys = true
    }

    /// [GitLab](https://docs.gitlab.com/api/rest/): a path such as `gitlab-org/gitlab` is one segment of a URL. A
    /// change is a PUT of the changed properties. Pages follow `Link`.
    ///
    /// See <https://docs.gitlab.com/api/rest/#pagination> and
    /// <https://docs.gitlab.com/api/rest/troubleshooting/>.
    public static let gitLab = APIConventions.rails.with {
        $0.urls.escapeSlashes = true
        $0.inverseLists = .never
        $0.saveMethod = .putChanges
    }

    /// [HAL](https://datatracker.ietf.org/doc/html/draft-kelly-json-hal): lists are in `_embedded`, by the model's name
    /// or as `items`. Pages follow `_links.next`. An empty list has no `_embedded`. Names are camelCase, and `size` is
    /// a page's size, as in [Spring Data REST](https://docs.spring.io/spring-data/rest/reference/).
    ///
    /// Declare an embedded resource by its key path: `@Relationship(json: "_embedded.author")`.
    public static let hal = APIConventions(.camelCase).with {
        $0.envelopes.list = [.modelNameWithin("_embedded"), "_embedded.items", "_embedded.item"]
        $0.absentLists = .empty
        $0.paging = .nextLink(at: "_links.next")
        $0.pageSize = "size"
        $0.mediaType = "application/hal+json"
        $0.inverseLists = .never
        $0.conditionalWrites = .entityTags
    }

    /// [OData 4](https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part1-protocol.html): lists are in `value`,
    /// and pages follow `@odata.nextLink`. A change carries the `ETag` of its version, also a weak one.
    ///
    /// Names are camelCase. For `CreatedAt`, use `.oData.writing(.pascalCase)`. For keys in parentheses, declare
    /// `@Model("/Products", object: "/Products(:id)")`.
    ///
    /// See also <https://docs.oasis-open.org/odata/odata-json-format/v4.01/odata-json-format-v4.01.html>.
    public static let oData = APIConventions(.camelCase).with {
        $0.envelopes = .lists("value")
        $0.paging = .nextLink(at: ["@odata.nextLink"])
        $0.pageSizePreference = "odata.maxpagesize"
        $0.inverseLists = .never
        $0.tombstones = ["@removed"]
        $0.conditionalWrites = .weakEntityTags
    }

    /// [Google's APIs](https://google.aip.dev): an object's key is its resource name and its path, `shelves/1/books/2`.
    /// A list is at the model's plural name, and pages follow `nextPageToken`. A change lists its properties in
    /// `updateMask`. A missing key means the default ([ProtoJSON](https://protobuf.dev/programming-guides/json/)).
    ///
    /// ```swift
    /// @Model("/shelves", key: "name", identity: "name")
    /// final class Shelf {
    ///     var name: String?                                            // shelves/1
    ///     var theme = ""
    ///     @Attribute(alwaysSent: true) var etag: String?               // AIP-154: 409 where another has changed it
    /// }
    /// ```
    ///
    /// If you request parts of objects (`fields`, `readMask`, `view`), omitted properties stay.
    ///
    /// See [AIP-122](https://google.aip.dev/122), [AIP-132](https://google.aip.dev/132),
    /// [AIP-134](https://google.aip.dev/134), [AIP-158](https://google.aip.dev/158) and
    /// [AIP-193](https://google.aip.dev/193).
    public static let google = APIConventions(.camelCase).with {
        $0.values.nothing = .missingKey
        $0.partParameters = ["$fields", "fields", "readMask", "view"]
        $0.urls = URLs(paths: ["name"], keysAreNames: true)
        $0.envelopes.list = [.modelName]
        $0.absentLists = .empty
        $0.paging = .cursor(at: "nextPageToken", parameter: "pageToken")
        $0.pageSize = "pageSize"
        $0.relationships = .identitiesByName
        $0.inverseLists = .never
        $0.saveMethod = .updateMask
    }

    /// [Laravel's API resources](https://laravel.com/docs/eloquent-resources): replies are wrapped in `data`, requests
    /// aren't. Pages follow `links.next`.
    ///
    /// See <https://laravel.com/docs/pagination> and <https://laravel.com/docs/validation>.
    public static let laravel = APIConventions.rails.with {
        $0.envelopes = Envelopes(object: ["data"], list: ["data"])
        $0.paging = .nextLink(at: "links.next")
        $0.inverseLists = .never
    }

    /// [FHIR](https://hl7.org/fhir/R4/http.html): a list is a Bundle with each resource in `entry[].resource`. Pages
    /// follow the Bundle's `link`. Each resource has its type in `resourceType`; those of other types are stored as
    /// such. A change is a JSON Patch, which keeps undeclared elements, with the version in `If-Match`.
    ///
    /// A missing element means no value, unless you request parts of resources (`_elements`, `_summary`). A reference,
    /// `{"reference": "Patient/7"}`, is an attribute at its key path: `@Attribute("subject.reference")`.
    ///
    /// See <https://hl7.org/fhir/R4/bundle.html>, <https://hl7.org/fhir/R4/search.html> and
    /// <https://hl7.org/fhir/R4/operationoutcome.html>.
    public static let fhir = APIConventions(.camelCase).with {
        $0.values.nothing = .missingKey
        $0.partParameters = ["_elements", "_summary"]
        $0.envelopes = Envelopes(list: ["entry"], element: "resource")
        $0.absentLists = .empty
        $0.paging = .nextLink(at: "link")
        $0.pageSize = "_count"
        $0.mediaType = "application/fhir+json"
        $0.inverseLists = .never
        $0.typeKey = "resourceType"
        $0.saveMethod = .jsonPatch
        $0.conditionalWrites = .weakEntityTags
    }

    /// [Mastodon](https://docs.joinmastodon.org/client/intro/): plain JSON, pages by `Link`. A change is a PUT of the
    /// changed properties. A DELETE with the account's id in the body removes it from a list. ``usesIdempotencyKeys``
    /// is off, as only `POST /statuses` takes a key.
    ///
    /// See <https://docs.joinmastodon.org/api/guidelines/#pagination> and
    /// <https://docs.joinmastodon.org/methods/lists/>.
    public static let mastodon = APIConventions.rails.with {
        $0.pageSize = "limit"
        $0.inverseLists = .never
        $0.saveMethod = .putChanges
        $0.removals = .withBody
    }

    /// [Strapi 5](https://docs.strapi.io/cms/api/rest): replies and requests are wrapped in `data`. Pages have numbers,
    /// `pagination[page]`. A change is a PUT of the changed properties. Relationships are sent by name. The key is
    /// `documentId`: `@Model("/articles", key: "documentId", identity: "documentId")`.
    ///
    /// See <https://docs.strapi.io/cms/api/rest/sort-pagination> and <https://docs.strapi.io/cms/error-handling>.
    public static let strapi = APIConventions(.camelCase).with {
        $0.envelopes = .keyed("data")
        $0.paging = .pageNumber(parameter: "pagination[page]")
        $0.pageSize = "pagination[pageSize]"
        $0.relationships = .identitiesByName
        $0.inverseLists = .never
        $0.saveMethod = .putChanges
    }

    /// [Cloudflare](https://developers.cloudflare.com/api/): replies are wrapped in `result`, beside `success`,
    /// `errors` and `result_info`. Pages have numbers.
    ///
    /// See <https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/>.
    public static let cloudflare = APIConventions.rails.with {
        $0.envelopes = Envelopes(object: ["result"], list: ["result"])
        $0.paging = .pageNumber()
        $0.inverseLists = .never
    }

    /// [Linode](https://techdocs.akamai.com/linode-api/reference/api): lists are in `data`, beside `page`, `pages` and
    /// `results`. Pages have numbers. A change is a PUT of the changed properties.
    ///
    /// See <https://techdocs.akamai.com/linode-api/reference/pagination> and
    /// <https://techdocs.akamai.com/linode-api/reference/errors>.
    public static let linode = APIConventions.rails.with {
        $0.envelopes = .lists("data")
        $0.paging = .pageNumber()
        $0.pageSize = "page_size"
        $0.inverseLists = .never
        $0.saveMethod = .putChanges
    }
}
