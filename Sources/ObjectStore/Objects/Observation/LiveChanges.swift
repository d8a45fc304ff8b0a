/// How a live list came to be what it is.
///
/// A list that shows the former objects becomes the new one in this order: ``removals`` and the places that ``moves``
/// come from are taken out, then ``insertions`` and the places that moves go to are put in, from the first to the last;
/// ``changes`` are shown anew.
public struct LiveChange<M: Model> {
    /// An object that stands elsewhere among the others.
    public struct Move: Hashable, Sendable {
        /// Its place among the former objects.
        public let from: Int
        /// Its place among the new ones.
        public let to: Int
    }

    /// The objects now.
    public let objects: [M]
    /// The places among the former objects of those that are gone, ascending.
    public let removals: [Int]
    /// The places in ``objects`` of those that are new, ascending.
    public let insertions: [Int]
    /// Those that stand elsewhere among the others; as few as it takes.
    public let moves: [Move]
    /// The places in ``objects`` of those that were there and have other values, ascending; moved ones among them.
    public let changes: [Int]

    init(_ objects: [M], _ difference: LiveDifference) {
        self.objects = objects
        removals = difference.removals
        insertions = difference.insertions
        moves = difference.moves.map { Move(from: $0.from, to: $0.to) }
        changes = difference.changes
    }
}

/// See ``LiveResults/changes``.
public struct LiveChanges<M: Model>: AsyncSequence {
    let results: LiveResults<M>

    /// An iterator that listens from now on.
    public func makeAsyncIterator() -> Iterator { Iterator(results) }

    /// It lives where its context does.
    public final class Iterator: AsyncIteratorProtocol {
        private let results: LiveResults<M>
        private let reader = LiveReader<LivePlaces>()

        init(_ results: LiveResults<M>) {
            self.results = results
            results.add(reader)
        }

        /// The objects, and how they came to be those, after the next change; at once the first time. `nil` when the
        /// context has ended, or the task is cancelled.
        ///
        /// - Throws: ``StoreError`` when the file can't be read.
        public nonisolated(nonsending) func next() async throws(StoreError) -> LiveChange<M>? {
            try await next(isolation: #isolation)
        }

        /// The same, on the given actor.
        public func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> LiveChange<M>? {
            while await reader.wait(isolation: actor) {
                // Brings in what has been committed since, too.
                let objects = results.objects
                if let error = results.error { throw error }
                if let difference = reader.take(results.places) { return LiveChange(objects, difference) }
            }
            return nil
        }
    }
}
