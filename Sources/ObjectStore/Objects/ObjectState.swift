/// The state of a live object: its row as last read from the file, its unsaved edits, and its context.
///
/// A property reads its edit if it has one, else the row. A merge replaces the row and keeps the edits.
@safe @_documentation(visibility: internal)
public final class ObjectState {
    // Layout: the variables that a read needs come first, then those that an edit needs, all within 128 bytes. Memory
    // access is most of the cost of both. `slots` points into the memory of `snapshot`, and `nextPlace` into that of
    // `keptEdits`; this object holds both. `spareText` points to memory that this object allocates and frees.
    //
    // `@exclusivity(unchecked)` omits the runtime check for overlapping accesses, which would take longer than a read.
    // Accesses can't overlap: each is a load, a store, or a call of `EditMap`, which has no reference to an object. All
    // happen on the context's actor.

    /// Bit mask of unedited properties with a slot in the form of the file. It covers the first 64 properties.
    @safe @exclusivity(unchecked) @usableFromInline
    var plain: UInt64 = 0
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var slots: UnsafeMutablePointer<UInt64>
    /// Bit mask of unedited properties with a slot that holds the result of an earlier read: a text as a `String`, a
    /// link as its target. It covers the first 64 properties.
    @safe @exclusivity(unchecked) @usableFromInline
    var ready: UInt64 = 0
    /// Bit mask of the properties in ``edits``. Properties 64 apart share a bit.
    @safe @exclusivity(unchecked) @usableFromInline
    var edited: UInt64 = 0
    /// Whether there is a row, and the object isn't deleted.
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var isOfFile: Bool
    /// Whether observers follow the object; see ``ContextWatch``.
    @safe @exclusivity(unchecked)
    var isWatched = false { didSet { noteKind() } }
    /// Whether the context finds the object by the identity in its row. Maintained by ``IdentityMap``.
    @safe @exclusivity(unchecked)
    var isIdentified = false
    /// Whether storing the value is all that an edit takes. Observers, requests in flight, drafts, unification,
    /// deletion, and some models require more.
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
    /// Whether the context has registered the object as edited. Maintained by ``UnsavedObjects``.
    @safe @exclusivity(unchecked)
    var isNoted = false { didSet { appendable = 0 } }
    @safe @exclusivity(unchecked)
    var comparison = Comparison.made
    /// The index among the context's unsaved objects, or -1. Maintained by ``UnsavedObjects``.
    @safe @exclusivity(unchecked)
    var unsavedIndex = -1
    /// Changes if the row becomes that of another model of the same table.
    @safe @exclusivity(unchecked)
    package internal(set) var model: ModelSchema { didSet { noteKind() } }
    /// `nil` after the context has ended.
    @safe @exclusivity(unchecked)
    package internal(set) var context: ObjectContext? {
        didSet {
            noteKind()
            if context == nil { forgetTargets() }
        }
    }
    /// The storage of ``edits``. It lacks the edits that were appended since the last access to `edits`.
    @safe @exclusivity(unchecked)
    var keptEdits: EditMap
    /// Bit mask of the properties that can be edited by a write to ``nextPlace``; see ``open()``.
    @safe @exclusivity(unchecked) @usableFromInline
    var appendable: UInt64 = 0
    @safe @exclusivity(unchecked) @usableFromInline
    var nextPlace: UnsafeMutablePointer<Edit>?
    /// The context's stamps, while `appendable` has bits.
    @safe @exclusivity(unchecked) @usableFromInline
    var stamps: Unmanaged<ChangeStamps>?
    /// The row as last read from the file.
    @safe @exclusivity(unchecked)
    var snapshot: Snapshot {
        willSet {
            if comparison == .due { compareEdit() }
            if isIdentified, !hasIdentity(of: newValue) { endIdentity() }
            if isWatched { noteRow(newValue) }
        }
        didSet { noteRow() }
    }
    /// Bit masks of the snapshot: all slots, and those with the result of an earlier read.
    @safe @exclusivity(unchecked)
    private var (knownSlots, readSlots): (UInt64, UInt64) = (0, 0)
    @safe @exclusivity(unchecked)
    private(set) var ownLocalID: RowID
    /// The object that this one turned out to duplicate; see `ObjectContext.unify`. All reads and edits go to it.
    ///
    /// It is held strongly, so it lives as long as this object. The duplicate's own row and edits are empty, so fast
    /// paths find nothing in them and continue here.
    @safe @exclusivity(unchecked)
    private(set) var survivor: (any Model)? {
        didSet {
            noteKind()
            context?.retirements &+= 1
        }
    }
    /// `nil` if the model's constant defaults apply.
    @safe @exclusivity(unchecked)
    private var ownDefaults: PropertyMap<StoredValue>?
    /// The properties in saves and requests in flight. A value set meanwhile is an edit, even if it equals the file's.
    var inFlight = InFlightMap() { didSet { noteKind() } }
    /// Maintained by ``UnsavedObjects``.
    var unsavedEntry: UnsavedObjects.Entry?
    /// The to-many lists that were read or edited so far.
    var lists = PropertyMap<ListState>()
    /// While a link to an owner is edited: keeps the row in the file, even if a deletion of the former owner would
    /// delete it.
    private var move: EditedPart?
    var observed: ObservedObject?
    /// Whether the object was edited, merged or deleted since observers were notified.
    var isTouched = false
    /// Whether a value changed since observers were notified.
    var isChanged = false
    /// Whether a new object was rolled back while a save or request had it. If that succeeds, the object exists after
    /// all.
    var isRolledBack = false
    /// The text last read that no slot holds.
    private var spareText: UnsafeMutablePointer<String>?

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

    /// Creates the state of a new object in `context`; for the code that `@Model` writes.
    public init<M: Model>(insertingInto context: consuming ObjectContext, _ type: M.Type) {
        // A class outside the store's models gets a model without a table. Its objects work in memory, and `save`
        // throws an error.
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
        // Consuming the context saves a retain.
        let mayHaveEdits = model.mayBeMadeWithEdits
        self.context = consume context
        self.model = model
        if mayHaveEdits { setIdentity() }
    }

    /// Adds edits for the identity's default values and for a submodel's discriminator.
    @inline(never)
    private func setIdentity() {
        for index in model.identity {
            if let value = defaults[index] { keptEdits[index] = Edit(value, at: .now()) }
        }
        // The request that creates the object includes the discriminator.
        if model.hasSubmodels, let family = model.family, let value = family.values(of: model.submodel).first {
            keptEdits[family.discriminator] = Edit(value, at: .now())
        }
        edited = keptEdits.mask
    }

    /// Creates the state of an object that is also new in another context: in a draft, or in the draft's parent. It
    /// copies the row number, the defaults and the edits of attributes, but leaves out edits of links.
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

    /// Registers the new object with its context, which holds it until it is saved; for the code that `@Model` writes.
    ///
    /// It releases nothing that a caller may hold.
    @_effects(releasenone)
    public func register(_ model: some Model) {
        withContext { $0.insert(model, self) }
        open()
    }

    // MARK: Which object it is

    /// The survivor's state if this object is a duplicate, else this state.
    var current: ObjectState { survivor?._object.current ?? self }

    /// Returns the survivor of `object`, through any number of unifications, or `object` itself.
    static func current(_ object: any Model) -> any Model { object._object.survivor.map(current) ?? object }

    /// The row's number; negative if the object was created locally.
    package internal(set) var localID: RowID {
        get { survivor == nil ? ownLocalID : current.localID }
        set { ownLocalID = newValue }
    }

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

    /// Makes this object a duplicate of `object`. Of both objects' edits of a property, the later one stays.
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
        // Observers of this object track the survivor from now on.
        observed?.noteUnifying()
        if isWatched { noteTouch() }
    }

    /// Returns whether the survivor can take an edit of its duplicate.
    ///
    /// The server accepts some properties only with the object's creation. A differing edit of such a property is lost,
    /// and the next `save` reports it.
    private func mayTake(_ edit: Edit, at index: PropertyIndex) -> Bool {
        guard model.fixed.contains(index) else { return true }
        if !model[index].isNeverSent, edit.value != stored(index) {
            context?.refuse(.readOnlyProperty(model: model.modelName, property: model[index].name), editing: record)
        }
        return false
    }

    // MARK: Edits

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

    func endMove() { move = nil }

    /// Updates ``move`` after an edit of a link.
    @inline(never)
    private func noteMove() {
        guard let context, !ownIsInserted else {
            move = nil
            return
        }
        let isMoved = context.schema.ownerLinks(of: model.table).contains { keptEdits[$0] != nil }
        if !isMoved { move = nil } else if move == nil { move = context.underway.edit(record) }
    }

    /// Call it after a change of anything that ``isSimple`` depends on.
    private func noteKind() {
        appendable = 0
        isSimple =
            model.isSimple && survivor == nil && !ownIsDeleted && !isWatched && inFlight.isEmpty
            && withContext { $0.base == nil } == true
    }

    /// The default values of a new object. They don't count as edits.
    var defaults: PropertyMap<StoredValue> {
        get { ownDefaults ?? model.constantDefaults ?? [:] }
        set { ownDefaults = newValue }
    }

    /// Whether there is something to save, except for a deletion.
    var hasEdits: Bool {
        let state = current
        return !isDeleted && (isInserted || !state.edits.isEmpty || state.lists.values.contains { $0.isEdited })
    }

    func hasEditedList(_ index: PropertyIndex) -> Bool { lists[index]?.isEdited == true }

    /// Discards the unsaved edits. A new object keeps the edits that a save or request in flight has taken.
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

// A bit mask shows whether a slot can be read. The slots are valid because the object holds their row. A duplicate's
// masks are empty.

extension ObjectState {
    @inlinable @inline(__always)
    static func bit(_ index: Int) -> UInt64 { index < 64 ? 1 &<< UInt64(truncatingIfNeeded: index) : 0 }

    @inline(__always)
    func isUnedited(_ index: Int) -> Bool { edited & 1 &<< UInt64(truncatingIfNeeded: index) == 0 }

    @inlinable @inline(__always)
    func isPlain(_ index: Int) -> Bool { plain & Self.bit(index) != 0 }

    @inlinable @inline(__always)
    func isReady(_ index: Int) -> Bool { ready & Self.bit(index) != 0 }

    @unsafe @inlinable @inline(__always)
    func withSlots<Result>(_ body: (UnsafeMutablePointer<UInt64>) -> Result) -> Result {
        // Otherwise the compiler may release the object before the slots are read.
        withExtendedLifetime(self) { unsafe body(slots) }
    }

    /// The row's integer; `nil` if the property is edited or has another type of value.
    @inlinable @inline(__always)
    func uneditedInteger(_ index: Int) -> Int64? {
        isPlain(index) ? unsafe withSlots { slots in unsafe Snapshot.integer(in: slots, index) } : nil
    }

    /// The row's floating-point number; `nil` if the property is edited or has another type of value.
    @inlinable @inline(__always)
    func uneditedReal(_ index: Int) -> Double? {
        isPlain(index) ? unsafe withSlots { slots in unsafe Snapshot.real(in: slots, index) } : nil
    }

    @inlinable @inline(__always)
    func isUneditedNull(_ index: Int) -> Bool {
        isPlain(index) ? unsafe withSlots { slots in unsafe Snapshot.isNull(in: slots, index) } : false
    }

    func followedRow(_ index: Int) -> Int64? { isReady(index) ? snapshot.integer(index) : nil }

    /// The address of the text, if it was read before.
    @unsafe @inlinable @inline(__always)
    func readyText(_ index: Int) -> UnsafePointer<String>? {
        isReady(index) ? unsafe UnsafePointer(Snapshot.string(in: slots, index)) : nil
    }

    /// Converts the slot to a text and returns its address; `nil` if the property is edited or has no text.
    @unsafe @usableFromInline
    func textToKeep(_ index: Int) -> UnsafePointer<String>? {
        guard isUnedited(index), snapshot.keepText(index) else { return nil }
        noteRow()
        return unsafe UnsafePointer(Snapshot.string(in: slots, index))
    }

    /// Returns the address of a text that no slot holds, valid until the next call.
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

    /// Stores a link's target in its slot, so that reads skip the context. `nil` means that the link has no target.
    func keepTarget(_ target: LooseReference?, at index: Int) {
        guard context != nil, isUnedited(index), snapshot.keepTarget(target, at: index) else {
            target?.end()
            return
        }
        noteRow()
    }

    /// Replaces the row. Equal values keep the results of earlier reads, and written edits keep their texts.
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

    private func noteRow() {
        unsafe slots = snapshot.slots
        (knownSlots, readSlots) = (snapshot.knownSlots, snapshot.readSlots)
        noteSlots()
    }

    /// Call it after a change of the edits, or a deletion.
    func noteSlots() {
        isOfFile = knownSlots != 0 && !ownIsDeleted
        plain = knownSlots & ~readSlots & ~edited
        ready = readSlots & ~edited
    }
}

// A property's index is also its slot's.
extension Snapshot {
    @inline(__always)
    func value(_ property: PropertyIndex) -> StoredValue { value(property.rawValue) }
    @inline(__always)
    func integer(_ property: PropertyIndex) -> Int64? { integer(property.rawValue) }
    @inline(__always)
    func has(_ value: StoredValue, at property: PropertyIndex) -> Bool { has(value, at: property.rawValue) }
}
