public import Foundation

/// The place of an object in a list with sections.
public struct SectionPath: Hashable, Comparable, Sendable {
    /// The section's place among the sections.
    public let section: Int
    /// The object's place in the section.
    public let item: Int

    /// Creates a place from two 0-based numbers.
    public init(section: Int, item: Int) { (self.section, self.item) = (section, item) }

    /// The place as an index path of UIKit and AppKit.
    public var indexPath: IndexPath { IndexPath(indexes: [section, item]) }

    /// Returns whether a place comes before another one.
    public static func < (left: SectionPath, right: SectionPath) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }
}

/// A change of a live list from its former sections to its new ones.
///
/// You can pass its steps to batch updates of `UITableView`, `UICollectionView` and `NSCollectionView` in any order.
///
/// 1. Take out the objects at ``removals`` and at the former places of ``moves``, then the sections at
///    ``sectionRemovals`` and at the former places of ``sectionMoves``, all by their places in the former list.
/// 2. Insert the sections at ``sectionInsertions``, with all their objects, and at the new places of section moves,
///    then the objects at ``insertions`` and at the new places of moves, both in ascending order, by their places in
///    the new list.
/// 3. Redraw the objects at ``changes``.
///
/// Removed and inserted sections include their objects: a move out of a removed section is an insertion, one into an
/// inserted section a removal.
///
/// ```swift
/// for try await change in sections.changes {
///     list.performBatchUpdates {
///         list.deleteSections(IndexSet(change.sectionRemovals))
///         list.insertSections(IndexSet(change.sectionInsertions))
///         for move in change.sectionMoves { list.moveSection(move.from, toSection: move.to) }
///         list.deleteItems(at: change.removals.map(\.indexPath))
///         list.insertItems(at: change.insertions.map(\.indexPath))
///         for move in change.moves { list.moveItem(at: move.from.indexPath, to: move.to.indexPath) }
///     }
///     list.reconfigureItems(at: change.changes.map(\.indexPath))
/// }
/// ```
public struct LiveSectionChange<M: Model, Value> {
    /// A section with another place among the remaining ones, since the value that it is sorted by has changed.
    public struct SectionMove: Hashable, Sendable {
        /// The former place.
        public let from: Int
        /// The new place.
        public let to: Int
    }

    /// An object in another section, or with another place among its section's remaining ones.
    public struct Move: Hashable, Sendable {
        /// The former place.
        public let from: SectionPath
        /// The new place.
        public let to: SectionPath
    }

    /// The new sections.
    public let sections: [LiveSection<M, Value>]
    /// The former places of removed sections, in ascending order.
    public let sectionRemovals: [Int]
    /// The places of inserted sections in ``sections``, in ascending order.
    public let sectionInsertions: [Int]
    /// The moves among the remaining sections, as few as possible.
    public let sectionMoves: [SectionMove]
    /// The former places of removed objects, in ascending order.
    public let removals: [SectionPath]
    /// The places of inserted objects in ``sections``, in ascending order.
    public let insertions: [SectionPath]
    /// The moves of objects within and between remaining sections.
    public let moves: [Move]
    /// The places in ``sections`` of remaining objects, also moved ones, with other values, in ascending order.
    public let changes: [SectionPath]

    init(_ sections: [LiveSection<M, Value>], _ difference: SectionDifference) {
        self.sections = sections
        sectionRemovals = difference.sectionRemovals
        sectionInsertions = difference.sectionInsertions
        sectionMoves = difference.sectionMoves.map { SectionMove(from: $0.from, to: $0.to) }
        removals = difference.removals
        insertions = difference.insertions
        moves = difference.moves.map { Move(from: $0.from, to: $0.to) }
        changes = difference.changes
    }
}

/// The changes of a live list with sections; see ``LiveSections/changes``.
public struct LiveSectionChanges<M: Model, Value>: AsyncSequence {
    let source: LiveSections<M, Value>

    /// Makes an iterator that receives changes from now on.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// The iterator of the changes, on the context's actor.
    public final class Iterator: AsyncIteratorProtocol {
        private let source: LiveSections<M, Value>
        private let reader = LiveReader<SectionedPlaces>()

        init(_ source: LiveSections<M, Value>) {
            self.source = source
            source.add(reader)
        }

        /// Waits for the next change. The first call returns all sections at once, as insertions.
        ///
        /// - Returns: nil if the context has ended or the task is cancelled.
        /// - Throws: ``StoreError`` if the file can't be read.
        public nonisolated(nonsending) func next() async throws(StoreError) -> LiveSectionChange<M, Value>? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next change; see ``next()``.
        public func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> LiveSectionChange<
            M, Value
        >? {
            while await reader.wait(isolation: actor) {
                // This also merges commits.
                let sections = source.sections
                if let error = source.error { throw error }
                if let difference = reader.take(source.places) { return LiveSectionChange(sections, difference) }
            }
            return nil
        }
    }
}
