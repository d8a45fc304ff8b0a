public import Observation

extension ObjectQuery {
    /// The query's objects, kept up to date: with each edit here, saved or not, and with each commit of anybody.
    ///
    /// ```swift
    /// let open = try context.query(Issue.self).where { $0.state == .open }.order(by: { $0.number }).live()
    /// for try await change in open.changes { print(change.insertions, change.removals) }
    /// ```
    ///
    /// - Throws: ``StoreError`` as ``fetch()``.
    /// - Complexity: that of ``fetch()``; then of what changes: one statement for the rows that were written, and a
    ///   pass over the list's addresses for those that move. A query with a limit, or that reads other tables, is
    ///   fetched again.
    public func live() throws(StoreError) -> LiveResults<M> { try LiveResults(self) }
}

/// The objects of a query as they are now, in its order: a collection that can be observed, and a sequence of its
/// changes.
///
/// Who reads it within `withObservationTracking`, as SwiftUI does, is woken once by each edit, merge or rollback after
/// which it has other objects or another order; what changes within an object wakes who reads that object. ``changes``
/// tells both.
///
/// It holds its objects, lives where its context does, and follows it until it is let go of.
public final class LiveResults<M: Model>: Observable {
    private let list: LiveList<M>
    private let registrar = ObservationRegistrar()
    /// Whether somebody may track what they have read.
    private var isTracked = false
    private var readers = LiveReaders<LiveReader<LivePlaces>>()
    private var isEnded = false
    private var failure = LiveFailure()
    /// Why the objects are not what they should be: the file could not be read when something had changed. It is tried
    /// again with the next change. Who tracks it is woken when there is one, and when there is none any longer.
    public var error: StoreError? {
        registrar.access(self, keyPath: \.error)
        return failure.error
    }

    init(_ query: ObjectQuery<M>) throws(StoreError) {
        list = try LiveList(query)
        query.context.follow(self)
    }

    deinit { readers.end() }

    /// The objects, in the query's order.
    public var objects: [M] {
        registrar.access(self, keyPath: \.objects)
        if !isTracked { isTracked = isReadTracked() }
        list.query.context.bringUpToDate()
        update()
        return list.objects
    }

    /// The objects as they were last looked at, for descriptions.
    var known: [M] { list.objects }

    var places: LivePlaces { LivePlaces(list.places) }
}

// MARK: - As a collection

extension LiveResults: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many objects there are now.
    public var endIndex: Int { objects.count }
    /// The object at a place of the list as it is now.
    public subscript(position: Int) -> M { objects[position] }
}

// MARK: - Following

extension LiveResults: QueryFollower {
    var tables: Set<TableID> { list.tables }

    func follow(_ news: TableNews) {
        guard !isEnded else { return }
        list.note(news)
        if isTracked || !readers.isEmpty { update() } else { list.forgetWhatIsMany() }
    }

    func end() {
        isEnded = true
        readers.end()
    }

    private func note(_ error: StoreError?) {
        if failure.note(error) { registrar.withMutation(of: self, keyPath: \.error) {} }
    }

    /// Makes the list what the query gives now, and tells who looks.
    private func update() {
        guard list.isStale, !isEnded else { return }
        let former = places
        let difference: LiveDifference
        do {
            difference = LiveDifference(try list.update(), from: former.ids, to: list.places)
            note(nil)
        } catch {
            note(error)
            return
        }
        if difference.isReordering {
            isTracked = false
            registrar.withMutation(of: self, keyPath: \.objects) {}
        }
        guard !difference.isEmpty else { return }
        let changed = difference.changes.map { list.places[$0] }
        for reader in readers.all { reader.note(difference, from: former, changed) }
    }
}

// MARK: - Changes

extension LiveResults {
    /// The objects now, all of them inserted, and then after each edit and commit after which they are others, stand
    /// elsewhere, or have other values. A slow reader gets what has come of all that happened meanwhile. It ends with
    /// the context.
    public var changes: LiveChanges<M> { LiveChanges(results: self) }

    func add(_ reader: LiveReader<LivePlaces>) {
        if isEnded { reader.end() } else { readers.add(reader) }
    }
}
