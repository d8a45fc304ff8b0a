import Foundation
import Synchronization

/// The live objects of one table in one context: one object for a row.
///
/// It holds none of them; the context keeps those with unsaved edits, and for a while those that a relationship led to.
final class IdentityMap {
    // Not checked for overlapping accesses at run time, which would take as long as a lookup: each access is the
    // table's own code, which knows no object and calls nobody.
    @safe @exclusivity(unchecked)
    private var entries = RowTable<LooseModel>()
    /// Objects of rows that have become another model's since: they follow the row, and are not found by it.
    private var retired: [RowID: [LooseModel]] = [:]
    /// When there are that many entries, those of objects that are gone are swept out.
    private var sweepCount = 1024
    /// The objects by the only part of their identity in the file; see ``noteRow(of:)``.
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

    /// The object of a row in a table with one model, which is an instance of that model's class.
    @unsafe @inline(__always)
    func object<M: Model>(_ row: RowID, as type: M.Type) -> M? {
        unsafe entries[row.rawValue]?.object(as: type)
    }

    /// The row's object if its state is as it should be.
    @inline(__always)
    func object(_ row: RowID, where isSound: (ObjectState) -> Bool) -> AnyObject? {
        entries[row.rawValue]?.object(where: isSound)
    }

    /// A reference of its own to the row's object.
    func reference(_ row: RowID) -> LooseReference? { entries[row.rawValue]?.reference.copy() }

    /// An object that was the row's until that became another model's.
    func retired(_ row: RowID) -> (any Model)? {
        retired.isEmpty ? nil : retired[row]?.lazy.compactMap(\.object).first
    }

    /// The row's object, or one that was.
    func any(_ row: RowID) -> (any Model)? { self[row] ?? retired(row) }

    /// Parts the row's objects into the one that is found by it and those that are not any more.
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
        // What was made here is there until it is saved, when this is looked at.
        if !object._object.isInserted { sweepWhenDue() }
        let reference = LooseModel(object)
        entries.set(reference, for: row.rawValue)?.end()
        noteRow(of: object)
    }

    /// The same of one that was just made here: its row is in no table yet, and in no file.
    func insertNew(_ object: any Model, _ state: ObjectState) {
        entries.set(LooseModel(object, state), for: state.ownLocalID.rawValue)?.end()
    }

    /// Lets go of what objects that are gone have left behind, when there may be much of it.
    func sweepWhenDue() { if entries.count >= sweepCount { sweep() } }

    func remove(_ row: RowID) {
        entries.remove(row.rawValue)?.end()
        guard !retired.isEmpty else { return }
        for reference in retired.removeValue(forKey: row) ?? [] { reference.end() }
    }

    /// Makes room for so many more objects, which are live: the others are looked through once, and not as often as
    /// there are twice as many.
    func reserve(_ count: Int) {
        entries.reserve(entries.count + count)
        guard entries.count + count >= sweepCount else { return }
        sweep()
        sweepCount = max(sweepCount, (entries.count + count) * 2)
    }

    /// The rows whose objects are live.
    var liveRows: [RowID] {
        let rows = retired.isEmpty ? [] : retired.keys.filter { self[$0] == nil && retired($0) != nil }
        return rows + live.map(\.row)
    }

    /// Lets the context hear of what changes of the objects that are live.
    func watchAll() { for (_, object) in live { object._object.isWatched = true } }

    /// The rows with their objects, which are held meanwhile: whatever an object does when it is let go of, it does not
    /// do while the entries are gone through.
    private var live: [(row: RowID, object: any Model)] {
        // With the names of its parts, as an array would be converted element by element.
        var live: [(row: RowID, object: any Model)] = []
        live.reserveCapacity(entries.count)
        for (row, reference) in entries.pairs {
            if let object = reference.object { live.append((RowID(row), object)) }
        }
        return live
    }

    /// How many rows may have live objects; what a merge compares with the number of rows that changed.
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
    /// The live object that the file knows by an identity of one part, which isn't edited, in a table with one model;
    /// `nil` when it isn't known, which says nothing.
    ///
    /// Identities are unique, and live objects are as the state of the file that is read: so an object that is of the
    /// file and has this identity there is what the file would be asked for, however it came to be entered.
    @inline(__always)
    func object(identifiedBy identity: StoredValue) -> AnyObject? { byIdentity[identity]?.object }

    /// Notes what the file has as an object's identity, once its row was read: so lookups find it here, without a look
    /// at the object. It is noted until the object is deleted, its identity is edited, or its row has another identity
    /// or none: the object's state says so then (``forgetIdentity(of:)``).
    func noteRow(of object: any Model) {
        let state = object._object
        guard !state.isIdentified, !state.mayHaveEditedIdentity, let identity = state.storedIdentity else { return }
        let former = byIdentity.set(LooseReference(object), for: identity)
        state.isIdentified = true
        // Of two that have one identity while changes are merged, the last is found.
        if let other = former?.object as? any Model, other._object !== state { other._object.isIdentified = false }
        former?.end()
    }

    fileprivate func forgetIdentity(of state: ObjectState) {
        if let identity = state.rowIdentity { byIdentity.remove(identity)?.end() }
    }
}

/// Objects by an identity of one part. Most are whole numbers.
private struct IdentityIndex {
    private var byInteger = IntegerTable<LooseReference>()
    private var byOther: [StoredValue: LooseReference] = [:]

    @inline(__always)
    subscript(identity: StoredValue) -> LooseReference? {
        if case .integer(let number) = identity { byInteger[number] } else { byOther[identity] }
    }

    /// - Returns: what the identity had.
    mutating func set(_ object: LooseReference, for identity: StoredValue) -> LooseReference? {
        if case .integer(let number) = identity { return byInteger.set(object, for: number) }
        return byOther.updateValue(object, forKey: identity)
    }

    /// - Returns: what the identity had.
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
    /// What the file has as the object's identity, where that has one part; `nil` for an object that it doesn't have.
    fileprivate var storedIdentity: StoredValue? {
        guard isOfFile, !isInserted, !model.hasSubmodels, model.identity.count == 1 else { return nil }
        return rowIdentity
    }

    /// The same of the row alone.
    fileprivate var rowIdentity: StoredValue? {
        let value = snapshot.value(model.identity[0])
        return value.isNull ? nil : value
    }

    /// Whether another row has the identity that the object is found by.
    func hasIdentity(of row: Snapshot) -> Bool { snapshot.value(model.identity[0]) == row.value(model.identity[0]) }

    /// The object is not found by the row's identity any more.
    func endIdentity() {
        guard isIdentified else { return }
        isIdentified = false
        context?.maps[model.table].forgetIdentity(of: self)
    }
}

extension RowID {
    /// The last one of this process. Processes that share a file begin far from each other: the second in which they
    /// began is the upper half (31 bits, up to the year 2069), chance the lower.
    fileprivate static let lastOfNewObjects = Atomic<Int64>(
        Int64.min + (Int64(max(0, Date().timeIntervalSinceReferenceDate)) & 0x7FFF_FFFF) << 32
            + Int64.random(in: 0..<1 << 31))
}

/// The rows for the objects that are made in one context: negative, so that they are none of the writer's, and each
/// greater than all before, by whomever, so that objects without another order come in the order in which they were
/// made.
///
/// Some are taken at once, as ``ChangeStamps`` does: those that are left are used only as long as nobody else has taken
/// one.
struct NewRows {
    private static var count: Int64 { 32 }

    private var following: Int64 = 1
    /// The last that was taken.
    private var last: Int64 = 0

    @inline(__always)
    mutating func next() -> RowID {
        if following > last || RowID.lastOfNewObjects.load(ordering: .relaxed) != last { take() }
        defer { following &+= 1 }
        return RowID(following)
    }

    @inline(never)
    private mutating func take() {
        // Wrapping is out of reach: 2^62 rows.
        last = RowID.lastOfNewObjects.wrappingAdd(Self.count, ordering: .relaxed).newValue
        following = last - Self.count + 1
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

/// How often a merge, a deletion or a rollback has changed each to-many relationship: what was read before is read
/// again.
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
