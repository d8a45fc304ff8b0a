public import ObjectStore

/// The pages of a list, each fetched and imported when it is asked for, while the one after it is on its way.
///
/// ```swift
/// for try await page in user.$repositories.pages(size: 100) {
///     show(page.objects, page.progress.fraction)
/// }
/// ```
///
/// One page is in memory, and the reply of the next. When it is read to its end, and the pages are the whole list, that
/// becomes what the relationship has, as with ``Relationship/fetch(_:query:at:pages:prune:with:)``. When it is left
/// before, what has come stays, and the request that is on its way is cancelled. An iterator that is kept between two
/// pages while very much changes here, some 50,000 objects, merges in what follows, and prunes nothing: keep a
/// ``ListPage`` instead.
///
/// Each loop fetches anew. Where the server knows validators, the pages that are as they were cost it next to nothing,
/// so that a loop that was broken off at the fortieth page goes on there by being begun again; where it doesn't,
/// ``ListPage/bookmark`` leads there.
public struct PageSequence<M: Model>: AsyncSequence {
    /// A page.
    public typealias Element = ListPage<M>
    /// What ends it.
    public typealias Failure = APIError

    private let walk: () throws(APIError) -> PageWalk
    private let bookmark: PageBookmark?

    init(from bookmark: PageBookmark?, _ walk: @escaping () throws(APIError) -> PageWalk) {
        (self.bookmark, self.walk) = (bookmark, walk)
    }

    /// An iterator that begins with the first page, or where the bookmark says.
    public func makeAsyncIterator() -> Iterator { Iterator(from: bookmark, walk) }

    /// The first page.
    ///
    /// - Returns: nil when the server has nothing newer than what a condition of the caller's own names.
    /// - Throws: ``APIError``.
    public nonisolated(nonsending) func first() async throws(APIError) -> ListPage<M>? {
        let iterator = makeAsyncIterator()
        iterator.looksAhead = false
        return try await iterator.next()
    }

    /// It lives where its context does.
    public final class Iterator: AsyncIteratorProtocol {
        /// What keeps questions open between two pages.
        private struct Claim: Sendable {
            let question: Question?
            let ahead: RequestAhead?
        }

        private let makeWalk: () throws(APIError) -> PageWalk
        private let bookmark: PageBookmark?
        /// Without what ``claim`` has.
        private var state: (walk: PageWalk, course: PageCourse)?
        private var claim: Intermission<Claim>?
        /// The last page, until it is known what became of what the list leaves out.
        private var last: PageWalk.Step?
        private var hasEnded = false
        private var file: StoreFile?
        fileprivate var looksAhead = true

        fileprivate init(from bookmark: PageBookmark?, _ walk: @escaping () throws(APIError) -> PageWalk) {
            (self.bookmark, makeWalk) = (bookmark, walk)
        }

        deinit { file?.flushListings() }

        /// The next page; nil after the last.
        ///
        /// - Throws: ``APIError``; the page can be asked for again.
        public nonisolated(nonsending) func next() async throws(APIError) -> ListPage<M>? {
            try await next(isolation: #isolation)
        }

        /// The same, on the given actor.
        public func next(isolation actor: isolated (any Actor)?) async throws(APIError) -> ListPage<M>? {
            if hasEnded { return nil }
            var (walk, course) = if let state { state } else { try begun() }
            var ahead = goOn(&course)
            // Taken out, so that what was read is not copied with each page.
            (state, claim) = (nil, nil)
            do throws(APIError) {
                let step = if let last { last } else { try await walk.step(&course, &ahead, looksAhead: looksAhead) }
                if !walk.goesOn(after: course) {
                    last = step
                    // All of it is stored, and who doesn't ask again after an error must not keep it open.
                    last?.reply.question = nil
                    course = try await walk.finish(course, isPaged: true)
                    (last, hasEnded) = (nil, true)
                } else {
                    pause(walk, course, keeping: ahead)
                }
                guard let step, !step.isUnknown else { return nil }
                return ListPage(step, of: walk, course)
            } catch {
                pause(walk, course, keeping: nil)
                throw error
            }
        }

        /// Keeps what the next page needs. The question for the first page, without which nothing may leave the list,
        /// and the request that is on its way are let go of where too much changes here before that is asked for.
        private func pause(_ walk: PageWalk, _ course: PageCourse, keeping ahead: RequestAhead?) {
            if course.question != nil || ahead != nil {
                claim = Intermission(Claim(question: course.question, ahead: ahead), in: walk.first.context.underway)
            }
            state = (walk, course)
            state?.course.question = nil
        }

        /// - Returns: the request that is on its way.
        private func goOn(_ course: inout PageCourse) -> RequestAhead? {
            guard let claim else { return nil }
            guard let kept = claim.end() else {
                course.letGo()
                return nil
            }
            course.question = kept.question
            return kept.ahead
        }

        private func begun() throws(APIError) -> (PageWalk, PageCourse) {
            let walk = try makeWalk()
            file = try? walk.first.context.openFile()
            var course = try walk.begin()
            if let bookmark { try walk.goOn(&course, at: bookmark) }
            return (walk, course)
        }
    }
}

extension Relationship {
    /// The list page by page.
    ///
    /// ```swift
    /// for try await page in repository.$issues.pages(size: 100, query: ["state": "all"]) {
    ///     print(page.progress.fetchedCount, "of", page.progress.totalCount ?? 0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - size: how many objects a page is to have, by ``APIConventions/pageSize``; nil for what the server does by
    ///     itself. It may give less.
    ///   - policy: whether the server is asked; nil for what the API says.
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys that lead to the list in the reply; nil when it is the whole.
    ///   - limit: how many pages are fetched at most, by each loop.
    ///   - paging: how the next page is found; nil for what the model or the API says.
    ///   - pruning: what becomes of members that the whole list leaves out.
    ///   - bookmark: where to go on; nil for the first page. What goes on is merged in, and unlinks nothing. One of
    ///     another list, or of another query, is ``RouteProblem/otherList(_:)`` with the first page.
    ///   - settings: the ``Call`` of the pages' requests.
    public func pages<D: Model>(
        size: Int? = nil, policy: FetchPolicy? = nil, query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil,
        limit: Int = Pages.usualLimit, by paging: APIConventions.Paging? = nil, prune pruning: Pruning = .unlink,
        from bookmark: PageBookmark? = nil, with settings: Call.Settings? = nil
    ) -> PageSequence<D> where Value == [D] {
        let call = Call.current(changedBy: settings)
        let question = ListQuestion(query: query, keyPath: keyPath, policy: policy, pruning: pruning)
        return PageSequence(from: bookmark) { () throws(APIError) in
            let context = try owner.liveContext()
            var walk = try Call.with(call) { () throws(APIError) in
                try self.walk(question, in: context)
            }
            walk.take(Pages.all(limit: limit, by: paging), size: size)
            return walk
        }
    }
}

extension Model {
    /// A list of objects page by page, from a URL template or from the model's base URL.
    ///
    /// ```swift
    /// for try await page in User.pages(size: 100, in: store.main) { show(page.objects) }
    /// ```
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL, with `:name` for each value; nil is the
    ///     model's base URL.
    ///   - values: what stands for the names.
    ///   - size: how many objects a page is to have, by ``APIConventions/pageSize``; nil for what the server does by
    ///     itself. It may give less.
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys of the list's place in the reply; nil when it is the whole.
    ///   - policy: whether the server is asked; nil for what the API says.
    ///   - limit: how many pages are fetched at most, by each loop.
    ///   - paging: how the next page is found; nil for what the model or the API says.
    ///   - pruning: what becomes of objects of the model that the whole list leaves out: only of the list at the base
    ///     URL without a query is anything deleted.
    ///   - bookmark: where to go on; nil for the first page. One of another list, or of another query, is
    ///     ``RouteProblem/otherList(_:)`` with the first page.
    ///   - context: where the objects are to live.
    ///   - settings: the ``Call`` of the pages' requests.
    public static func pages(
        _ template: URLTemplate? = nil, _ values: [String: any RouteValueConvertible] = [:], size: Int? = nil,
        query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil, policy: FetchPolicy? = nil,
        limit: Int = Pages.usualLimit, by paging: APIConventions.Paging? = nil, prune pruning: Pruning = .never,
        from bookmark: PageBookmark? = nil, in context: ObjectContext, with settings: Call.Settings? = nil
    ) -> PageSequence<Self> {
        let call = Call.current(changedBy: settings)
        let question = ListQuestion(
            template: template, values: values, query: query, keyPath: keyPath, policy: policy, pruning: pruning)
        return PageSequence(from: bookmark) { () throws(APIError) in
            var walk = try Call.with(call) { () throws(APIError) in
                try Self.walk(question, in: context)
            }
            walk.take(Pages.all(limit: limit, by: paging), size: size)
            return walk
        }
    }
}

extension PageWalk {
    /// Takes how much is fetched.
    ///
    /// - Parameter size: how many objects a page is to have.
    fileprivate mutating func take(_ pages: Pages, size: Int?) {
        (limit, first.form.paging) = pages.bounds
        guard let size else { return }
        let conventions = first.client.api.conventions
        guard let preference = conventions.pageSizePreference else {
            first.url = first.url.replacing(conventions.pageSize, by: "\(max(size, 1))")
            return
        }
        // Others of the caller's stay (RFC 7240 §2).
        let others = first.call.headers[.prefer].map { [$0] } ?? []
        first.call.headers[.prefer] = (others + ["\(preference)=\(max(size, 1))"]).joined(separator: ", ")
    }
}
