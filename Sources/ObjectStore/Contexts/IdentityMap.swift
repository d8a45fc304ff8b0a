/// The live objects of one table in one context, by local key: one object for a row.
///
/// It holds them weakly; the context keeps those with unsaved edits, and for a while those that a relationship led to.
struct IdentityMap {
    private struct Entry {
        weak var object: AnyObject?
    }

    private var entries: [Int64: Entry] = [:]
    /// When there are that many entries, those of objects that are gone are swept out.
    private var sweepCount = 1024

    subscript(id: Int64) -> AnyObject? { entries[id]?.object }

    mutating func insert(_ object: AnyObject, for id: Int64) {
        if entries.count >= sweepCount { sweep() }
        entries[id] = Entry(object: object)
    }

    mutating func remove(_ id: Int64) { entries[id] = nil }

    mutating func reserve(_ count: Int) { entries.reserveCapacity(entries.count + count) }

    /// The keys of the objects that are live.
    var liveIDs: [Int64] { entries.compactMap { $0.value.object == nil ? nil : $0.key } }

    var count: Int { entries.count }

    private mutating func sweep() {
        entries = entries.filter { $0.value.object != nil }
        sweepCount = max(1024, entries.count * 2)
    }
}
