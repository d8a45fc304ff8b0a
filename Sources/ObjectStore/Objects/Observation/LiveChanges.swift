/// A change of a live list from its former objects to its new ones.
///
/// To update a view, take out the objects at ``removals`` and at the former places of ``moves``. Then insert those at
/// ``insertions`` and at the new places of moves, in ascending order. Then redraw those at ``changes``.
public struct LiveChange<M: Model> {
    /// An object with another place among the remaining ones.
    public struct Move: Hashable, Sendable {
        /// The former place.
        public let from: Int
        /// The new place.
        public let to: Int
    }

    /// The new objects.
    public let objects: [M]
    /// The former places of removed objects, in ascending order.
    public let removals: [Int]
    /// The places of inserted objects in ``objects``, in ascending order.
    public let insertions: [Int]
    /// The moves among the remaining objects, as few as possible.
    public let moves: [Move]
    /// The places in ``objects`` of remaining objects, also moved ones, with other values, in ascending order.
    public let changes: [Int]

    init(_ objects: [M], _ difference: LiveDifference) {
        self.objects = objects
        removals = difference.removals
        insertions = difference.insertions
        moves = difference.moves.map { Move(from: $0.from, to: $0.to) }
        changes = difference.changes
    }
}

/// The changes of a live list; see ``LiveResults/changes``.
public struct LiveChanges<M: Model>: AsyncSequence {
    let results: LiveResults<M>

    /// Makes an iterator that receives changes from now on.
    public func makeAsyncIterator() -> Iterator { Iterator(results) }

    /// The iterator of the changes, on the context's actor.
    public final class Iterator: AsyncIteratorProtocol {
        private let results: LiveResults<M>
        private let reader = LiveReader<LivePlaces>()

        init(_ results: LiveResults<M>) {
            self.results = results
            results.add(reader)
        }

        /// Waits for the next change. The first call returns all objects at once, as insertions.
        ///
        /// - Returns: nil if the context has ended or the task is cancelled.
        /// - Throws: ``StoreError`` if the file can't be read.
        public nonisolated(nonsending) func next() async throws(StoreError) -> LiveChange<M>? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next change; see ``next()``.
        public func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> LiveChange<M>? {
            while await reader.wait(isolation: actor) {
                // This also merges commits.
                let objects = results.objects
                if let error = results.error { throw error }
                if let difference = reader.take(results.places) { return LiveChange(objects, difference) }
            }
            return nil
        }
    }
}
