import Conventions
import ObjectStore

// The conventions of single services and of standards, each from its documentation. Change what a service at hand does
// otherwise: they are values.

extension APIConventions {
    /// [Stripe](https://docs.stripe.com/api): bodies are forms, lists are in `data` and go on by `has_more` and
    /// `starting_after`, changes are a POST, what is deleted says `"deleted": true`. Creations are known again by their
    /// `Idempotency-Key`.
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

    /// [GitLab](https://docs.gitlab.com/api/rest/): a path such as `gitlab-org/gitlab` is one segment of a URL, changes
    /// are a PUT of what changed, pages go on by `Link`.
    ///
    /// See <https://docs.gitlab.com/api/rest/#pagination> and
    /// <https://docs.gitlab.com/api/rest/troubleshooting/>.
    public static let gitLab = APIConventions.rails.with {
        $0.urls.escapeSlashes = true
        $0.inverseLists = .never
        $0.saveMethod = .putChanges
    }

    /// [HAL](https://datatracker.ietf.org/doc/html/draft-kelly-json-hal): lists are in `_embedded`, by the model's name
    /// or as `items`, and pages go on by `_links.next`; an empty list has no `_embedded`. Names are camelCase and pages
    /// have a `size`, as in Spring Data REST:
    /// <https://docs.spring.io/spring-data/rest/reference/paging-and-sorting.html>.
    ///
    /// What an object embeds is a relationship at its key path: `@Relationship(json: "_embedded.author")`.
    public static let hal = APIConventions(.camelCase).with {
        $0.envelopes.list = [.modelNameWithin("_embedded"), "_embedded.items", "_embedded.item"]
        $0.absentLists = .empty
        $0.paging = .nextLink(at: "_links.next")
        $0.pageSize = "size"
        $0.mediaType = "application/hal+json"
        $0.inverseLists = .never
        $0.conditionalWrites = .entityTags
    }

    /// [OData 4](https://docs.oasis-open.org/odata/odata/v4.01/odata-v4.01-part1-protocol.html): lists are in `value`
    /// and go on by `@odata.nextLink`, changes carry the `ETag` of their version, weak ones too. Names are camelCase;
    /// for a service with others: `.oData.writing(.pascalCase)`. Objects whose keys stand in parentheses declare it:
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

    /// [Google's APIs](https://google.aip.dev): an object's key is its resource name, `shelves/1/books/2`, which is its
    /// path; a list is at its plural name and goes on by `nextPageToken`; changes name what they change in
    /// `updateMask`; what is empty, 0 or false is left out
    /// ([ProtoJSON](https://protobuf.dev/programming-guides/json/)).
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
    /// Don't ask for parts of objects (`fields`, `readMask`): what a reply leaves out has its default.
    ///
    /// See [AIP-122](https://google.aip.dev/122), [AIP-132](https://google.aip.dev/132),
    /// [AIP-134](https://google.aip.dev/134), [AIP-158](https://google.aip.dev/158) and
    /// [AIP-193](https://google.aip.dev/193).
    public static let google = APIConventions(.camelCase).with {
        $0.values.nothing = .missingKey
        $0.urls = URLs(paths: ["name"], keysAreNames: true)
        $0.envelopes.list = [.modelName]
        $0.absentLists = .empty
        $0.paging = .cursor(at: "nextPageToken", parameter: "pageToken")
        $0.pageSize = "pageSize"
        $0.relationships = .identitiesByName
        $0.inverseLists = .never
        $0.saveMethod = .updateMask
    }

    /// [Laravel's API resources](https://laravel.com/docs/eloquent-resources): what comes is in `data`, what goes out
    /// isn't; pages go on by `links.next`.
    ///
    /// See <https://laravel.com/docs/pagination> and <https://laravel.com/docs/validation>.
    public static let laravel = APIConventions.rails.with {
        $0.envelopes = Envelopes(object: ["data"], list: ["data"])
        $0.paging = .nextLink(at: "links.next")
        $0.inverseLists = .never
    }

    /// [FHIR](https://hl7.org/fhir/R4/http.html): a list is a Bundle with each resource in `entry[].resource`, which
    /// goes on by its `link`; a resource says its type in `resourceType`, and what a Bundle has of other types is
    /// stored beside; changes are a JSON Patch, which leaves alone what the model doesn't declare, and carry the
    /// version in `If-Match`. What a resource leaves out has no value, so don't ask for parts (`_elements`,
    /// `_summary`).
    ///
    /// A reference, `{"reference": "Patient/7"}`, is an attribute at its key path: `@Attribute("subject.reference")`.
    ///
    /// See <https://hl7.org/fhir/R4/bundle.html>, <https://hl7.org/fhir/R4/search.html> and
    /// <https://hl7.org/fhir/R4/operationoutcome.html>.
    public static let fhir = APIConventions(.camelCase).with {
        $0.values.nothing = .missingKey
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

    /// [Mastodon](https://docs.joinmastodon.org/client/intro/): plain JSON, pages by `Link`, changes as a PUT of what
    /// changed; an account leaves a list by a DELETE with its id in the body.
    ///
    /// `POST /statuses` alone knows an `Idempotency-Key`, so ``usesIdempotencyKeys`` is off.
    ///
    /// See <https://docs.joinmastodon.org/api/guidelines/#pagination> and
    /// <https://docs.joinmastodon.org/methods/lists/>.
    public static let mastodon = APIConventions.rails.with {
        $0.pageSize = "limit"
        $0.inverseLists = .never
        $0.saveMethod = .putChanges
        $0.removals = .withBody
    }

    /// [Strapi 5](https://docs.strapi.io/cms/api/rest): all is in `data`, also what goes out; pages by their number,
    /// `pagination[page]`; changes are a PUT of what changed; relationships go out by name. The key is `documentId`:
    ///
    /// ```swift
    /// @Model("/articles", key: "documentId", identity: "documentId")
    /// final class Article {
    ///     var documentId: String?
    ///     var title = ""
    /// }
    /// ```
    ///
    /// See <https://docs.strapi.io/cms/api/rest/sort-pagination> and
    /// <https://docs.strapi.io/cms/error-handling>.
    public static let strapi = APIConventions(.camelCase).with {
        $0.envelopes = .keyed("data")
        $0.paging = .pageNumber(parameter: "pagination[page]")
        $0.pageSize = "pagination[pageSize]"
        $0.relationships = .identitiesByName
        $0.inverseLists = .never
        $0.saveMethod = .putChanges
    }

    /// [Cloudflare](https://developers.cloudflare.com/api/): what comes is in `result`, beside `success`, `errors` and
    /// `result_info`; pages by their number.
    ///
    /// See <https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/>.
    public static let cloudflare = APIConventions.rails.with {
        $0.envelopes = Envelopes(object: ["result"], list: ["result"])
        $0.paging = .pageNumber()
        $0.inverseLists = .never
    }

    /// [Linode](https://techdocs.akamai.com/linode-api/reference/api): lists are in `data`, beside `page`, `pages` and
    /// `results`; pages by their number; changes are a PUT of what changed.
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
