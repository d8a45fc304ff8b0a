/// The objects of a query in its order, and what may have changed since they were looked at: what live results are made
/// of.
final class LiveList<M: Model> {
    let query: ObjectQuery<M>
    let tables: Set<TableID>
    private(set) var objects: [M]
    /// The states of the objects, in the same order: to find one no object is looked at.
    private(set) var places: [ObjectIdentifier]
    private var pending = PendingRows()

    /// What may have changed since the objects were looked at.
    private struct PendingRows {
        var states: [ObjectState] = []
        var rows: [RowID] = []
        var isAll = false

        var isEmpty: Bool { states.isEmpty && rows.isEmpty && !isAll }
    }

    init(_ query: ObjectQuery<M>) throws(StoreError) {
        self.query = query
        tables = query.tables(of: try query.context.model(of: M.self))
        objects = try query.fetch()
        places = objects.map { ObjectIdentifier($0._object.current) }
    }

    /// Whether the objects may be others than the query gives now.
    var isStale: Bool { !pending.isEmpty }

    func note(_ news: TableNews) {
        guard let model = query.ownModel, case let own = model.table else { return }
        if !news.renewed.isDisjoint(with: tables) || !query.isOfRows(model)
            || news.tables.contains(where: { $0 != own && tables.contains($0) })
        {
            pending.isAll = true
        }
        pending.states += news.states[own] ?? []
        pending.rows += news.rows[own] ?? []
    }

    /// Keeps nothing of what has changed where all is fetched again anyway: a list that nobody looks at would else hold
    /// whatever comes and goes meanwhile.
    func forgetWhatIsMany() {
        if isMany(pending) { pending = PendingRows(isAll: true) }
    }

    /// Makes the objects what the query gives now. Where that fails they stay as they are.
    ///
    /// - Parameter look: gets all objects, where they were fetched again.
    func update(_ look: ([M]) throws(StoreError) -> Void = { _ in }) throws(StoreError) -> LiveEdit {
        let news = pending
        pending = PendingRows()
        do {
            return try isMany(news) ? refetch(news, look) : .patched(patch(news))
        } catch {
            pending.isAll = true
            throw error
        }
    }

    /// Whether it takes less to fetch all again than to look at what has changed.
    private func isMany(_ news: PendingRows) -> Bool {
        news.isAll || news.states.count + news.rows.count > 64 + objects.count / 4
    }

    private func refetch(
        _ news: PendingRows, _ look: ([M]) throws(StoreError) -> Void
    ) throws(StoreError) -> LiveEdit {
        let fetched = try query.fetch()
        try look(fetched)
        objects = fetched
        places = objects.map { ObjectIdentifier($0._object.current) }
        return .refetched(changed: Set(news.states.map { ObjectIdentifier($0) }))
    }

    /// Takes what has changed out of the list, and puts it in where it belongs now.
    private func patch(_ news: PendingRows) throws(StoreError) -> LivePatch {
        let changed = Set(news.states.map { ObjectIdentifier($0) })
        let found = try query.fetch(among: news.states, rows: news.rows)
        var old: [ObjectIdentifier: Int] = [:]
        for index in indices(of: changed) { old[places[index]] = index }
        var patch = LivePatch()
        patch.taken = old.values.sorted()
        for index in patch.taken.reversed() {
            objects.remove(at: index)
            places.remove(at: index)
        }
        // Where each belongs among those that stay: the later ones first, so that these places stay what they are.
        let slots = found.map { place(of: $0._object) }
        for (object, slot) in zip(found, slots).reversed() {
            objects.insert(object, at: slot)
            places.insert(ObjectIdentifier(object._object.current), at: slot)
        }
        for (offset, slot) in slots.enumerated() {
            let place = slot + offset
            patch.put.append((from: old.removeValue(forKey: places[place]), to: place))
        }
        return patch
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
        objects.partitioningIndex { !query.precedes($0._object.current, state.current) }
    }
}

/// What was done to a live list.
enum LiveEdit {
    case patched(LivePatch)
    /// All were fetched again; those of which something has changed may have other values.
    case refetched(changed: Set<ObjectIdentifier>)
}

/// What was taken out of a list, at the former places, and what was put in, at the new ones; both ascending. What was
/// taken out and put in again has other values.
struct LivePatch {
    var taken: [Int] = []
    var put: [(from: Int?, to: Int)] = []
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element the condition holds for, which holds for all behind it; found by halving.
    func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
