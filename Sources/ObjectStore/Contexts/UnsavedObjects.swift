/// The objects of a context that have edits, were inserted or are to be deleted: kept until they are saved or rolled back,
/// in the order in which they were first edited.
struct UnsavedObjects {
    private struct Entry {
        let object: any Model
        let order: Int
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var nextOrder = 0

    var isEmpty: Bool { entries.isEmpty }

    /// In the order of their first edits.
    var inOrder: [any Model] { entries.values.sorted { $0.order < $1.order }.map(\.object) }

    /// One of them, if there is one like that.
    func first(where isWanted: (any Model) -> Bool) -> (any Model)? {
        entries.values.lazy.map(\.object).first(where: isWanted)
    }

    func contains(_ object: AnyObject) -> Bool { entries[ObjectIdentifier(object)] != nil }

    func containsOne(of table: Int) -> Bool { entries.values.contains { $0.object._object.table.index == table } }

    mutating func insert(_ object: any Model) {
        guard !contains(object) else { return }
        entries[ObjectIdentifier(object)] = Entry(object: object, order: nextOrder)
        nextOrder += 1
    }

    /// Keeps another object of the same state in an object's place.
    mutating func replace(_ object: AnyObject, with other: any Model) {
        guard let entry = entries.removeValue(forKey: ObjectIdentifier(object)) else { return }
        entries[ObjectIdentifier(other)] = Entry(object: other, order: entry.order)
    }

    mutating func remove(_ object: AnyObject) { entries[ObjectIdentifier(object)] = nil }

    mutating func removeAll() { entries.removeAll() }
}
