/// The objects of a live query in order, and the possible changes since the last update.
final class LiveList<M: Model> {
    let query: ObjectQuery<M>
    let tables: Set<TableID>
    private(set) var objects: [M]
    /// The identifiers of the objects' states. A search here accesses no objects.
    private(set) var places: [ObjectIdentifier]
    private var pending = PendingRows()

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

    var isStale: Bool { !pending.isEmpty }

    func note(_ changes: TableChanges) {
        guard let model = query.ownModel, case let own = model.table else { return }
        if !changes.renewed.isDisjoint(with: tables) || !query.isOfRows(model)
            || changes.tables.contains(where: { $0 != own && tables.contains($0) })
        {
            pending.isAll = true
        }
        pending.states += changes.states[own] ?? []
        pending.rows += changes.rows[own] ?? []
    }

    /// Replaces single changes by a mark if an update will fetch all objects. Otherwise a list without readers would
    /// hold all changed objects.
    func compactChanges() {
        if isMany(pending) { pending = PendingRows(isAll: true) }
    }

    /// If the update throws, the objects are unchanged.
    ///
    /// - Parameter look: called with all objects if these were fetched again.
    func update(_ look: ([M]) throws(StoreError) -> Void = { _ in }) throws(StoreError) -> LiveEdit {
        query.context.catchUp()
        let changes = pending
        pending = PendingRows()
        do {
            // A patch searches by order. Objects with unreported changes may be out of order.
            let isWhole = isMany(changes) || query.context.watch.hasUnreportedChanges
            return try isWhole ? refetch(changes, look) : .patched(patch(changes))
        } catch {
            pending.isAll = true
            throw error
        }
    }

    /// Whether a fetch takes less time than a patch, which moves all later objects for each changed one.
    private func isMany(_ changes: PendingRows) -> Bool {
        changes.isAll || changes.states.count + changes.rows.count > min(64 + objects.count / 4, 256)
    }

    private func refetch(
        _ changes: PendingRows, _ look: ([M]) throws(StoreError) -> Void
    ) throws(StoreError) -> LiveEdit {
        let fetched = try query.fetch()
        try look(fetched)
        let former = objects
        objects = fetched
        places = objects.map { ObjectIdentifier($0._object.current) }
        return .refetched(changed: Set(changes.states.map { ObjectIdentifier($0) }), former: { former[$0] })
    }

    private func patch(_ changes: PendingRows) throws(StoreError) -> LivePatch {
        let changed = Set(changes.states.map { ObjectIdentifier($0) })
        let found = try query.fetch(among: changes.states, rows: changes.rows)
        var old: [ObjectIdentifier: Int] = [:]
        for index in indices(of: changed) { old[places[index]] = index }
        var patch = LivePatch()
        patch.taken = old.values.sorted()
        patch.objects = patch.taken.map { objects[$0] }
        for index in patch.taken.reversed() {
            objects.remove(at: index)
            places.remove(at: index)
        }
        // Places among the unchanged objects. The last insertion comes first, so that earlier places stay valid.
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

    private func indices(of states: Set<ObjectIdentifier>) -> [Int] {
        guard states.count == 1, let state = states.first else {
            return places.indices.filter { states.contains(places[$0]) }
        }
        return places.firstIndex(of: state).map { [$0] } ?? []
    }

    /// The number of objects before another one.
    private func place(of state: ObjectState) -> Int {
        objects.partitioningIndex { !query.precedes($0._object.current, state.current) }
    }
}

enum LiveEdit {
    case patched(LivePatch)
    /// All objects were fetched again. `changed` ones may have other values.
    case refetched(changed: Set<ObjectIdentifier>, former: (Int) -> AnyObject)

    /// The objects that left the list, by the identifiers of their states.
    func removed(from old: [ObjectIdentifier], to new: [ObjectIdentifier]) -> [ObjectIdentifier: AnyObject] {
        var removed: [ObjectIdentifier: AnyObject] = [:]
        switch self {
        case .patched(let patch):
            let kept = Set(patch.put.compactMap(\.from))
            for (place, object) in zip(patch.taken, patch.objects) where !kept.contains(place) {
                removed[old[place]] = object
            }
        case .refetched(_, let former):
            guard old != new else { return [:] }
            let kept = Set(new)
            for (place, id) in old.enumerated() where !kept.contains(id) { removed[id] = former(place) }
        }
        return removed
    }
}

/// Former places of removed objects, and new places of inserted ones, ascending. An object in both has other values.
struct LivePatch {
    var taken: [Int] = []
    /// The objects at the places of ``taken``.
    var objects: [AnyObject] = []
    var put: [(from: Int?, to: Int)] = []
}

extension RandomAccessCollection where Index == Int {
    /// The first index at which the condition holds, by binary search. It must hold for all later indexes, too.
    func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
