extension APIConventions {
    /// Where a page of a list says what the next one is. A `Link` field with `rel="next"` (RFC 8288) counts with each of
    /// them, when the rest says nothing.
    ///
    /// What leads to the next page is followed as it is; credentials go to the API's own host alone.
    public enum Paging: Sendable, Hashable {
        /// The reply's `Link` field.
        case linkHeader
        /// A URL in the body, at a key or key path: `next` of Django REST Framework, `links.next` of JSON:API.
        case nextLink(at: String = "next")
        /// A flag in the body that says whether there is more, and a parameter that takes the identity of the last element:
        /// `has_more` and `starting_after` of Stripe.
        case more(at: String = "has_more", after: String = "starting_after")
        /// A cursor in the body, at a key or key path, and a parameter that takes it.
        case cursor(at: String, parameter: String = "cursor")
        /// A field of the reply's head with the next page's number, and a parameter that takes it: `X-Next-Page` of GitLab.
        case pageHeader(String = "X-Next-Page", parameter: String = "page")
    }
}
