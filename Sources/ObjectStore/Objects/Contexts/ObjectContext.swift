package import Foundation

/// A set of live objects, one for each identity, on one actor: the main context on the main actor, a background one on
/// an actor of its own.
///
/// Objects are read from the file when something leads to them. What a context reads in one step, from one `await` to
/// the next, is one state of the file, which its live objects show: what others have committed is merged in as soon as
/// the context's actor is free, and before the first read of a step. A context is not `Sendable`, and neither are its
/// objects: the compiler keeps them where they are. Between contexts go identities.
public final class ObjectContext {
    // What holds what (a dotted arrow is a weak reference):
    //
    //     Store ──→ StoreFile ──→ Writer            one a file, in a queue of its own
    //                   └───────→ CommitFeed ──→ ContextHandle     one a context
    //
    //     ObjectContext ──→ StoreFile
    //       ├──→ ContextHandle     the mailbox of commits: filled with each commit, emptied when the context begins to read
    //       ├──→ Reader            a connection of its own, at one state of the file in each step
    //       ├──→ IdentityMap       by table ┄┄→ the live objects
    //       ├──→ UnsavedObjects    ──→ the objects with edits, until they are saved
    //       └──→ RecentObjects     ──→ the objects that were loaded lately
    //
    //     object, of the user's class ──→ ObjectState ──→ ObjectContext, Snapshot (its row), edits, lists
    //
    // The story: `find`, `query` and relationships read rows and make objects (here, ObjectQuery); accessors edit them
    // (+Editing); `save` writes the edits (+Saving), `import` JSON (+Importing); what any context commits comes back
    // through the handle (+Merging), and wakes who looks at it (ContextWatch).

    /// Operations ask for it with ``openFile()``: but for what the server has done already, nothing is written of a
    /// context that has ended.
    package let file: StoreFile
    /// What this is a draft of.
    let base: DraftBase?
    package let schema: Schema
    var path: String { file.path }
    package var shapes: LearnedShapes { file.shapes }
    package var underway: Underway { file.underway }
    /// Of a context that ends with what was returned for it.
    package internal(set) weak var hold: ContextHold?
    let handle: ContextHandle
    let reader: Reader?
    let maps: TableMap<IdentityMap>
    // These are not checked for overlapping accesses at run time, which would take longer than to note an edit. None
    // can overlap: each is the struct's own code, which calls no context, and lets go of no object that its caller
    // doesn't hold, so that no `deinit` of a user's class runs in its midst.
    @safe @exclusivity(unchecked)
    var ownUnsaved = UnsavedObjects()
    /// Whether some of them may turn out to have no edits; see ``ObjectState/Comparison``.
    @safe @exclusivity(unchecked)
    var hasUncompared = false
    /// For objects that are made here.
    @safe @exclusivity(unchecked)
    var newRows = NewRows()
    /// The class of the last one, and its model.
    @safe @exclusivity(unchecked)
    private var lastMade: (type: ObjectIdentifier, model: ModelSchema)?
    private var recent = RecentObjects()
    /// For edits.
    let stamps = ChangeStamps()
    /// What queries have read besides what they found, until the context's actor is free.
    var prefetched: [any Model] = []
    /// The objects of long lists that were read lately.
    var keptLists = KeptLists()
    /// Counts the objects that were deleted, came back, became one with another, or whose row has become another
    /// model's: what was found before is looked for again.
    var retirements = 0
    /// What the last object that was made here has by default.
    var lastDefaults: (model: ModelSchema, values: PropertyMap<StoredValue>)?
    var listVersions: ListVersions { didSet { watch.touchRelated() } }
    /// What somebody looks at.
    @safe @exclusivity(unchecked)
    var watch = ContextWatch()
    /// The values of the context itself that somebody tracks.
    var observed: ObservedContext?
    /// Objects that became one with another while a save of theirs was on its way, by the record that they were.
    private var recordsBeforeUnifying: [RecordID: UnifiedObject] = [:]
    /// When there are that many of them, those that are gone are swept out.
    private var sweepCount = 64
    /// By record: the row that it became one with. Queries that were made before mean that one.
    var survivors: [RecordID: RowID] = [:]

    private struct UnifiedObject {
        weak var object: (any Model)?
    }

    /// What a property could not say: a read that failed.
    private var failure: StoreError?
    /// Why edits were not made: an object of another context, or a deleted one.
    private var refusals = EditRefusals()
    /// The models of the objects that others have deleted while they had edits here, each once, until a save reports
    /// them.
    var deletedElsewhere: [String] = []
    /// What can't be saved any more, as the store was closed.
    var unsavedAtClose = UnsavedAtClose()
    /// What this context itself has deleted, of the commits that are being merged.
    var deletedHere: Set<RecordID> = []
    /// When the deletions were begun that are on their way.
    private(set) var deletionsUnderway: [RecordID: ChangeStamp] = [:]
    /// When new objects were rolled back that a save or send has; see ``ObjectState/isRolledBack``.
    var rollbacksUnderway: [RecordID: ChangeStamp] = [:]
    /// Whether a save is on its way, and those that wait for it.
    var isSaving = false
    var waitingSaves: [CheckedContinuation<Void, Never>] = []
    /// Whether embedded objects were lost while a save had their edits: it has not written them.
    var hasKeptInFlight = false
    /// What this context has sent in vain. An answer to another's send may end the doubt, before what it brings is
    /// merged.
    var lostSends: Set<RecordID> = []
    @safe @exclusivity(unchecked)
    package private(set) var isEnded = false

    /// - Parameter actor: where the context lives, and where this is called.
    convenience init(file: StoreFile, actor: isolated any Actor) throws(StoreError) {
        try file.checkOpen()
        self.init(file, reading: try Reader(file), ContextHandle(actor: actor))
        handle.attach(to: self)
        file.commits.register(handle)
    }

    /// The same for an actor that holds it, which it doesn't hold.
    convenience init(file: StoreFile, heldBy actor: isolated any Actor) throws(StoreError) {
        try file.checkOpen()
        self.init(file, reading: try Reader(file), ContextHandle(actor: actor, isHeld: false))
        handle.attach(to: self)
        file.commits.register(handle)
    }

    /// A context that has ended before it began: it finds nothing, and its first save says why.
    convenience init(ended file: StoreFile, actor: isolated any Actor, because error: StoreError) {
        self.init(file, reading: nil, ContextHandle(actor: actor, isHeld: false))
        // Of a closed store each call says that anyway.
        if !file.isClosed { failure = error }
        isEnded = true
    }

    /// A draft, which lives where its parent does.
    convenience init(file: StoreFile, over parent: ObjectContext) throws(StoreError) {
        self.init(file, reading: try Reader(file), ContextHandle(beside: parent.handle), over: DraftBase(on: parent))
        handle.attach(to: self)
        file.commits.register(handle)
    }

    private init(
        _ file: StoreFile, reading reader: Reader?, _ handle: ContextHandle, over base: DraftBase? = nil
    ) {
        self.file = file
        self.base = base
        self.schema = file.schema
        self.reader = reader
        self.handle = handle
        self.maps = TableMap(file.schema) { _ in IdentityMap() }
        self.listVersions = ListVersions(file.schema)
    }

    deinit { file.commits.unregister(handle) }

    /// Whether there is anything to save; of a draft, what the context that it was made of does not have. Once the
    /// store is closed, whether there are edits that no save has stored, or will.
    ///
    /// It can be observed.
    public var hasChanges: Bool {
        let hasChanges = hasUnsavedChanges
        noteRead(.hasChanges, hasChanges) { $0.hasUnsavedChanges }
        return hasChanges
    }

    private var hasUnsavedChanges: Bool { hasOwnChanges || isEnded && !unsavedAtClose.names.isEmpty }

    /// Lets go of the objects: they read as they last were. Where the store was closed, those with edits are noted for
    /// the next save.
    func end() {
        guard !isEnded else { return }
        let objects = unsaved.inOrder
        if file.isClosed { for object in objects { unsavedAtClose.note(object) } }
        isEnded = true
        file.commits.unregister(handle)
        for object in objects { object._object.current.endMove() }
        withExtendedLifetime(objects) { unsaved.removeAll() }
        recent.removeAll()
        for follower in watch.removeAll() { follower.end() }
        for draft in watch.drafts { draft.end() }
        base?.parent.watch.removeDraft(self)
        // What was touched is held until somebody is told of it, and would hold this.
        _ = watch.take()
        prefetched = []
        withExtendedLifetime(keptLists.removeAll()) {}
        reader?.close()
    }

    /// The objects with edits, each of which has some.
    var unsaved: UnsavedObjects {
        @inline(__always)
        _read {
            if hasUncompared { compareEdits() }
            yield ownUnsaved
        }
        @inline(__always)
        _modify {
            if hasUncompared { compareEdits() }
            yield &ownUnsaved
        }
    }

    // MARK: Finding objects

    /// The live object of a row, made from the row if there is none yet; `nil` when there is no such row.
    func object<M: Model>(_ type: M.Type, for record: RecordID) -> M? {
        object(for: record).flatMap { self.object($0, as: type, in: record.table) }
    }

    /// The live object that a link leads to, made from its row if there is none yet; `nil` when there is no such row.
    ///
    /// - Parameter row: what the link says, which is asked again when others' commits were merged first.
    func object<M: Model>(_ type: M.Type, in table: TableID, linkedBy row: () -> RowID?) -> M? {
        linkedObject(in: table, by: row).flatMap { object($0, as: type, in: table) }
    }

    /// The same, of whichever model.
    func linkedObject(in table: TableID, by link: () -> RowID?) -> (any Model)? {
        guard let row = link() else { return nil }
        if let live = liveObject(RecordID(table: table, row: row)) { return live }
        catchUp()
        return link().flatMap { object(for: RecordID(table: table, row: $0)) }
    }

    private func object<M: Model>(_ object: any Model, as type: M.Type, in table: TableID) -> M? {
        // A relationship may reference one of the models of the table, and the row be another's.
        if schema[table].hasSubmodels { return object as? M }
        // The map of a table with one model holds instances of that class only, and `type` is the class that the schema
        // has for it.
        return unsafe unsafeDowncast(object, to: M.self)
    }

    package func object(for record: RecordID) -> (any Model)? {
        if let live = liveObject(record) { return live }
        catchUp()
        // What was merged may have made an object of this context the row's.
        if let live = liveObject(record) { return live }
        guard maps.contains(record.table), !isEnded, let row = read({ reader in try reader.row(record) }) ?? nil else {
            return nil
        }
        let object = materialize(record, row)
        if unsaved.isHolding { recent.insert(object) }
        return object
    }

    /// The live object, without a look into the file.
    func liveObject(_ record: RecordID) -> (any Model)? {
        guard maps.contains(record.table) else { return nil }
        return maps[record.table][record.row] ?? renewedObject(record)
    }

    /// The live objects of rows, in the rows' order; those that are gone, or deleted here, are left out.
    package func objects<M: Model>(_ type: M.Type, of rows: [RowID]) -> [M] {
        guard let table = schema.model(for: type)?.table else { return [] }
        guard !schema[table].hasSubmodels, maps.contains(table) else {
            return rows.compactMap { object(type, for: RecordID(table: table, row: $0)) }.filter { !$0.isDeleted }
        }
        var found: [AnyObject] = []
        found.reserveCapacity(rows.count)
        let map = maps[table]
        for row in rows {
            if let live = map.object(row, where: { !$0.isDeleted }) {
                found.append(live)
            } else if let object = object(for: RecordID(table: table, row: row)), !object._object.isDeleted {
                found.append(object)
            }
        }
        return unsafe Self.array(of: found)
    }

    /// The same objects as an array of their class, which all of them are instances of. To append them to that one by
    /// one would ask for the array's type each time, where nothing is known of the class.
    @unsafe static func array<M: Model>(of found: [AnyObject]) -> [M] {
        // The count of an empty one would be written where all empty arrays of the process have theirs.
        if found.isEmpty { return [] }
        return unsafe [M](unsafeUninitializedCapacity: found.count) { objects, count in
            for object in found {
                unsafe objects.initializeElement(at: count, to: unsafeDowncast(object, to: M.self))
                count += 1
            }
        }
    }

    /// The live object of a record when a batch was made, whichever record it is now.
    func batchedObject(_ record: RecordID) -> (any Model)? {
        recordsBeforeUnifying[record]?.object ?? liveObject(record)
    }

    /// From here until ``endDeletion(of:)`` the object's deletion is on its way: what is edited of it meanwhile is gone
    /// with it, and the next save says so; and so it is in the context of a draft.
    package func beginDeletion(of record: RecordID) {
        deletionsUnderway[record] = .now()
        base?.parent.beginDeletion(of: record)
    }

    /// - Parameter isKnown: whether it is known what has come of it. Else it is still on its way: a list may show later
    ///   that it was done.
    package func endDeletion(of record: RecordID, isKnown: Bool = true) {
        // It hears of the deletion as one of its own.
        base?.parent.catchUp()
        base?.parent.endDeletion(of: record, isKnown: isKnown)
        if isKnown { deletionsUnderway[record] = nil }
    }

    func noteUnifying(of record: RecordID, into object: any Model) {
        if recordsBeforeUnifying.count >= sweepCount {
            recordsBeforeUnifying = recordsBeforeUnifying.filter { $0.value.object != nil }
            sweepCount = max(64, recordsBeforeUnifying.count * 2)
        }
        recordsBeforeUnifying[record] = UnifiedObject(object: object)
        for history in watch.histories { history.noteUnifying(of: record, into: object) }
    }

    /// Makes the object of a row that was just read and isn't live.
    func materialize(_ record: RecordID, _ row: Snapshot) -> any Model {
        let model = schema[record.table].model(of: row)
        let object = model.type.init(_object: ObjectState(of: record, model: model, snapshot: row, context: self))
        maps[record.table].insert(object, for: record.row)
        return object
    }

    /// Holds no objects any more, neither recent nor unsaved ones: who holds one can still save it.
    func letGo() {
        recent.removeAll()
        withExtendedLifetime(keptLists.removeAll()) {}
        withExtendedLifetime(unsaved.inOrder) { unsaved.letGo() }
    }

    // MARK: Models

    /// The compiled model.
    package func model<M: Model>(of type: M.Type) throws(StoreError) -> ModelSchema {
        guard let model = schema.model(for: type) else { throw Self.unknownModel("\(type)") }
        return model
    }

    /// The same for an object that is made here, which a class that the store doesn't know has too.
    func model<M: Model>(for type: M.Type) -> ModelSchema {
        if let lastMade, lastMade.type == ObjectIdentifier(type) { return lastMade.model }
        guard let model = schema.model(for: type) else { return unknownModel(type) }
        lastMade = (ObjectIdentifier(type), model)
        return model
    }

    @inline(never)
    private func unknownModel(_ type: any Model.Type) -> ModelSchema {
        let description = type.modelDescription
        refuse(Self.unknownModel(description.name))
        return ModelSchema(unknown: description)
    }

    private static func unknownModel(_ name: String) -> StoreError {
        .models(["\(name) is not among the models that the store was opened with"])
    }

    // MARK: Reading the file

    /// Reads from the file; a failure is kept for the next call that can throw.
    func read<Result>(_ body: (Reader) throws -> Result) -> Result? {
        catchUp()
        guard let reader, reader.isReading else { return nil }
        do {
            return try body(reader)
        } catch {
            noteFailure(error)
            return nil
        }
    }

    /// Begins to read at the file's newest state.
    ///
    /// - Returns: what has been committed since the context last began, and is in that state; and whether another
    ///   process has committed, of which nothing more is known.
    func beginReading(_ reader: Reader) throws -> (changes: [ChangeSet], hasOthers: Bool) {
        try file.commits.whileNobodyCommits { count in
            try reader.beginReading()
            let waiting = handle.takeWaitingChanges()
            let hasOthers = reader.seesOthers(beside: count, isTold: waiting.hasOthers)
            if hasOthers {
                try reader.checkModels(of: file)
                file.commits.memory.forgetWrittenListings()
            }
            return (waiting.changes, hasOthers)
        }
    }

    /// The same for a caller that can throw.
    func reading<Result>(_ body: (Reader) throws -> Result) throws(StoreError) -> Result {
        if file.isClosed { throw endedError }
        catchUp()
        if let reader { try reader.checkPresence(of: file) } else { try file.checkPresence() }
        try throwFailure()
        guard let reader, reader.isReading else { throw endedError }
        do {
            return try body(reader)
        } catch {
            throw StoreError(wrapping: error, path: file.path)
        }
    }

    /// The file, for an operation that needs it. Who writes to it merges what it has written, as ``write(_:)`` does.
    ///
    /// - Throws: ``StoreError/closedStore(unsaved:)`` where the store was closed, ``StoreError/endedContext`` where the
    ///   context has ended otherwise.
    package func openFile() throws(StoreError) -> StoreFile {
        guard !isEnded, !file.isClosed else { throw endedError }
        return file
    }

    /// Why the file is not there for a call of this context.
    package var endedError: StoreError { file.isClosed ? .closedStore(unsaved: []) : .endedContext }

    /// The same for a call about one object, which is named where it has edits.
    package func checkOpen(for object: ObjectState) throws(StoreError) {
        guard isEnded || file.isClosed else { return }
        guard file.isClosed, object.current.hasEdits else { throw endedError }
        throw .closedStore(unsaved: [object.displayName])
    }

    /// The same for a save, with what it was to store.
    func checkSaving() throws(StoreError) {
        guard file.isClosed else {
            _ = try openFile()
            return
        }
        let objects = unsavedObjects.filter { object in
            let state = object._object.current
            return base.map { state.hasOwnEdits || $0.isOwnDeletion(state) } ?? true
        }
        throw .closedStore(unsaved: unsavedAtClose.names + objects.map(\._object.displayName))
    }

    /// - Parameter actor: where the operation runs, as its caller's `#isolation` says.
    /// - Throws: ``StoreError/otherActor`` when that is not where the context lives.
    package func checkActor(_ actor: (any Actor)?) throws(StoreError) {
        if actor !== handle.actor, !isEnded { throw .otherActor }
    }

    // MARK: Writing the file

    /// Stands for this context where it looks by itself at what was written.
    package var listener: ObjectIdentifier { ObjectIdentifier(handle) }

    /// Imports a body, off this actor. What changed is merged into this context before it returns, even when the task
    /// is cancelled after the commit, and into others as soon as their actors are free.
    ///
    /// - Throws: ``StoreError/endedContext`` also when this context has ended meanwhile, which has no objects for what
    ///   was stored.
    package nonisolated(nonsending) func importBody(
        _ body: some ContiguousBytes & Sendable, _ request: ImportRequest, after batches: [WriteBatch] = [],
        then following: [WriteBatch] = []
    ) async throws(StoreError) -> ImportOutcome {
        try checkActor(#isolation)
        let file = try openFile()
        defer { mergeWaitingChanges() }
        // A body that answers no question says what was before this call.
        let question = request.asked == nil ? underway.ask() : nil
        defer { withExtendedLifetime(question) {} }
        var request = keepingUnsaved(request)
        request.asked = request.asked ?? question?.stamp
        let outcome = try await file.importBody(
            body, request, after: batches, then: following, for: ObjectIdentifier(handle))
        guard !isEnded else { throw endedError }
        return outcome
    }

    /// Writes batches, likewise.
    package nonisolated(nonsending) func write(_ batches: [WriteBatch]) async throws(StoreError) {
        try checkActor(#isolation)
        let file = try openFile()
        defer { mergeWaitingChanges() }
        try await file.write(batches, for: ObjectIdentifier(handle))
    }

    /// Runs `body` in one transaction, likewise.
    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (Writer) throws -> (Result, ChangeSet)
    ) async throws(StoreError) -> Result {
        try checkActor(#isolation)
        let file = try openFile()
        defer { mergeWaitingChanges() }
        return try await file.write(for: ObjectIdentifier(handle), body)
    }

    // MARK: What could not be done

    /// Whether something has failed that no caller has heard of yet.
    var hasFailed: Bool { failure != nil }

    /// Keeps the reason why something could not be read for the next call that can throw.
    func noteFailure(_ error: any Error) {
        failure = failure ?? StoreError(wrapping: error, path: file.path)
    }

    func throwFailure() throws(StoreError) {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    /// The errors that are reported once: why edits were not made, and that objects with edits are gone, as neither the
    /// store nor anybody else held them.
    func takeRefusals() -> [StoreError] {
        let lost = unsaved.takeLost()
        return refusals.takeAll() + (lost.isEmpty ? [] : [.lostEdits(models: lost)])
    }

    /// The same about edits of one object, or of what is embedded in it.
    package func takeRefusals(of object: ObjectState) -> [StoreError] {
        refusals.take(of: schema.hasEmbedded ? object.embeddedRecords.union([object.record]) : [object.record])
    }

    /// The errors about objects that others have deleted while they had edits here, once.
    func takeDeletions() -> [StoreError] {
        defer { deletedElsewhere = [] }
        return deletedElsewhere.map { .deletedObject(model: $0) }
    }

    /// Notes that others have deleted an object that has edits here.
    func noteDeletedElsewhere(_ model: ModelSchema) {
        if !deletedElsewhere.contains(model.modelName) { deletedElsewhere.append(model.modelName) }
    }

    func forgetFailures() { (failure, refusals, deletedElsewhere) = (nil, EditRefusals(), []) }

    /// The object is as it was, so that an edit was refused matters no more.
    func forgetRefusals(of record: RecordID) { refusals.forget(record) }

    /// Keeps the reason why an edit was not made for the next `save`.
    ///
    /// - Parameter record: the object that was to be edited, whose own `save` says it too.
    func refuse(_ error: StoreError, editing record: RecordID? = nil) {
        refusals.note(error, editing: record)
    }

    /// Whether the object lives here; else the next `save` says that it doesn't.
    func owns(_ object: some Model) -> Bool {
        if object._object.context === self { return true }
        refuse(.foreignObject(model: object._object.model.modelName))
        return false
    }

    /// Whether the object lives here and isn't deleted; else the next `save` says so.
    func canLink(to object: some Model) -> Bool {
        let state = object._object
        if state.context === self, !state.isDeleted { return true }
        guard owns(object) else { return false }
        if object._object.isDeleted { refuse(.deletedObject(model: object._object.model.modelName)) }
        return !object._object.isDeleted
    }
}
