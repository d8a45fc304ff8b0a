import Conventions
public import ObjectStore

/// The stored objects of a list at once, followed by the server's.
///
/// ```swift
/// for try await issues in repository.$issues.cachedThenFresh() {
///     show(issues.objects, isStale: issues.source == .store)
/// }
/// ```
///
/// A request that was never sent has only the server's element. If only the first pages are stored, the first element
/// has these, and ``ImportReport/hasMore`` is true. An error follows the stored element.
public struct CachedThenFresh<M: Model>: AsyncSequence {
    /// The objects, with their origin and time.
    public typealias Element = Imported<M>
    /// The error that ends the sequence.
    public typealias Failure = APIError

    private let pages: Pages
    private let walk: (FetchPolicy) throws(APIError) -> PageWalk

    init(_ pages: Pages, _ walk: @escaping (FetchPolicy) throws(APIError) -> PageWalk) {
        (self.pages, self.walk) = (pages, walk)
    }

    /// Makes an iterator that begins with the stored objects.
    public func makeAsyncIterator() -> Iterator { Iterator(pages, walk) }

    /// An iterator, confined to the isolation of its context.
    public final class Iterator: AsyncIteratorProtocol {
        private let pages: Pages
        private let walk: (FetchPolicy) throws(APIError) -> PageWalk
        private var rest: [FetchPolicy] = [.offline, .revalidate]

        fileprivate init(_ pages: Pages, _ walk: @escaping (FetchPolicy) throws(APIError) -> PageWalk) {
            (self.pages, self.walk) = (pages, walk)
        }

        /// Returns the stored objects, then the server's, then nil.
        public nonisolated(nonsending) func next() async throws(APIError) -> Imported<M>? {
            try await next(isolation: #isolation)
        }

        /// Returns the next element on the given actor.
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
    /// The stored members of the list at once, followed by the server's.
    ///
    /// - Parameters:
    ///   - query: parameters to add to the URL's query.
    ///   - keyPath: the key path of the list in the reply; by default, the conventions decide.
    ///   - pages: the pages to fetch.
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
    /// The stored objects of a list at once, followed by the server's.
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL; nil for the model's base URL.
    ///   - values: the values of the template's names.
    ///   - query: parameters to add to the URL's query.
    ///   - keyPath: the key path of the list in the reply; by default, the conventions decide.
    ///   - pages: the pages to fetch.
    ///   - context: the context of the objects.
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
