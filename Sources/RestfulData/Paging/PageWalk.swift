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

    /// The request for the first page.
    var first: RoundTrip
    var membership: Membership?
    /// What is stored in the same transaction as the first page.
    var batches: [WriteBatch] = []

    /// How many pages are fetched at most.
    var limit = Pages.usualLimit
    /// What becomes of what a whole list leaves out.
    var pruning = Pruning.unlink
    /// By what the store keeps how far it has been listed.
    var listing: Listing.Key?
    /// The models of the list, where its elements say which they are of.
    var mixed: MixedTypes?
    /// Whether the pages are all objects of a model.
    var isOfAll = false
    /// An attribute whose greatest value is wanted, as the server says it.
    var newest: PropertyIndex?
    /// Whether it says what has changed: then what can't be taken is told, and passed over.
    var isFeed = false
    /// Whether the pages that the store has will do, as the server is asked next.
    var takesWhatIsStored = false
    /// Whether a second listing has had the same as the first.
    var isProven = false

    /// Fetches and imports the pages, each in one transaction. Where the server is not to be asked and the store has no
    /// such answer, pages of another length will do.
    ///
    /// A list that is whole on its first page becomes the membership in the same transaction; of a paged one each page
    /// is merged in, and the whole becomes the membership with the last. The first page reads the members that are
    /// here; each of the others costs the same however many came before it.
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

    /// The course before its first page.
    func begin() throws(APIError) -> PageCourse {
        var course = PageCourse(next: first.url)
        course.former = try candidates()
        course.begunAt = first.client.api.now()
        return course
    }

    /// What a page has brought.
    struct Step {
        /// As often as the page has them.
        let rows: [RowID]
        let report: ImportReport
        var reply: Reply
        /// Whether nobody knows what the page has: the server has nothing newer than what a condition of the caller's
        /// own names.
        let isUnknown: Bool
    }

    /// Fetches and imports the next page.
    ///
    /// - Parameters:
    ///   - ahead: its request, where it was sent already; afterwards that of the page that follows it, which is on its
    ///     way while this one is looked at.
    ///   - looksAhead: whether that one is sent.
    /// - Returns: nil when there is none, or no more are to be fetched, or it is a page that came before.
    /// - Throws: ``APIError``; the course is where it was.
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
        if first.call.narrowsLists { course.isNarrowed = true }
        if course.isNarrowed || !first.client.api.isOwn(reply.response.request.url) { course.isOfOtherScope = true }
        if course.isCircle { return nil }
        course.next = nextURL(after: current, reply, &course)
        // The digest of a single page, which may be long, is never compared.
        course.noteFetch(of: course.next == nil ? nil : digest(of: reply, at: current, having: course.page))
        if goesOn(after: course) { noteListing(course, isLast: false) }
        if looksAhead, let next = course.next, goesOn(after: course) {
            // What is wrong with it is told when it is wanted.
            ahead = (try? request(for: next).dispatch()).map { RequestAhead($0) }
        }
        return Step(rows: course.page, report: report, reply: reply, isUnknown: course.isUnmodified)
    }

    /// The request for a page.
    ///
    /// - Throws: ``TransportError/Reason/insecureRedirect(to:)`` where a list that came by TLS leads on without it.
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

    /// Whether a page may still come. One that came before at the same URL, however the server spells that, ends the
    /// list, and so does a run of pages of which each has only what came before.
    func goesOn(after course: PageCourse) -> Bool {
        course.next != nil && course.fetchedPages < limit && course.barrenPages < Self.barrenLimit && !course.isCircle
    }

    /// What a page is known by: its URL and its objects, or else its body.
    private func digest(of reply: Reply, at url: RequestURL, having rows: [RowID]) -> String {
        let content =
            rows.isEmpty
            ? reply.kept?.answer.entityTag ?? String(decoding: reply.body, as: UTF8.self)
            : rows.map { "\($0.rawValue)" }.joined(separator: ",")
        return PageTrail.digest(of: first.client.api.url(url), having: content)
    }

    private static let barrenLimit = 10

    /// What is known once no page is fetched any more: the whole becomes the membership, and what it leaves out is
    /// pruned.
    ///
    /// - Parameter isPaged: whether the caller wanted more than the first.
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
        // A limit of the caller's own is no news to it.
        let isCut = result.isUnmodified || isPaged && (result.fetchedPages < limit || limit == Pages.usualLimit)
        if result.report.hasMore, let last = result.last, !takesWhatIsStored {
            first.tellMore(after: last, isNews: isCut)
        }
        if result.isWhole, result.hasUnasked {
            // An old answer unlinks nothing; where the list has changed since, it is not what was asked for.
            guard first.policy.needsIntact, try hasDrifted(from: result) else { return result }
            var walk = self
            walk.first.policy = .revalidate
            return try await walk.fetch(isPaged ? .all(limit: limit, by: first.form.paging) : .first)
        }
        return try await prune(result)
    }

    private func begin(_ result: inout PageCourse, with reply: Reply) {
        result.question = reply.question
        if reply.hasPrevious || !isDeclaredWhole && reply.signs.hasPrevious { result.noteGap() }
        result.extent.isFromStart = !reply.hasPrevious && !reply.signs.hasPrevious
    }

    func end(_ result: inout PageCourse) {
        guard !result.isUnmodified else {
            // What is here of an object's list is the answer. Which objects a page of all of them had, nobody knows.
            result.report.hasMore = membership == nil
            return
        }
        let signs = result.signs
        // What comes on two pages, as these have moved, stands for something that did not come.
        var extent = result.extent
        extent.elements -= result.movedCount
        result.report.hasMore = result.next != nil || (!isDeclaredWhole && signs.verdict(after: extent) == .more)
        let isEnd = result.next == nil && (isDeclaredWhole || signs.areOfWhole(extent))
        let isAll = isEnd && (result.report.rejectedCount == 0 || isFeed && pruning == .never)
        (result.isWhole, result.isComplete) = (result.isWhole && isAll, result.isGapless && isAll)
    }

    /// Whether the relationship, or the API, says that what comes is whole whatever is said around it.
    private var isDeclaredWhole: Bool { membership?.list.list?.options.merges == false }

    /// The URL of the page that follows.
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
        // By a handle that stays the same, the page after the last one has nothing.
        if extent.pages > 1, extent.last == 0, first.client.api.url(url) == first.client.api.url(current) {
            result.signs.noteLast()
            return nil
        }
        return url
    }

    /// Whether what is said around a page says that there is no more.
    private func isEnd(_ signs: PageSigns, after extent: PageSigns.Extent) -> Bool {
        guard signs.verdict(after: extent) == .end else { return false }
        if pruning != .delete || signs.isEnd || signs.totalPages == extent.pages { return true }
        // Some services count the page's own by the word that others have for all: nothing is deleted on that.
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
        if !reply.isEmptyList, !reply.isPlaced, !reply.isList { result.noteGap() }
        if reply.saysMistake { result.noteGap() }
        let request = request(for: model, reply, isFirst: isFirst, result)
        let outcome = try await page.import(reply, as: request, after: isFirst ? batches : [])
        try add(outcome, of: reply, at: page.url, to: &result)
    }

    private func request(
        for model: ModelSchema, _ reply: Reply, isFirst: Bool, _ result: PageCourse
    ) -> ImportRequest {
        // Numbers lead on until a page is empty, which the list's signs know where nothing is declared.
        let leadsOn = reply.nextPage.map { $0.isCertain || isDeclaredWhole } ?? false
        // What is to be deleted leaves the list in the same transaction. Of what may be another's list nothing is.
        let isOthers = deletesWhatLeaves && first.call.narrowsLists
        let mayBeWhole = membership?.mayBeWhole == true && pruning == .unlink && !isOthers
        var request = ImportRequest(model)
        request.begun = result.question?.stamp
        request.newest = newest
        request.mixed = mixed
        request.membership = membership.map {
            $0.owner.importMembership(
                of: $0.list, isWhole: mayBeWhole && result.isWhole && isFirst && !leadsOn, by: reply.signs)
        }
        request.membership?.isListing = true
        request.membership?.newMembers = first.call.newMembers
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
        // A server that ignores the number of the page gives the same one for ever.
        let rootless = outcome.roots.isEmpty ? reply.mark : nil
        let isAgain =
            reply.nextPage?.isCertain == false && result.extent.pages > 0 && outcome.roots == result.page
            && rootless == result.rootless
        let isList = reply.isEmptyList || (reply.isPlaced ? outcome.isList : reply.isList)
        let isEmpty = outcome.roots.isEmpty && outcome.mixed.isEmpty
        let isUnderstood = !result.ids.isEmpty || !result.mixed.isEmpty || !outcome.report.hasUnreadable
        if isEmpty, !isList { throw reply.noList(outcome.report) }
        if isEmpty, !isUnderstood { throw reply.noObject(outcome.report) }
        if result.trail.count > 0, result.trail.has(digest(of: reply, at: url, having: outcome.roots)) {
            result.isCircle = true
            return result.noteGap()
        }
        result.take(isAgain ? [] : outcome.roots)
        if !isAgain { result.mixed += outcome.mixed }
        result.report += outcome.report
        result.nextPosition = outcome.nextPosition
        result.take(newest: outcome.newest)
        result.hasKeptNewer = result.hasKeptNewer || outcome.hasKeptNewer
        result.extent.add(isAgain ? 0 : outcome.elementCount)
        let earlier = result.signs
        result.signs = reply.signs
        result.signs.keepTotals(of: earlier)
        (result.page, result.rootless) = (outcome.roots, rootless)
        if isAgain || !isList { result.noteGap() }
    }

    // MARK: What is in the store

    private func note(_ reply: Reply, in result: inout PageCourse) {
        result.isStale = result.isStale || reply.isStale
        result.source = max(result.source, reply.source)
        let time = Date(
            timeIntervalSince1970: reply.kept?.answer.checkedAt ?? reply.arrivedAt ?? first.client.api.now())
        result.fetchedAt = min(result.fetchedAt ?? time, time)
    }

    private func add(
        _ kept: KeptAnswer, of reply: Reply, at url: RequestURL, to result: inout PageCourse
    ) throws(APIError) {
        first.tellKept(reply)
        result.hasKept = true
        if reply.source == .store { result.hasUnasked = true }
        // What has changed since may be that one has left.
        if !kept.isIntact { result.noteGap() }
        try add(ImportOutcome(kept: kept.rows, isList: reply.isList), of: reply, at: url, to: &result)
        guard let newest, kept.isIntact, let attribute = first.model?[newest] else { return }
        for row in kept.rows.roots { result.take(newest: object(row)?.known.storedValue(attribute)) }
    }

    /// Whether a page that the store vouches for has some that are no members any more: then the server is asked for
    /// all of it.
    private func lacksMembers(_ reply: Reply) throws(APIError) -> Bool {
        guard let kept = reply.kept, kept.isIntact, reply.source == .validated || first.policy.needsIntact,
            let membership, !isMembershipUnsent
        else { return false }
        return first.context.storesMembers(kept.rows.roots, of: membership.owner, membership.list.index) == false
    }

    /// Whether the list has others than the pages, which are all of it.
    func hasDrifted(from result: PageCourse) throws(APIError) -> Bool {
        guard let members = storedMembers() else { return false }
        return members != result.members
    }

    /// The members in the file; nil where they wait to be sent.
    func storedMembers() -> [RowID]? {
        guard let membership, !isMembershipUnsent else { return nil }
        return first.context.storedMembers(of: membership.owner, membership.list.index)
    }

    private var isMembershipUnsent: Bool {
        guard let membership else { return false }
        return membership.owner.unsentProperties.contains { $0.index == membership.list.index }
    }

    /// The last object of the last page.
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
    /// Tells two pages without members from each other, such as those that have tombstones alone.
    fileprivate var mark: Int {
        kept.map { ($0.answer.entityTag ?? $0.answer.key.question).hashValue } ?? body.hashValue
    }
}

extension Imported {
    /// What a walk has brought, live in the context.
    ///
    /// - Throws: ``StoreError/closedStore(unsaved:)`` where the store was erased meanwhile.
    init(_ course: PageCourse, in context: ObjectContext) throws(APIError) {
        self.init(
            objects: context.answeredObjects(M.self, of: course.answered), report: course.report, source: course.source,
            fetchedAt: course.fetchedAt)
        pruned = course.pruned
        try context.checkNotErased()
    }
}
