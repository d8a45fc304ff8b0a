import Foundation
import ObjectStore

/// Fetches a list, with one round trip per page.
struct PageWalk {
    struct Membership {
        let owner: ObjectState
        let list: Property
        /// If true, members that all pages together omit are unlinked.
        let mayBeWhole: Bool
    }

    var first: RoundTrip
    var membership: Membership?
    /// Changes that are stored in the transaction of the first page.
    var batches: [WriteBatch] = []

    var limit = Pages.usualLimit
    var pruning = Pruning.unlink
    var listing: Listing.Key?
    /// The models, if the elements say which they are of.
    var mixed: MixedTypes?
    var isOfAll = false
    /// The attribute whose greatest value in the replies is recorded.
    var newest: PropertyIndex?
    /// Whether elements that fail to import are reported and skipped, as in a feed of changes.
    var isFeed = false
    /// Whether some of the stored pages suffice, because the caller asks the server afterwards.
    var takesWhatIsStored = false
    var isProven = false

    /// Imports each page in one transaction. An offline policy also takes stored pages of another size.
    ///
    /// A first page that is the complete list sets the members. Otherwise pages are merged, and the members are set
    /// after the last one. Only the first page reads the stored members, so later pages cost the same however many came
    /// before.
    nonisolated(nonsending) func fetch(_ pages: Pages) async throws(APIError) -> PageCourse {
        do throws(APIError) {
            return try await fetchAsAsked(pages)
        } catch {
            guard case .notStored = error, let stored = try await storedInOtherSizes(pages) else { throw error }
            return stored
        }
    }

    nonisolated(nonsending) func fetchAsAsked(_ pages: Pages) async throws(APIError) -> PageCourse {
        var walk = self
        (walk.limit, walk.first.form.paging) = pages.bounds
        walk.first.canRevalidate = true
        var course = try walk.begin()
        var ahead: RequestAhead?
        do throws(APIError) {
            while try await walk.step(&course, &ahead) != nil {}
        } catch {
            guard takesWhatIsStored, course.fetchedPages > 0, case .notStored = error else { throw error }
            course.noteGap()
        }
        course = try await walk.finish(course, isPaged: pages != .first)
        if course.isStale { revalidateLater(pages) }
        return course
    }

    func begin() throws(APIError) -> PageCourse {
        var course = PageCourse(next: first.url)
        course.pruneCandidates = try candidates()
        course.begunAt = first.client.api.now()
        return course
    }

    struct Step {
        /// The page's rows, with repetitions.
        let rows: [RowID]
        let report: ImportReport
        var reply: Reply
        /// Whether the reply is 304 to the caller's own condition.
        let isUnknown: Bool
    }

    /// - Parameters:
    ///   - ahead: the request for this page, if it was sent already. On return, that for the next page.
    ///   - looksAhead: whether to send the next page's request.
    /// - Returns: nil at the end, at the limit, or if the page has come before.
    /// - Throws: ``APIError``; the course stays at this page.
    nonisolated(nonsending) func step(
        _ course: inout PageCourse, _ ahead: inout RequestAhead?, looksAhead: Bool = true
    ) async throws(APIError) -> Step? {
        guard goesOn(after: course), let current = course.next else { return nil }
        let sent = ahead
        ahead = nil
        let page = try request(for: current)
        var reply = try await page.send(sent)
        if try lacksMembers(reply) { reply = try await page.reloading.send() }
        if course.trail.count == 0 { begin(&course, with: reply) }
        let former = course.report
        course.report = ImportReport()
        do throws(APIError) {
            try await store(reply, of: page, into: &course)
        } catch {
            course.report = former
            throw error
        }
        let report = course.report
        course.report = former + report
        course.last = reply.request
        if first.call.narrowsLists(at: first.client) { course.isNarrowed = true }
        if course.isNarrowed || !first.client.api.isOwn(reply.response.request.url) { course.mayBeOtherList = true }
        if course.isCircle { return nil }
        course.next = nextURL(after: current, reply, &course)
        // The last page needs no digest: a single page may be long.
        course.noteFetch(of: course.next == nil ? nil : digest(of: reply, at: current, having: course.page))
        if goesOn(after: course) { noteListing(course, isLast: false) }
        if looksAhead, let next = course.next, goesOn(after: course) {
            // The request for the page reports its error.
            ahead = (try? request(for: next).dispatch()).map { RequestAhead($0) }
        }
        return Step(rows: course.page, report: report, reply: reply, isUnknown: course.isUnmodified)
    }

    /// - Throws: ``TransportError/Reason/insecureRedirect(to:)`` if a list that came by TLS continues without it.
    private func request(for url: RequestURL) throws(APIError) -> RoundTrip {
        let (own, target) = (first.client.api.url(first.url), first.client.api.url(url))
        if own.prefix(6).lowercased() == "https:", target.prefix(5).lowercased() == "http:" {
            let reason = TransportError.Reason.insecureRedirect(to: APIError.shown(target))
            throw .transport(TransportError(reason, RequestSummary(method: first.method.rawValue, url: own)))
        }
        var page = first
        if url != first.url { page.call = first.call.ofFurtherPages }
        page.url = url
        return page
    }

    /// False at the limit, if a page comes again, or after several pages without a new object.
    func goesOn(after course: PageCourse) -> Bool {
        course.next != nil && course.fetchedPages < limit && course.pagesSinceNewObject < Self.pageLimitWithoutNew
            && !course.isCircle
    }

    /// A page without rows is identified by its body.
    private func digest(of reply: Reply, at url: RequestURL, having rows: [RowID]) -> String {
        let content =
            rows.isEmpty
            ? reply.kept?.answer.entityTag ?? String(decoding: reply.body, as: UTF8.self)
            : rows.map { "\($0.rawValue)" }.joined(separator: ",")
        return PageTrail.digest(of: first.client.api.url(url), having: content)
    }

    private static let pageLimitWithoutNew = 10

    /// - Parameter isPaged: whether the caller asked for more than the first page.
    nonisolated(nonsending) func finish(_ course: PageCourse, isPaged: Bool) async throws(APIError) -> PageCourse {
        let result = try await concluded(course, isPaged: isPaged)
        noteListing(result, isLast: true)
        return result
    }

    private nonisolated(nonsending) func concluded(
        _ course: PageCourse, isPaged: Bool
    ) async throws(APIError) -> PageCourse {
        var result = course
        end(&result)
        if membership != nil, result.isRepeated, result.report.repeatedListCount == 0 {
            result.report.noteRepeatedMember(at: "the list")
        }
        let isCut = result.isUnmodified || isPaged && (result.fetchedPages < limit || limit == Pages.usualLimit)
        if result.report.hasMore, let last = result.last, !takesWhatIsStored {
            first.reportMore(after: last, isNotable: isCut)
        }
        if result.isWhole, result.hasUnvalidatedPage {
            // An old stored reply leaves the members alone. If they differ, the list is fetched again.
            guard first.policy.needsIntact, try hasDrifted(from: result) else { return result }
            var walk = self
            walk.first.policy = .revalidate
            return try await walk.fetch(isPaged ? .all(limit: limit, by: first.form.paging) : .first)
        }
        return try await prune(result)
    }

    private func begin(_ result: inout PageCourse, with reply: Reply) {
        result.requestStart = reply.requestStart
        if reply.hasPrevious || !isDeclaredWhole && reply.signs.hasPrevious { result.noteGap() }
        result.extent.isFromStart = !reply.hasPrevious && !reply.signs.hasPrevious
    }

    func end(_ result: inout PageCourse) {
        guard !result.isUnmodified else {
            // The objects of a page that a 304 left out are unknown, unless they are members.
            result.report.hasMore = membership == nil
            return
        }
        let signs = result.signs
        // An object on two pages has moved between the requests, so another one was probably missed.
        var extent = result.extent
        extent.elements -= result.movedCount
        result.report.hasMore = result.next != nil || (!isDeclaredWhole && signs.verdict(after: extent) == .more)
        let isEnd = result.next == nil && (isDeclaredWhole || signs.areOfWhole(extent))
        let isAll = isEnd && (result.report.rejectedCount == 0 || isFeed && pruning == .never)
        (result.isWhole, result.isComplete) = (result.isWhole && isAll, result.isGapless && isAll)
    }

    /// Whether the relationship or the API declares its replies whole.
    private var isDeclaredWhole: Bool { membership?.list.list?.options.merges == false }

    private func nextURL(after current: RequestURL, _ reply: Reply, _ result: inout PageCourse) -> RequestURL? {
        guard let page = reply.nextPage, !result.isUnmodified else { return nil }
        let extent = result.extent
        if !page.isCertain, extent.last == 0 || isEnd(reply.signs, after: extent) { return nil }
        let url = page.url(after: current, of: extent.last) { lastObject(of: result) }
        if case .after = page {} else { result.isByIdentity = false }
        guard let url else {
            result.noteGap()
            return nil
        }
        // With a scroll handle, all pages have one URL, and an empty page ends the list.
        if extent.pages > 1, extent.last == 0, first.client.api.url(url) == first.client.api.url(current) {
            result.signs.noteLast()
            return nil
        }
        return url
    }

    private func isEnd(_ signs: PageSigns, after extent: PageSigns.Extent) -> Bool {
        guard signs.verdict(after: extent) == .end else { return false }
        if pruning != .delete || signs.isEnd || signs.totalPages == extent.pages { return true }
        // Some services call the number of elements on the page "total", which is too weak for deletions.
        return extent.pages > 1 && signs.totalCount == extent.elements
    }

    private nonisolated(nonsending) func store(
        _ reply: Reply, of page: RoundTrip, into result: inout PageCourse
    ) async throws(APIError) {
        note(reply, in: &result)
        if let kept = reply.kept { return try add(kept, of: reply, at: page.url, to: &result) }
        guard !reply.isUnmodified, let model = page.model else {
            result.isUnmodified = true
            result.noteGap()
            return
        }
        let isFirst = result.extent.pages == 0
        if !reply.isEmptyList, !reply.hasKeyPath, !reply.isList { result.noteGap() }
        if reply.reportsError { result.noteGap() }
        let request = request(for: model, reply, isFirst: isFirst, result)
        let outcome = try await page.import(reply, as: request, after: isFirst ? batches : [])
        try add(outcome, of: reply, at: page.url, to: &result)
    }

    private func request(
        for model: ModelSchema, _ reply: Reply, isFirst: Bool, _ result: PageCourse
    ) -> ImportRequest {
        // Page numbers always lead on. Unless declared otherwise, the signs decide.
        let leadsOn = reply.nextPage.map { $0.isCertain || isDeclaredWhole } ?? false
        // With `.delete`, members leave in the transaction that deletes them. Owned members stay if the call may select
        // another list.
        let isOthers = deletesWhatLeaves && first.call.narrowsLists(at: first.client)
        let mayBeWhole = membership?.mayBeWhole == true && pruning == .unlink && !isOthers
        var request = ImportRequest(model)
        request.begun = result.requestStart?.stamp
        request.newest = newest
        request.mixed = mixed
        request.membership = membership.map {
            $0.owner.importMembership(
                of: $0.list, isWhole: mayBeWhole && result.isWhole && isFirst && !leadsOn, by: reply.signs)
        }
        request.membership?.isListing = true
        request.membership?.newMembers = first.call.newMembers
        request.membership?.isNarrowed = membership?.mayBeWhole == false
        request.membership?.leadsOn = reply.nextPage != nil
        if !isFirst {
            request.membership?.page = .following(position: result.nextPosition)
        } else if membership?.mayBeWhole == true, result.extent.isFromStart, reply.nextPage != nil {
            request.membership?.page = .front
        }
        return request
    }

    private func add(
        _ outcome: ImportOutcome, of reply: Reply, at url: RequestURL, to result: inout PageCourse
    ) throws(APIError) {
        // Some servers ignore the page number.
        let emptyPageFingerprint = outcome.roots.isEmpty ? reply.fingerprint : nil
        let isAgain =
            reply.nextPage?.isCertain == false && result.extent.pages > 0 && outcome.roots == result.page
            && emptyPageFingerprint == result.emptyPageFingerprint
        let isList = reply.isEmptyList || (reply.hasKeyPath ? outcome.isList : reply.isList)
        let isEmpty = outcome.roots.isEmpty && outcome.mixed.isEmpty
        let isUnderstood = !result.ids.isEmpty || !result.mixed.isEmpty || !outcome.report.hasUnreadable
        if isEmpty, !isList { throw reply.noList(outcome.report) }
        if isEmpty, !isUnderstood { throw reply.noObject(outcome.report) }
        if result.trail.count > 0, result.trail.has(digest(of: reply, at: url, having: outcome.roots)) {
            result.isCircle = true
            return result.noteGap()
        }
        if mixed == nil {
            result.take(isAgain ? [] : outcome.roots)
        } else {
            result.take(mixed: isAgain ? [] : outcome.mixed)
        }
        result.report += outcome.report
        result.nextPosition = outcome.nextPosition
        result.take(newest: outcome.newest)
        result.hasKeptNewer = result.hasKeptNewer || outcome.hasKeptNewer
        result.extent.add(isAgain ? 0 : outcome.elementCount)
        let earlier = result.signs
        result.signs = reply.signs
        result.signs.keepTotals(of: earlier)
        (result.page, result.emptyPageFingerprint) = (outcome.roots, emptyPageFingerprint)
        if isAgain || !isList { result.noteGap() }
    }

    // MARK: Stored pages

    private func note(_ reply: Reply, in result: inout PageCourse) {
        result.isStale = result.isStale || reply.isStale
        result.source = max(result.source, reply.source)
        let time = Date(
            timeIntervalSince1970: reply.kept?.answer.checkedAt ?? reply.receivedAt ?? first.client.api.now())
        result.fetchedAt = min(result.fetchedAt ?? time, time)
    }

    private func add(
        _ kept: KeptAnswer, of reply: Reply, at url: RequestURL, to result: inout PageCourse
    ) throws(APIError) {
        first.reportKept(reply)
        result.hasKept = true
        if reply.source == .store { result.hasUnvalidatedPage = true }
        // The change since may be a removal from the list.
        if !kept.isIntact { result.noteGap() }
        try add(ImportOutcome(kept: kept.rows, isList: reply.isList), of: reply, at: url, to: &result)
        guard let newest, kept.isIntact, let attribute = first.model?[newest] else { return }
        for row in kept.rows.roots { result.take(newest: object(row)?.known.storedValue(attribute)) }
    }

    /// Whether rows of a stored page have left the list, so that the page must be fetched again.
    private func lacksMembers(_ reply: Reply) throws(APIError) -> Bool {
        guard let kept = reply.kept, kept.isIntact, reply.source == .validated || first.policy.needsIntact,
            let membership, !isMembershipUnsent
        else { return false }
        return first.context.storesMembers(kept.rows.roots, of: membership.owner, membership.list.index) == false
    }

    func hasDrifted(from result: PageCourse) throws(APIError) -> Bool {
        guard let members = storedMembers() else { return false }
        return members != result.members
    }

    /// nil without a list, or if it has pending edits.
    func storedMembers() -> [RowID]? {
        guard let membership, !isMembershipUnsent else { return nil }
        return first.context.storedMembers(of: membership.owner, membership.list.index)
    }

    private var isMembershipUnsent: Bool {
        guard let membership else { return false }
        return membership.owner.unsentProperties.contains { $0.index == membership.list.index }
    }

    private func lastObject(of course: PageCourse) -> ObjectState? {
        guard mixed != nil else { return object(course.page.last) }
        return course.mixed.last.flatMap { first.context.object(for: $0)?._object }
    }

    func object(_ id: RowID?) -> ObjectState? {
        guard let id, let model = first.model else { return nil }
        return first.context.object(for: RecordID(table: model.table, row: id))?._object
    }
}

extension Reply {
    /// Distinguishes pages without rows, such as those of tombstones.
    fileprivate var fingerprint: Int {
        kept.map { ($0.answer.entityTag ?? $0.answer.key.question).hashValue } ?? body.hashValue
    }
}

extension Imported {
    /// - Throws: ``StoreError/closedStore(unsaved:)`` if the store was erased since.
    init(_ course: PageCourse, in context: ObjectContext) throws(APIError) {
        self.init(
            objects: context.answeredObjects(M.self, of: course.answered), report: course.report, source: course.source,
            fetchedAt: course.fetchedAt)
        pruned = course.pruned
        try context.checkNotErased()
    }
}
