extension ObjectQuery {
    /// The query's objects now, and again after each edit here and each commit, from whichever context, after which
    /// they are others, in another order, or have other values.
    ///
    /// One element for a transaction; a slow reader gets the newest only. The sequence ends with its context. How the
    /// objects came to be others is in ``LiveResults/changes``.
    ///
    /// ```swift
    /// for try await open in context.query(Issue.self).where({ $0.state == .open }).updates {
    ///     print(open.count)
    /// }
    /// ```
    public var updates: QueryUpdates<M> { QueryUpdates(query: self) }
}

/// See ``ObjectQuery/updates``.
public struct QueryUpdates<M: Model>: AsyncSequence {
    let query: ObjectQuery<M>

    /// An iterator that listens once it is asked first.
    public func makeAsyncIterator() -> Iterator { Iterator(query) }

    /// It lives where its context does.
    public final class Iterator: AsyncIteratorProtocol {
        private let query: ObjectQuery<M>
        private var changes: LiveChanges<M>.Iterator?

        init(_ query: ObjectQuery<M>) { self.query = query }

        /// The objects after the next change of them; at once the first time. `nil` when the context has ended, or the
        /// task is cancelled.
        ///
        /// - Throws: ``StoreError`` when the file can't be read, or the store was closed before the first call.
        public nonisolated(nonsending) func next() async throws(StoreError) -> [M]? {
            try await next(isolation: #isolation)
        }

        /// The same, on the given actor.
        public func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> [M]? {
            if changes == nil, query.context.isEnded {
                if case .closedStore = query.context.endedError { throw query.context.endedError }
                return nil
            }
            if changes == nil { changes = try query.live().changes.makeAsyncIterator() }
            return try await changes?.next(isolation: actor)?.objects
        }
    }
}
