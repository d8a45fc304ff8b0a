/// How much of a paged list is fetched.
public enum Pages: Sendable, Hashable {
    /// The page that the URL gives.
    case first
    /// All pages, each by what the one before says of the next, at most this many: as the call says, or else the model,
    /// or else the API (``APIConventions/paging``). Where the limit cuts them off, the report says so
    /// (``ImportReport/hasMore``).
    case all(limit: Int = 1000, by: APIConventions.Paging? = nil)

    /// How many pages there may be, and how the next one is found where the call says it.
    var bounds: (limit: Int, paging: APIConventions.Paging?) {
        switch self {
        case .first: (1, nil)
        case .all(let limit, let paging): (max(limit, 1), paging)
        }
    }
}
