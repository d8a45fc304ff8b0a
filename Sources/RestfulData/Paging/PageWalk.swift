import Foundation
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
        /// What the pages are made of: where they differ, what says least of how things are now.
        var source = AnswerSource.network
        /// When the oldest of them was.
        var fetchedAt: Date?
        /// Whether a page was taken from the store.
        fileprivate var hasKept = false
        /// Whether one was of which the server was not asked: it says nothing of what has happened to the list since.
        fileprivate var hasUnasked = false
        /// Where the membership goes on, once a page has followed the first.
        fileprivate var nextPosition: Int?
        /// The question for the first page, open until the membership is stored.
        fileprivate var question: Question?
        /// How much was read.
        fileprivate var extent = PageSigns.Extent()
        /// What the last page says of whether there is more.
        fileprivate var signs = PageSigns()
        /// The rows of the last page.
        fileprivate var page: [RowID] = []
    }

    /// The request for the first page.
    var first: RoundTrip
    var membership: Membership?
    /// What is stored in the same transaction as the first page.
    var batches: [WriteBatch] = []

    /// Fetches and imports the pages, each in one transaction.
    ///
    /// A list that is whole on its first page becomes the membership in the same transaction; of a paged one each page is
    /// merged in, and the whole becomes the membership with the last. A page costs the same however many came before it.
    nonisolated(nonsending) func fetch(_ pages: Pages) async throws(APIError) -> Result {
        let (limit, paging) = pages.bounds
        var result = Result()
        var next: RequestURL? = first.url
        var last: RequestSummary?
        // A page that leads back to an earlier one ends the list, however the server spells its URL.
        var seen: Set<String> = []
        while let current = next, seen.count < limit, seen.insert(first.client.api.url(current)).inserted {
            var page = first
            page.url = current
            page.paging = paging
            var reply = try await page.send()
            if try lacksMembers(reply) { reply = try await page.reloading.send() }
            last = reply.request
            if seen.count == 1 { begin(&result, with: reply) }
            try await store(reply, of: page, into: &result)
            next = nextURL(after: current, reply, &result)
        }
        end(&result, leadingTo: next)
        // A limit of the caller's own is no news to it.
        let isCut = result.isUnmodified || pages != .first && (seen.count < limit || limit == Pages.usualLimit)
        if result.report.hasMore, let last { first.tellMore(after: last, isNews: isCut) }
        guard result.isWhole else { return result }
        guard result.hasUnasked else {
            if result.hasKept ? try hasDrifted(from: result) : seen.count > 1 { try await storeMembership(result) }
            return result
        }
        // An old answer unlinks nothing; where the list has changed since, it is not what was asked for.
        guard first.policy.needsIntact, try hasDrifted(from: result) else { return result }
        var walk = self
        walk.first.policy = .revalidate
        return try await walk.fetch(pages)
    }

    private func begin(_ result: inout Result, with reply: Reply) {
        result.question = reply.question
        result.isWhole = !reply.hasPrevious && (isDeclaredWhole || !reply.signs.hasPrevious)
        result.extent.isFromStart = !reply.hasPrevious && !reply.signs.hasPrevious
    }

    /// - Parameter next: the page that was not fetched.
    private func end(_ result: inout Result, leadingTo next: RequestURL?) {
        guard !result.isUnmodified else {
            // What is here of an object's list is the answer. Which objects a page of all of them had, nobody knows.
            result.report.hasMore = membership == nil
            return
        }
        let signs = result.signs
        // What comes twice, as pages have moved, stands for something that did not come.
        result.extent.elements -= result.ids.count - Set(result.ids).count
        result.report.hasMore = next != nil || (!isDeclaredWhole && signs.verdict(after: result.extent) == .more)
        let isEnd = next == nil && (isDeclaredWhole || signs.areOfWhole(result.extent))
        result.isWhole = result.isWhole && isEnd && result.report.rejectedCount == 0
    }

    /// Whether the relationship, or the API, says that what comes is whole whatever is said around it.
    private var isDeclaredWhole: Bool { membership?.list.list?.options.merges == false }

    /// The URL of the page that follows.
    private func nextURL(after current: RequestURL, _ reply: Reply, _ result: inout Result) -> RequestURL? {
        guard let page = reply.nextPage, !result.isUnmodified else { return nil }
        let extent = result.extent
        if !page.isCertain, extent.last == 0 || reply.signs.verdict(after: extent) == .end { return nil }
        let url = page.url(after: current, of: extent.last) { object(result.page.last) }
        if url == nil { result.isWhole = false }
        return url
    }

    private nonisolated(nonsending) func store(
        _ reply: Reply, of page: RoundTrip, into result: inout Result
    ) async throws(APIError) {
        note(reply, in: &result)
        if let kept = reply.kept { return try add(kept, of: reply, to: &result) }
        guard !reply.isUnmodified, let model = page.model else {
            result.isUnmodified = true
            result.isWhole = false
            return
        }
        let isFirst = result.extent.pages == 0
        if !reply.isEmptyList, !reply.isPlaced, !reply.isList { result.isWhole = false }
        let request = request(for: model, reply, isFirst: isFirst, result)
        let outcome = try await page.import(reply, as: request, after: isFirst ? batches : [])
        try add(outcome, of: reply, to: &result)
    }

    private func request(
        for model: ModelSchema, _ reply: Reply, isFirst: Bool, _ result: Result
    ) -> ImportRequest {
        // Numbers lead on until a page is empty, which the list's signs know where nothing is declared.
        let leadsOn = reply.nextPage.map { $0.isCertain || isDeclaredWhole } ?? false
        var request = ImportRequest(model)
        request.begun = result.question?.stamp
        request.membership = membership.map {
            $0.owner.importMembership(
                of: $0.list, isWhole: $0.mayBeWhole && result.isWhole && isFirst && !leadsOn, by: reply.signs)
        }
        request.membership?.isListing = true
        request.membership?.leadsOn = reply.nextPage != nil
        if !isFirst { request.membership?.page = .following(position: result.nextPosition) }
        return request
    }

    private func add(_ outcome: ImportOutcome, of reply: Reply, to result: inout Result) throws(APIError) {
        // A server that ignores the number of the page gives the same one for ever.
        let isAgain = reply.nextPage?.isCertain == false && result.extent.pages > 0 && outcome.roots == result.page
        result.ids += isAgain ? [] : outcome.roots
        result.report += outcome.report
        result.nextPosition = outcome.nextPosition
        result.extent.add(isAgain ? 0 : outcome.elementCount)
        let earlier = result.signs
        result.signs = reply.signs
        result.signs.keepTotals(of: earlier)
        result.page = outcome.roots
        if isAgain { result.isWhole = false }
        let isList = reply.isEmptyList || (reply.isPlaced ? outcome.isList : reply.isList)
        if !isList { result.isWhole = false }
        guard outcome.roots.isEmpty else { return }
        let isUnderstood = !result.ids.isEmpty || !outcome.report.hasUnreadable
        if !isList || !isUnderstood { throw reply.noObject(outcome.report) }
    }

    // MARK: What is in the store

    private func note(_ reply: Reply, in result: inout Result) {
        result.source = max(result.source, reply.source)
        let time = Date(timeIntervalSince1970: reply.kept?.answer.checkedAt ?? first.client.api.now())
        result.fetchedAt = min(result.fetchedAt ?? time, time)
    }

    private func add(_ kept: KeptAnswer, of reply: Reply, to result: inout Result) throws(APIError) {
        first.tellKept(reply)
        result.hasKept = true
        if reply.source == .store { result.hasUnasked = true }
        // What has changed since may be that one has left.
        if !kept.isIntact { result.isWhole = false }
        try add(ImportOutcome(kept: kept.rows, isList: reply.isList), of: reply, to: &result)
    }

    /// Whether a page that the store vouches for has some that are no members any more: then the server is asked for all of it.
    private func lacksMembers(_ reply: Reply) throws(APIError) -> Bool {
        guard let kept = reply.kept, kept.isIntact, reply.source == .validated || first.policy.needsIntact,
            let members = storedMembers()
        else { return false }
        return !Set(members).isSuperset(of: kept.rows.roots)
    }

    /// Whether the list has others than the pages, which are all of it.
    private func hasDrifted(from result: Result) throws(APIError) -> Bool {
        guard let members = storedMembers() else { return false }
        return members != result.ids
    }

    /// The members in the file; nil where they wait to be sent.
    private func storedMembers() -> [RowID]? {
        guard let membership, !membership.owner.unsentProperties.contains(where: { $0.index == membership.list.index })
        else { return nil }
        return first.context.storedMembers(of: membership.owner, membership.list.index)
    }

    private func object(_ id: RowID?) -> ObjectState? {
        guard let id, let model = first.model else { return nil }
        return first.context.object(for: RecordID(table: model.table, row: id))?._object
    }

    private nonisolated(nonsending) func storeMembership(_ result: Result) async throws(APIError) {
        guard let membership, membership.mayBeWhole else { return }
        var seen: Set<RowID> = []
        let members = result.ids.filter { seen.insert($0).inserted }
        // With no base: the whole list forgets what waited for its rows.
        let owner = ListOwner(membership.list.index, of: membership.owner.record)
        var batch = WriteBatch.confirmed(memberships: [WriteBatch.Membership(members, of: owner)])
        batch.asked = result.question?.stamp
        do { try await first.context.write([batch]) } catch { throw .store(error) }
    }
}
