public import Foundation

/// Where an object is in a list with sections.
public struct SectionPath: Hashable, Comparable, Sendable {
    /// The section's place among the sections.
    public let section: Int
    /// The object's place within the section.
    public let item: Int

    /// A place.
    public init(section: Int, item: Int) { (self.section, self.item) = (section, item) }

    /// The same as UIKit and AppKit have it.
    public var indexPath: IndexPath { IndexPath(indexes: [section, item]) }

    /// Whether the left one comes first.
    public static func < (left: SectionPath, right: SectionPath) -> Bool {
        (left.section, left.item) < (right.section, right.item)
    }
}

/// How a live list with sections came to be what it is.
///
/// A list that shows the former sections becomes the new one in this order, which is that of the batch updates of
/// `UITableView`, `UICollectionView` and `NSCollectionView`, in whichever order these are told:
///
/// 1. The objects at ``removals`` and at the places that ``moves`` come from are taken out, then the sections at
///    ``sectionRemovals`` and at the places that ``sectionMoves`` come from; all these places are former ones.
/// 2. The sections at ``sectionInsertions``, with all that is in them, and at the places that section moves go to are
///    put in, from the first to the last; then the objects at ``insertions`` and at the places that moves go to, from
///    the first to the last. All these places are new ones.
/// 3. ``changes`` are shown anew.
///
/// What is in a section that is gone or new is named by no other place, so that what comes from a section that is gone
/// is an insertion, and what goes to a new one a removal.
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
    /// A section that stands elsewhere among the others, which it does only where what the sections are ordered by has
    /// changed.
    public struct SectionMove: Hashable, Sendable {
        /// Its place among the former sections.
        public let from: Int
        /// Its place among the new ones.
        public let to: Int
    }

    /// An object that is in another section, or stands elsewhere among the others of its own.
    public struct Move: Hashable, Sendable {
        /// Its place in the former sections.
        public let from: SectionPath
        /// Its place in the new ones.
        public let to: SectionPath
    }

    /// The sections now.
    public let sections: [LiveSection<M, Value>]
    /// The places among the former sections of those that are gone, ascending.
    public let sectionRemovals: [Int]
    /// The places in ``sections`` of those that are new, ascending.
    public let sectionInsertions: [Int]
    /// The sections that stand elsewhere among the others; as few as it takes.
    public let sectionMoves: [SectionMove]
    /// The former places of the objects that are gone, ascending.
    public let removals: [SectionPath]
    /// The places in ``sections`` of those that are new, ascending.
    public let insertions: [SectionPath]
    /// The objects in other sections, or elsewhere among the others of theirs.
    public let moves: [Move]
    /// The places in ``sections`` of those that were there and have other values, ascending; moved ones among them.
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

/// See ``LiveSections/changes``.
public struct LiveSectionChanges<M: Model, Value>: AsyncSequence {
    let source: LiveSections<M, Value>

    /// An iterator that listens from now on.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// It lives where its context does.
    public final class Iterator: AsyncIteratorProtocol {
        private let source: LiveSections<M, Value>
        private let reader = LiveReader<SectionedPlaces>()

        init(_ source: LiveSections<M, Value>) {
            self.source = source
            source.add(reader)
        }

        /// The sections, and how they came to be those, after the next change; at once the first time. `nil` when the
        /// context has ended, or the task is cancelled.
        ///
        /// - Throws: ``StoreError`` when the file can't be read.
        public nonisolated(nonsending) func next() async throws(StoreError) -> LiveSectionChange<M, Value>? {
            try await next(isolation: #isolation)
        }

        /// The same, on the given actor.
        public func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> LiveSectionChange<
            M, Value
        >? {
            while await reader.wait(isolation: actor) {
                // Brings in what has been committed since, too.
                let sections = source.sections
                if let error = source.error { throw error }
                if let difference = reader.take(source.places) { return LiveSectionChange(sections, difference) }
            }
            return nil
        }
    }
}
