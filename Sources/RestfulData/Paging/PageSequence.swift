public import ObjectStore

/// The pages of a list. Each is imported when you ask for it, while the request for the next one is in flight.
///
/// Memory holds one page and the reply of the next. If you read a complete list to the end, it replaces the members of
/// the relationship, as with ``Relationship/fetch(_:query:at:pages:prune:with:)``. If you stop earlier, imported pages
/// stay, and the request in flight is cancelled. If about 50,000 objects change meanwhile, further pages are only
/// merged in. To pause for long, keep a ``ListPage``.
///
/// Each loop fetches from the beginning, which costs little if the server supports validators. Otherwise, resume from
/// ``ListPage/bookmark``.
public struct PageSequence<M: Model>: AsyncSequence {
    /// A page.
    public typealias Element = ListPage<M>
    /// The error that ends the sequence.
    public typealias Failure = APIError

    private let walk: () throws(APIError) -> PageWalk
    private let bookmark: PageBookmark?

    init(from bookmark: PageBookmark?, _ walk: @escaping () throws(APIError) -> PageWalk) {
        (self.bookmark, self.walk) = (bookmark, walk)
    }

    /// Makes an iterator that starts at the first page, or at the bookmark.
    public func makeAsyncIterator() -> Iterator { Iterator(from: bookmark, walk) }

    /// Fetches the first page only.
    ///
    /// - Returns: nil if the server replies 304 to a condition that you added.
    public nonisolated(nonsending) func first() async throws(APIError) -> ListPage<M>? {
        let iterator = makeAsyncIterator()
        iterator.looksAhead = false
        return try await iterator.next()
    }

    /// An iterator, confined to the isolation of its context.
    public final class Iterator: AsyncIteratorProtocol {
        /// The requests that stay open between two pages.
        private struct HeldRequests: Sendable {
            let requestStart: RequestStart?
            let ahead: RequestAhead?
        }

        private let makeWalk: () throws(APIError) -> PageWalk
        private let bookmark: PageBookmark?
        /// The progress, without the requests in ``heldRequests``.
        private var state: (walk: PageWalk, course: PageCourse)?
        private var heldRequests: PausedOperation<HeldRequests>?
        /// The last step, kept until pruning has finished.
        private var last: PageWalk.Step?
        private var hasEnded = false
        private var file: StoreFile?
        fileprivate var looksAhead = true

        fileprivate init(from bookmark: PageBookmark?, _ walk: @escaping () throws(APIError) -> PageWalk) {
            (self.bookmark, makeWalk) = (bookmark, walk)
        }

        deinit { file?.flushListings() }

        /// Fetches the next page, or returns nil after the last one.
        ///
        /// - Throws: ``APIError``; call it again to retry the page.
        public nonisolated(nonsending) func next() async throws(APIError) -> ListPage<M>? {
            try await next(isolation: #isolation)
        }

        /// Fetches the next page on the given actor.
        public func next(isolation actor: isolated (any Actor)?) async throws(APIError) -> ListPage<M>? {
            if hasEnded { return nil }
            var (walk, course) = if let state { state } else { try begun() }
            var ahead = goOn(&course)
            // Moved out, so that the rows aren't copied.
            (state, heldRequests) = (nil, nil)
            do throws(APIError) {
                let step = if let last { last } else { try await walk.step(&course, &ahead, looksAhead: looksAhead) }
                if !walk.goesOn(after: course) {
                    last = step
                    // The reply is stored, so its request is closed even if the caller stops after a failure.
                    last?.reply.requestStart = nil
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

        /// Keeps both requests until the next call, unless too much changes before.
        private func pause(_ walk: PageWalk, _ course: PageCourse, keeping ahead: RequestAhead?) {
            if course.requestStart != nil || ahead != nil {
                heldRequests = PausedOperation(
                    HeldRequests(requestStart: course.requestStart, ahead: ahead), in: walk.first.context.operations)
            }
            state = (walk, course)
            state?.course.requestStart = nil
        }

        private func goOn(_ course: inout PageCourse) -> RequestAhead? {
            guard let heldRequests else { return nil }
            guard let kept = heldRequests.end() else {
                course.stopRecording()
                return nil
            }
            course.requestStart = kept.requestStart
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
    /// The list as a sequence of pages.
    ///
    /// ```swift
    /// for try await page in repository.$issues.pages(size: 100, query: ["state": "all"]) {
    ///     print(page.progress.fetchedCount, "of", page.progress.totalCount ?? 0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - size: the wanted objects per page, sent by ``APIConventions/pageSize``; nil for the server's default.
    ///   - policy: nil for the policy of the call, model or API.
    ///   - query: parameters to add to the URL's query.
    ///   - keyPath: the key path of the list in the reply; by default, the conventions decide.
    ///   - limit: the most pages of each loop.
    ///   - paging: how the next page is found; nil as declared by the model or API.
    ///   - pruning: the treatment of members that the complete list omits.
    ///   - bookmark: the page to start with; nil for the first one. Its pages are merged in.
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
    /// The objects at a URL template, or at the model's base URL, as a sequence of pages.
    ///
    /// ```swift
    /// for try await page in User.pages(size: 100, in: store.main) { show(page.objects) }
    /// ```
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL; nil for the model's base URL.
    ///   - values: the values of the names.
    ///   - size: the wanted objects per page, sent by ``APIConventions/pageSize``; nil for the server's default.
    ///   - query: parameters to add to the URL's query.
    ///   - keyPath: the key path of the list in the reply; by default, the conventions decide.
    ///   - policy: nil for the policy of the call, model or API.
    ///   - limit: the most pages of each loop.
    ///   - paging: how the next page is found; nil as declared by the model or API.
    ///   - pruning: the treatment of objects that the complete list omits. Only the list at the base URL without a
    ///     query deletes them.
    ///   - bookmark: the page to start with; nil for the first one.
    ///   - context: the context of the objects.
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
    /// - Parameter size: the wanted number of objects per page.
    fileprivate mutating func take(_ pages: Pages, size: Int?) {
        (limit, first.form.paging) = pages.bounds
        guard let size else { return }
        let conventions = first.client.api.conventions
        guard let preference = conventions.pageSizePreference else {
            first.url = first.url.replacing(conventions.pageSize, by: "\(max(size, 1))")
            return
        }
        // RFC 7240 §2 allows several preferences.
        let others = first.call.headers[.prefer].map { [$0] } ?? []
        first.call.headers[.prefer] = (others + ["\(preference)=\(max(size, 1))"]).joined(separator: ", ")
    }
}
