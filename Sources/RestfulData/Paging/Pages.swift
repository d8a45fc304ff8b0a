/// How much of a paged list is fetched.
public enum Pages: Sendable, Hashable {
    /// The page that the URL gives.
    case first
    /// All pages, by the replies' `Link` fields with `rel="next"` (RFC 8288), at most this many.
    case all(limit: Int = 1000)
}
