/// The live objects of one table in one context, by local key: one object for a row.
///
/// It holds them weakly; the context keeps those with unsaved edits, and for a while those that a relationship led to.
struct IdentityMap {
    private struct Entry {
        weak var object: AnyObject?
    }

    private var entries: [Int64: Entry] = [:]
    /// Further objects of a row: those that turned out to be the same as one that was live already.
    private var aliases: [Int64: [Entry]] = [:]
    /// When there are that many entries, those of objects that are gone are swept out.
    private var sweepCount = 1024

    subscript(id: Int64) -> AnyObject? {
        if let object = entries[id]?.object { return object }
        return aliases.isEmpty ? nil : aliases[id]?.lazy.compactMap(\.object).first
    }

    /// All objects of a row; more than one only where objects became one.
    func all(_ id: Int64) -> [AnyObject] {
        let first = entries[id]?.object.map { [$0] } ?? []
        return aliases.isEmpty ? first : first + (aliases[id] ?? []).compactMap(\.object)
    }

    mutating func insert(_ object: AnyObject, for id: Int64) {
        if entries.count >= sweepCount { sweep() }
        entries[id] = Entry(object: object)
    }

    mutating func insertAlias(_ object: AnyObject, for id: Int64) {
        aliases[id, default: []].append(Entry(object: object))
    }

    mutating func remove(_ id: Int64) {
        entries[id] = nil
        if !aliases.isEmpty { aliases[id] = nil }
    }

    mutating func reserve(_ count: Int) { entries.reserveCapacity(entries.count + count) }

    /// The keys of the objects that are live.
    var liveIDs: [Int64] {
        (aliases.isEmpty ? [] : aliases.keys.filter { entries[$0]?.object == nil && self[$0] != nil })
            + entries.compactMap { $0.value.object == nil ? nil : $0.key }
    }

    var count: Int { entries.count }

    private mutating func sweep() {
        entries = entries.filter { $0.value.object != nil }
        aliases = aliases.filter { $0.value.contains { $0.object != nil } }
        sweepCount = max(1024, entries.count * 2)
    }
}
