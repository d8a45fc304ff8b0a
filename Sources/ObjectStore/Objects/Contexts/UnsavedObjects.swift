/// A context's objects with edits, inserts or deletions, in the order of their first edits.
///
/// Indexes find them by table, by new or changed identity, and by the rows that their edited links and lists reference,
/// or referenced before. So the cost of a read or a merge is independent of the number of edits. A changed object is
/// indexed when an index is next used.
struct UnsavedObjects {
    /// The index entries of an object, as of the last indexing.
    final class Entry {
        /// Nil once the objects are let go.
        private var held: (any Model)?
        private weak var loose: (any Model)?
        let table: TableID
        let order: Int
        fileprivate(set) var identity: [StoredValue]?
        fileprivate(set) var references: [Reference] = []

        fileprivate init(_ object: any Model, isHeld: Bool, in table: TableID, order: Int) {
            self.table = table
            self.order = order
            keep(object, isHeld: isHeld)
        }

        var object: (any Model)? { held ?? loose }

        fileprivate func keep(_ object: any Model, isHeld: Bool) {
            held = isHeld ? object : nil
            loose = isHeld ? nil : object
        }

        fileprivate func releaseUnsaved() { if let held { keep(held, isHeld: false) } }
    }

    private struct Place {
        private enum Holder {
            case held(any Model)
            case part(Part)
            case loose(Loose)
        }

        private var holder: Holder
        /// The order among the first edits in all tables.
        let order: Int

        @inline(__always)
        init(_ object: any Model, _ state: ObjectState, isHeld: Bool, order: Int) {
            self.order = order
            holder = isHeld && !state.model.isEmbedded ? .held(object) : Self.holder(of: object, state, isHeld)
        }

        @inline(never)
        private static func holder(of object: any Model, _ state: ObjectState, _ isHeld: Bool) -> Holder {
            let edited = state.model.isEmbedded ? state.editedPart : nil
            return isHeld ? .part(Part(object, edited)) : .loose(Loose(object, edited))
        }

        var object: (any Model)? {
            switch holder {
            case .held(let object): object
            case .part(let part): part.object
            case .loose(let loose): loose.object
            }
        }

        /// Set if the object was released with its edits.
        var lost: (model: String, entry: Entry?)? {
            guard case .loose(let loose) = holder, loose.object == nil else { return nil }
            return (loose.modelName, loose.entry)
        }

        mutating func releaseUnsaved() {
            let (held, edited): ((any Model)?, EditedPart?) =
                switch holder {
                case .held(let object): (object, nil)
                case .part(let part): (part.object, part.edited)
                case .loose: (nil, nil)
                }
            guard let held else { return }
            held._object.unsavedEntry?.releaseUnsaved()
            holder = .loose(Loose(held, edited))
        }

        func note(_ entry: Entry?) { if case .loose(let loose) = holder { loose.entry = entry } }
    }

    private final class Part {
        let object: any Model
        /// While it exists, the writer knows that the object is edited.
        let edited: EditedPart?

        init(_ object: any Model, _ edited: EditedPart?) { (self.object, self.edited) = (object, edited) }
    }

    private final class Loose {
        weak var object: (any Model)?
        let modelName: String
        var entry: Entry?
        private let edited: EditedPart?

        init(_ object: any Model, _ edited: EditedPart?) {
            self.object = object
            self.edited = edited
            modelName = object._object.model.modelName
            entry = object._object.unsavedEntry
        }
    }

    /// The objects of a table, with gaps for removed ones.
    private struct PlaceList {
        private(set) var places = ChunkedList<Place?>()
        private(set) var count = 0
        /// The indexes of objects to index. Objects from `known` on are new, and to be indexed as well.
        private var noted: [Int] = []
        private var known = 0
        /// The edits of objects from this index on may equal their rows.
        private var compared = 0

        var isNoted: Bool { !noted.isEmpty || known < places.count }

        var all: [Place] { places.compactMap(\.self) }

        @inline(__always)
        mutating func append(_ place: consuming Place) -> Int {
            let index = places.count
            places.append(consume place)
            count &+= 1
            return index
        }

        @inline(__always)
        mutating func note(_ index: Int) { if index < known { noted.append(index) } }

        /// The indexes of objects to index. They then count as indexed.
        mutating func takeNoted() -> [Int] {
            defer { (noted, known) = ([], places.count) }
            return noted + Array(known..<places.count)
        }

        mutating func takeUncompared() -> [any Model] {
            defer { compared = places.count }
            return (compared..<places.count).compactMap { places[$0]?.object }
                .filter { $0._object.comparison != .made }
        }

        subscript(index: Int) -> Place? {
            get { index < places.count ? places[index] : nil }
            set { places[index] = newValue }
        }

        mutating func remove(at index: Int) {
            places[index] = nil
            count -= 1
            if count == 0 {
                (places, noted, known, compared) = (ChunkedList(), [], 0, 0)
            } else if places.count > count * 2 + 64 {
                closeGaps()
            }
        }

        mutating func removeLost() -> [Place] {
            let lost = all.filter { $0.lost != nil }
            guard !lost.isEmpty else { return [] }
            places = ChunkedList(places.lazy.filter { $0?.lost == nil })
            count -= lost.count
            closeGaps()
            return lost
        }

        private mutating func closeGaps() {
            places = ChunkedList(all.map(Optional.some))
            (noted, known, compared) = ([], places.count, places.count)
            for (index, place) in places.enumerated() {
                guard let state = place?.object?._object else { continue }
                state.unsavedIndex = index
                if state.isNoted { noted.append(index) }
            }
        }

        mutating func releaseUnsaved() { for index in places.indices { places[index]?.releaseUnsaved() } }
    }

    /// A row that an edited relationship references, or has referenced before the edit.
    struct Reference: Hashable {
        /// In the table of the objects that have it.
        let property: PropertyIndex
        let source: TableID
        let target: RecordID
    }

    enum Reach {
        /// The edit adds the reference, even if the file has it already.
        case joined
        /// The edit removes the reference, even if the file lacks it already.
        case left
        /// The file decides. An edit may have changed the reference and restored it.
        case unchanged
    }

    /// The objects by table. The unknown table comes first.
    private var lists: [PlaceList] = []
    private(set) var count = 0
    /// By table and complete identity: the objects that are new or have an edited identity.
    private var identities: [TableID: [[StoredValue]: Set<Entry>]] = [:]
    private var references: [Reference: [Entry: Reach]] = [:]
    private var nextOrder = 0
    /// Whether the objects are held until they are saved.
    private(set) var isHolding = true
    var work = WorkCount()

    var isEmpty: Bool { count == 0 }

    func contains(_ object: any Model) -> Bool { place(of: object._object)?.object != nil }

    private static func index(_ table: TableID) -> Int { table.rawValue - TableID.unknown.rawValue }

    private func place(of state: ObjectState) -> Place? {
        let list = Self.index(state.model.table)
        guard state.unsavedIndex >= 0, list < lists.count else { return nil }
        return lists[list][state.unsavedIndex]
    }

    private var places: [Place] {
        let used = lists.filter { $0.count > 0 }
        let all = used.flatMap(\.all)
        return used.count > 1 ? all.sorted { $0.order < $1.order } : all
    }

    // MARK: Noting

    /// Call it again when the object's edits have changed.
    mutating func insert(_ object: any Model) { insert(object, object._object) }

    mutating func insert(_ object: any Model, _ state: ObjectState) {
        // A loosely held object may have been released along with its edits.
        guard state.unsavedIndex >= 0, isHolding || contains(object) else { return add(object, state) }
        note(state)
    }

    @inline(__always)
    mutating func insertNew(_ object: any Model, _ state: ObjectState) { add(object, state) }

    /// The objects with an uncompared edit, each once; see ``ObjectState/Comparison``.
    mutating func takeUncompared() -> [any Model] { lists.indices.flatMap { lists[$0].takeUncompared() } }

    private mutating func add(_ object: any Model, _ state: ObjectState) {
        let list = Self.index(state.model.table)
        if lists.count <= list { makeLists(upTo: list) }
        // If it had a place, its entry belongs to a released instance.
        if state.unsavedIndex >= 0 { state.unsavedEntry = nil }
        // Objects behind the known ones are indexed in any case.
        state.isNoted = true
        state.unsavedIndex = lists[list].append(Place(object, state, isHeld: isHolding, order: nextOrder))
        count &+= 1
        nextOrder &+= 1
    }

    @inline(never)
    private mutating func makeLists(upTo list: Int) {
        while lists.count <= list { lists.append(PlaceList()) }
    }

    private mutating func note(_ state: ObjectState) {
        guard !state.isNoted else { return }
        state.isNoted = true
        lists[Self.index(state.model.table)].note(state.unsavedIndex)
    }

    /// Indexes one member after an edit from the other side.
    mutating func note(_ member: RecordID, in property: PropertyIndex, of object: any Model, isMember: Bool) {
        let state = object._object
        guard let place = place(of: state), !state.isNoted else { return }
        let entry = entry(of: object, at: place)
        let reference = Reference(property: property, source: state.model.table, target: member)
        // If both happened, one after the other, the row is as it was before.
        let former = references[reference]?[entry]
        let isBack = former == (isMember ? .left : .joined)
        references[reference, default: [:]][entry] = isBack ? .unchanged : isMember ? .joined : .left
        if former == nil { entry.references.append(reference) }
    }

    private func entry(of object: any Model, at place: Place) -> Entry {
        let state = object._object
        if let entry = state.unsavedEntry { return entry }
        let entry = Entry(object, isHeld: isHolding, in: state.model.table, order: place.order)
        state.unsavedEntry = entry
        place.note(entry)
        return entry
    }

    /// The other object must have the same state.
    mutating func replace(_ object: any Model, with other: any Model) {
        let state = object._object
        guard let place = place(of: state) else { return }
        state.unsavedEntry?.keep(other, isHeld: isHolding)
        lists[Self.index(state.model.table)][state.unsavedIndex] = Place(
            other, state, isHeld: isHolding, order: place.order)
        note(state)
    }

    /// Objects that only this collection held are gone, along with their edits.
    mutating func releaseUnsaved() {
        isHolding = false
        for index in lists.indices { lists[index].releaseUnsaved() }
    }

    /// The models of the objects that are gone along with their edits, each reported once.
    mutating func takeLost() -> [String] {
        guard !isHolding else { return [] }
        var lost: [Place] = []
        for list in lists.indices { lost += lists[list].removeLost() }
        count -= lost.count
        for entry in lost.compactMap({ $0.lost?.entry }) { forget(entry) }
        return lost.sorted { $0.order < $1.order }.compactMap { $0.lost?.model }
    }

    mutating func remove(_ object: any Model) {
        let state = object._object
        guard state.unsavedIndex >= 0 else { return }
        let (list, index) = (Self.index(state.model.table), state.unsavedIndex)
        end(state)
        lists[list].remove(at: index)
        count -= 1
    }

    private mutating func end(_ state: ObjectState) {
        // The next indexing skips the object.
        (state.isNoted, state.unsavedIndex) = (false, -1)
        if let entry = state.unsavedEntry { forget(entry) }
        state.unsavedEntry = nil
    }

    mutating func removeAll() {
        for place in places {
            if let state = place.object?._object { end(state) }
        }
        (lists, count, identities, references) = ([], 0, [:], [:])
    }

    // MARK: Finding

    /// In the order of the first edits.
    var inOrder: [any Model] { places.compactMap(\.object) }

    func count(in table: TableID) -> Int {
        let list = Self.index(table)
        return lists.indices.contains(list) ? lists[list].count : 0
    }

    mutating func objects(in table: TableID) -> [any Model] {
        let list = Self.index(table)
        guard lists.indices.contains(list) else { return [] }
        work.add(lists[list].count)
        return lists[list].all.compactMap(\.object)
    }

    /// In the order in which they were made.
    mutating func newObjects(in table: TableID) -> [any Model] {
        index()
        return inOrder(identities[table]?.values.flatMap(\.self) ?? []).filter { $0._object.newIdentity != nil }
    }

    mutating func newIdentityCount(in table: TableID) -> Int {
        index()
        return identities[table]?.count ?? 0
    }

    mutating func newObjects(in table: TableID, identity: [StoredValue]) -> [any Model] {
        objects(in: table, identity: identity).filter(\.isInserted)
    }

    /// In the order of the first edits.
    mutating func objects(in table: TableID, identity: [StoredValue]) -> [any Model] {
        index()
        guard let found = identities[table]?[identity] else { return [] }
        return inOrder(found).filter { $0._object.unsavedIdentity == identity }
    }

    /// The objects whose edited relationship references the row, or did before the edit, in the order of their first
    /// edits.
    mutating func objects(referencing reference: Reference) -> [(object: any Model, reach: Reach)] {
        index()
        guard let found = references[reference] else { return [] }
        work.add(found.count)
        return found.sorted { $0.key.order < $1.key.order }.compactMap { entry, reach in
            entry.object.map { ($0, reach) }
        }
    }

    var referenced: Set<RecordID> {
        mutating get {
            index()
            return Set(references.lazy.filter { $0.value.values.contains { $0 != .left } }.map(\.key.target))
        }
    }

    private mutating func inOrder(_ entries: some Collection<Entry>) -> [any Model] {
        work.add(entries.count)
        return entries.sorted { $0.order < $1.order }.compactMap(\.object)
    }

    // MARK: The index

    private mutating func index() {
        for list in lists.indices where lists[list].isNoted {
            for index in lists[list].takeNoted() {
                guard let place = lists[list][index], let object = place.object, object._object.isNoted else {
                    continue
                }
                self.index(object, at: place)
            }
        }
    }

    private mutating func index(_ object: any Model, at place: Place) {
        let state = object._object
        state.isNoted = false
        if let entry = state.unsavedEntry { forget(entry) }
        let (identity, found) = (state.unsavedIdentity, state.editedReferences)
        work.add(1 + found.count)
        guard identity != nil || !found.isEmpty else { return }
        let entry = entry(of: object, at: place)
        (entry.identity, entry.references) = (identity, found.map(\.reference))
        if let identity { identities[entry.table, default: [:]][identity, default: []].insert(entry) }
        for (reference, reach) in found { references[reference, default: [:]][entry] = reach }
    }

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
    fileprivate var editedPart: EditedPart? { context?.operations.edit(record) }

    /// A new object's identity, if it is complete.
    var newIdentity: [StoredValue]? {
        guard isInserted, !isDeleted, !model.identity.isEmpty, hasIdentity else { return nil }
        return model.identity.map(stored)
    }

    /// A new or edited identity, which the file lacks. Nil if it is incomplete or unedited, or the object is deleted.
    fileprivate var unsavedIdentity: [StoredValue]? {
        isInserted ? newIdentity : !isDeleted && hasEditedIdentity && hasIdentity ? model.identity.map(stored) : nil
    }

    var hasEditedIdentity: Bool {
        let state = current
        return state.mayHaveEditedIdentity && model.identity.contains { state.edits[$0] != nil }
    }

    /// False positives are possible.
    @inline(__always)
    var mayHaveEditedIdentity: Bool { edited & model.identityBits != 0 }

    /// The rows that edited relationships reference, or referenced before.
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
            for row in list.removed { add(row, property, in: target, as: .left) }
            for row in list.members {
                add(row, property, in: target, as: list.toggles[row] == nil ? .unchanged : .joined)
            }
        }
        return found
    }
}

/// Counts the objects, rows and members that operations iterate over, in debug builds, for tests of complexity.
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
