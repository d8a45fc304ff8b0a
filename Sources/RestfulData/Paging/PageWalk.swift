import ObjectStore

/// A list that is fetched page by page, each with a round trip of its own.
struct PageWalk {
    /// The list of an object that the pages are.
    struct Membership {
        let owner: ObjectState
        let list: Property
        /// Whether all pages together are the whole list, so that members which they leave out are unlinked.
        let mayBeWhole: Bool
    }

    /// What came.
    struct Result {
        /// The rows, in the server's order.
        var ids: [RowID] = []
        /// Of all pages together.
        var report = ImportReport()
        /// Whether these are all members: no page before the first or after the last, each page a list, of which nothing was
        /// rejected.
        var isWhole = true
        /// Whether the server said of a page that it has nothing newer: what is here is the answer.
        var isUnmodified = false
        /// Where the membership goes on, once a page has followed the first.
        fileprivate var nextPosition: Int?
        /// The question for the first page, open until the membership is stored.
        fileprivate var question: Question?
    }

    /// The request for the first page.
    let first: RoundTrip
    var membership: Membership?
    /// What is stored in the same transaction as the first page.
    var batches: [WriteBatch] = []

    /// Fetches and imports the pages, each in one transaction.
    ///
    /// A list that is whole on its first page becomes the membership in the same transaction; of a paged one each page is
    /// merged in, and the whole becomes the membership with the last. A page costs the same however many came before it.
    nonisolated(nonsending) func fetch(_ pages: Pages) async throws(APIError) -> Result {
        let limit = if case .all(let limit) = pages { max(limit, 1) } else { 1 }
        var result = Result()
        var next: RequestURL? = first.url
        // A page that leads back to an earlier one ends the list, however the server spells its URL.
        var seen: Set<String> = []
        while let current = next, seen.count < limit, seen.insert(first.client.api.url(current)).inserted {
            var page = first
            page.url = current
            let reply = try await page.send()
            let isFirst = seen.count == 1
            if isFirst { result.question = reply.question }
            if reply.hasPrevious, isFirst { result.isWhole = false }
            let ids = try await store(reply, of: page, isFirst: isFirst, into: &result)
            next = reply.nextPage?.url(after: current) { object(ids.last) }
            if reply.nextPage != nil, next == nil { result.isWhole = false }
        }
        result.isWhole = result.isWhole && next == nil && result.report.rejectedCount == 0
        if seen.count > 1, result.isWhole { try await storeMembership(result) }
        return result
    }

    /// - Returns: the rows of the page's own objects.
    private nonisolated(nonsending) func store(
        _ reply: Reply, of page: RoundTrip, isFirst: Bool, into result: inout Result
    ) async throws(APIError) -> [RowID] {
        guard !reply.isUnmodified, let model = page.model else {
            result.isUnmodified = true
            result.isWhole = false
            return []
        }
        if !reply.isEmptyList, !reply.isPlaced, !reply.isList { result.isWhole = false }
        var request = ImportRequest(model)
        let isWhole = result.isWhole && isFirst && reply.nextPage == nil
        request.membership = membership.map {
            $0.owner.importMembership(of: $0.list, isWhole: $0.mayBeWhole && isWhole)
        }
        if !isFirst { request.membership?.page = .following(position: result.nextPosition) }
        let outcome = try await page.import(reply, as: request, after: isFirst ? batches : [])
        result.ids += outcome.roots
        result.report += outcome.report
        result.nextPosition = outcome.nextPosition
        if !reply.isEmptyList, !(reply.isPlaced ? outcome.isList : reply.isList) {
            result.isWhole = false
            if outcome.roots.isEmpty { throw reply.noObject(outcome.report) }
        }
        return outcome.roots
    }

    private func object(_ id: RowID?) -> ObjectState? {
        guard let id, let model = first.model else { return nil }
        return first.context.object(for: RecordID(table: model.table, row: id))?._object
    }

    private nonisolated(nonsending) func storeMembership(_ result: Result) async throws(APIError) {
        guard let membership, membership.mayBeWhole else { return }
        var seen: Set<RowID> = []
        let members = result.ids.filter { seen.insert($0).inserted }
        var batch = WriteBatch.confirmed(
            memberships: [membership.owner.membership(of: membership.list, members: members)])
        batch.asked = result.question?.stamp
        do { try await first.context.write([batch]) } catch { throw .store(error) }
    }
}
