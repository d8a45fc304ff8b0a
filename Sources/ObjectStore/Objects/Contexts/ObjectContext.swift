package import Foundation

/// A set of live objects on one actor, one for each identity. The main context lives on the main actor, a background
/// context on an actor of its own.
///
/// A context reads an object when a query, a lookup or a relationship leads to it. From one `await` to the next, all
/// reads and live objects show one state of the file. The context merges commits of other contexts before the first
/// read of such a step, and as soon as its actor is free.
///
/// The compiler keeps a context and its objects on their actor. Pass identities to other contexts.
public final class ObjectContext {
    // Ownership (a dotted arrow is a weak reference):
    //
    //     Store ──→ StoreFile ──→ Writer            one for each file, on a queue of its own
    //                   └───────→ CommitFeed ──→ ContextHandle     one for each context
    //
    //     ObjectContext ──→ StoreFile
    //       ├──→ ContextHandle     the mailbox of commits, which the next read of the file empties
    //       ├──→ Reader            a connection of its own, at one state of the file in each step
    //       ├──→ IdentityMap       by table ┄┄→ the live objects
    //       ├──→ UnsavedObjects    ──→ the objects with edits, until they are saved
    //       └──→ RecentObjects     ──→ the objects that were loaded lately
    //
    //     object, of the user's class ──→ ObjectState ──→ ObjectContext, Snapshot (its row), edits, lists
    //
    // Queries and relationships read rows and make objects (here, ObjectQuery). Accessors edit them (+Editing). `save`
    // writes the edits (+Saving), `import` writes JSON (+Importing). Commits of all contexts are merged (+Merging), and
    // wake observers (ContextWatch).

    /// Operations call ``openFile()`` instead, which refuses an ended context.
    package let file: StoreFile
    /// Set in a draft's context only.
    let base: DraftBase?
    package let schema: Schema
    var path: String { file.path }
    package var shapes: LearnedShapes { file.shapes }
    package var operations: InFlightOperations { file.operations }
    /// Nil in contexts of the store itself.
    package internal(set) weak var hold: ContextHold?
    let handle: ContextHandle
    let reader: Reader?
    let maps: TableMap<IdentityMap>
    // `@exclusivity(unchecked)` skips the check for overlapping accesses, which takes longer than noting an edit. Safe:
    // each access runs only the struct's own code, which is independent of contexts and releases only objects that its
    // caller holds.
    @safe @exclusivity(unchecked)
    var ownUnsaved = UnsavedObjects()
    /// See ``ObjectState/Comparison``.
    @safe @exclusivity(unchecked)
    var hasUncompared = false
    @safe @exclusivity(unchecked)
    var newRows = NewRows()
    @safe @exclusivity(unchecked)
    private var lastMade: (type: ObjectIdentifier, model: ModelSchema)?
    private var recent = RecentObjects()
    let stamps = ChangeStamps()
    /// Objects held until the next turn.
    var prefetched: [any Model] = []
    var keptLists = KeptLists()
    /// Counts the changes after which a row may have another object: deletions, their rollbacks, unifications, changes
    /// of class.
    var retirements = 0
    var lastDefaults: (model: ModelSchema, values: PropertyMap<StoredValue>)?
    var listVersions: ListVersions { didSet { watch.touchRelated() } }
    @safe @exclusivity(unchecked)
    var watch = ContextWatch()
    var observed: ObservedContext?
    /// Unified objects by former records, which batches of saves in flight use.
    private var recordsBeforeUnifying: [RecordID: UnifiedObject] = [:]
    /// The number of entries at which those of released objects are removed.
    private var sweepCount = 64
    /// The survivors of duplicates, which older queries may still name.
    var survivors: [RecordID: RowID] = [:]

    private struct UnifiedObject {
        weak var object: (any Model)?
    }

    /// The error of a property's read, for the next call that can throw.
    private var failure: StoreError?
    private var refusals = EditRefusals()
    /// The models of objects that others have deleted although they had edits here, for the next save to report.
    var deletedByOthers: [String] = []
    var unsavedAtClose = UnsavedAtClose()
    /// While commits are merged: the rows that this context has deleted in them.
    var deletedByThisContext: Set<RecordID> = []
    private(set) var deletionsInFlight: [RecordID: ChangeStamp] = [:]
    /// See ``ObjectState/isRolledBack``.
    var rollbacksInFlight: [RecordID: ChangeStamp] = [:]
    var isSaving = false
    var waitingSaves: [CheckedContinuation<Void, Never>] = []
    /// Whether a save must be repeated for embedded objects, which became new again meanwhile.
    var hasKeptInFlight = false
    /// The objects in this context's requests with an unknown outcome. Another context's request may end the risk
    /// before its commit is merged here.
    var lostSends: Set<RecordID> = []
    @safe @exclusivity(unchecked)
    package private(set) var isEnded = false

    convenience init(file: StoreFile, actor: isolated any Actor) throws(StoreError) {
        try file.checkOpen()
        self.init(file, reading: try Reader(file), ContextHandle(actor: actor))
        handle.attach(to: self)
        file.commits.register(handle)
    }

    /// The context holds the actor weakly, to avoid a retain cycle.
    convenience init(file: StoreFile, heldBy actor: isolated any Actor) throws(StoreError) {
        try file.checkOpen()
        self.init(file, reading: try Reader(file), ContextHandle(actor: actor, isHeld: false))
        handle.attach(to: self)
        file.commits.register(handle)
    }

    /// Makes an empty context, whose first save throws `error`.
    convenience init(ended file: StoreFile, actor: isolated any Actor, because error: StoreError) {
        self.init(file, reading: nil, ContextHandle(actor: actor, isHeld: false))
        // A closed store reports that in every call anyway.
        if !file.isClosed { failure = error }
        isEnded = true
    }

    convenience init(file: StoreFile, over parent: ObjectContext) throws(StoreError) {
        self.init(file, reading: try Reader(file), ContextHandle(siblingOf: parent.handle), over: DraftBase(on: parent))
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

    /// Whether the context has changes to save; in a draft, of its own. You can observe it.
    ///
    /// After the store was closed, it is true while there are edits that no save has stored.
    public var hasChanges: Bool {
        let hasChanges = hasUnsavedChanges
        noteRead(.hasChanges, hasChanges) { $0.hasUnsavedChanges }
        return hasChanges
    }

    private var hasUnsavedChanges: Bool { hasOwnChanges || isEnded && !unsavedAtClose.names.isEmpty }

    /// The objects keep their values. If the store was closed, the next save names those with edits.
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
        // The watch holds objects with unreported changes, and these hold the context.
        _ = watch.take()
        prefetched = []
        withExtendedLifetime(keptLists.removeAll()) {}
        reader?.close()
    }

    /// Edits that may equal their rows are compared first.
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

    func object<M: Model>(_ type: M.Type, for record: RecordID) -> M? {
        object(for: record).flatMap { self.object($0, as: type, in: record.table) }
    }

    /// - Parameter row: returns the link's target, once more after a merge.
    func object<M: Model>(_ type: M.Type, in table: TableID, linkedBy row: () -> RowID?) -> M? {
        linkedObject(in: table, by: row).flatMap { object($0, as: type, in: table) }
    }

    func linkedObject(in table: TableID, by link: () -> RowID?) -> (any Model)? {
        guard let row = link() else { return nil }
        if let live = liveObject(RecordID(table: table, row: row)) { return live }
        catchUp()
        return link().flatMap { object(for: RecordID(table: table, row: $0)) }
    }

    private func object<M: Model>(_ object: any Model, as type: M.Type, in table: TableID) -> M? {
        // The row may be of another model of the table.
        if schema[table].hasSubmodels { return object as? M }
        // Safe: the map of a table with one model holds only instances of that model's class, the link's `type`.
        return unsafe unsafeDowncast(object, to: M.self)
    }

    package func object(for record: RecordID) -> (any Model)? {
        if let live = liveObject(record) { return live }
        catchUp()
        // The merge may have unified an object of this context with the row.
        if let live = liveObject(record) { return live }
        guard maps.contains(record.table), !isEnded, let row = read({ reader in try reader.row(record) }) ?? nil else {
            return nil
        }
        let object = materialize(record, row)
        if unsaved.isHolding { recent.insert(object) }
        return object
    }

    /// Leaves the file unread.
    func liveObject(_ record: RecordID) -> (any Model)? {
        guard maps.contains(record.table) else { return nil }
        return maps[record.table][record.row] ?? renewedObject(record)
    }

    /// The objects in the order of the rows, except deleted ones.
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

    /// In unspecialized code, appending each object would look up the array's type each time.
    @unsafe static func array<M: Model>(of found: [AnyObject]) -> [M] {
        // The initializer would write the count into the storage that all empty arrays of the process share.
        if found.isEmpty { return [] }
        return unsafe [M](unsafeUninitializedCapacity: found.count) { objects, count in
            for object in found {
                unsafe objects.initializeElement(at: count, to: unsafeDowncast(object, to: M.self))
                count += 1
            }
        }
    }

    /// Finds the object even if its row was unified since the batch was made.
    func batchedObject(_ record: RecordID) -> (any Model)? {
        recordsBeforeUnifying[record]?.object ?? liveObject(record)
    }

    /// Edits made until ``endDeletion(of:isKnown:)`` are lost, and the next save reports them.
    package func beginDeletion(of record: RecordID) {
        deletionsInFlight[record] = .now()
        base?.parent.beginDeletion(of: record)
    }

    /// - Parameter isKnown: false keeps the deletion in flight, since a list may show later that the object was
    ///   deleted.
    package func endDeletion(of record: RecordID, isKnown: Bool = true) {
        // The parent merges the commit while the deletion still counts as in flight there.
        base?.parent.catchUp()
        base?.parent.endDeletion(of: record, isKnown: isKnown)
        if isKnown { deletionsInFlight[record] = nil }
    }

    func noteUnifying(of record: RecordID, into object: any Model) {
        if recordsBeforeUnifying.count >= sweepCount {
            recordsBeforeUnifying = recordsBeforeUnifying.filter { $0.value.object != nil }
            sweepCount = max(64, recordsBeforeUnifying.count * 2)
        }
        recordsBeforeUnifying[record] = UnifiedObject(object: object)
        for history in watch.histories { history.noteUnifying(of: record, into: object) }
    }

    func materialize(_ record: RecordID, _ row: Snapshot) -> any Model {
        let model = schema[record.table].model(of: row)
        let object = model.type.init(_object: ObjectState(of: record, model: model, snapshot: row, context: self))
        maps[record.table].insert(object, for: record.row)
        return object
    }

    /// Lets unsaved objects go. Those that somebody else holds can still be saved.
    func releaseUnsaved() {
        recent.removeAll()
        withExtendedLifetime(keptLists.removeAll()) {}
        withExtendedLifetime(unsaved.inOrder) { unsaved.releaseUnsaved() }
    }

    // MARK: Models

    package func model<M: Model>(of type: M.Type) throws(StoreError) -> ModelSchema {
        guard let model = schema.model(for: type) else { throw Self.unknownModel("\(type)") }
        return model
    }

    /// An unknown class gets a model of its own, and the next save reports it.
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

    /// An error is kept for the next call that can throw.
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

    /// - Returns: the commits of this process since the last call, all of which the state has; and whether another
    ///   process has committed anything.
    func beginReading(_ reader: Reader) throws -> (changes: [ChangeSet], hasOthers: Bool) {
        try file.commits.whileNobodyCommits { count in
            try reader.beginReading()
            let waiting = handle.takeWaitingChanges()
            let hasOthers = reader.seesOthers(besides: count, isNotified: waiting.hasOthers)
            if hasOthers {
                try reader.checkModels(of: file)
                file.commits.memory.forgetWrittenListings()
            }
            return (waiting.changes, hasOthers)
        }
    }

    /// Throws an error that was kept before, too.
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

    /// Runs `body`, and keeps its error for the next call that can throw.
    ///
    /// - Returns: nil after an error, or if the context has ended.
    func keepingError<Result>(_ body: () throws(StoreError) -> Result) -> Result? {
        guard !isEnded, !file.isClosed else { return nil }
        do {
            return try body()
        } catch {
            noteFailure(error)
            return nil
        }
    }

    /// For operations that need the file. If they write, they merge their commit, as ``write(_:)`` does.
    ///
    /// - Throws: ``StoreError/closedStore(unsaved:)`` or ``StoreError/endedContext``.
    package func openFile() throws(StoreError) -> StoreFile {
        guard !isEnded, !file.isClosed else { throw endedError }
        return file
    }

    package var endedError: StoreError { file.isClosed ? .closedStore(unsaved: []) : .endedContext }

    /// Throws if the context has ended or the store was closed. The error names the object, if it has edits.
    package func checkOpen(for object: ObjectState) throws(StoreError) {
        guard isEnded || file.isClosed else { return }
        guard file.isClosed, object.current.hasEdits else { throw endedError }
        throw .closedStore(unsaved: [object.displayName])
    }

    /// Throws if the context has ended or the store was closed. The error names the objects with unsaved edits.
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

    /// - Parameter actor: the `#isolation` of the operation.
    /// - Throws: ``StoreError/otherActor``.
    package func checkActor(_ actor: (any Actor)?) throws(StoreError) {
        if actor !== handle.actor, !isEnded { throw .otherActor }
    }

    // MARK: Writing the file

    /// The context merges its own commits at once, and is woken for others.
    package var listener: ObjectIdentifier { ObjectIdentifier(handle) }

    /// Imports a body, off this actor. The commit is merged into this context before the call returns, even if the task
    /// is cancelled.
    ///
    /// - Throws: ``StoreError``. If it is ``StoreError/endedContext``, the body may be stored.
    package nonisolated(nonsending) func importBody(
        _ body: some ContiguousBytes & Sendable, _ request: ImportRequest, after batches: [WriteBatch] = [],
        then following: [WriteBatch] = []
    ) async throws(StoreError) -> ImportOutcome {
        try checkActor(#isolation)
        let file = try openFile()
        defer { mergeWaitingChanges() }
        // Without a request, the body shows the state before this call.
        let requestStart = request.requestTime == nil ? operations.startRequest() : nil
        defer { withExtendedLifetime(requestStart) {} }
        var request = keepingUnsaved(request)
        request.requestTime = request.requestTime ?? requestStart?.stamp
        let outcome = try await file.importBody(
            body, request, after: batches, then: following, for: ObjectIdentifier(handle))
        guard !isEnded else { throw endedError }
        return outcome
    }

    /// As ``importBody(_:_:after:then:)`` does.
    package nonisolated(nonsending) func write(_ batches: [WriteBatch]) async throws(StoreError) {
        try checkActor(#isolation)
        let file = try openFile()
        defer { mergeWaitingChanges() }
        try await file.write(batches, for: ObjectIdentifier(handle))
    }

    /// In one transaction, as ``importBody(_:_:after:then:)`` does.
    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (Writer) throws -> (Result, ChangeSet)
    ) async throws(StoreError) -> Result {
        try checkActor(#isolation)
        let file = try openFile()
        defer { mergeWaitingChanges() }
        return try await file.write(for: ObjectIdentifier(handle), body)
    }

    // MARK: Errors

    var hasFailed: Bool { failure != nil }

    func noteFailure(_ error: any Error) {
        failure = failure ?? StoreError(wrapping: error, path: file.path)
    }

    func throwFailure() throws(StoreError) {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    /// Includes the loss of unsaved objects that were released after the store was.
    func takeRefusals() -> [StoreError] {
        let lost = unsaved.takeLost()
        return refusals.takeAll() + (lost.isEmpty ? [] : [.lostEdits(models: lost)])
    }

    /// Includes refusals of embedded objects.
    package func takeRefusals(of object: ObjectState) -> [StoreError] {
        refusals.take(of: schema.hasEmbedded ? object.embeddedRecords.union([object.record]) : [object.record])
    }

    /// The errors about the objects in ``deletedByOthers``.
    func takeDeletions() -> [StoreError] {
        defer { deletedByOthers = [] }
        return deletedByOthers.map { .deletedObject(model: $0) }
    }

    func noteDeletedByOthers(_ model: ModelSchema) {
        if !deletedByOthers.contains(model.modelName) { deletedByOthers.append(model.modelName) }
    }

    func forgetFailures() { (failure, refusals, deletedByOthers) = (nil, EditRefusals(), []) }

    func forgetRefusals(of record: RecordID) { refusals.forget(record) }

    /// - Parameter record: the object of the edit. Its own `save` reports the error, too.
    func refuse(_ error: StoreError, editing record: RecordID? = nil) {
        refusals.note(error, editing: record)
    }

    /// False for a foreign object, which the next `save` reports.
    func owns(_ object: some Model) -> Bool {
        if object._object.context === self { return true }
        refuse(.foreignObject(model: object._object.model.modelName))
        return false
    }

    /// False for a foreign or deleted object, which the next `save` reports.
    func canLink(to object: some Model) -> Bool {
        let state = object._object
        if state.context === self, !state.isDeleted { return true }
        guard owns(object) else { return false }
        if object._object.isDeleted { refuse(.deletedObject(model: object._object.model.modelName)) }
        return !object._object.isDeleted
    }
}
