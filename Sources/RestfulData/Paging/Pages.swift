/// The number of pages to fetch.
public enum Pages: Sendable, Hashable {
    /// The page at the URL.
    case first
    /// All pages, up to a limit, found as declared by the call, the model or the API (``APIConventions/paging``).
    ///
    /// ``ImportReport/hasMore`` says whether there are more; at the default limit, ``ReplyReports`` does, too.
    case all(limit: Int = usualLimit, by: APIConventions.Paging? = nil)

    /// The default limit, which ends lists of servers that return pages forever.
    public static let usualLimit = 1000

    var bounds: (limit: Int, paging: APIConventions.Paging?) {
        switch self {
        case .first: (1, nil)
        case .all(let limit, let paging): (max(limit, 1), paging)
        }
    }
}
