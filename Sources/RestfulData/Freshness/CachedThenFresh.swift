import Conventions
public import ObjectStore

/// What the store has of a list, at once, and then what the server says.
///
/// ```swift
/// for try await issues in repository.$issues.cachedThenFresh() {
///     show(issues.objects, isStale: issues.source == .store)
/// }
/// ```
///
/// There is one element where the list was never fetched by the same request. Of a list whose first pages alone are
/// here, those come at once, and ``ImportReport/hasMore`` says that there are more. An error of the server's comes
/// after what the store has.
public struct CachedThenFresh<M: Model>: AsyncSequence {
    /// The objects, with where they came from and since when.
    public typealias Element = Imported<M>
    /// What ends it.
    public typealias Failure = APIError

    private let pages: Pages
    private let walk: (FetchPolicy) throws(APIError) -> PageWalk

    init(_ pages: Pages, _ walk: @escaping (FetchPolicy) throws(APIError) -> PageWalk) {
        (self.pages, self.walk) = (pages, walk)
    }

    /// An iterator that begins with what the store has.
    public func makeAsyncIterator() -> Iterator { Iterator(pages, walk) }

    /// It lives where its context does.
    public final class Iterator: AsyncIteratorProtocol {
        private let pages: Pages
        private let walk: (FetchPolicy) throws(APIError) -> PageWalk
        private var rest: [FetchPolicy] = [.offline, .revalidate]

        fileprivate init(_ pages: Pages, _ walk: @escaping (FetchPolicy) throws(APIError) -> PageWalk) {
            (self.pages, self.walk) = (pages, walk)
        }

        /// What the store has, then what the server says; nil after that.
        ///
        /// - Throws: ``APIError``.
        public nonisolated(nonsending) func next() async throws(APIError) -> Imported<M>? {
            try await next(isolation: #isolation)
        }

        /// The same, on the given actor.
        public func next(isolation actor: isolated (any Actor)?) async throws(APIError) -> Imported<M>? {
            while let policy = rest.first {
                rest.removeFirst()
                do throws(APIError) {
                    var walk = try walk(policy)
                    walk.takesWhatIsStored = policy == .offline
                    return try Imported(try await walk.fetch(pages), in: walk.first.context)
                } catch {
                    guard case .notStored = error else { throw error }
                }
            }
            return nil
        }
    }
}

extension Relationship {
    /// What the store has of the list, at once, and then what the server says.
    ///
    /// - Parameters:
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys that lead to the list in the reply; nil when it is the whole.
    ///   - pages: whether to follow the reply to further pages.
    ///   - settings: the ``Call`` of the requests.
    public func cachedThenFresh<D: Model>(
        query: RouteQuery = [:], at keyPath: JSONKeyPath? = nil, pages: Pages = .first,
        with settings: Call.Settings? = nil
    ) -> CachedThenFresh<D> where Value == [D] {
        let call = Call.current(changedBy: settings)
        return CachedThenFresh(pages) { (policy) throws(APIError) in
            try Call.with(call) { () throws(APIError) in
                let question = ListQuestion(query: query, keyPath: keyPath, policy: policy, pruning: .unlink)
                return try walk(question, in: try owner.liveContext())
            }
        }
    }
}

extension Model {
    /// What the store has of a list of objects, at once, and then what the server says.
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL; nil is the model's base URL.
    ///   - values: what stands for the names of the template.
    ///   - query: what is added to the URL's query.
    ///   - keyPath: the keys of the list's place in the reply; nil when it is the whole.
    ///   - pages: whether to follow the reply to further pages.
    ///   - context: where the objects are to live.
    ///   - settings: the ``Call`` of the requests.
    public static func cachedThenFresh(
        _ template: URLTemplate? = nil, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        at keyPath: JSONKeyPath? = nil, pages: Pages = .first, in context: ObjectContext,
        with settings: Call.Settings? = nil
    ) -> CachedThenFresh<Self> {
        let call = Call.current(changedBy: settings)
        return CachedThenFresh(pages) { (policy) throws(APIError) in
            try Call.with(call) { () throws(APIError) in
                let question = ListQuestion(
                    template: template, values: values, query: query, keyPath: keyPath, policy: policy,
                    pruning: .never)
                return try walk(question, in: context)
            }
        }
    }
}
