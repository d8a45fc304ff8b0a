/// How much of a paged list is fetched.
public enum Pages: Sendable, Hashable {
    /// The page that the URL gives.
    case first
    /// All pages, each by what the one before says of the next (``APIConventions/Paging``), at most this many.
    case all(limit: Int = 1000)
}
