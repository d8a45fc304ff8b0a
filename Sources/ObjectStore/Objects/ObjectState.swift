/// The state of a live object: its row as last read, its unsaved edits, and its context.
///
/// A property reads its edit, else the row. A merge replaces the row and keeps the edits.
@safe @_documentation(visibility: internal)
public final class ObjectState {
    // Layout: the variables that a read needs come first, then those of an edit, all within 128 bytes, since memory
    // access is most of the cost. `slots` points into the memory of `snapshot`, and `nextPlace` into that of
    // `keptEdits`; this object holds both. It allocates and frees the memory of `spareText`.
    //
    // `@exclusivity(unchecked)` omits the check for overlapping accesses, which would take longer than a read. Safe:
    // each access is a load, a store, or a call of `EditMap`, which lacks references to objects. All happen on the
    // context's actor.

    /// Bit mask of unedited properties with a slot in the form of the file, among the first 64.
    @safe @exclusivity(unchecked) @usableFromInline
    var plain: UInt64 = 0
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var slots: UnsafeMutablePointer<UInt64>
    /// Bit mask of unedited properties, among the first 64, with a slot that holds the result of an earlier read: a
    /// text as a `String`, a link as its target.
    @safe @exclusivity(unchecked) @usableFromInline
    var ready: UInt64 = 0
    /// Bit mask of edited properties. Properties 64 apart share a bit.
    @safe @exclusivity(unchecked) @usableFromInline
    var edited: UInt64 = 0
    @safe @exclusivity(unchecked) @usableFromInline
    private(set) var isOfFile: Bool
    /// See ``ContextWatch``.
    @safe @exclusivity(unchecked)
    var isWatched = false { didSet { noteKind() } }
    /// Whether the context finds the object by its row's identity. Maintained by ``IdentityMap``.
    @safe @exclusivity(unchecked)
    var isIdentified = false
    /// Whether an edit only has to store the value: observers, requests in flight, drafts, unification, deletion and
    /// some models require more.
    @safe @exclusivity(unchecked)
    private(set) var isSimple = false
    @safe @exclusivity(unchecked)
    private(set) var ownIsDeleted = false {
        didSet {
            noteKind()
            updateSlotMasks()
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
    /// Maintained by ``UnsavedObjects``.
    @safe @exclusivity(unchecked)
    var isNoted = false { didSet { appendable = 0 } }
    @safe @exclusivity(unchecked)
    var comparison = Comparison.made
    /// -1 for an unedited object. Maintained by ``UnsavedObjects``.
    @safe @exclusivity(unchecked)
    var unsavedIndex = -1
    @safe @exclusivity(unchecked)
    package internal(set) var model: ModelSchema { didSet { noteKind() } }
    @safe @exclusivity(unchecked)
    package internal(set) var context: ObjectContext? {
        didSet {
            noteKind()
            if context == nil { forgetTargets() }
        }
    }
    /// Lacks the edits that were appended since the last access to ``edits``.
    @safe @exclusivity(unchecked)
    var keptEdits: EditMap
    /// Bit mask of the properties that a write to ``nextPlace`` can edit; see ``open()``.
    @safe @exclusivity(unchecked) @usableFromInline
    var appendable: UInt64 = 0
    @safe @exclusivity(unchecked) @usableFromInline
    var nextPlace: UnsafeMutablePointer<Edit>?
    /// The context's, while `appendable` has bits.
    @safe @exclusivity(unchecked) @usableFromInline
    var stamps: Unmanaged<ChangeStamps>?
    @safe @exclusivity(unchecked)
    var snapshot: Snapshot {
        willSet {
            if comparison == .due { compareEdit() }
            if isIdentified, !hasIdentity(of: newValue) { endIdentity() }
            if isWatched { noteRow(newValue) }
        }
        didSet { noteRow() }
    }
    /// Bit masks of all slots, and of those that were read.
    @safe @exclusivity(unchecked)
    private var (knownSlots, readSlots): (UInt64, UInt64) = (0, 0)
    @safe @exclusivity(unchecked)
    private(set) var ownLocalID: RowID
    /// The object that this one duplicates; see `ObjectContext.unify`. All reads and edits go to it. The duplicate's
    /// own row and edits are empty, so fast paths continue here.
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
    /// A value set while its property is in flight is an edit, even if it equals the file's.
    var inFlight = InFlightMap() { didSet { noteKind() } }
    /// Maintained by ``UnsavedObjects``.
    var unsavedEntry: UnsavedObjects.Entry?
    /// The lists that were read or edited so far.
    var lists = PropertyMap<ListState>()
    /// While a link to an owner is edited: keeps the row, even if a deletion of the former owner would delete it.
    private var move: EditedPart?
    var observed: ObservedObject?
    /// Whether the object was edited, merged or deleted since observers were notified.
    var isTouched = false
    /// Whether a value changed since observers were notified.
    var isChanged = false
    /// Whether a new object was rolled back while a save or request had it. If that succeeds, the object exists after
    /// all.
    var isRolledBack = false
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

    /// Creates the state of a new object, for the code that `@Model` writes.
    public init<M: Model>(insertingInto context: consuming ObjectContext, _ type: M.Type) {
        // A class outside the store's models gets a model of its own. Its `save` throws.
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

    /// Copies a new object from a draft into its parent, or from the parent into a draft, without edits of links.
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

    /// Registers the new object with its context, which holds it until it is saved.
    ///
    /// It releases nothing that a caller may hold.
    @_effects(releasenone)
    public func register(_ model: some Model) {
        withContext { $0.insert(model, self) }
        open()
    }

    // MARK: Identity

    var current: ObjectState { survivor?._object.current ?? self }

    static func current(_ object: any Model) -> any Model { object._object.survivor.map(current) ?? object }

    /// Negative if the object was created locally.
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

    /// Makes `object` the survivor. Of both objects' edits of a property, the later one stays.
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

    /// False for properties that the server accepts only at creation, or never. Their edits are lost. For the former,
    /// the next `save` reports a differing edit.
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
            updateSlotMasks()
        }
        if isIdentified, mayHaveEditedIdentity { endIdentity() }
        if (edited | former) & model.twoWayLinks != 0 { noteMove() }
    }

    func endMove() { move = nil }

    @inline(never)
    private func noteMove() {
        guard let context, !ownIsInserted else {
            move = nil
            return
        }
        let isMoved = context.schema.ownerLinks(of: model.table).contains { keptEdits[$0] != nil }
        if !isMoved { move = nil } else if move == nil { move = context.operations.edit(record) }
    }

    /// Call it after a change of anything that ``isSimple`` depends on.
    private func noteKind() {
        appendable = 0
        isSimple =
            model.isSimple && survivor == nil && !ownIsDeleted && !isWatched && inFlight.isEmpty
            && withContext { $0.base == nil } == true
    }

    /// A new object's values beneath its edits.
    var defaults: PropertyMap<StoredValue> {
        get { ownDefaults ?? model.constantDefaults ?? [:] }
        set { ownDefaults = newValue }
    }

    /// True for a new object, false for a deleted one.
    var hasEdits: Bool {
        let state = current
        return !isDeleted && (isInserted || !state.edits.isEmpty || state.lists.values.contains { $0.isEdited })
    }

    func hasEditedList(_ index: PropertyIndex) -> Bool { lists[index]?.isEdited == true }

    /// Discards unsaved edits. A new object keeps those that a save or request in flight has taken.
    func rollBack() {
        if isWatched { noteChange() }
        for (index, _) in edits { context?.watch.noteDiscardedEdit(index, of: record) }
        for (index, list) in lists where list.isEdited { context?.watch.noteDiscardedEdit(index, of: record) }
        lists = lists.filter { isInserted && inFlight.has($0.key) }
        for index in lists.keys { lists[index]?.isRolledBack = true }
        edits = isInserted ? inFlight.edits : [:]
    }
}

// MARK: - The row

// The slots are valid because the object holds their row. A duplicate's masks are empty.

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

    /// `nil` if the property is edited or has another type of value.
    @inlinable @inline(__always)
    func uneditedInteger(_ index: Int) -> Int64? {
        isPlain(index) ? unsafe withSlots { slots in unsafe Snapshot.integer(in: slots, index) } : nil
    }

    /// `nil` if the property is edited or has another type of value.
    @inlinable @inline(__always)
    func uneditedReal(_ index: Int) -> Double? {
        isPlain(index) ? unsafe withSlots { slots in unsafe Snapshot.real(in: slots, index) } : nil
    }

    @inlinable @inline(__always)
    func isUneditedNull(_ index: Int) -> Bool {
        isPlain(index) ? unsafe withSlots { slots in unsafe Snapshot.isNull(in: slots, index) } : false
    }

    func followedRow(_ index: Int) -> Int64? { isReady(index) ? snapshot.integer(index) : nil }

    /// `nil` before the first read, and if edited.
    @unsafe @inlinable @inline(__always)
    func readyText(_ index: Int) -> UnsafePointer<String>? {
        isReady(index) ? unsafe UnsafePointer(Snapshot.string(in: slots, index)) : nil
    }

    /// Converts the slot to a text; `nil` if the property is edited or lacks a text.
    @unsafe @usableFromInline
    func textToKeep(_ index: Int) -> UnsafePointer<String>? {
        guard isUnedited(index), snapshot.keepText(index) else { return nil }
        noteRow()
        return unsafe UnsafePointer(Snapshot.string(in: slots, index))
    }

    /// Keeps a text outside the row. The address is valid until the next call.
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

    /// Lets reads of a link skip the context. A null link has the target `nil`.
    func keepTarget(_ target: LooseReference?, at index: Int) {
        guard context != nil, isUnedited(index), snapshot.keepTarget(target, at: index) else {
            target?.end()
            return
        }
        noteRow()
    }

    /// Replaces the row. Unchanged values keep the results of earlier reads, and written edits their texts.
    func take(_ row: Snapshot) {
        row.reuseReadValues(in: snapshot)
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
        updateSlotMasks()
    }

    /// Call it after a change of the edits, or a deletion.
    func updateSlotMasks() {
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
