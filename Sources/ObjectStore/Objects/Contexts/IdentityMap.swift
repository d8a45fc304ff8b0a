import Foundation
import Synchronization

/// The live objects of one table in one context: one object for a row.
///
/// It holds them weakly; the context keeps those with unsaved edits, and for a while those that a relationship led to.
final class IdentityMap {
    private struct Entry {
        // A model already, so that nobody has to ask at run time whether it is one.
        weak var object: (any Model)?
    }

    // By `RowID.rawValue`: a plain integer hashes in half the time.
    private var entries: [Int64: Entry] = [:]
    /// Objects of rows that have become another model's since: they follow the row, and are not found by it.
    private var retired: [Int64: [Entry]] = [:]
    /// When there are that many entries, those of objects that are gone are swept out.
    private var sweepCount = 1024
    /// The objects' rows by the only part of their identity, as it was when they were entered; none until lookups ask for
    /// them.
    private var byIdentity: [StoredValue: RowID] = [:]
    private var isFoundByIdentity = false
    /// How many lookups have gone to the file for an object that is here.
    private var missCount = 0

    subscript(row: RowID) -> (any Model)? {
        guard let index = entries.index(forKey: row.rawValue) else { return nil }
        // Where it lies: a copy of a weak reference takes several times as long.
        return Self.load(&entries.values[index])
    }

    private static func load(_ entry: inout Entry) -> (any Model)? { entry.object }

    /// An object that was the row's until that became another model's.
    func retired(_ row: RowID) -> (any Model)? {
        retired.isEmpty ? nil : retired[row.rawValue]?.lazy.compactMap(\.object).first
    }

    /// The row's object, or one that was.
    func any(_ row: RowID) -> (any Model)? { self[row] ?? retired(row) }

    /// Parts the row's objects into the one that is found by it and those that are not any more.
    func retire(_ row: RowID, _ isRetired: (any Model) -> Bool) {
        let known = [entries[row.rawValue]].compactMap(\.self) + (retired[row.rawValue] ?? [])
        let objects = known.compactMap(\.object)
        guard !retired.isEmpty || objects.contains(where: isRetired) else { return }
        remove(row)
        for object in objects {
            if isRetired(object) {
                retired[row.rawValue, default: []].append(Entry(object: object))
            } else {
                insert(object, for: row)
            }
        }
    }

    func insert(_ object: any Model, for row: RowID) {
        if entries.count >= sweepCount { sweep() }
        entries[row.rawValue] = Entry(object: object)
        if isFoundByIdentity { enter(object) }
    }

    func remove(_ row: RowID) {
        entries[row.rawValue] = nil
        if !retired.isEmpty { retired[row.rawValue] = nil }
    }

    func reserve(_ count: Int) { entries.reserveCapacity(entries.count + count) }

    /// The rows whose objects are live.
    var liveRows: [RowID] {
        let rows = retired.isEmpty ? [] : retired.keys.map(RowID.init).filter { self[$0] == nil && retired($0) != nil }
        return rows + entries.compactMap { $0.value.object == nil ? nil : RowID($0.key) }
    }

    /// How many rows may have live objects; what a merge compares with the number of rows that changed.
    var count: Int { entries.count + retired.count }

    private func sweep() {
        var gone: [Int64] = []
        var index = entries.startIndex
        while index != entries.endIndex {
            if Self.load(&entries.values[index]) == nil { gone.append(entries.keys[index]) }
            entries.formIndex(after: &index)
        }
        for row in gone { entries[row] = nil }
        retired = retired.filter { $0.value.contains { $0.object != nil } }
        sweepCount = max(1024, entries.count * 2)
        (byIdentity, isFoundByIdentity, missCount) = ([:], false, 0)
    }
}

// MARK: - By identity

extension IdentityMap {
    /// The live object that the file knows by an identity of one part; `nil` when it isn't known, which says nothing.
    ///
    /// Identities are unique, and live objects are as the state of the file that is read: so an object that is of the file and
    /// has this identity there is what the file would be asked for, however it came to be entered.
    func object(identifiedBy identity: StoredValue) -> (any Model)? {
        guard let row = byIdentity[identity], let object = self[row], object._object.storedIdentity == identity else {
            return nil
        }
        return object
    }

    /// Notes what a lookup in the file has led to.
    ///
    /// - Parameter wasLive: whether the object was here already. Once there was one such lookup for every 64 objects, all are
    ///   entered, which takes less time than those lookups did.
    func noteLookup(of object: any Model, wasLive: Bool) {
        guard wasLive else { return }
        missCount += 1
        if !isFoundByIdentity, missCount * 64 >= entries.count {
            isFoundByIdentity = true
            byIdentity.reserveCapacity(entries.count)
            var index = entries.startIndex
            while index != entries.endIndex {
                if let object = Self.load(&entries.values[index]) { enter(object) }
                entries.formIndex(after: &index)
            }
        }
        if isFoundByIdentity { enter(object) }
    }

    private func enter(_ object: any Model) {
        guard let identity = object._object.storedIdentity else { return }
        byIdentity[identity] = object._object.localID
    }
}

extension ObjectState {
    /// What the file has as the object's identity, where that has one part; `nil` for an object that it doesn't have.
    fileprivate var storedIdentity: StoredValue? {
        guard survivor == nil, !isInserted, !isDeleted, !model.hasSubmodels, model.identity.count == 1 else {
            return nil
        }
        let value = snapshot.value(model.identity[0])
        return value.isNull ? nil : value
    }
}

extension RowID {
    /// The last one of this process. Processes that share a file begin far from each other: the second in which they began
    /// is the upper half (31 bits, up to the year 2069), chance the lower.
    private static let lastOfNewObjects = Mutex<Int64>(
        Int64.min + (Int64(max(0, Date().timeIntervalSinceReferenceDate)) & 0x7FFF_FFFF) << 32
            + Int64.random(in: 0..<1 << 31))

    /// The row for an object that is made here: negative, so that it is none of the writer's, and greater than the one
    /// before, so that objects without another order come in the order in which they were made.
    static func ofNewObject() -> RowID {
        lastOfNewObjects.withLock { last in
            // Wrapping is out of reach: 2^62 rows.
            last &+= 1
            return RowID(last)
        }
    }
}

/// The objects that a lookup or a relationship loaded lately, so that following it again finds them.
struct RecentObjects {
    private static let limit = 2048
    private var objects: [AnyObject] = []
    private var oldest = 0

    mutating func insert(_ object: AnyObject) {
        if objects.count < Self.limit {
            objects.append(object)
        } else {
            objects[oldest] = object
            oldest = (oldest + 1) % Self.limit
        }
    }

    mutating func removeAll() { (objects, oldest) = ([], 0) }
}

/// How often a merge, a deletion or a rollback has changed each to-many relationship: what was read before is read again.
struct ListVersions {
    private var versions: [Int]

    init(_ schema: Schema) { versions = Array(repeating: 0, count: schema.listCount) }

    /// `nil` for a list of a class that the store doesn't know.
    subscript(list: ListID) -> Int? {
        versions.indices.contains(list.rawValue) ? versions[list.rawValue] : nil
    }

    mutating func advance(_ list: ListID) { versions[list.rawValue] += 1 }

    mutating func advanceAll() { for index in versions.indices { versions[index] += 1 } }
}
