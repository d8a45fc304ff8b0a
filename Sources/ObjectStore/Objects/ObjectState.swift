/// What stands behind a live object: its row as it was last read, the edits on top of it, and the context it lives in.
///
/// A property reads its edit when there is one, else the row. A merge replaces the row and leaves the edits, so that a
/// property that the user changed keeps the user's value and the others take the new one.
@safe @_documentation(visibility: internal)
public final class ObjectState {
    // What a read looks at comes first, so that it lies beside the object's own header; then what an edit does: it is
    // all within 128 bytes, as the way to memory is most of what either takes. The pointers are into the row, which is
    // held, and to a text of the object's own.
    //
    // These are not checked for overlapping accesses at run time, which would take longer than the read itself. None
    // can overlap: each access is a load or a store, or calls the map's own code, which knows no object; and an object
    // is where its context is, on one actor.

    /// The properties that are read from their slots as these came from the file, of the first 64: what is not edited,
    /// and has no other form by now.
    @safe @exclusivity(unchecked) @usableFromInline
    var plain: UInt64 = 0
    /// The row's slots, which are in the memory of ``snapshot``.
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var slots: UnsafeMutablePointer<UInt64>
    /// The properties whose slots have what was read before, likewise: a text as a `String`, a link as its target.
    @safe @exclusivity(unchecked) @usableFromInline
    var ready: UInt64 = 0
    /// The properties of ``edits``, 64 apart under one bit.
    @safe @exclusivity(unchecked) @usableFromInline
    var edited: UInt64 = 0
    /// Whether the row is here, and the object is not deleted.
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var isOfFile: Bool
    /// Whether somebody wants to know what changes of the object; see ``ContextWatch``.
    @safe @exclusivity(unchecked)
    var isWatched = false { didSet { noteKind() } }
    /// Whether the context finds the object by what the row has as its identity; kept by ``IdentityMap``.
    @safe @exclusivity(unchecked)
    var isIdentified = false
    /// Whether an edit is nothing but a value that is kept: the object is not deleted, no other one has its edits,
    /// nobody looks at it, nothing of it is on its way, its model and its context ask nothing more.
    @safe @exclusivity(unchecked)
    private(set) var isSimple = false
    @safe @exclusivity(unchecked)
    private(set) var ownIsDeleted = false {
        didSet {
            noteKind()
            noteSlots()
            context?.watch.touchRelated()
            context?.retirements &+= 1
            if isWatched { noteChange() }
            if ownIsDeleted { endIdentity() }
        }
    }
    @safe @exclusivity(unchecked)
    private(set) var ownIsInserted = false {
        didSet {
            appendable = 0
            if isWatched { noteTouch() }
        }
    }
    /// Whether the context has noted that there are edits, and not looked at them since: then there is nothing to note.
    /// It is kept by ``UnsavedObjects``.
    @safe @exclusivity(unchecked)
    var isNoted = false { didSet { appendable = 0 } }
    /// Whether the edit was compared with the row; see ``Comparison``.
    @safe @exclusivity(unchecked)
    var comparison = Comparison.made
    /// Where it stands among what the context has to save; -1 where it doesn't. Kept likewise.
    @safe @exclusivity(unchecked)
    var unsavedIndex = -1
    /// The model; of a row that becomes another model's, the one that it is now.
    @safe @exclusivity(unchecked)
    package internal(set) var model: ModelSchema { didSet { noteKind() } }
    /// `nil` once the context has ended.
    @safe @exclusivity(unchecked)
    package internal(set) var context: ObjectContext? {
        didSet {
            noteKind()
            if context == nil { forgetTargets() }
        }
    }
    /// See ``edits``; those that were appended since it was last asked for are not counted yet.
    @safe @exclusivity(unchecked)
    var keptEdits: EditMap
    /// The properties whose edit is nothing but one that is put at ``nextPlace``; see ``open()``.
    @safe @exclusivity(unchecked) @usableFromInline
    var appendable: UInt64 = 0
    @safe @exclusivity(unchecked) @usableFromInline
    var nextPlace: UnsafeMutablePointer<Edit>?
    /// Its context's, as long as there is something to append.
    @safe @exclusivity(unchecked) @usableFromInline
    var stamps: Unmanaged<ChangeStamps>?
    /// The row.
    @safe @exclusivity(unchecked)
    var snapshot: Snapshot {
        willSet {
            if comparison == .due { compareEdit() }
            if isIdentified, !hasIdentity(of: newValue) { endIdentity() }
            if isWatched { noteRow(newValue) }
        }
        didSet { noteRow() }
    }
    /// The row's slots, and those that have what was read before; see ``Snapshot``.
    @safe @exclusivity(unchecked)
    private var (knownSlots, readSlots): (UInt64, UInt64) = (0, 0)
    @safe @exclusivity(unchecked)
    private(set) var ownLocalID: RowID
    /// The object that this one turned out to be, which both read and edit from then on; see `ObjectContext.unify`. It
    /// is held, so that it lives as long as this one. When there is one, the row and the edits here are empty, so that
    /// whoever reads them first comes to look here.
    @safe @exclusivity(unchecked)
    private(set) var survivor: (any Model)? {
        didSet {
            noteKind()
            context?.retirements &+= 1
        }
    }
    /// See ``defaults``.
    @safe @exclusivity(unchecked)
    private var ownDefaults: PropertyMap<StoredValue>?
    /// The saves and sends on their way that will change what the file holds of a property. What is set meanwhile is an
    /// edit, whatever the file says now.
    var inFlight = InFlightMap() { didSet { noteKind() } }
    /// What the context finds it by while it has edits; kept by ``UnsavedObjects``.
    var unsavedEntry: UnsavedObjects.Entry?
    /// The to-many lists read or edited so far.
    var lists = PropertyMap<ListState>()
    /// Held while a link to an owner is edited whose deletion would delete the row: the row stays then.
    private var move: EditedPart?
    /// What of it somebody tracks.
    var observed: ObservedObject?
    /// Whether something was done to it since those who watch were told.
    var isTouched = false
    /// Whether something of it has another value since.
    var isChanged = false
    /// Whether a new object was rolled back while a save or send had it: it is there if that gets it to the file, else
    /// not.
    var isRolledBack = false
    /// Where a text that is in no slot is put for who reads it.
    private var spareText: UnsafeMutablePointer<String>?

    /// The state of a row.
    init(of record: RecordID, model: ModelSchema, snapshot: Snapshot, context: ObjectContext) {
        self.model = model
        self.ownLocalID = record.row
        self.snapshot = snapshot
        unsafe self.slots = snapshot.slots
        self.isOfFile = true
        self.context = context
        self.keptEdits = EditMap()
        ownDefaults = PropertyMap()
        if context.watch.isWatching(model) { isWatched = true }
        noteKind()
        noteRow()
    }

    deinit {
        if comparison != .due { countAppended() }
        unsafe spareText?.deinitialize(count: 1).deallocate()
    }

    /// The state of an object that is made in `context` and is in no file yet; for the code that `@Model` writes.
    public init<M: Model>(insertingInto context: consuming ObjectContext, _ type: M.Type) {
        // A class that the store doesn't know gets a model of its own, whose table no file has: its objects work in
        // memory, and the save that meets them says what is missing.
        let model = context.model(for: type)
        let row = unsafe Snapshot.empty
        self.ownLocalID = context.newRows.next()
        self.isOfFile = false
        self.ownIsInserted = true
        self.keptEdits = EditMap(roomFor: model.columnCount)
        if model.constantDefaults == nil { self.ownDefaults = context.defaults(of: model) }
        self.isWatched = context.watch.isWatching(model)
        self.isSimple = model.isSimple && !isWatched && context.base == nil
        unsafe self.slots = row.slots
        self.snapshot = row
        // What is handed on is not retained once more.
        let mayHaveEdits = model.mayBeMadeWithEdits
        self.context = consume context
        self.model = model
        if mayHaveEdits { setIdentity() }
    }

    /// Sets what names a new object from the start, as if by hand, and what it is.
    @inline(never)
    private func setIdentity() {
        for index in model.identity {
            if let value = defaults[index] { keptEdits[index] = Edit(value, at: .now()) }
        }
        // What the object is goes to the server with what is set.
        if model.hasSubmodels, let family = model.family, let value = family.values(of: model.submodel).first {
            keptEdits[family.discriminator] = Edit(value, at: .now())
        }
        edited = keptEdits.mask
    }

    /// The state of an object that is new in another context, in a draft of that, or in what the draft is saved into:
    /// the same row, with the same defaults and without edits but of attributes.
    init(insertedAs other: ObjectState, in context: ObjectContext) {
        self.model = other.model
        self.ownLocalID = other.localID
        self.snapshot = unsafe .empty
        unsafe self.slots = Snapshot.empty.slots
        self.isOfFile = false
        self.context = context
        self.keptEdits = EditMap(roomFor: other.model.columnCount)
        if context.watch.isWatching(model) { isWatched = true }
        self.ownIsInserted = true
        ownDefaults = other.ownDefaults
        noteKind()
        for (index, edit) in other.edits where model.linkTarget(of: index) == nil { keptEdits[index] = edit }
        edited = keptEdits.mask
    }

    /// Makes the new object known to its context, which keeps it until it is saved; for the code that `@Model` writes.
    ///
    /// It releases nothing that a caller may hold.
    @_effects(releasenone)
    public func register(_ model: some Model) {
        withContext { $0.insert(model, self) }
        open()
    }

    // MARK: Which object it is

    /// This state, or that of the object that this one turned out to be.
    var current: ObjectState { survivor?._object.current ?? self }

    /// The object that `object` turned out to be, however many times, or itself.
    static func current(_ object: any Model) -> any Model { object._object.survivor.map(current) ?? object }

    /// The row; negative for an object that was made here.
    package internal(set) var localID: RowID {
        get { survivor == nil ? ownLocalID : current.localID }
        set { ownLocalID = newValue }
    }

    /// The row and its table.
    package var record: RecordID { RecordID(table: model.table, row: localID) }

    /// See ``Model/isDeleted``.
    public internal(set) var isDeleted: Bool {
        get { survivor == nil ? ownIsDeleted : current.isDeleted }
        set { ownIsDeleted = newValue }
    }

    /// See ``Model/isInserted``.
    public internal(set) var isInserted: Bool {
        get { survivor == nil ? ownIsInserted : current.isInserted }
        set { ownIsInserted = newValue }
    }

    /// Reads and edits the other object from now on. What was edited here, later than there, is edited there.
    func unify(with object: any Model) {
        let other = object._object.current
        guard other !== self, survivor == nil else { return }
        for (index, edit) in edits where other.mayTake(edit, at: index) {
            if let newer = other.edits[index], newer.stamp >= edit.stamp { continue }
            other.edits[index] = edit
        }
        for (index, list) in lists where list.isEdited { other.lists[index] = list.joined(with: other.lists[index]) }
        other.inFlight.merge(inFlight)
        if isDeleted { other.isDeleted = true }
        survivor = object
        snapshot = unsafe .empty
        (edits, lists, inFlight, defaults) = ([:], [:], InFlightMap(), [:])
        // Whoever reads it from now on tracks the other.
        observed?.noteUnifying()
        if isWatched { noteTouch() }
    }

    /// Whether an edit of an object that turned out to be this one is one of this. Of what the server takes no more
    /// once it knows the object, what it sets itself it has set; anything else is said to be lost.
    private func mayTake(_ edit: Edit, at index: PropertyIndex) -> Bool {
        guard model.fixed.contains(index) else { return true }
        if !model[index].isNeverSent, edit.value != stored(index) {
            context?.refuse(.readOnlyProperty(model: model.modelName, property: model[index].name), editing: record)
        }
        return false
    }

    // MARK: Edits

    /// What was set and isn't saved.
    var edits: EditMap {
        @inline(__always)
        _read {
            countAppended()
            yield keptEdits
        }
        _modify {
            countAppended()
            defer { noteEdits() }
            yield &keptEdits
        }
    }

    /// The edits have changed.
    private func noteEdits() {
        let former = edited
        edited = keptEdits.mask
        appendable = 0
        if isWatched { noteTouch() }
        if edited & former == former {
            plain &= ~edited
            ready &= ~edited
        } else {
            noteSlots()
        }
        if isIdentified, mayHaveEditedIdentity { endIdentity() }
        if (edited | former) & model.twoWayLinks != 0 { noteMove() }
    }

    /// The context has ended: its edits concern nobody else any more.
    func endMove() { move = nil }

    /// Tells the writer that the object has another owner here, or no longer has.
    @inline(never)
    private func noteMove() {
        guard let context, !ownIsInserted else {
            move = nil
            return
        }
        let isMoved = context.schema.ownerLinks(of: model.table).contains { keptEdits[$0] != nil }
        if !isMoved { move = nil } else if move == nil { move = context.underway.edit(record) }
    }

    /// Something has changed that an edit depends on.
    private func noteKind() {
        appendable = 0
        isSimple =
            model.isSimple && survivor == nil && !ownIsDeleted && !isWatched && inFlight.isEmpty
            && withContext { $0.base == nil } == true
    }

    /// The defaults of an inserted object, which count as values and not as edits.
    var defaults: PropertyMap<StoredValue> {
        get { ownDefaults ?? model.constantDefaults ?? [:] }
        set { ownDefaults = newValue }
    }

    /// Whether there is something to save.
    var hasEdits: Bool {
        let state = current
        return !isDeleted && (isInserted || !state.edits.isEmpty || state.lists.values.contains { $0.isEdited })
    }

    /// Whether a list was edited and not saved.
    func hasEditedList(_ index: PropertyIndex) -> Bool { lists[index]?.isEdited == true }

    /// Takes the edits back. Of a new object that is on its way to the file, what is on its way stays.
    func rollBack() {
        if isWatched { noteChange() }
        for (index, _) in edits { context?.watch.noteTakenBack(index, of: record) }
        for (index, list) in lists where list.isEdited { context?.watch.noteTakenBack(index, of: record) }
        lists = lists.filter { isInserted && inFlight.has($0.key) }
        for index in lists.keys { lists[index]?.isRolledBack = true }
        edits = isInserted ? inFlight.edits : [:]
    }
}

// MARK: - The row

// Each looks at the object's own memory first, and at the row where that has what is asked for. The row of a survivor
// is not here, so nothing is found.
//
// The slots are looked at where a bit says that they are there: the row, which holds their memory, is held by the
// object.

extension ObjectState {
    @inlinable @inline(__always)
    static func bit(_ index: Int) -> UInt64 { index < 64 ? 1 &<< UInt64(truncatingIfNeeded: index) : 0 }

    @inline(__always)
    func isUnedited(_ index: Int) -> Bool { edited & 1 &<< UInt64(truncatingIfNeeded: index) == 0 }

    /// Whether the property is read from its slot as that came from the file.
    @inlinable @inline(__always)
    func isPlain(_ index: Int) -> Bool { plain & Self.bit(index) != 0 }

    /// Whether the slot has what was read before.
    @inlinable @inline(__always)
    func isReady(_ index: Int) -> Bool { ready & Self.bit(index) != 0 }

    /// Looks at the slots, which are there meanwhile.
    @unsafe @inlinable @inline(__always)
    func withSlots<Result>(_ body: (UnsafeMutablePointer<UInt64>) -> Result) -> Result {
        // Else the object might be let go of, by whoever reads it last, before it is looked at.
        withExtendedLifetime(self) { unsafe body(slots) }
    }

    /// The whole number that the row has in a property that isn't edited; `nil` where it is, and for anything else.
    @inlinable @inline(__always)
    func uneditedInteger(_ index: Int) -> Int64? {
        isPlain(index) ? unsafe withSlots { slots in unsafe Snapshot.integer(in: slots, index) } : nil
    }

    /// The other number, likewise.
    @inlinable @inline(__always)
    func uneditedReal(_ index: Int) -> Double? {
        isPlain(index) ? unsafe withSlots { slots in unsafe Snapshot.real(in: slots, index) } : nil
    }

    /// Whether the row has nothing there.
    @inlinable @inline(__always)
    func isUneditedNull(_ index: Int) -> Bool {
        isPlain(index) ? unsafe withSlots { slots in unsafe Snapshot.isNull(in: slots, index) } : false
    }

    /// The row that a link has which was followed before.
    func followedRow(_ index: Int) -> Int64? { isReady(index) ? snapshot.integer(index) : nil }

    /// Where the text is, where it was read before.
    @unsafe @inlinable @inline(__always)
    func readyText(_ index: Int) -> UnsafePointer<String>? {
        isReady(index) ? unsafe UnsafePointer(Snapshot.string(in: slots, index)) : nil
    }

    /// Where a text is that was not read before, which stays in its slot from now on; `nil` where the row has none.
    @unsafe @usableFromInline
    func textToKeep(_ index: Int) -> UnsafePointer<String>? {
        guard isUnedited(index), snapshot.keepText(index) else { return nil }
        noteRow()
        return unsafe UnsafePointer(Snapshot.string(in: slots, index))
    }

    /// Where the text is from now on, until another is put there.
    @unsafe
    func spare(_ text: String) -> UnsafePointer<String> {
        guard let place = unsafe spareText else {
            let place = UnsafeMutablePointer<String>.allocate(capacity: 1)
            unsafe place.initialize(to: text)
            unsafe spareText = place
            return unsafe UnsafePointer(place)
        }
        unsafe place.pointee = text
        return unsafe UnsafePointer(place)
    }

    /// Keeps what a link leads to by the row alone, `nil` for nothing, so that it is found without the context.
    func keepTarget(_ target: LooseReference?, at index: Int) {
        guard context != nil, isUnedited(index), snapshot.keepTarget(target, at: index) else {
            target?.end()
            return
        }
        noteRow()
    }

    /// Becomes another state of the row. What was read of it before, and is the same there, isn't made or looked for
    /// again, and neither are texts that were edited and have been written.
    func take(_ row: Snapshot) {
        row.keepWhatWasRead(in: snapshot)
        for (index, edit) in edits {
            if case .text(let text) = edit.value { row.keep(text, at: index.rawValue) }
        }
        snapshot = row
    }

    private func forgetTargets() {
        snapshot.forgetTargets()
        noteRow()
    }

    /// The row, or what is in its slots, has changed.
    private func noteRow() {
        unsafe slots = snapshot.slots
        (knownSlots, readSlots) = (snapshot.knownSlots, snapshot.readSlots)
        noteSlots()
    }

    /// What is edited, or deleted, has changed.
    func noteSlots() {
        isOfFile = knownSlots != 0 && !ownIsDeleted
        plain = knownSlots & ~readSlots & ~edited
        ready = readSlots & ~edited
    }
}

// A row's snapshot has a slot for each property, at its index.
extension Snapshot {
    @inline(__always)
    func value(_ property: PropertyIndex) -> StoredValue { value(property.rawValue) }
    @inline(__always)
    func integer(_ property: PropertyIndex) -> Int64? { integer(property.rawValue) }
    @inline(__always)
    func has(_ value: StoredValue, at property: PropertyIndex) -> Bool { has(value, at: property.rawValue) }
}
