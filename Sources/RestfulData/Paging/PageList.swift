public import ObjectStore
public import Observation

/// A list that a screen fetches page by page, with its progress and its error.
///
/// ```swift
/// @State private var pages: PageList<Issue>
///
/// List {
///     ForEach(issues) { issue in IssueRow(issue: issue) }        // from the store, such as @Fetch
///     if pages.hasMore { ProgressView().task(id: pages.page?.progress) { await pages.loadMore() } }
///     if let error = pages.error { Text(error.errorDescription ?? "") }
/// }
/// .task { await pages.refresh() }
/// .refreshable { await pages.refresh() }
/// ```
///
/// Pages are imported, so queries and relationships show their objects. You can observe all properties. Use it on the
/// actor of the objects' context.
@Observable
public final class PageList<M: Model> {
    /// The last fetched page; nil before the first one, and once ``loadMore()`` found no further one.
    public private(set) var page: ListPage<M>?
    /// Whether a page is being fetched.
    public private(set) var isLoading = false
    /// The error of the last fetch, except a cancellation; nil after a success.
    public private(set) var error: APIError?

    @ObservationIgnored private let pages: PageSequence<M>
    /// The number of fetches, by which a late reply is recognized.
    @ObservationIgnored private var fetchCount = 0

    /// Makes a list that fetches nothing yet.
    ///
    /// - Parameter pages: the pages, such as `repository.$issues.pages(size: 50)`.
    public init(_ pages: PageSequence<M>) { self.pages = pages }

    /// Whether ``loadMore()`` would fetch a page.
    public var hasMore: Bool { page?.hasNext ?? false }

    /// Fetches the first page, from which ``loadMore()`` goes on. A page in flight is ignored.
    ///
    /// If it fails, ``error`` has the reason, and ``page`` stays.
    public nonisolated(nonsending) func refresh() async {
        await load { () throws(APIError) in try await pages.first() }
    }

    /// Fetches the next page. Does nothing while a page is being fetched, and after the last.
    ///
    /// If it fails, ``error`` has the reason, and ``page`` stays. Call it again to retry.
    public nonisolated(nonsending) func loadMore() async {
        guard !isLoading, let page, page.hasNext else { return }
        await load { () throws(APIError) in try await page.next() }
    }

    private nonisolated(nonsending) func load(
        _ fetch: nonisolated(nonsending) () async throws(APIError) -> ListPage<M>?
    ) async {
        fetchCount += 1
        let number = fetchCount
        isLoading = true
        do throws(APIError) {
            let fetched = try await fetch()
            if number == fetchCount { (page, error) = (fetched, nil) }
        } catch {
            if number == fetchCount, !error.isCancellation { self.error = error }
        }
        if number == fetchCount { isLoading = false }
    }
}
