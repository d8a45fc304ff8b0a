public import Observation

extension ObjectQuery {
    /// Returns the objects of the query as a live collection, which follows all edits in this context and all commits.
    ///
    /// ```swift
    /// let open = try context.query(Issue.self).where { $0.state == .open }.order(by: { $0.number }).live()
    /// for try await change in open.changes { print(change.insertions, change.removals) }
    /// ```
    ///
    /// - Throws: ``StoreError`` as ``fetch()``.
    /// - Complexity: that of ``fetch()``. An update costs one statement for the written rows, and a pass over the list
    ///   if objects move. A query with a limit, or of several tables, is fetched again.
    public func live() throws(StoreError) -> LiveResults<M> { try LiveResults(self) }
}

/// The current objects of a query, in its order, as an observable collection.
///
/// Read it in `withObservationTracking`, or in a SwiftUI view, to be notified once after each edit, merge or rollback
/// that changes the objects or their order. For values within an object, read the object, or ``changes``.
///
/// It holds its objects, and lives on its context's actor until you release it.
public final class LiveResults<M: Model>: Observable {
    private let list: LiveList<M>
    private let registrar = ObservationRegistrar()
    /// Whether an observer may have read the objects since it was last notified.
    private var isTracked = false
    private var readers = LiveReaders<LiveReader<LivePlaces>>()
    private var isEnded = false
    private var failure = LiveFailure()
    /// Whether an observer may have read the error since it last appeared or disappeared.
    private var isErrorTracked = false
    /// The error of the last update, if it failed. The objects are then those from before it, and the next change
    /// tries again. Observable.
    public var error: StoreError? {
        registrar.access(self, keyPath: \.error)
        if !isErrorTracked { isErrorTracked = isReadTracked() }
        return failure.error
    }

    init(_ query: ObjectQuery<M>) throws(StoreError) {
        list = try LiveList(query)
        query.context.follow(self)
    }

    deinit { readers.end() }

    /// The current objects, in the query's order.
    public var objects: [M] {
        registrar.access(self, keyPath: \.objects)
        list.query.context.bringUpToDate()
        update()
        // Last, because an update that notifies observers resets it.
        if !isTracked { isTracked = isReadTracked() }
        return list.objects
    }

    /// Without an update, for descriptions.
    var known: [M] { list.objects }

    var places: LivePlaces { LivePlaces(list.places) }
}

// MARK: - As a collection

extension LiveResults: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The current number of objects.
    public var endIndex: Int { objects.count }
    /// The object at a place of the current list.
    public subscript(position: Int) -> M { objects[position] }
    /// Iterates over the current objects, so a loop may edit them.
    public func makeIterator() -> IndexingIterator<[M]> { objects.makeIterator() }
}

// MARK: - Following

extension LiveResults: QueryFollower {
    var tables: Set<TableID> { list.tables }

    func follow(_ tableChanges: TableChanges) {
        guard !isEnded else { return }
        list.note(tableChanges)
        if isTracked || isErrorTracked || !readers.isEmpty { update() } else { list.compactChanges() }
    }

    func end() {
        isEnded = true
        readers.end()
    }

    private func note(_ error: StoreError?) {
        guard failure.note(error) else { return }
        isErrorTracked = false
        registrar.withMutation(of: self, keyPath: \.error) {}
        // Readers that wait throw the error.
        if error != nil { for reader in readers.all { reader.wake() } }
    }

    private func update() {
        guard list.isStale, !isEnded else { return }
        let former = places
        let edit: LiveEdit
        do {
            edit = try list.update()
            note(nil)
        } catch {
            note(error)
            return
        }
        let difference = LiveDifference(edit, from: former.ids, to: list.places)
        if difference.isReordering {
            isTracked = false
            registrar.withMutation(of: self, keyPath: \.objects) {}
        }
        guard !difference.isEmpty else { return }
        let changed = difference.changes.map { list.places[$0] }
        let waiting = readers.all
        guard !waiting.isEmpty else { return }
        let removed = edit.removed(from: former.ids, to: list.places)
        for reader in waiting { reader.note(difference, from: former, changed, removing: removed) }
    }
}

// MARK: - Changes

extension LiveResults {
    /// The changes of the list, as an asynchronous sequence. The first one inserts all objects. Another one follows
    /// after each edit or commit that changes the objects, their order or their values. A slow reader gets their sum.
    /// The sequence ends with the context.
    public var changes: LiveChanges<M> { LiveChanges(results: self) }

    func add(_ reader: LiveReader<LivePlaces>) {
        if isEnded { reader.end() } else { readers.add(reader) }
    }
}
