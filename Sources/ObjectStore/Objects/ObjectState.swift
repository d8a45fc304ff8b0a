/// What stands behind a live object: its row as it was last read, the edits on top of it, and the context it lives in.
///
/// A property reads its edit when there is one, else the row. A merge replaces the row and leaves the edits, so that a
/// property that the user changed keeps the user's value and the others take the new one.
@safe @_documentation(visibility: internal)
public final class ObjectState {
    // What a read looks at comes first, so that it lies beside the object's own header; then what an edit does: it is all within
    // 128 bytes, as the way to memory is most of what either takes. The pointers are into the row, which is held, and to a text
    // of the object's own.
    //
    // These are not checked for overlapping accesses at run time, which would take longer than the read itself. None can
    // overlap: each access is a load or a store, or calls the map's own code, which knows no object; and an object is where its
    // context is, on one actor.

    /// The properties that are read from their slots as these came from the file, of the first 64: what is not edited, and has no
    /// other form by now.
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var plain: UInt64 = 0
    /// The row's slots, which are in the memory of ``snapshot``.
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var slots: UnsafeMutablePointer<UInt64>
    /// The properties whose slots have what was read before, likewise: a text as a `String`, a link as its target.
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var ready: UInt64 = 0
    /// The properties of ``edits``, 64 apart under one bit.
    @safe @exclusivity(unchecked)
    private(set) var edited: UInt64 = 0
    /// Whether the row is here, and the object is not deleted.
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var isOfFile: Bool
    /// Whether somebody wants to know what changes of the object; see ``ContextWatch``.
    @safe @exclusivity(unchecked)
    var isWatched = false { didSet { noteKind() } }
    /// Whether the context finds the object by what the row has as its identity; kept by ``IdentityMap``.
    @safe @exclusivity(unchecked)
    var isIdentified = false
    /// Whether an edit is nothing but a value that is kept: the object is not deleted, no other one has its edits, nobody looks at it,
    /// its model and its context ask nothing more.
    @safe @exclusivity(unchecked)
    private var isSimple = false
    @safe @exclusivity(unchecked)
    private var ownIsDeleted = false {
        didSet {
            noteKind()
            noteSlots()
            context?.watch.touchRelated()
            if isWatched { noteChange() }
            if ownIsDeleted { endIdentity() }
        }
    }
    @safe @exclusivity(unchecked)
    private var ownIsInserted = false { didSet { if isWatched { noteTouch() } } }
    /// Whether the context has noted that there are edits, and not looked at them since: then there is nothing to note. It is
    /// kept by ``UnsavedObjects``.
    @safe @exclusivity(unchecked)
    var isNoted = false
    /// Whether a new object was rolled back while a save or send had it: it is there if that gets it to the file, else not.
    var isRolledBack = false
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
    /// See ``edits``.
    @safe @exclusivity(unchecked)
    private var keptEdits = EditMap()
    /// The row.
    @safe @exclusivity(unchecked)
    var snapshot: Snapshot {
        willSet {
            if isIdentified, !hasIdentity(of: newValue) { endIdentity() }
            if isWatched { noteRow(newValue) }
        }
        didSet { noteRow() }
    }
    /// The row's slots, and those that have what was read before; see ``Snapshot``.
    @safe @exclusivity(unchecked)
    private var (knownSlots, readSlots): (UInt64, UInt64) = (0, 0)
    @safe @exclusivity(unchecked)
    private var ownLocalID: RowID
    /// The object that this one turned out to be, which both read and edit from then on; see `ObjectContext.unify`. It is
    /// held, so that it lives as long as this one. When there is one, the row and the edits here are empty, so that whoever
    /// reads them first comes to look here.
    @safe @exclusivity(unchecked)
    private(set) var survivor: (any Model)? { didSet { noteKind() } }
    /// See ``defaults``.
    @safe @exclusivity(unchecked)
    private var ownDefaults: PropertyMap<StoredValue>?
    /// The saves and sends on their way that will change what the file holds of a property. What is set meanwhile is an
    /// edit, whatever the file says now.
    var inFlight = InFlightMap()
    /// What the context finds it by while it has edits; kept by ``UnsavedObjects``.
    var unsavedEntry: UnsavedObjects.Entry?
    /// The to-many lists read or edited so far.
    var lists = PropertyMap<ListState>()
    /// What of it somebody tracks.
    var observed: ObservedObject?
    /// Whether something was done to it since those who watch were told.
    var isTouched = false
    /// Whether something of it has another value since.
    var isChanged = false
    /// Where a text that is in no slot is put for who reads it.
    private var spareText: UnsafeMutablePointer<String>?

    /// A list as this context sees it.
    struct ListState {
        var members: [RowID]
        /// The context's count of changes to this relationship when the members were read.
        var version: Int
        var isEdited = false
        /// The members in the file when the list was edited first.
        var base: [RowID]?
        /// The last edit of the list.
        var stamp: ChangeStamp?
        /// The first edit since the base, which the later ones were made upon.
        var origin: ChangeStamp?
        /// By their keys: the members that waited for their rows when an edit left none of what the list had. It means them
        /// as well.
        var dismissed: Set<String> = []
        /// The members that were added or taken out while nobody knew what the server has of them: whatever it says of those that
        /// it was told before, the edit is newer.
        var decided: Set<RowID> = []
        /// Whether it is all of a list of which nobody had said what it is, by an assignment.
        var isAssigned = false
        /// Whether it was rolled back while it was on its way: it is kept for that, and the other side knows nothing of it.
        var isRolledBack = false

        func isAmong(_ edits: Set<ChangeStamp>) -> Bool { stamp.map(edits.contains) ?? false }
    }

    /// The state of a row.
    init(of record: RecordID, model: ModelSchema, snapshot: Snapshot, context: ObjectContext) {
        self.model = model
        self.ownLocalID = record.row
        self.snapshot = snapshot
        unsafe self.slots = snapshot.slots
        self.isOfFile = true
        self.context = context
        ownDefaults = PropertyMap()
        if context.watch.isWatching(model) { isWatched = true }
        noteKind()
        noteRow()
    }

    deinit { unsafe spareText?.deinitialize(count: 1).deallocate() }

    /// The state of an object that is made in `context` and is in no file yet; for the code that `@Model` writes.
    public init(insertingInto context: ObjectContext, _ description: borrowing ModelDescription) {
        // A class that the store doesn't know gets a model of its own, whose table no file has: its objects work in memory,
        // and the save that meets them says what is missing.
        let model = context.model(for: description)
        let row = unsafe Snapshot.empty
        self.model = model
        self.ownLocalID = .ofNewObject()
        self.snapshot = row
        unsafe self.slots = row.slots
        self.isOfFile = false
        self.context = context
        if context.watch.isWatching(model) { isWatched = true }
        self.ownIsInserted = true
        if model.constantDefaults == nil { ownDefaults = context.defaults(of: model) }
        keptEdits.reserveCapacity(model.columnCount)
        noteKind()
        guard model.mayBeMadeWithEdits else { return }
        // What names the object from the start is set here, as if by hand.
        for index in model.identity {
            if let value = defaults[index] { keptEdits[index] = Edit(value, at: .now()) }
        }
        // What the object is goes to the server with what is set.
        if model.hasSubmodels, let family = model.family, let value = family.values(of: model.submodel).first {
            keptEdits[family.discriminator] = Edit(value, at: .now())
        }
        edited = keptEdits.mask
    }

    /// The state of an object that is new in another context, in a draft of that, or in what the draft is saved into: the same row,
    /// with the same defaults and without edits but of attributes.
    init(insertedAs other: ObjectState, in context: ObjectContext) {
        self.model = other.model
        self.ownLocalID = other.localID
        self.snapshot = unsafe .empty
        unsafe self.slots = Snapshot.empty.slots
        self.isOfFile = false
        self.context = context
        if context.watch.isWatching(model) { isWatched = true }
        self.ownIsInserted = true
        ownDefaults = other.ownDefaults
        keptEdits.reserveCapacity(model.columnCount)
        noteKind()
        for (index, edit) in other.edits where model.linkTarget(of: index) == nil { keptEdits[index] = edit }
        edited = keptEdits.mask
    }

    /// Makes the new object known to its context, which keeps it until it is saved; for the code that `@Model` writes.
    public func register(_ model: some Model) {
        withContext { $0.insert(model, self) }
    }

    // MARK: Which object it is

    /// This state, or that of the object that this one turned out to be.
    var current: ObjectState { survivor?._object.current ?? self }

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
        for (index, list) in lists where list.isEdited && !other.hasEdited(index, since: list.stamp) {
            other.lists[index] = list
        }
        other.inFlight.merge(inFlight)
        if isDeleted { other.isDeleted = true }
        survivor = object
        snapshot = unsafe .empty
        (edits, lists, inFlight, defaults) = ([:], [:], InFlightMap(), [:])
        // Whoever reads it from now on tracks the other.
        observed?.noteUnifying()
        if isWatched { noteTouch() }
    }

    private func hasEdited(_ list: PropertyIndex, since stamp: ChangeStamp?) -> Bool {
        guard let own = lists[list], own.isEdited else { return false }
        return (own.stamp ?? .earliest) >= (stamp ?? .earliest)
    }

    /// Whether an edit of an object that turned out to be this one is one of this. Of what the server takes no more once it knows
    /// the object, what it sets itself it has set; anything else is said to be lost.
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
        _read { yield keptEdits }
        _modify {
            defer { noteEdits() }
            yield &keptEdits
        }
    }

    /// The edits have changed.
    private func noteEdits() {
        let former = edited
        edited = keptEdits.mask
        if isWatched { noteTouch() }
        if edited & former == former {
            plain &= ~edited
            ready &= ~edited
        } else {
            noteSlots()
        }
        if isIdentified, mayHaveEditedIdentity { endIdentity() }
    }

    /// Something has changed that an edit depends on.
    private func noteKind() {
        isSimple =
            model.isSimple && survivor == nil && !ownIsDeleted && !isWatched && withContext { $0.base == nil } == true
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

    /// Edits an attribute whose values are spelt in one way only.
    ///
    /// This does what is asked most, the next edit of a new object, and calls nothing, so that nothing is put aside for a call.
    ///
    /// - Parameter object: one whose state this is.
    func set(_ index: PropertyIndex, to value: consuming StoredValue, of object: some Model) {
        guard ownIsInserted, isNoted, mayAdd(index), let stamp = withContext({ $0.stamps.nextTaken() }) ?? nil else {
            return setFirst(index, to: value, of: object)
        }
        keptEdits.add(Edit(value, at: stamp), for: index)
        edited = keptEdits.mask
    }

    /// The same of an object that is in the file and has no edit yet.
    @inline(never)
    private func setFirst(_ index: PropertyIndex, to value: consuming StoredValue, of object: some Model) {
        let value = consume value
        guard isSimple, !ownIsInserted, keptEdits.hasNothing, case .integer(let number) = value,
            isPlain(index.rawValue)
        else { return setAny(index, to: value, of: object) }
        if uneditedInteger(index.rawValue) == number { return setAny(index, to: value, of: object) }
        keptEdits.addOnly(Edit(.integer(number), at: newStamp()), for: index)
        let bit = keptEdits.mask
        edited = bit
        plain &= ~bit
        if isIdentified, mayHaveEditedIdentity { endIdentity() }
        if !isNoted { noteEdit(of: object) }
    }

    /// The same of any object.
    @inline(never)
    private func setAny(_ index: PropertyIndex, to value: consuming StoredValue, of object: some Model) {
        let value = consume value
        guard survivor == nil, !ownIsDeleted, !model.hasFixed, ownIsInserted || !rowHas(value, at: index),
            !keptEdits.mayContain(index) || context?.base == nil
        else { return set(index, to: value) }
        if keptEdits[index]?.value != value {
            edits.set(Edit(value, at: newStamp()), for: index)
            if isWatched { noteChange() }
        }
        if !isNoted { noteEdit(of: object) }
        if isWatched { context?.tellWatchers() }
    }

    /// Whether the edit of a property is nothing but one more.
    @inline(__always)
    private func mayAdd(_ index: PropertyIndex) -> Bool {
        isSimple && keptEdits.isBehindAll(index) && keptEdits.hasRoom
    }

    /// Makes a link of a new object lead to another object, where nobody else says where it leads: it has no other direction.
    ///
    /// - Returns: whether it does; else there is more to look at.
    func setNewLink(_ index: PropertyIndex, to target: ObjectState) -> Bool {
        guard ownIsInserted, isNoted, mayAdd(index), target.survivor == nil, !target.ownIsDeleted,
            isContext(ofAlso: target), model.isOneWayLink(index)
        else { return false }
        keptEdits.add(Edit(.integer(target.ownLocalID.rawValue), at: newStamp()), for: index)
        edited = keptEdits.mask
        return true
    }

    /// Whether another object is of the same context.
    @inline(__always)
    private func isContext(ofAlso other: ObjectState) -> Bool {
        unsafe context.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
            == other.context.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    }

    /// A stamp for an edit that is made now.
    @inline(__always)
    private func newStamp() -> ChangeStamp { withContext { $0.stamps.now() } ?? .now() }

    /// Whether the row has the value. A whole number is compared in its slot, without a look at the row's header.
    @inline(__always)
    private func rowHas(_ value: StoredValue, at index: PropertyIndex) -> Bool {
        if case .integer(let number) = value, isPlain(index.rawValue) {
            return uneditedInteger(index.rawValue) == number
        }
        return snapshot.has(value, at: index)
    }

    /// Whether a list was edited and not saved.
    func hasEditedList(_ index: PropertyIndex) -> Bool { lists[index]?.isEdited == true }

    /// Sets what a property holds. Setting what the file holds takes the edit back.
    ///
    /// - Parameter leaving: of a link that becomes nil because the object leaves a list: the list's owner.
    func setStored(_ index: PropertyIndex, to value: StoredValue, leaving: RowID? = nil) {
        if survivor != nil { return current.setStored(index, to: value, leaving: leaving) }
        if ownIsInserted, !value.isNull, leaving == nil, !isWatched, context?.base == nil {
            // There is nothing that it could be compared with but an edit.
            if edits[index]?.value != value { edits.set(Edit(value, at: newStamp()), for: index) }
            return noteEdit()
        }
        // One that leaves a list which it joined here waits as before.
        let endsWaiting = value.isNull && leaving == nil && snapshot.has(.null, at: index) && waits(for: index)
        if isWatched, stored(index) != value { noteChange() }
        if !isInserted, !inFlight.has(index), snapshot.has(value, at: index), !isAtRisk, !endsWaiting,
            !isEditedBelow(index)
        {
            context?.watch.noteTakenBack(index, of: record)
            edits[index] = nil
        } else if edits[index]?.value != value {
            if let below = editBelow(index), below.value == value, below.leaving == leaving {
                context?.watch.noteTakenBack(index, of: record)
                edits[index] = below
                return noteEdit()
            }
            // One that was moved here before it left is meant to be nowhere.
            let former = leaving.flatMap { linkedRowBelow(index) == $0 ? $0 : nil }
            edits[index] = Edit(ofLink: value, leaving: former, endsWaiting: endsWaiting, at: .now())
        }
        noteEdit()
    }

    /// Whether the server may have been told something of the object that it has not confirmed: then what the file holds is
    /// not what the server last heard, and an edit back to that is one.
    var isAtRisk: Bool { context?.underway.isSent(record) ?? false }

    /// Whether the file has what an edit says.
    func isStored(_ edit: Edit, at index: PropertyIndex) -> Bool {
        snapshot.has(edit.value, at: index) && !edit.isCutOff && !(edit.endsWaiting && waits(for: index))
    }

    /// Tells the context that there is, or is no longer, something to save.
    func noteEdit() {
        if isNoted, !edits.isEmpty, !isDeleted { return }
        guard let context, let object = context.liveObject(record), object._object === self else { return }
        context.noteEdit(of: object)
    }

    /// The same where the object that was edited is known.
    func noteEdit(of object: any Model) {
        // Another instance of the state may have come in this one's stead, and an unknown class has no table.
        guard !model.hasSubmodels, model.table != .unknown, withContext({ $0.noteUnsaved(object, self) }) != nil else {
            return noteEdit()
        }
    }

    /// Lends the context, without a retain and a release, which take longer than to note an edit.
    ///
    /// - Parameter body: what sets no object's context, so that this one holds it meanwhile.
    @inline(__always)
    func withContext<Result>(_ body: (ObjectContext) -> Result) -> Result? {
        guard let context = unsafe context.map({ unsafe Unmanaged.passUnretained($0) }) else { return nil }
        return unsafe context._withUnsafeGuaranteedRef(body)
    }

    /// Takes the edits back. Of a new object that is on its way to the file, what is on its way stays.
    func rollBack() {
        if isWatched { noteChange() }
        for (index, _) in edits { context?.watch.noteTakenBack(index, of: record) }
        lists = lists.filter { isInserted && inFlight.has($0.key) }
        for index in lists.keys { lists[index]?.isRolledBack = true }
        edits = isInserted ? inFlight.edits : [:]
    }
}

// MARK: - The row

// Each looks at the object's own memory first, and at the row where that has what is asked for. The row of a survivor is not
// here, so nothing is found.
//
// The slots are looked at where a bit says that they are there: the row, which holds their memory, is held by the object.

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

    /// Becomes another state of the row. What was read of it before, and is the same there, isn't made or looked for again, and
    /// neither are texts that were edited and have been written.
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
    private func noteSlots() {
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
