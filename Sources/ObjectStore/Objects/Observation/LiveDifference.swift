/// How a list of objects came to be another.
///
/// Applied in this order it makes the new list of the old one: what is removed and moved is taken out of the old list,
/// at its places there; then what is inserted and moved is put in, at its places in the new list, from the first to the
/// last.
struct LiveDifference {
    /// The places in the old list of what is in the new one no more.
    var removals: [Int] = []
    /// The places in the new list of what wasn't in the old one.
    var insertions: [Int] = []
    /// What stands elsewhere among the others: as few as that takes.
    var moves: [(from: Int, to: Int)] = []
    /// The places in the new list of what was in both and has other values.
    var changes: [Int] = []

    var isReordering: Bool { !removals.isEmpty || !insertions.isEmpty || !moves.isEmpty }
    var isEmpty: Bool { !isReordering && changes.isEmpty }

    /// Compares two lists, each with an object at most once.
    ///
    /// - Complexity: O(n log n) for moved ones, else O(n).
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

    /// What was done to a list. Of a patch, what was taken out and put in again is looked at alone.
    init(_ edit: LiveEdit, from old: [ObjectIdentifier], to new: [ObjectIdentifier]) {
        switch edit {
        case .refetched(let changed): self.init(from: old, to: new, changed: changed)
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

    /// Those that are not among the longest that stand in their old order (patience sorting; Fredman 1975).
    static func moves(among kept: [(from: Int, to: Int)]) -> [(from: Int, to: Int)] {
        guard zip(kept, kept.dropFirst()).contains(where: { $0.from > $1.from }) else { return [] }
        // By length, where the sequence with the least last element ends, and of each element which comes before it.
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

/// What was taken out of a list and put in again.
struct LiveSlot {
    let from: Int
    let to: Int
    /// Whether it stands elsewhere among those that nothing was done to.
    let isShifted: Bool

    /// Those that stand elsewhere among the others, in the order of their new places.
    static func moves(among slots: [LiveSlot]) -> [(from: Int, to: Int)] {
        let shifted = slots.filter(\.isShifted).map { (from: $0.from, to: $0.to) }
        let others = LiveDifference.moves(among: slots.filter { !$0.isShifted }.map { (from: $0.from, to: $0.to) })
        return (shifted + others).sorted { $0.to < $1.to }
    }
}

/// What a reader of a live result was shown, of which the next difference is.
protocol LiveShown {
    associatedtype Difference: LiveDifferences
    /// Nothing.
    init()
    func difference(from former: Self, changed: Set<ObjectIdentifier>) -> Difference
}

/// How what a live result shows came to be that.
protocol LiveDifferences {
    var isEmpty: Bool { get }
}

extension LiveDifference: LiveDifferences {}

/// The states of a list's objects, in its order.
struct LivePlaces: LiveShown {
    let ids: [ObjectIdentifier]

    init() { ids = [] }
    init(_ ids: [ObjectIdentifier]) { self.ids = ids }

    func difference(from former: LivePlaces, changed: Set<ObjectIdentifier>) -> LiveDifference {
        LiveDifference(from: former.ids, to: ids, changed: changed)
    }
}
