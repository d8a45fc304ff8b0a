/// The sections of a list that is sorted by section.
struct SectionRuns: Equatable {
    private(set) var keys: [StoredValue] = []
    /// The index after the last object of each section.
    private(set) var ends: [Int] = []

    init() {}

    /// - Parameter keys: the section of each object.
    init(of keys: some Sequence<StoredValue>) {
        for key in keys { append(key, count: 1) }
    }

    private mutating func append(_ key: StoredValue, count: Int) {
        let start = ends.last ?? 0
        if keys.last == key {
            ends[ends.count - 1] = start + count
        } else {
            keys.append(key)
            ends.append(start + count)
        }
    }

    func range(of section: Int) -> Range<Int> { (section == 0 ? 0 : ends[section - 1])..<ends[section] }

    func section(at place: Int) -> Int { ends.partitioningIndex { $0 > place } }

    func path(at place: Int) -> SectionPath {
        let section = section(at: place)
        return SectionPath(section: section, item: place - range(of: section).lowerBound)
    }

    // MARK: Changes

    /// - Parameters:
    ///   - put: the sections of the inserted objects.
    ///   - precedes: the order of the sections.
    func patched(
        _ patch: LivePatch, keys put: [StoredValue], by precedes: (StoredValue, StoredValue) -> Bool
    ) -> (runs: SectionRuns, matching: SectionMatching) {
        var counts = keys.indices.map { range(of: $0).count }
        for place in patch.taken { counts[section(at: place)] -= 1 }
        // The new sections, by the index of the former section that follows.
        var new: [Int: SectionRuns] = [:]
        for key in put {
            let section = keys.partitioningIndex { !precedes($0, key) }
            if keys.indices.contains(section), keys[section] == key {
                counts[section] += 1
            } else {
                new[section, default: SectionRuns()].append(key, count: 1)
            }
        }
        return replaced(counts, adding: new)
    }

    private func replaced(
        _ counts: [Int], adding new: [Int: SectionRuns]
    ) -> (runs: SectionRuns, matching: SectionMatching) {
        var (runs, former) = (SectionRuns(), [Int?]())
        for section in 0...keys.count {
            if let new = new[section] {
                for index in new.keys.indices {
                    runs.append(new.keys[index], count: new.range(of: index).count)
                    former.append(nil)
                }
            }
            guard section < keys.count, counts[section] > 0 else { continue }
            runs.append(keys[section], count: counts[section])
            former.append(section)
        }
        return (runs, SectionMatching(former: former, count: keys.count))
    }
}

struct SectionMatching {
    /// The former index of each section, and the present one of each former one. Nil: it doesn't exist.
    let former: [Int?]
    let present: [Int?]

    init(former: [Int?], count: Int) {
        self.former = former
        var present = [Int?](repeating: nil, count: count)
        for (section, place) in former.enumerated() {
            if let place { present[place] = section }
        }
        self.present = present
    }

    /// Matches sections by their values.
    init(from old: SectionRuns, to new: SectionRuns) {
        guard old.keys != new.keys else {
            self.init(former: old.keys.indices.map { $0 }, count: old.keys.count)
            return
        }
        let places = Dictionary(zip(old.keys, old.keys.indices), uniquingKeysWith: { first, _ in first })
        self.init(former: new.keys.map { places[$0] }, count: old.keys.count)
    }
}
