extension ObjectQuery {
    /// The query's objects as an asynchronous sequence: at once, and again after each edit or commit that changes the
    /// objects, their order, or their values.
    ///
    /// A transaction yields at most one element, and a slow reader gets only the newest. The sequence ends with its
    /// context. ``LiveResults/changes`` has the differences.
    ///
    /// ```swift
    /// for try await open in context.query(Issue.self).where({ $0.state == .open }).updates { … }
    /// ```
    public var updates: QueryUpdates<M> { QueryUpdates(query: self) }
}

/// The asynchronous sequence of a query's results; see ``ObjectQuery/updates``.
public struct QueryUpdates<M: Model>: AsyncSequence {
    let query: ObjectQuery<M>

    /// Creates an iterator, which starts to observe at the first call of `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(query) }

    /// An iterator on the actor of its context.
    public final class Iterator: AsyncIteratorProtocol {
        private let query: ObjectQuery<M>
        private var changes: LiveChanges<M>.Iterator?

        init(_ query: ObjectQuery<M>) { self.query = query }

        /// Returns the objects after their next change, at first at once; `nil` if the context has ended or the task is
        /// cancelled.
        ///
        /// - Throws: ``StoreError`` if reading the file fails, or the store was closed before the first call.
        public nonisolated(nonsending) func next() async throws(StoreError) -> [M]? {
            try await next(isolation: #isolation)
        }

        /// Returns the objects after their next change; see ``next()``.
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
