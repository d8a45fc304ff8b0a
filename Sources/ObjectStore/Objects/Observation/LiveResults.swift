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
    /// - Complexity: that of ``fetch()``; then of what changes: one statement for the rows that were written, and a pass over the
    ///   list's addresses for those that move. A query with a limit, or that reads other tables, is fetched again.
    public func live() throws(StoreError) -> LiveResults<M> { try LiveResults(self) }
}

/// The objects of a query as they are now, in its order: a collection that can be observed, and a sequence of its changes.
///
/// Who reads it within `withObservationTracking`, as SwiftUI does, is woken once by each edit, merge or rollback after which it
/// has other objects or another order; what changes within an object wakes who reads that object. ``changes`` tells both.
///
/// It holds its objects, lives where its context does, and follows it until it is let go of.
public final class LiveResults<M: Model>: Observable {
    let query: ObjectQuery<M>
    let tables: Set<TableID>
    private let registrar = ObservationRegistrar()
    private var list: [M] = []
    /// The states of the objects, in the same order: to find one no object is looked at.
    private(set) var places: [ObjectIdentifier] = []
    private var pending = PendingRows()
    /// Whether somebody may track what they have read.
    private var isTracked = false
    private var readers = LiveReaders()
    private var isEnded = false
    /// Why the objects are not what they should be: the file could not be read when something had changed. It is tried again with
    /// the next change.
    public private(set) var error: StoreError?

    /// What may have changed since the objects were looked at.
    private struct PendingRows {
        var states: [ObjectState] = []
        var rows: [RowID] = []
        var isAll = false

        var isEmpty: Bool { states.isEmpty && rows.isEmpty && !isAll }
    }

    init(_ query: ObjectQuery<M>) throws(StoreError) {
        self.query = query
        let model = try query.context.model(of: M.self)
        tables = query.tables(of: model)
        list = try query.fetch()
        places = list.map { ObjectIdentifier($0._object.current) }
        query.context.follow(self)
    }

    deinit { readers.end() }

    /// The objects, in the query's order.
    public var objects: [M] {
        registrar.access(self, keyPath: \.objects)
        if !isTracked { isTracked = isReadTracked() }
        query.context.bringUpToDate()
        update()
        return list
    }
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
    func follow(_ news: TableNews) {
        guard !isEnded, let model = query.ownModel, case let own = model.table else { return }
        if !news.renewed.isDisjoint(with: tables) || !query.isOfRows(model)
            || news.tables.contains(where: { $0 != own && tables.contains($0) })
        {
            pending.isAll = true
        }
        pending.states += news.states[own] ?? []
        pending.rows += news.rows[own] ?? []
        guard !pending.isEmpty, isTracked || !readers.isEmpty else { return }
        update()
    }

    func end() {
        isEnded = true
        readers.end()
    }

    /// Makes the list what the query gives now, and tells who looks.
    private func update() {
        guard !pending.isEmpty, !isEnded else { return }
        let (news, former) = (pending, places)
        pending = PendingRows()
        let difference: LiveDifference
        do {
            difference = try isMany(news) ? refetch(news) : patch(news)
            error = nil
        } catch {
            self.error = error
            pending.isAll = true
            return
        }
        if difference.isReordering {
            isTracked = false
            registrar.withMutation(of: self, keyPath: \.objects) {}
        }
        guard !difference.isEmpty else { return }
        let changed = difference.changes.map { places[$0] }
        for reader in readers.all { reader.note(difference, from: former, changed) }
    }

    /// Whether it takes less to fetch all again than to look at what has changed.
    private func isMany(_ news: PendingRows) -> Bool {
        news.isAll || news.states.count + news.rows.count > 64 + list.count / 4
    }

    private func refetch(_ news: PendingRows) throws(StoreError) -> LiveDifference {
        list = try query.fetch()
        let former = places
        places = list.map { ObjectIdentifier($0._object.current) }
        let changed = Set(news.states.map { ObjectIdentifier($0) })
        return LiveDifference(from: former, to: places, changed: changed)
    }

    /// Takes what has changed out of the list, and puts it in where it belongs now.
    private func patch(_ news: PendingRows) throws(StoreError) -> LiveDifference {
        let changed = Set(news.states.map { ObjectIdentifier($0) })
        let found = try query.fetch(among: news.states, rows: news.rows)
        var old: [ObjectIdentifier: Int] = [:]
        for index in indices(of: changed) { old[places[index]] = index }
        for index in old.values.sorted(by: >) {
            list.remove(at: index)
            places.remove(at: index)
        }
        // Where each belongs among those that stay: the later ones first, so that these places stay what they are.
        let slots = found.map { place(of: $0._object) }
        for (object, slot) in zip(found, slots).reversed() {
            list.insert(object, at: slot)
            places.insert(ObjectIdentifier(object._object.current), at: slot)
        }
        return difference(removing: old, inserting: found, at: slots)
    }

    private func difference(
        removing old: [ObjectIdentifier: Int], inserting found: [M], at slots: [Int]
    ) -> LiveDifference {
        var (difference, left) = (LiveDifference(), old)
        let places = old.values.sorted()
        var kept: [(from: Int, to: Int, isShifted: Bool)] = []
        for (offset, (object, slot)) in zip(found, slots).enumerated() {
            let id = ObjectIdentifier(object._object.current)
            guard let place = left.removeValue(forKey: id) else {
                difference.insertions.append(slot + offset)
                continue
            }
            // How many of those that stay it stood behind.
            let former = place - places.partitioningIndex { $0 >= place }
            kept.append((place, slot + offset, former != slot))
            difference.changes.append(slot + offset)
        }
        difference.removals = left.values.sorted()
        let inOrder = kept.filter { !$0.isShifted }.map { (from: $0.from, to: $0.to) }
        difference.moves = kept.filter(\.isShifted).map { ($0.from, $0.to) } + LiveDifference.moves(among: inOrder)
        difference.moves.sort { $0.to < $1.to }
        return difference
    }

    /// Where some of the objects stand, by their states.
    private func indices(of states: Set<ObjectIdentifier>) -> [Int] {
        guard states.count == 1, let state = states.first else {
            return places.indices.filter { states.contains(places[$0]) }
        }
        return places.firstIndex(of: state).map { [$0] } ?? []
    }

    /// Behind how many of the objects another belongs.
    private func place(of state: ObjectState) -> Int {
        list.partitioningIndex { !query.precedes($0._object.current, state.current) }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element the condition holds for, which holds for all behind it; found by halving.
    fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

// MARK: - Changes

extension LiveResults {
    /// The objects now, all of them inserted, and then after each edit and commit after which they are others, stand elsewhere,
    /// or have other values. A slow reader gets what has come of all that happened meanwhile. It ends with the context.
    public var changes: LiveChanges<M> { LiveChanges(results: self) }

    func add(_ reader: LiveReader) {
        if isEnded { reader.end() } else { readers.add(reader) }
    }
}
