/// The difference between two lists of sections. It leaves out the objects within removed and inserted sections.
struct SectionDifference: LiveDifferences {
    /// The former places of removed sections.
    var sectionRemovals: [Int] = []
    /// The new places of inserted sections.
    var sectionInsertions: [Int] = []
    /// The sections with other places among the remaining ones, as few as possible.
    var sectionMoves: [(from: Int, to: Int)] = []
    /// The former places of objects removed from remaining sections.
    var removals: [SectionPath] = []
    /// The new places of objects inserted into remaining sections.
    var insertions: [SectionPath] = []
    /// The objects in other sections, or with other places in their sections.
    var moves: [(from: SectionPath, to: SectionPath)] = []
    /// The new places of objects with other values, if object and section were there before.
    var changes: [SectionPath] = []

    var isReordering: Bool {
        !sectionRemovals.isEmpty || !sectionInsertions.isEmpty || !sectionMoves.isEmpty || !removals.isEmpty
            || !insertions.isEmpty || !moves.isEmpty
    }
    var isEmpty: Bool { !isReordering && changes.isEmpty }

    private init(_ matching: SectionMatching) {
        sectionRemovals = matching.present.indices.filter { matching.present[$0] == nil }
        sectionInsertions = matching.former.indices.filter { matching.former[$0] == nil }
        let kept = matching.former.enumerated().compactMap { to, from in from.map { (from: $0, to: to) } }
        sectionMoves = LiveDifference.moves(among: kept)
    }

    // MARK: Comparing two lists

    /// Each object occurs at most once in a list.
    ///
    /// - Complexity: O(n log n).
    init(from old: SectionedPlaces, to new: SectionedPlaces, changed: Set<ObjectIdentifier>) {
        let matching = SectionMatching(from: old.runs, to: new.runs)
        self.init(matching)
        if old.ids == new.ids, old.runs == new.runs, changed.isEmpty { return }
        let places = Dictionary(zip(old.ids, old.ids.indices), uniquingKeysWith: { first, _ in first })
        var stays = [Bool](repeating: false, count: old.ids.count)
        for (section, former) in matching.former.enumerated() {
            guard let former, case let range = old.runs.range(of: former) else { continue }
            var kept: [(from: Int, to: Int)] = []
            for to in new.runs.range(of: section) {
                let path = new.runs.path(at: to)
                guard let from = places[new.ids[to]], case let origin = old.runs.section(at: from),
                    matching.present[origin] != nil
                else {
                    insertions.append(path)
                    continue
                }
                stays[from] = true
                if changed.contains(new.ids[to]) { changes.append(path) }
                if range.contains(from) {
                    kept.append((from, to))
                } else {
                    moves.append((old.runs.path(at: from), path))
                }
            }
            moves += LiveDifference.moves(among: kept).map { (old.runs.path(at: $0.from), new.runs.path(at: $0.to)) }
        }
        for (section, present) in matching.present.enumerated() where present != nil {
            removals += old.runs.range(of: section).filter { !stays[$0] }.map { old.runs.path(at: $0) }
        }
        moves.sort { $0.to < $1.to }
    }

    // MARK: Applying a patch

    /// Compares only the patched objects.
    ///
    /// - Complexity: that of the patch, and a pass over the sections.
    init(_ patch: LivePatch, from old: SectionRuns, to new: SectionRuns, _ matching: SectionMatching) {
        self.init(matching)
        var stays: Set<Int> = []
        var kept: [Int: [LiveSlot]] = [:]
        for (offset, place) in patch.put.enumerated() {
            let path = new.path(at: place.to)
            guard let former = matching.former[path.section] else { continue }
            guard let from = place.from, case let origin = old.path(at: from), matching.present[origin.section] != nil
            else {
                insertions.append(path)
                continue
            }
            stays.insert(from)
            changes.append(path)
            guard origin.section == former else {
                moves.append((origin, path))
                continue
            }
            // The object's places among the section's unpatched objects.
            let start = old.range(of: former).lowerBound
            let taken = patch.taken.partitioningIndex { $0 >= from } - patch.taken.partitioningIndex { $0 >= start }
            let newStart = new.range(of: path.section).lowerBound
            let put = offset - patch.put.partitioningIndex { $0.to >= newStart }
            let isShifted = origin.item - taken != path.item - put
            kept[path.section, default: []].append(LiveSlot(from: from, to: place.to, isShifted: isShifted))
        }
        for slots in kept.values {
            moves += LiveSlot.moves(among: slots).map { (old.path(at: $0.from), new.path(at: $0.to)) }
        }
        moves.sort { $0.to < $1.to }
        removals = patch.taken.lazy.filter { !stays.contains($0) }.map { old.path(at: $0) }.filter {
            matching.present[$0.section] != nil
        }
    }
}

/// The identifiers of object states in order, and their sections.
struct SectionedPlaces: LiveShown {
    let ids: [ObjectIdentifier]
    let runs: SectionRuns

    init() { self.init([], SectionRuns()) }
    init(_ ids: [ObjectIdentifier], _ runs: SectionRuns) { (self.ids, self.runs) = (ids, runs) }

    func difference(from former: SectionedPlaces, changed: Set<ObjectIdentifier>) -> SectionDifference {
        SectionDifference(from: former, to: self, changed: changed)
    }
}
