/// The objects of a context that have edits, were inserted or are to be deleted: kept until they are saved or rolled back,
/// in the order in which they were first edited.
///
/// They are found by table, by the identity that a new one has so far, and by the rows that their edited links and lists
/// reference or no longer reference: each without a look at the others, so that what a read or a merge costs does not grow
/// with the number of edits. What an object was last noted for is indexed at the next question.
struct UnsavedObjects {
    private final class Entry {
        /// The object, as long as it is held here.
        private var held: (any Model)?
        private weak var loose: (any Model)?
        let modelName: String
        let table: TableID
        let order: Int
        /// What the object is found by, as it was when it was last indexed.
        var identity: [StoredValue]?
        var references: [Reference] = []

        init(_ object: any Model, isHeld: Bool, order: Int) {
            held = isHeld ? object : nil
            if !isHeld { loose = object }
            modelName = object._object.model.modelName
            table = object._object.model.table
            self.order = order
        }

        var object: (any Model)? { held ?? loose }

        func letGo() { (held, loose) = (nil, object) }
    }

    /// A row that relationships lead to, or no longer do, as the objects that edited them are found by it.
    struct Reference: Hashable {
        /// The relationship, in the table of the objects that have it.
        let property: PropertyIndex
        let source: TableID
        let target: RecordID
    }

    /// Whether an edited relationship leads to a row.
    enum Reach {
        /// It does now, and did not when it was edited first.
        case joined
        /// It did then, and does not now.
        case left
        /// It did then, and does now: whether it still does, the file says.
        case stayed
    }

    private typealias Key = ObjectIdentifier

    private var entries: [Key: Entry] = [:]
    private var tables: [TableID: Set<Key>] = [:]
    /// The new objects of each table that have a whole identity.
    private var identities: [TableID: [[StoredValue]: Set<Key>]] = [:]
    private var references: [Reference: [Key: Reach]] = [:]
    /// Those that were noted since they were last indexed.
    private var noted: Set<Key> = []
    private var nextOrder = 0
    /// Whether the objects are held, so that they live until they are saved.
    private(set) var isHolding = true
    /// The models of those that were let go of and are gone, where another object has taken the place in memory.
    private var lost: [String] = []
    var work = WorkCount()

    var isEmpty: Bool { entries.isEmpty }

    func contains(_ object: AnyObject) -> Bool { entries[Key(object)]?.object != nil }

    // MARK: Noting

    /// Notes that an object has edits, or other ones than before.
    mutating func insert(_ object: any Model) {
        let key = Key(object)
        defer { note(object) }
        guard !contains(object) else { return }
        if let gone = entries[key] {
            lost.append(gone.modelName)
            remove(key)
        }
        entries[key] = Entry(object, isHeld: isHolding, order: nextOrder)
        tables[object._object.model.table, default: []].insert(key)
        nextOrder += 1
    }

    private mutating func note(_ object: any Model) {
        noted.insert(Key(object))
        object._object.isNoted = true
    }

    /// Notes that a row joined or left the edited list of an object, without a look at the other members.
    mutating func note(_ member: RecordID, in property: PropertyIndex, of object: any Model, isMember: Bool) {
        let key = Key(object)
        guard entries[key] != nil, !noted.contains(key) else { return }
        let reference = Reference(property: property, source: object._object.model.table, target: member)
        if references[reference, default: [:]].updateValue(isMember ? .joined : .left, forKey: key) == nil {
            entries[key]?.references.append(reference)
        }
    }

    /// Keeps another object of the same state in an object's stead.
    mutating func replace(_ object: AnyObject, with other: any Model) {
        guard let entry = entries[Key(object)] else { return }
        remove(object)
        entries[Key(other)] = Entry(other, isHeld: isHolding, order: entry.order)
        tables[other._object.model.table, default: []].insert(Key(other))
        note(other)
    }

    /// Holds the objects no longer: those that nobody else holds are gone, with their edits.
    mutating func letGo() {
        isHolding = false
        for entry in entries.values { entry.letGo() }
    }

    /// The models of the objects that are gone with their edits, told once.
    mutating func takeLost() -> [String] {
        guard !isHolding else { return [] }
        let gone = entries.filter { $0.value.object == nil }
        for key in gone.keys { remove(key) }
        defer { lost = [] }
        return lost + gone.values.sorted { $0.order < $1.order }.map(\.modelName)
    }

    mutating func remove(_ object: AnyObject) { remove(Key(object)) }

    private mutating func remove(_ key: Key) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        if noted.remove(key) != nil { entry.object?._object.isNoted = false }
        tables[entry.table]?.remove(key)
        forget(entry, key)
    }

    mutating func removeAll() {
        for key in noted { entries[key]?.object?._object.isNoted = false }
        (entries, tables, identities, references, noted, lost) = ([:], [:], [:], [:], [], [])
    }

    // MARK: Finding

    /// In the order of their first edits.
    var inOrder: [any Model] { entries.values.sorted { $0.order < $1.order }.compactMap(\.object) }

    /// How many there are in a table.
    func count(in table: TableID) -> Int { tables[table]?.count ?? 0 }

    /// Those of a table, in the order of their first edits.
    mutating func objects(in table: TableID) -> [any Model] { inOrder(tables[table] ?? []) }

    /// The new objects of a table that have a whole identity, in the order in which they were made.
    mutating func newObjects(in table: TableID) -> [any Model] {
        index()
        return inOrder(identities[table]?.values.flatMap(\.self) ?? []).filter { $0._object.newIdentity != nil }
    }

    /// How many identities the new objects of a table have.
    mutating func newIdentityCount(in table: TableID) -> Int {
        index()
        return identities[table]?.count ?? 0
    }

    /// The new objects of an identity, in the order in which they were made.
    mutating func newObjects(in table: TableID, identity: [StoredValue]) -> [any Model] {
        index()
        guard let keys = identities[table]?[identity] else { return [] }
        return inOrder(keys).filter { $0._object.newIdentity == identity }
    }

    /// The objects whose edited relationship leads to the row now, or did when it was edited, in the order of their first edits.
    mutating func objects(referencing reference: Reference) -> [(object: any Model, reach: Reach)] {
        index()
        guard let found = references[reference] else { return [] }
        return inOrder(found.keys).map { ($0, found[Key($0)] ?? .stayed) }
    }

    private mutating func inOrder(_ keys: some Collection<Key>) -> [any Model] {
        work.add(keys.count)
        return keys.compactMap { entries[$0] }.sorted { $0.order < $1.order }.compactMap(\.object)
    }

    // MARK: The index

    private mutating func index() {
        guard !noted.isEmpty else { return }
        var keys: Set<Key> = []
        swap(&keys, &noted)
        for key in keys { index(key) }
    }

    private mutating func index(_ key: Key) {
        guard let entry = entries[key], let state = entry.object?._object else { return }
        state.isNoted = false
        forget(entry, key)
        entry.identity = state.newIdentity
        let found = state.editedReferences
        entry.references = found.map(\.reference)
        work.add(1 + found.count)
        if let identity = entry.identity {
            identities[state.model.table, default: [:]][identity, default: []].insert(key)
        }
        for (reference, reach) in found { references[reference, default: [:]][key] = reach }
    }

    /// Takes out of the index what an entry is found by.
    private mutating func forget(_ entry: Entry, _ key: Key) {
        let table = entry.table
        if let identity = entry.identity {
            identities[table]?[identity]?.remove(key)
            if identities[table]?[identity]?.isEmpty == true { identities[table]?[identity] = nil }
        }
        for reference in entry.references {
            references[reference]?[key] = nil
            if references[reference]?.isEmpty == true { references[reference] = nil }
        }
    }
}

extension ObjectState {
    /// The whole identity of an object that was made here and is in no file yet.
    var newIdentity: [StoredValue]? {
        guard isInserted, !isDeleted, !model.identity.isEmpty, hasIdentity else { return nil }
        return model.identity.map(stored)
    }

    /// What the edited links and lists lead to, and did before.
    fileprivate var editedReferences: [(reference: UnsavedObjects.Reference, reach: UnsavedObjects.Reach)] {
        var found: [(UnsavedObjects.Reference, UnsavedObjects.Reach)] = []
        func add(_ row: RowID, _ property: PropertyIndex, in table: TableID, as reach: UnsavedObjects.Reach) {
            let target = RecordID(table: table, row: row)
            found.append((.init(property: property, source: model.table, target: target), reach))
        }
        for (property, edit) in edits {
            guard let target = model.linkTarget(of: property) else { continue }
            if let row = snapshot.integer(property) { add(RowID(row), property, in: target, as: .left) }
            if let row = edit.value.row { add(row, property, in: target, as: .joined) }
        }
        for (property, list) in lists where list.isEdited {
            guard let target = model[property].list?.target else { continue }
            let base = list.base ?? []
            let (known, present) = (Set(base), Set(list.members))
            for row in base where !present.contains(row) { add(row, property, in: target, as: .left) }
            for row in list.members { add(row, property, in: target, as: known.contains(row) ? .stayed : .joined) }
        }
        return found
    }
}

/// How many objects, rows and members were looked at. It is counted in debug builds only, for tests that tell a cost which
/// grows with what is asked for from one that grows with all that is here.
struct WorkCount {
    #if DEBUG
        private(set) var total = 0
        mutating func add(_ count: Int = 1) { total += count }
    #else
        var total: Int { 0 }
        @inline(__always)
        mutating func add(_ count: @autoclosure () -> Int = 1) {}
    #endif
}
