import Foundation
import Synchronization

/// The live objects of one table in one context, one for each row. Its references are weak.
final class IdentityMap {
    // Unchecked for overlapping accesses, as the check takes as long as a lookup. Safe: each access runs only the
    // table's own code, which is independent of objects and contexts.
    @safe @exclusivity(unchecked)
    private var entries = RowTable<LooseModel>()
    /// Objects whose rows have another class now. They follow their rows, hidden from lookups.
    private var retired: [RowID: [LooseModel]] = [:]
    /// The number of entries at which those of released objects are removed.
    private var sweepCount = 1024
    /// The objects by one-part identities in the file; see ``noteRow(of:)``.
    @safe @exclusivity(unchecked)
    private var byIdentity = IdentityIndex()

    deinit { endAll() }

    private func endAll() {
        for (_, reference) in entries.pairs { reference.end() }
        for reference in retired.values.joined() { reference.end() }
        byIdentity.removeAll()
    }

    @inline(__always)
    subscript(row: RowID) -> (any Model)? { entries[row.rawValue]?.object }

    /// Unsafe: the table must have one model only.
    @unsafe @inline(__always)
    func object<M: Model>(_ row: RowID, as type: M.Type) -> M? {
        unsafe entries[row.rawValue]?.object(as: type)
    }

    @inline(__always)
    func object(_ row: RowID, where isSound: (ObjectState) -> Bool) -> AnyObject? {
        entries[row.rawValue]?.object(where: isSound)
    }

    /// A copy of the reference, which the caller must end.
    func reference(_ row: RowID) -> LooseReference? { entries[row.rawValue]?.reference.copy() }

    func retired(_ row: RowID) -> (any Model)? {
        retired.isEmpty ? nil : retired[row]?.lazy.compactMap(\.object).first
    }

    /// Includes objects of former classes.
    func any(_ row: RowID) -> (any Model)? { self[row] ?? retired(row) }

    /// Splits the row's objects into the present one and those of former classes.
    func retire(_ row: RowID, _ isRetired: (any Model) -> Bool) {
        let objects = ([entries[row.rawValue]].compactMap(\.self) + (retired[row] ?? [])).compactMap(\.object)
        guard !retired.isEmpty || objects.contains(where: isRetired) else { return }
        remove(row)
        for object in objects {
            if isRetired(object) {
                retired[row, default: []].append(LooseModel(object))
            } else {
                insert(object, for: row)
            }
        }
    }

    func insert(_ object: any Model, for row: RowID) {
        // New objects live until they are saved, and entries are swept then.
        if !object._object.isInserted { sweepWhenDue() }
        let reference = LooseModel(object)
        entries.set(reference, for: row.rawValue)?.end()
        noteRow(of: object)
    }

    /// The row must be missing here and in the file.
    func insertNew(_ object: any Model, _ state: ObjectState) {
        entries.set(LooseModel(object, state), for: state.ownLocalID.rawValue)?.end()
    }

    func sweepWhenDue() { if entries.count >= sweepCount { sweep() } }

    func remove(_ row: RowID) {
        entries.remove(row.rawValue)?.end()
        guard !retired.isEmpty else { return }
        for reference in retired.removeValue(forKey: row) ?? [] { reference.end() }
    }

    /// Makes room for entries, after at most one sweep.
    func reserve(_ count: Int) {
        entries.reserve(entries.count + count)
        guard entries.count + count >= sweepCount else { return }
        sweep()
        sweepCount = max(sweepCount, (entries.count + count) * 2)
    }

    var liveRows: [RowID] {
        let rows = retired.isEmpty ? [] : retired.keys.filter { self[$0] == nil && retired($0) != nil }
        return rows + live.map(\.row)
    }

    func watchAll() { for (_, object) in live { object._object.isWatched = true } }

    /// The array holds the objects, so that any `deinit` runs after an iteration.
    private var live: [(row: RowID, object: any Model)] {
        // With the labels of the result, the array needs no conversion.
        var live: [(row: RowID, object: any Model)] = []
        live.reserveCapacity(entries.count)
        for (row, reference) in entries.pairs {
            if let object = reference.object { live.append((RowID(row), object)) }
        }
        return live
    }

    /// Includes entries of released objects.
    var count: Int { entries.count + retired.count }

    private func sweep() {
        let live = live
        sweepCount = max(1024, live.count * 2)
        if live.count == entries.count, retired.isEmpty { return }
        var gone = entries
        for (row, _) in live { gone.remove(row.rawValue) }
        for (row, reference) in gone.pairs {
            entries.remove(row)
            reference.end()
        }
        for (row, references) in retired where references.allSatisfy({ $0.object == nil }) {
            for reference in references { reference.end() }
            retired[row] = nil
        }
        byIdentity.removeAll()
        for (_, object) in live {
            object._object.isIdentified = false
            noteRow(of: object)
        }
    }
}

// MARK: - By identity

extension IdentityMap {
    /// The live object with a one-part identity in the file, in a table with one model. Nil: it may be in the file
    /// only.
    ///
    /// Identities are unique, and live objects show the state of the file that is read.
    @inline(__always)
    func object(identifiedBy identity: StoredValue) -> AnyObject? { byIdentity[identity]?.object }

    /// Indexes an object by its identity in the file, after its row was read. Its state removes it when it is deleted,
    /// or gets another identity by an edit or a row.
    func noteRow(of object: any Model) {
        let state = object._object
        guard !state.isIdentified, !state.mayHaveEditedIdentity, let identity = state.storedIdentity else { return }
        let former = byIdentity.set(LooseReference(object), for: identity)
        state.isIdentified = true
        // While a merge runs, two objects may have one identity. The last one is found.
        if let other = former?.object as? any Model, other._object !== state { other._object.isIdentified = false }
        former?.end()
    }

    fileprivate func forgetIdentity(of state: ObjectState) {
        if let identity = state.rowIdentity { byIdentity.remove(identity)?.end() }
    }
}

/// Most identities are integers.
private struct IdentityIndex {
    private var byInteger = IntegerTable<LooseReference>()
    private var byOther: [StoredValue: LooseReference] = [:]

    @inline(__always)
    subscript(identity: StoredValue) -> LooseReference? {
        if case .integer(let number) = identity { byInteger[number] } else { byOther[identity] }
    }

    /// - Returns: the former reference, which the caller must end.
    mutating func set(_ object: LooseReference, for identity: StoredValue) -> LooseReference? {
        if case .integer(let number) = identity { return byInteger.set(object, for: number) }
        return byOther.updateValue(object, forKey: identity)
    }

    /// - Returns: the reference, which the caller must end.
    mutating func remove(_ identity: StoredValue) -> LooseReference? {
        if case .integer(let number) = identity { return byInteger.remove(number) }
        return byOther.removeValue(forKey: identity)
    }

    mutating func removeAll() {
        for (_, object) in byInteger.pairs { object.end() }
        for object in byOther.values { object.end() }
        self = IdentityIndex()
    }
}

extension ObjectState {
    /// Nil if the identity has several parts, or the file lacks the object.
    fileprivate var storedIdentity: StoredValue? {
        guard isOfFile, !isInserted, !model.hasSubmodels, model.identity.count == 1 else { return nil }
        return rowIdentity
    }

    fileprivate var rowIdentity: StoredValue? {
        let value = snapshot.value(model.identity[0])
        return value.isNull ? nil : value
    }

    func hasIdentity(of row: Snapshot) -> Bool { snapshot.value(model.identity[0]) == row.value(model.identity[0]) }

    func endIdentity() {
        guard isIdentified else { return }
        isIdentified = false
        context?.maps[model.table].forgetIdentity(of: self)
    }
}

extension RowID {
    /// Processes that share a file start far apart: the upper half has the second of their start (31 bits, until 2069),
    /// the lower half is random.
    fileprivate static let lastOfNewObjects = Atomic<Int64>(
        Int64.min + (Int64(max(0, Date().timeIntervalSinceReferenceDate)) & 0x7FFF_FFFF) << 32
            + Int64.random(in: 0..<1 << 31))
}

/// The row numbers of new objects in one context: negative, unlike the writer's, and each greater than all earlier ones
/// of the process. So sorting by them gives the order of creation.
struct NewRows {
    private static var count: Int64 { 32 }

    private var following: Int64 = 1
    private var last: Int64 = 0

    @inline(__always)
    mutating func next() -> RowID {
        if following > last || RowID.lastOfNewObjects.load(ordering: .relaxed) != last { take() }
        defer { following &+= 1 }
        return RowID(following)
    }

    @inline(never)
    private mutating func take() {
        // Overflow would take 2^62 rows.
        last = RowID.lastOfNewObjects.wrappingAdd(Self.count, ordering: .relaxed).newValue
        following = last - Self.count + 1
    }
}

/// The objects that were loaded last, held so that they are found again.
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

/// Counts the changes of each to-many relationship. Members read at another count are read again.
struct ListVersions {
    private var versions: [Int]

    init(_ schema: Schema) { versions = Array(repeating: 0, count: schema.listCount) }

    /// Nil for a list of an unknown class.
    subscript(list: ListID) -> Int? {
        versions.indices.contains(list.rawValue) ? versions[list.rawValue] : nil
    }

    mutating func advance(_ list: ListID) { versions[list.rawValue] += 1 }

    mutating func advanceAll() { for index in versions.indices { versions[index] += 1 } }
}
