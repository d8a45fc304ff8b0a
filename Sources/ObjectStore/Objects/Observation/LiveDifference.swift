/// The difference between two lists of objects. To apply it, take out removed and moved objects at their former places.
/// Then insert new and moved ones at their new places, in ascending order.
struct LiveDifference {
    /// The former places of removed objects.
    var removals: [Int] = []
    /// The new places of inserted objects.
    var insertions: [Int] = []
    /// The objects with other places among the remaining ones, as few as possible.
    var moves: [(from: Int, to: Int)] = []
    /// The new places of remaining objects with other values.
    var changes: [Int] = []

    var isReordering: Bool { !removals.isEmpty || !insertions.isEmpty || !moves.isEmpty }
    var isEmpty: Bool { !isReordering && changes.isEmpty }

    /// Each object occurs at most once in a list.
    ///
    /// - Complexity: O(n log n) if objects have moved, otherwise O(n).
    init(from old: [ObjectIdentifier], to new: [ObjectIdentifier], changed: Set<ObjectIdentifier>) {
        guard old != new else {
            if !changed.isEmpty { changes = new.indices.filter { changed.contains(new[$0]) } }
            return
        }
        let places = Dictionary(zip(old, old.indices), uniquingKeysWith: { first, _ in first })
        var kept: [(from: Int, to: Int)] = []
        for (index, id) in new.enumerated() {
            guard let place = places[id] else {
                insertions.append(index)
                continue
            }
            kept.append((place, index))
            if changed.contains(id) { changes.append(index) }
        }
        let stays = Set(kept.map(\.from))
        removals = old.indices.filter { !stays.contains($0) }
        moves = Self.moves(among: kept)
    }

    init() {}

    /// For a patch, only the patched objects are compared.
    init(_ edit: LiveEdit, from old: [ObjectIdentifier], to new: [ObjectIdentifier]) {
        switch edit {
        case .refetched(let changed, _): self.init(from: old, to: new, changed: changed)
        case .patched(let patch): self.init(patch)
        }
    }

    private init(_ patch: LivePatch) {
        let kept = Set(patch.put.compactMap(\.from))
        removals = patch.taken.filter { !kept.contains($0) }
        insertions = patch.put.filter { $0.from == nil }.map(\.to)
        var places: [LiveSlot] = []
        for (offset, place) in patch.put.enumerated() {
            guard let from = place.from else { continue }
            let former = from - patch.taken.partitioningIndex { $0 >= from }
            places.append(LiveSlot(from: from, to: place.to, isShifted: former != place.to - offset))
        }
        moves = LiveSlot.moves(among: places)
        changes = places.map(\.to)
    }

    /// The objects outside the longest sequence in the former order (patience sorting; Fredman 1975).
    static func moves(among kept: [(from: Int, to: Int)]) -> [(from: Int, to: Int)] {
        guard zip(kept, kept.dropFirst()).contains(where: { $0.from > $1.from }) else { return [] }
        // The index of the least last element of a sequence of each length; and each element's predecessor.
        var ends: [Int] = []
        var before = [Int?](repeating: nil, count: kept.count)
        for index in kept.indices {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if kept[ends[middle]].from < kept[index].from { low = middle + 1 } else { high = middle }
            }
            before[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var isInPlace = [Bool](repeating: false, count: kept.count)
        var last = ends.last
        while let index = last {
            isInPlace[index] = true
            last = before[index]
        }
        return kept.indices.filter { !isInPlace[$0] }.map { kept[$0] }
    }
}

/// An object that a patch took out of a list and inserted again.
struct LiveSlot {
    let from: Int
    let to: Int
    /// Whether its place among the unpatched objects has changed.
    let isShifted: Bool

    /// The moved objects, ordered by the new places.
    static func moves(among slots: [LiveSlot]) -> [(from: Int, to: Int)] {
        let shifted = slots.filter(\.isShifted).map { (from: $0.from, to: $0.to) }
        let others = LiveDifference.moves(among: slots.filter { !$0.isShifted }.map { (from: $0.from, to: $0.to) })
        return (shifted + others).sorted { $0.to < $1.to }
    }
}

/// The state of a live result that a reader knows.
protocol LiveShown {
    associatedtype Difference: LiveDifferences
    /// The empty state.
    init()
    /// The identifiers of the objects' states.
    var ids: [ObjectIdentifier] { get }
    func difference(from former: Self, changed: Set<ObjectIdentifier>) -> Difference
}

protocol LiveDifferences {
    var isEmpty: Bool { get }
}

extension LiveDifference: LiveDifferences {}

/// The identifiers of a list's object states.
struct LivePlaces: LiveShown {
    let ids: [ObjectIdentifier]

    init() { ids = [] }
    init(_ ids: [ObjectIdentifier]) { self.ids = ids }

    func difference(from former: LivePlaces, changed: Set<ObjectIdentifier>) -> LiveDifference {
        LiveDifference(from: former.ids, to: ids, changed: changed)
    }
}
