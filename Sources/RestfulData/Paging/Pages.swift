/// How much of a paged list is fetched.
public enum Pages: Sendable, Hashable {
    /// The page that the URL gives.
    case first
    /// All pages, each by what the one before says of the next, at most this many: as the call says, or else the model,
    /// or else the API (``APIConventions/paging``). Where there is more, the report says so
    /// (``ImportReport/hasMore``); where nobody asked for one, nor set the limit, that is told as what is left out of a
    /// reply (``ReplyReports``).
    case all(limit: Int = usualLimit, by: APIConventions.Paging? = nil)

    /// The limit where none is given: a server that pages for ever is left at some time.
    public static let usualLimit = 1000

    /// How many pages there may be, and how the next one is found where the call says it.
    var bounds: (limit: Int, paging: APIConventions.Paging?) {
        switch self {
        case .first: (1, nil)
        case .all(let limit, let paging): (max(limit, 1), paging)
        }
    }
}
