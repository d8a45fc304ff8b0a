extension ObjectQuery {
    /// The query's objects now, and again after each commit, from whichever context, that may have changed them.
    ///
    /// One element for a transaction; a slow reader gets the newest only. The sequence ends with its context.
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

    /// An iterator that listens from now on.
    public func makeAsyncIterator() -> Iterator { Iterator(query) }

    /// It lives where its context does.
    public final class Iterator: AsyncIteratorProtocol {
        private let query: ObjectQuery<M>
        private let registration: Int
        private var signals: AsyncStream<Void>.Iterator
        private let news = News()

        /// Whether something was merged since the objects were fetched.
        private final class News {
            var isDue = true
        }

        init(_ query: ObjectQuery<M>) {
            self.query = query
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let read = query.tables
            signals = stream.makeAsyncIterator()
            registration = query.context.observe { [news] tables in
                guard let tables else {
                    continuation.finish()
                    return true
                }
                guard !tables.isDisjoint(with: read) else { return true }
                news.isDue = true
                // A reader that went away without reading to the end is told of nothing more.
                if case .terminated = continuation.yield() { return false }
                return true
            }
            continuation.yield()
        }

        /// The objects after the next commit that may have changed them; at once the first time.
        ///
        /// - Throws: ``StoreError`` when the file can't be read.
        public nonisolated(nonsending) func next() async throws(StoreError) -> [M]? {
            try await next(isolation: #isolation)
        }

        /// The same, on the given actor.
        public func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> [M]? {
            while await signals.next(isolation: actor) != nil {
                query.context.catchUp()
                // What an earlier fetch saw already, as it merged what was new.
                guard news.isDue else { continue }
                news.isDue = false
                return try query.fetch()
            }
            query.context.stopObserving(registration)
            return nil
        }
    }
}

extension ObjectContext {
    /// Calls `body` with the tables that a merge changed, those of many-to-many relationships among them
    /// (``Schema/joinTable(of:)``), after each, on the context's actor, as long as it returns `true`, and once with nil when the
    /// context ends.
    func observe(_ body: @escaping (Set<TableID>?) -> Bool) -> Int {
        nextObserver += 1
        if isEnded, !hasFailed {
            _ = body(nil)
        } else {
            observers[nextObserver] = body
        }
        return nextObserver
    }

    func tellObservers(_ tables: Set<TableID>?) {
        for (registration, body) in observers where !body(tables) { stopObserving(registration) }
    }

    func stopObserving(_ registration: Int) { observers[registration] = nil }
}
