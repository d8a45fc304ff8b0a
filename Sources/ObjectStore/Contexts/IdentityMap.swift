/// The live objects of one table in one context, by local key: one object for a row.
///
/// It holds them weakly; the context keeps those with unsaved edits, and for a while those that a relationship led to.
struct IdentityMap {
    private struct Entry {
        weak var object: AnyObject?
    }

    private var entries: [Int64: Entry] = [:]
    /// Objects of rows that have become another model's since: they follow the row, and are not found by it.
    private var retired: [Int64: [Entry]] = [:]
    /// When there are that many entries, those of objects that are gone are swept out.
    private var sweepCount = 1024

    subscript(id: Int64) -> AnyObject? { entries[id]?.object }

    /// An object that was the row's until that became another model's.
    func retired(_ id: Int64) -> AnyObject? {
        retired.isEmpty ? nil : retired[id]?.lazy.compactMap(\.object).first
    }

    /// The row's object, or one that was.
    func any(_ id: Int64) -> AnyObject? { self[id] ?? retired(id) }

    /// Parts the row's objects into the one that is found by it and those that are not any more.
    mutating func retire(_ id: Int64, _ isRetired: (AnyObject) -> Bool) {
        let objects = ([entries[id]].compactMap(\.self) + (retired[id] ?? [])).compactMap(\.object)
        guard !retired.isEmpty || objects.contains(where: isRetired) else { return }
        remove(id)
        for object in objects {
            if isRetired(object) {
                retired[id, default: []].append(Entry(object: object))
            } else {
                insert(object, for: id)
            }
        }
    }

    mutating func insert(_ object: AnyObject, for id: Int64) {
        if entries.count >= sweepCount { sweep() }
        entries[id] = Entry(object: object)
    }

    mutating func remove(_ id: Int64) {
        entries[id] = nil
        if !retired.isEmpty { retired[id] = nil }
    }

    mutating func reserve(_ count: Int) { entries.reserveCapacity(entries.count + count) }

    /// The keys of the objects that are live.
    var liveIDs: [Int64] {
        (retired.isEmpty ? [] : retired.keys.filter { self[$0] == nil && retired($0) != nil })
            + entries.compactMap { $0.value.object == nil ? nil : $0.key }
    }

    /// How many rows may have live objects; what a merge compares with the number of rows that changed.
    var count: Int { entries.count + retired.count }

    private mutating func sweep() {
        entries = entries.filter { $0.value.object != nil }
        retired = retired.filter { $0.value.contains { $0.object != nil } }
        sweepCount = max(1024, entries.count * 2)
    }
}
