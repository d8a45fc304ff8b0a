/// The objects of a context that have edits, were inserted or are to be deleted: kept until they are saved or rolled back,
/// in the order in which they were first edited.
///
/// They are found by table, by the identity that a new or renamed one has so far, and by the rows that their edited links and lists
/// reference or no longer reference: each without a look at the others, so that what a read or a merge costs does not grow
/// with the number of edits. What an object was last noted for is indexed at the next question.
///
/// An object's state knows its entry, so that to note an edit looks for nothing.
struct UnsavedObjects {
    final class Entry {
        /// The object, as long as it is held here.
        private var held: (any Model)?
        private weak var loose: (any Model)?
        let modelName: String
        let table: TableID
        let order: Int
        /// Where it stands in its table's list.
        fileprivate(set) var index = 0
        /// Whether the object was edited since it was last indexed.
        fileprivate(set) var isNoted = false
        /// What the object is found by, as it was when it was last indexed.
        fileprivate(set) var identity: [StoredValue]?
        fileprivate(set) var references: [Reference] = []
        /// Of an embedded one: tells the writer that it is edited.
        private var part: EditedPart?

        fileprivate init(_ object: any Model, isHeld: Bool, order: Int) {
            modelName = object._object.model.modelName
            table = object._object.model.table
            self.order = order
            if object._object.model.isEmbedded { part = object._object.context?.underway.edit(object._object.record) }
            keep(object, isHeld: isHeld)
        }

        var object: (any Model)? { held ?? loose }

        fileprivate func keep(_ object: any Model, isHeld: Bool) {
            held = isHeld ? object : nil
            loose = isHeld ? nil : object
        }

        fileprivate func letGo() { if let held { keep(held, isHeld: false) } }

        /// Takes the entry from the object, which has no edits any more that are noted here.
        fileprivate func end() {
            isNoted = false
            if let state = object?._object { (state.isNoted, state.unsaved) = (false, nil) }
            (held, loose, part) = (nil, nil, nil)
        }
    }

    /// The entries of a table in their order, with gaps where some were taken out.
    private struct EntryList {
        private var entries: [Entry?] = []
        private(set) var count = 0

        var all: [Entry] { entries.compactMap(\.self) }

        mutating func append(_ entry: Entry) {
            entry.index = entries.count
            entries.append(entry)
            count += 1
        }

        mutating func remove(_ entry: Entry) {
            entries[entry.index] = nil
            count -= 1
            guard entries.count > count * 2 + 64 else { return }
            entries = all
            for (index, entry) in entries.enumerated() { entry?.index = index }
        }
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

    /// By the table's number, the unknown one first.
    private var lists: [EntryList] = []
    private(set) var count = 0
    /// The objects of each table that were made here, or whose identity was edited, and that have a whole one.
    private var identities: [TableID: [[StoredValue]: Set<Entry>]] = [:]
    private var references: [Reference: [Entry: Reach]] = [:]
    /// Those that were edited since they were last indexed.
    private var noted: [Entry] = []
    private var nextOrder = 0
    /// Whether the objects are held, so that they live until they are saved.
    private(set) var isHolding = true
    var work = WorkCount()

    var isEmpty: Bool { count == 0 }

    func contains(_ object: any Model) -> Bool { object._object.unsaved?.object != nil }

    private static func index(_ table: TableID) -> Int { table.rawValue - TableID.unknown.rawValue }

    private var entries: [Entry] { lists.flatMap(\.all) }

    // MARK: Noting

    /// Notes that an object has edits, or other ones than before.
    mutating func insert(_ object: any Model) {
        let state = object._object
        // One whose object is gone tells that its edits are.
        guard let entry = state.unsaved, entry.object != nil else { return add(object) }
        note(entry, state)
    }

    private mutating func add(_ object: any Model) {
        let entry = Entry(object, isHeld: isHolding, order: nextOrder)
        let list = Self.index(entry.table)
        while lists.count <= list { lists.append(EntryList()) }
        lists[list].append(entry)
        object._object.unsaved = entry
        count += 1
        nextOrder += 1
        note(entry, object._object)
    }

    private mutating func note(_ entry: Entry, _ state: ObjectState) {
        state.isNoted = true
        guard !entry.isNoted else { return }
        entry.isNoted = true
        noted.append(entry)
    }

    /// Notes that a row joined or left the edited list of an object, without a look at the other members.
    mutating func note(_ member: RecordID, in property: PropertyIndex, of object: any Model, isMember: Bool) {
        guard let entry = object._object.unsaved, !entry.isNoted else { return }
        let reference = Reference(property: property, source: object._object.model.table, target: member)
        if references[reference, default: [:]].updateValue(isMember ? .joined : .left, forKey: entry) == nil {
            entry.references.append(reference)
        }
    }

    /// Keeps another object of the same state in an object's stead.
    mutating func replace(_ object: any Model, with other: any Model) {
        guard let entry = object._object.unsaved else { return }
        entry.keep(other, isHeld: isHolding)
        note(entry, other._object)
    }

    /// Holds the objects no longer: those that nobody else holds are gone, with their edits.
    mutating func letGo() {
        isHolding = false
        for entry in entries { entry.letGo() }
    }

    /// The models of the objects that are gone with their edits, told once.
    mutating func takeLost() -> [String] {
        guard !isHolding else { return [] }
        let gone = entries.filter { $0.object == nil }.sorted { $0.order < $1.order }
        for entry in gone { remove(entry) }
        return gone.map(\.modelName)
    }

    mutating func remove(_ object: any Model) {
        if let entry = object._object.unsaved { remove(entry) }
    }

    private mutating func remove(_ entry: Entry) {
        // One that is noted still is passed over by the next index.
        entry.end()
        lists[Self.index(entry.table)].remove(entry)
        count -= 1
        forget(entry)
        if isEmpty { noted = [] }
    }

    mutating func removeAll() {
        for entry in entries { entry.end() }
        (lists, count, identities, references, noted) = ([], 0, [:], [:], [])
    }

    // MARK: Finding

    /// In the order of their first edits.
    var inOrder: [any Model] { entries.sorted { $0.order < $1.order }.compactMap(\.object) }

    /// How many there are in a table.
    func count(in table: TableID) -> Int {
        let list = Self.index(table)
        return lists.indices.contains(list) ? lists[list].count : 0
    }

    /// Those of a table, in the order of their first edits.
    mutating func objects(in table: TableID) -> [any Model] {
        let list = Self.index(table)
        guard lists.indices.contains(list) else { return [] }
        work.add(lists[list].count)
        return lists[list].all.compactMap(\.object)
    }

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
        objects(in: table, identity: identity).filter(\.isInserted)
    }

    /// The objects that have got an identity here, in the order of their first edits.
    mutating func objects(in table: TableID, identity: [StoredValue]) -> [any Model] {
        index()
        guard let found = identities[table]?[identity] else { return [] }
        return inOrder(found).filter { $0._object.unsavedIdentity == identity }
    }

    /// The objects whose edited relationship leads to the row now, or did when it was edited, in the order of their first edits.
    mutating func objects(referencing reference: Reference) -> [(object: any Model, reach: Reach)] {
        index()
        guard let found = references[reference] else { return [] }
        work.add(found.count)
        return found.sorted { $0.key.order < $1.key.order }.compactMap { entry, reach in
            entry.object.map { ($0, reach) }
        }
    }

    private mutating func inOrder(_ entries: some Collection<Entry>) -> [any Model] {
        work.add(entries.count)
        return entries.sorted { $0.order < $1.order }.compactMap(\.object)
    }

    // MARK: The index

    private mutating func index() {
        guard !noted.isEmpty else { return }
        var entries: [Entry] = []
        swap(&entries, &noted)
        for entry in entries where entry.isNoted { index(entry) }
    }

    private mutating func index(_ entry: Entry) {
        entry.isNoted = false
        guard let state = entry.object?._object else { return }
        state.isNoted = false
        forget(entry)
        entry.identity = state.unsavedIdentity
        let found = state.editedReferences
        entry.references = found.map(\.reference)
        work.add(1 + found.count)
        if let identity = entry.identity {
            identities[entry.table, default: [:]][identity, default: []].insert(entry)
        }
        for (reference, reach) in found { references[reference, default: [:]][entry] = reach }
    }

    /// Takes out of the index what an entry is found by.
    private mutating func forget(_ entry: Entry) {
        let table = entry.table
        if let identity = entry.identity {
            identities[table]?[identity]?.remove(entry)
            if identities[table]?[identity]?.isEmpty == true { identities[table]?[identity] = nil }
        }
        for reference in entry.references {
            references[reference]?[entry] = nil
            if references[reference]?.isEmpty == true { references[reference] = nil }
        }
        (entry.identity, entry.references) = (nil, [])
    }
}

extension UnsavedObjects.Entry: Hashable {
    static func == (left: UnsavedObjects.Entry, right: UnsavedObjects.Entry) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ObjectState {
    /// The whole identity of an object that was made here and is in no file yet.
    var newIdentity: [StoredValue]? {
        guard isInserted, !isDeleted, !model.identity.isEmpty, hasIdentity else { return nil }
        return model.identity.map(stored)
    }

    /// The same, also of one in the file whose identity was edited.
    fileprivate var unsavedIdentity: [StoredValue]? {
        isInserted ? newIdentity : !isDeleted && hasEditedIdentity && hasIdentity ? model.identity.map(stored) : nil
    }

    /// Whether the object is called otherwise here than the file says.
    var hasEditedIdentity: Bool {
        let state = current
        return !state.edits.isEmpty && model.identity.contains { state.edits[$0] != nil }
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
