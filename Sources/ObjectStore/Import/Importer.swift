import JSONBytes

/// Imports one body within a transaction: bytes to bound values to upserts, in one pass over the bytes, with no
/// dictionaries, strings or model objects on the way.
///
/// An object's nested objects are written before it, as its row holds their local keys; its lists after it. Each object
/// is read into an ``ImportFrame`` first, since which columns it has decides the statement.
///
/// ```
/// ImportRequest ─▶ Importer, one for each body ─▶ ImportOutcome (rows, ImportReport), ChangeSet
///                  │  JSONReader                the bytes, and how far they are read
///                  │  ImportMemory              unescaped and converted bytes, until the rows are written
///                  │  ReadingObject             an object on the way from the bytes to its row:
///                  │  ├─ ImportFrame            its slots, lists and links; reused
///                  │  └─ ImportPlan             its model's import; one for each table, kept by the writer:
///                  │     ├─ KeyNode             which key is for which column or relationship
///                  │     ├─ ImportedFamily      which model of its table an object is
///                  │     ├─ ImportShapes        how the values were written
///                  │     └─ TableStatements     the SQL
///                  │  ResponsePlan              in place of a model: where a response type's parts are
///                  └─ Writer                    rows, lists, pending links, what becomes one or is deleted
/// ```
///
/// | file | from the bytes to the rows |
/// |---|---|
/// | Importer | the body: its root, envelope, list |
/// | Importer+Elements | the elements of a list: what wraps each, and of which type it is |
/// | Importer+Documents | the same of JSON:API: documents, resource identifiers |
/// | Importer+Responses | the same of response types |
/// | Importer+Objects | objects: their keys, attributes, and which model they are |
/// | Importer+Relationships | links and lists: objects in objects, identities |
/// | Importer+Repeats | bytes that were read before |
/// | Importer+Embedding | objects without identity, in place of the ones that were there |
/// | Importer+Rows | rows: identity, upsert, both sides of one-to-one links |
/// | Importer+Lists | lists and pending links of a row that was written |
/// | Importer+Learning | how the server writes names and values |
/// | Importer+QueuedDeletions | the reply to the creation of an object that was deleted here meanwhile |
/// | Importer+Reporting | what could not be taken, and where it is in the body |
struct Importer: ~Copyable {
    let writer: Writer
    let schema: Schema
    let request: ImportRequest
    /// Whether the answer to an older question is still to come, which must not undo this one.
    let hasOlderQuestion: Bool
    var memory = ImportMemory()
    var outcome = ImportOutcome()
    /// What was written so far, and what is left for the end.
    var progress: WriteProgress
    /// How one gets from the body's root to the value being read, for the report.
    var path: [PathPart] = []
    /// The owners of the links and lists that the objects being read are in, for identities that include one.
    var containers: [RecordID] = []
    var counts = ReadingCounts()
    private var plansInUse: TableMap<ImportPlan?>
    /// How many relationships away from the body's own objects the value being read is.
    var depth = 0
    /// What the object that was rejected last is known by, if only the target of a link in its identity is missing: a
    /// link to it can be pending.
    var unknownIdentity: String?
    /// How many elements of lists were read, to look now and then whether to stop.
    private var elementCount = 0
    /// How many objects the body has itself, those that could not be taken included.
    private var rootCount = 0
    /// How many objects were left out as they were deleted since they were asked for.
    var deletedCount = 0
    /// The rows of which the body says that they are deleted.
    var buried: Set<RecordID> = []
    /// What the body's answer vouches for, where that is stored.
    private(set) var vouched = VouchedRows()
    /// The owners of lists that were said within objects, likewise.
    private var listOwners: [ListID: [RowID]] = [:]
    /// The members of such lists that were named by their identity, by table, likewise.
    private var namedMembers: [TableID: [RowID]] = [:]
    /// By list of links, once somebody has asked: of whose list the server has last said that a row is in it of which
    /// the link was changed here.
    var unsentLinks: [ListID: [RowID: [RowID]]] = [:]
    /// The rows that may lead elsewhere than before, where there are answers that are stored.
    var relinked: Set<RecordID> = []

    /// How many relationships and list elements deep objects are imported. Each takes stack, of which a thread of
    /// Apple's dispatch queues has 512 KB.
    static let depthLimit = 100

    enum PathPart {
        case element(Int)
        case property(PropertyIndex, of: TableID)
        case key(String)
    }

    init(_ writer: Writer, _ request: ImportRequest) {
        self.writer = writer
        self.schema = writer.schema
        self.request = request
        self.progress = WriteProgress(after: ChangeSet(schema))
        progress.kept = request.kept
        self.plansInUse = TableMap(repeating: nil, count: schema.roots.count)
        let oldest = writer.underway.oldestQuestion
        hasOlderQuestion = (request.begun ?? request.asked).map { asked in oldest.map { $0 < asked } ?? false } ?? false
    }

    /// What the transaction changed, before the import too.
    var changes: ChangeSet {
        get { progress.changes }
        set { progress.changes = newValue }
    }

    /// Imports the body. What it throws ends the transaction, so the file is as it was.
    mutating func run(_ bytes: UnsafeRawBufferPointer) throws {
        if request.isConfirmation, let target = request.target,
            try !writer.statements[request.table].contains(target)
        {
            return unsafe try confirmDeleted(RecordID(table: request.table, row: target), bytes)
        }
        defer { for plan in plansInUse.all { plan?.begin() } }
        var reader = unsafe try JSONReader(unsafe: bytes)
        let membership = try membership()
        if let container = request.container ?? membership?.owner.record { containers.append(container) }
        if let response = request.response {
            outcome.response = try readResponse(&reader, response)
        } else {
            try readRoot(&reader, at: request.keyPath[...], orAt: request.wholeKey)
        }
        try reader.finish()
        outcome.report.replacedCharacters = reader.loneSurrogateCount
        if let membership {
            try store(outcome.roots, in: membership, isUnderstood: outcome.roots.count == rootCount)
        }
        try writer.placeArrivals(&progress)
        if !buried.isEmpty { try deleteBuried() }
        let omitted = try deleteOmitted()
        outcome.report.orphaned = try omitted + writer.deleteOrphans(&progress, isLeftOut: true)
        outcome.report.deleted += outcome.report.orphaned
        if outcome.report.deleted > 0 { progress.changes.isServersWord = true }
        if request.teachesShapes { try learn() }
        try adoptCreations()
        countRows()
        if outcome.report.isOfNoAnswer { throw StoreError.rejected(outcome.report) }
        if request.isCreation, outcome.roots.isEmpty { throw StoreError.rejected(outcome.report) }
        if request.isStrict ? !outcome.report.isComplete : request.isAllOrNothing && outcome.report.rejectedCount > 0 {
            throw StoreError.rejected(outcome.report)
        }
    }

    /// Deletes what lists have left out, but for what the body has named all the same.
    private mutating func deleteOmitted() throws -> Int {
        guard !progress.omitted.isEmpty else { return 0 }
        let plans = plansInUse
        return try writer.deleteOmitted(&progress) { plans[$0.table]?.rows[$0.row.rawValue] != nil }
    }

    /// The list that the body is; none where its owner was deleted while the server did what the body confirms.
    ///
    /// - Throws: ``StoreError/deletedObject(model:)`` where it was deleted while the list was fetched.
    private func membership() throws -> ImportRequest.Membership? {
        guard let membership = request.membership else { return nil }
        let owner = membership.owner.record
        if try writer.statements[owner.table].contains(owner.row) { return membership }
        guard request.isConfirmation else { throw StoreError.deletedObject(model: schema[owner.table].modelName) }
        return nil
    }

    // MARK: Plans

    /// The plan of a table, ready for this import.
    mutating func plan(_ table: TableID) throws -> ImportPlan {
        if let plan = plansInUse[table] { return plan }
        let plan = try writer.plans[table] as? ImportPlan ?? ImportPlan(schema[table], writer)
        writer.plans[table] = plan
        plan.begin()
        plan.shapes.begin(writer.shapes.all(of: table))
        plan.mayBeRenamed = writer.mayBeRenamed(table, since: request.asked)
        plan.keepsTexts = writer.tablesWithTexts.contains(table)
        plansInUse[table] = plan
        return plan
    }

    /// The plan of a table that the body had objects of.
    func planInUse(_ table: TableID) -> ImportPlan? { plansInUse[table] }

    /// The plan of what a relationship references.
    mutating func plan(ofTarget property: PropertyIndex, in plan: ImportPlan) throws -> ImportPlan {
        try self.plan(plan.target(of: property).table)
    }

    /// The plans of the tables that the body had objects of so far.
    var plans: [ImportPlan] { plansInUse.all.compactMap { $0 } }

    // MARK: The body

    /// - Parameters:
    ///   - keys: the rest of the way to the object or list.
    ///   - wholeKey: the key that leads there as well.
    private mutating func readRoot(
        _ reader: inout JSONReader, at keys: ArraySlice<String>, orAt wholeKey: String? = nil
    ) throws {
        if let key = keys.first { return try readEnvelope(&reader, key, before: keys.dropFirst(), or: wholeKey) }
        if schema.style(of: schema[request.table]).document == .jsonAPI { return try readDocument(&reader) }
        let plan = try plan(request.table)
        guard try reader.peekKind() == .array else {
            return try readTyped(&reader, of: plan, into: request.target)
        }
        outcome.isList = true
        try readElements(&reader) { (importer, reader) throws in
            try importer.refusingContradictions(&reader) { (importer, reader) throws in
                try importer.readListElement(&reader, of: plan)
            }
        }
    }

    /// Reads an element of the body's list. One that contradicts itself is left out; the others are none the worse.
    mutating func refusingContradictions(
        _ reader: inout JSONReader, _ readElement: (inout Importer, inout JSONReader) throws -> Void
    ) throws {
        let start = (reader: reader, path: path.count, containers: containers.count, depth: depth)
        do {
            try readElement(&self, &reader)
        } catch let error as JSONError where error.reason == .duplicateKey {
            reader = start.reader
            _ = try reader.skipValue()
            path.removeLast(path.count - start.path)
            containers.removeLast(containers.count - start.containers)
            depth = start.depth
            unknownIdentity = nil
            memory.removeAll()
            reject(.contradiction(key: error.path ?? ""), of: schema[request.table])
        }
    }

    /// Reads one of the body's own objects.
    ///
    /// - Parameter target: the row that it is known to be about.
    mutating func readRootElement(
        _ reader: inout JSONReader, of plan: ImportPlan, into target: RowID? = nil
    ) throws {
        rootCount += 1
        outcome.elementCount += 1
        guard try reader.peekKind() == .object else {
            return reject(.notAnObject(found: try describeNext(&reader)), of: plan.model)
        }
        let deletedBefore = deletedCount
        let isAnswer = request.isAnswer && !outcome.isList
        if let row = try readObject(&reader, of: plan, into: target, expecting: request.submodel, isAnswer: isAnswer) {
            if try isMember(row, of: plan, expecting: request.submodel) { outcome.roots.append(row) }
        } else if deletedCount > deletedBefore {
            // It is understood, and no member any more.
            rootCount -= 1
        }
        memory.removeAll()
    }

    /// Notes that the body has an object of its own that is none of the model's.
    ///
    /// - Parameter isElement: whether it counts as an element of the list.
    mutating func noteRootOfOtherModel(isElement: Bool = true) {
        rootCount += 1
        if isElement { outcome.elementCount += 1 }
    }

    /// Goes into the body's wrapping objects by key; what stands beside the keys is passed over.
    private mutating func readEnvelope(
        _ reader: inout JSONReader, _ key: String, before rest: ArraySlice<String>, or wholeKey: String?
    ) throws {
        let plan = try plan(request.table)
        var isFound = false
        if try reader.peekKind() == .object {
            if try reader.enterObject() {
                repeat {
                    let name = try reader.string(reader.readKey())
                    if name == key || name == wholeKey {
                        isFound = true
                        try readRoot(&reader, at: name == key ? rest : [])
                    } else {
                        _ = try reader.skipValue()
                    }
                } while try reader.continueObject()
            }
        } else {
            _ = try reader.skipValue()
        }
        guard !isFound else { return }
        // Counted, so that a list which was not there is not taken for an empty one.
        rootCount += 1
        reject(.notAnObject(found: "no \"\(key)\""), of: plan.model)
    }

    /// Reads the elements of an array, each with its index in the path.
    @inline(__always)
    mutating func readElements(
        _ reader: inout JSONReader, _ readElement: (inout Importer, inout JSONReader) throws -> Void
    ) throws {
        guard try reader.enterArray() else { return }
        var index = 0
        repeat {
            elementCount &+= 1
            if elementCount & 63 == 0 { try writer.stop.check() }
            path.append(.element(index))
            try readElement(&self, &reader)
            path.removeLast()
            index += 1
        } while try reader.continueArray()
    }

    /// Recognizes objects of creations without a known outcome by their natural keys.
    private mutating func adoptCreations() throws {
        guard !writer.sendMarks.isEmpty else { return }
        for plan in plans where !plan.model.options.natural.isEmpty {
            let shown = plan.rows.pairs.map { RowID($0.key) }
            try writer.adoptCreations(in: plan.model.table, among: shown, &progress)
        }
    }

    // MARK: What came of it

    private mutating func countRows() {
        for plan in plans {
            let table = plan.model.table
            if request.answer != nil {
                vouched.kinds[VouchedRows.kind(table)] = RowRanges(plan.rows.pairs.lazy.map { RowID($0.key) })
            }
            for (key, status) in plan.rows.pairs {
                let row = RowID(key)
                switch status {
                case .inserted:
                    outcome.report.inserted += 1
                    progress.changes.tables[table].inserted.append(row)
                case .updated:
                    outcome.report.updated += 1
                    let record = RecordID(table: table, row: row)
                    let keepsLinks = writer.hasAnswers && !plan.listedLinks.isEmpty && !relinked.contains(record)
                    progress.changes.noteUpdate(of: record, keepsLinks: keepsLinks)
                case .unchanged: outcome.report.unchanged += 1
                }
            }
        }
        for (list, owners) in listOwners { vouched.kinds[VouchedRows.kind(list)] = RowRanges(owners) }
        for (table, rows) in namedMembers { vouched.kinds[VouchedRows.kind(ofMembersIn: table)] = RowRanges(rows) }
    }

    /// Notes that an object of the body has said what is in a list of its own.
    mutating func noteSaid(_ list: List, of owner: RowID, naming members: [RowID]) throws {
        guard request.answer != nil else { return }
        listOwners[list.id, default: []].append(owner)
        let plan = try plan(list.target)
        let named = members.filter { plan.rows[$0.rawValue] == nil }
        if !named.isEmpty { namedMembers[list.target, default: []] += named }
    }

    /// Notes the value of an attribute if it is greater than those before it.
    mutating func noteNewest(_ attribute: PropertyIndex, of object: ReadingObject) {
        guard let column = object.plan.model.column(of: attribute)?.index, object.frame.hasValue(column),
            !object.frame.defaulted.contains(column.rawValue)
        else { return }
        let value = object.frame[column].stored
        if outcome.newest.map({ $0.isBefore(value) }) ?? true { outcome.newest = value }
    }

    /// What came of the body, as it is stored with its answer.
    var answered: AnsweredRows {
        var rows = AnsweredRows()
        rows.roots = outcome.roots
        (rows.elementCount, rows.isList) = (outcome.elementCount, outcome.isList)
        rows.objectCount = outcome.report.inserted + outcome.report.updated + outcome.report.unchanged
        return rows
    }
}
