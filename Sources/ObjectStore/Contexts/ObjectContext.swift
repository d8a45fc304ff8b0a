/// A set of live objects, one for each identity, on one actor: the main context on the main actor, a background one on an
/// actor of its own.
///
/// Objects are read from the file when something leads to them, at one state of the file: what others commit is merged
/// in, between two of the context's own steps and never within one. A context is not `Sendable`, and neither are its
/// objects: the compiler keeps them where they are. Between contexts go identities.
public final class ObjectContext {
    private let file: StoreFile
    package var schema: Schema { file.schema }
    package var shapes: LearnedShapes { file.shapes }
    let handle: ContextHandle
    let reader: Reader?
    var maps: [IdentityMap]
    var unsaved = UnsavedObjects()
    /// By the list's number: how often a merge or a save has changed the relationship.
    var listVersions: [Int]
    /// Objects that a lookup or a relationship loaded lately, so that following it again finds them.
    private var recent: [AnyObject?] = []
    private var recentIndex = 0
    /// Objects that became one with another while a save of theirs was on its way, by the key that they had.
    private var formerKeys: [WriteBatch.Key: FormerObject] = [:]

    private struct FormerObject {
        weak var object: (any Model)?
    }

    /// What a property could not say: a read that failed.
    var failure: StoreError?
    /// Why an edit was not made: an object of another context, or a deleted one.
    var refusal: StoreError?
    /// Whether a save is on its way, and those that wait for it.
    var isSaving = false
    var waitingSaves: [CheckedContinuation<Void, Never>] = []
    var observers: [Int: (ContextChanges?) -> Bool] = [:]
    var nextObserver = 0
    package private(set) var isEnded = false

    init(file: StoreFile, actor: any Actor) throws(StoreError) {
        self.file = file
        self.handle = ContextHandle(actor: actor)
        self.reader = try Reader(file)
        self.maps = Array(repeating: IdentityMap(), count: file.schema.tables.count)
        self.listVersions = Array(repeating: 0, count: file.schema.listCount)
        handle.adopt(self)
    }

    /// A context that has ended before it began: it finds nothing, and its first save says why.
    init(ended file: StoreFile, actor: any Actor, because error: StoreError) {
        self.file = file
        self.handle = ContextHandle(actor: actor)
        self.reader = nil
        self.maps = Array(repeating: IdentityMap(), count: file.schema.tables.count)
        self.listVersions = Array(repeating: 0, count: file.schema.listCount)
        self.failure = error
        self.isEnded = true
    }

    deinit { file.unregister(handle) }

    /// Whether there is anything to save.
    public var hasChanges: Bool { !unsaved.isEmpty }

    /// Lets go of the objects: they read as they last were and belong to no context.
    func end() {
        isEnded = true
        for object in unsaved.inOrder { object._object.context = nil }
        unsaved.removeAll()
        recent = []
        tellObservers(nil)
        observers = [:]
        reader?.close()
    }

    // MARK: Finding objects

    /// The live object of a row, made from the row if there is none yet; `nil` where there is no such row.
    func object<M: Model>(_ type: M.Type, _ table: Int, _ id: Int64) -> M? {
        guard let object = object(table, id) else { return nil }
        // A relationship may lead to one of the models of the table, and the row be another.
        if schema.tables[table].family != nil { return object as? M }
        // The map of a table with one model holds instances of that class only, and `type` is the class that the schema has
        // for it.
        return unsafe unsafeDowncast(object, to: M.self)
    }

    package func object(_ table: Int, _ id: Int64) -> (any Model)? {
        guard maps.indices.contains(table) else { return nil }
        if let live = maps[table][id] { return live as? any Model }
        if let renewed = renewedObject(table, id) { return renewed }
        guard !isEnded, let snapshot = read({ reader in try reader.row(table, id) }) ?? nil else { return nil }
        let object = materialize(table, id, snapshot)
        keepForAWhile(object)
        return object
    }

    /// The live object, without a look into the file.
    func liveObject(_ table: Int, _ id: Int64) -> (any Model)? {
        guard maps.indices.contains(table) else { return nil }
        return maps[table][id].map { $0 as? any Model } ?? renewedObject(table, id)
    }

    /// The live object that had this key when a batch was made, whatever its key is now.
    func object(of key: WriteBatch.Key) -> (any Model)? {
        formerKeys[key]?.object ?? liveObject(key.table, key.id)
    }

    func noteFormerKey(_ key: WriteBatch.Key, of object: any Model) {
        formerKeys = formerKeys.filter { $0.value.object != nil }
        formerKeys[key] = FormerObject(object: object)
    }

    /// Makes the object of a row that was just read and is not live.
    func materialize(_ table: Int, _ id: Int64, _ snapshot: Snapshot) -> any Model {
        let compiled = schema.tables[table].model(of: snapshot)
        let state = ObjectState(table: compiled, localID: id, snapshot: snapshot, context: self)
        let object = compiled.type.init(_object: state)
        maps[table].insert(object, for: id)
        return object
    }

    private func keepForAWhile(_ object: AnyObject) {
        if recent.count < Self.recentCount {
            recent.append(object)
        } else {
            recent[recentIndex] = object
            recentIndex = (recentIndex + 1) % Self.recentCount
        }
    }

    func forgetRecent() { recent = [] }

    private static let recentCount = 2048

    /// Reads from the file; a failure is kept for the next call that can throw.
    func read<Result>(_ body: (Reader) throws -> Result) -> Result? {
        guard let reader, !isEnded else { return nil }
        do {
            return try body(reader)
        } catch {
            failure = failure ?? StoreError(wrapping: error, path: file.path)
            return nil
        }
    }

    /// The same for a caller that can throw.
    func reading<Result>(_ body: (Reader) throws -> Result) throws(StoreError) -> Result {
        try throwFailure()
        guard let reader, !isEnded else { throw .endedContext }
        do {
            return try body(reader)
        } catch {
            throw StoreError(wrapping: error, path: file.path)
        }
    }

    /// The file, for an operation that needs it.
    package func openFile() throws(StoreError) -> StoreFile {
        guard !isEnded else { throw .endedContext }
        return file
    }

    func throwFailure() throws(StoreError) {
        guard let failure else { return }
        self.failure = nil
        throw failure
    }

    func throwRefusal() throws(StoreError) {
        guard let refusal else { return }
        self.refusal = nil
        throw refusal
    }

    /// Whether the object lives here; else the next `save` says that it does not.
    func owns(_ object: some Model) -> Bool {
        if object._object.context === self { return true }
        refuse(.foreignObject(model: object._object.table.modelName))
        return false
    }

    /// Whether the object lives here and is not deleted; else the next `save` says so.
    func canLink(to object: some Model) -> Bool {
        guard owns(object) else { return false }
        if object._object.isDeleted { refuse(.deletedObject(model: object._object.table.modelName)) }
        return !object._object.isDeleted
    }

    /// Keeps the reason why an edit was not made for the next `save`.
    func refuse(_ error: StoreError) { refusal = refusal ?? error }

    func table(for description: ModelDescription) -> ModelSchema {
        if let table = schema.table(for: description.type) { return table }
        refuse(.models(["\(description.name) is not among the models that the store was opened with"]))
        return ModelSchema(unknown: description)
    }
}
