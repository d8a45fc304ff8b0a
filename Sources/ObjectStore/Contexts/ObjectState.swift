/// What stands behind a live object: its row as it was last read, the edits on top of it, and the context it lives in.
///
/// A property reads its edit where there is one, else the row. A merge replaces the row and leaves the edits, so that a
/// property that the user changed keeps the user's value and the others take the new one.
public final class ObjectState {
    /// The model; of a row that becomes another model's, the one that it is now.
    package internal(set) var table: ModelSchema
    /// The object that this one turned out to be, which both read and edit from then on; see `ObjectContext.unify`. It is held, so
    /// that it lives as long as this one. Where there is one, the row and the edits here are empty, so that whoever reads
    /// them first comes to look here.
    private(set) var survivor: (any Model)?
    private var ownLocalID: Int64
    private var ownIsDeleted = false
    private var ownIsInserted = false
    /// `nil` once the context has ended.
    package internal(set) var context: ObjectContext?
    var snapshot: Snapshot
    /// By property index: what was set and is not saved. A to-one link is the target's local key.
    var edits: [Int: StoredValue] = [:]
    /// By property index: how many saves are on their way that will change what the file holds. What is set meanwhile is
    /// an edit, whatever the file says now.
    var inFlight: [Int: Int] = [:]
    /// By property index: the to-many lists read or edited so far.
    var lists: [Int: ListState] = [:]
    /// This state, or that of the object that this one turned out to be.
    var current: ObjectState { survivor?._object.current ?? self }

    /// The local key of the row; negative for an object that was made here.
    package internal(set) var localID: Int64 {
        get { survivor == nil ? ownLocalID : current.localID }
        set { ownLocalID = newValue }
    }

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

    /// A list as this context sees it.
    struct ListState {
        var members: [Int64]
        /// The context's count of changes to this relationship when the members were read.
        var version: Int
        var isEdited = false
        /// The members in the file when the list was edited first.
        var base: [Int64]?
    }

    /// The state of a row.
    init(table: ModelSchema, localID: Int64, snapshot: Snapshot, context: ObjectContext) {
        self.table = table
        self.ownLocalID = localID
        self.snapshot = snapshot
        self.context = context
    }

    /// The state of an object that is made in `context` and is in no file yet; for the code that `@Model` writes.
    public init(insertingInto context: ObjectContext, _ description: ModelDescription) {
        // A class that the store does not know gets a table of its own, that no file has: its objects work in memory,
        // and the save that meets them says what is missing.
        self.table = context.table(for: description)
        self.ownLocalID = LocalKeys.next()
        self.snapshot = .empty(count: table.properties.count)
        self.context = context
        self.ownIsInserted = true
        for property in table.properties {
            if case .attribute(_, let value, _) = property.kind, case let value = value(), !value.isNull {
                defaults[property.index] = value
            }
        }
        // What the object is goes to the server with what is set.
        if let family = table.family, let value = family.values[table.number].first {
            edits[family.discriminator] = value
        }
    }

    /// The defaults of an inserted object, which count as values and not as edits.
    var defaults: [Int: StoredValue] = [:]

    /// Makes the new object known to its context, which keeps it until it is saved; for the code that `@Model` writes.
    public func register(_ model: some Model) {
        context?.insert(model)
    }

    /// See ``Model/hasChanges``.
    public var hasChanges: Bool {
        let state = current
        return !isDeleted && (isInserted || !state.edits.isEmpty || state.lists.values.contains { $0.isEdited })
    }

    /// See ``Model/changedProperties``.
    public var changedProperties: [String] {
        let state = current
        return table.declared.filter { state.edits[$0.index] != nil || state.lists[$0.index]?.isEdited == true }
            .map(\.name)
    }

    /// The value that a property has now: edited, stored or by default.
    package func stored(_ index: Int) -> StoredValue {
        if !edits.isEmpty, let edit = edits[index] { return edit }
        if survivor != nil { return current.stored(index) }
        if isInserted, let value = defaults[index] { return value }
        return snapshot.value(index)
    }

    /// The local key that a to-one link leads to.
    package func linkedID(_ index: Int) -> Int64? {
        if !edits.isEmpty, let edit = edits[index] {
            if case .integer(let id) = edit { return id }
            return nil
        }
        return survivor == nil ? snapshot.integer(index) : current.linkedID(index)
    }

    /// Sets what a property holds. Setting what the file holds takes the edit back.
    func setStored(_ index: Int, to value: StoredValue) {
        if survivor != nil { return current.setStored(index, to: value) }
        if !isInserted, inFlight[index] == nil, value == snapshot.value(index) {
            edits[index] = nil
        } else {
            edits[index] = value
        }
        noteEdit()
    }

    /// Notes that a save of the property has ended; `true` when none is on its way any more.
    func noteLanded(_ index: Int) -> Bool {
        let count = inFlight[index, default: 1] - 1
        inFlight[index] = count > 0 ? count : nil
        return count <= 0
    }

    /// Tells the context that there is, or is no longer, something to save.
    func noteEdit() {
        guard let context, let model = context.liveObject(table.index, localID), model._object === self else { return }
        context.noteEdit(of: model)
    }

    /// Reads and edits the other object from now on. What was edited here and not there is edited there.
    func become(_ object: any Model) {
        let other = object._object.current
        guard other !== self, survivor == nil else { return }
        other.edits.merge(edits) { mine, _ in mine }
        for (index, list) in lists where list.isEdited && other.lists[index]?.isEdited != true {
            other.lists[index] = list
        }
        other.inFlight.merge(inFlight) { $0 + $1 }
        if isDeleted { other.isDeleted = true }
        survivor = object
        snapshot = .empty(count: 0)
        (edits, lists, inFlight, defaults) = ([:], [:], [:], [:])
    }
}
