import JSONBytes

/// Imports one response body within a transaction. It reads the bytes once, in place, and binds the values to upserts.
///
/// Nested objects are written before their container, whose row refers to theirs, and lists after it. An object is read
/// into an ``ImportFrame`` first, since its set of columns selects the SQL.
///
/// ```
/// ImportRequest ─▶ Importer, one for each body ─▶ ImportOutcome (rows, ImportReport), ChangeSet
///                  │  JSONReader                the bytes, and the position in them
///                  │  ImportMemory              unescaped and converted bytes, until the rows are written
///                  │  ReadingObject             an object between its bytes and its row:
///                  │  ├─ ImportFrame            its values, lists and links; reused
///                  │  └─ ImportPlan             its model's import; one for each table, kept by the writer:
///                  │     ├─ KeyNode             maps JSON keys to columns and relationships
///                  │     ├─ ImportedFamily      selects the object's model among those of its table
///                  │     ├─ ImportShapes        the formats of the values in the JSON
///                  │     └─ TableStatements     the SQL
///                  │  ResponsePlan              in place of a model: the paths of a response type's parts
///                  └─ Writer                    rows, lists, pending links, unification, deletion
/// ```
struct Importer: ~Copyable {
    let writer: Writer
    let schema: Schema
    let request: ImportRequest
    /// Whether an older request is open. This import wins over its reply.
    let hasOlderOpenRequest: Bool
    var memory = ImportMemory()
    var outcome = ImportOutcome()
    var progress: WriteProgress
    /// The place in the body, for the report.
    var path: [PathPart] = []
    /// The rows that contain the current object, outermost first.
    var containers: [RecordID] = []
    var counts = ReadingCounts()
    private var plansInUse: TableMap<ImportPlan?>
    /// The distance from the body's own objects, in relationships.
    var depth = 0
    /// The key of the last object that got no row, if known. Links to it can be pending.
    var unknownIdentity: String?
    private var elementCount = 0
    /// The number of the body's own objects, including rejected ones.
    private var rootCount = 0
    /// Objects left out because they are deleted.
    var deletedCount = 0
    var reportedDeleted: Set<RecordID> = []
    /// The rows and lists that the response covers.
    private(set) var covered = CoveredRows()
    /// The owners of nested lists, for `covered`.
    private var listOwners: [ListID: [RowID]] = [:]
    /// Members of nested lists that are named by identity only, for `covered`.
    private var namedMembers: [TableID: [RowID]] = [:]
    /// By list of links and owner: the rows with an edited link whose base led to the owner.
    var unsentLinks: [ListID: [RowID: [RowID]]] = [:]
    /// Rows with changed links. Collected only while the file has stored responses.
    var relinked: Set<RecordID> = []

    /// Limits nesting. Each level takes stack; a thread of Apple's dispatch queues has 512 KB.
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
        let oldest = writer.operations.oldestRequestStart
        hasOlderOpenRequest =
            (request.begun ?? request.requestTime).map { requestTime in oldest.map { $0 < requestTime } ?? false }
            ?? false
    }

    /// Includes the transaction's changes before the import.
    var changes: ChangeSet {
        get { progress.changes }
        set { progress.changes = newValue }
    }

    /// An error rolls the transaction back.
    mutating func run(_ bytes: UnsafeRawBufferPointer) throws {
        if request.isConfirmation, let target = request.target,
            try !writer.statements[request.table].contains(target)
        {
            return unsafe try confirmDeleted(RecordID(table: request.table, row: target), bytes)
        }
        defer { for plan in plansInUse.all { plan?.begin() } }
        var reader = unsafe try JSONReader(unsafe: bytes)
        let membership = try membership()
        if let owner = try singularOwner() ?? membership?.owner.record { containers.append(owner) }
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
        try writer.placeResolvedMembers(&progress)
        if !reportedDeleted.isEmpty { try deleteReported() }
        let omitted = try deleteOmitted()
        let orphaned = try writer.deleteOrphans(&progress, isLeftOut: true, keeping: progress.kept)
        outcome.report.orphaned = omitted + orphaned
        outcome.report.deleted += outcome.report.orphaned
        if outcome.report.deleted > 0 { progress.changes.hasServerDeletions = true }
        if request.teachesShapes { try learn() }
        try adoptCreations()
        countRows()
        if outcome.report.lacksKnownProperties { throw StoreError.rejected(outcome.report) }
        if request.isCreation, outcome.roots.isEmpty { throw StoreError.rejected(outcome.report) }
        if request.isStrict ? !outcome.report.isComplete : request.isAllOrNothing && outcome.report.rejectedCount > 0 {
            throw StoreError.rejected(outcome.report)
        }
    }

    /// Deletes omitted members, except those that the body has elsewhere.
    private mutating func deleteOmitted() throws -> Int {
        guard !progress.omitted.isEmpty else { return 0 }
        let plans = plansInUse
        return try writer.deleteOmitted(&progress) { plans[$0.table]?.rows[$0.row.rawValue] != nil }
    }

    /// Nil if the body confirms a change and the owner was deleted since.
    ///
    /// - Throws: ``StoreError/deletedObject(model:)`` if the owner was deleted during the fetch.
    private func membership() throws -> ImportRequest.Membership? {
        guard let membership = request.membership else { return nil }
        let owner = membership.owner.record
        if try writer.statements[owner.table].contains(owner.row) { return membership }
        guard request.isConfirmation else { throw StoreError.deletedObject(model: schema[owner.table].modelName) }
        return nil
    }

    private func singularOwner() throws -> RecordID? {
        guard let owner = request.container else { return nil }
        if try writer.statements[owner.table].contains(owner.row) { return owner }
        throw StoreError.deletedObject(model: schema[owner.table].modelName)
    }

    // MARK: Plans

    mutating func plan(_ table: TableID) throws -> ImportPlan {
        if let plan = plansInUse[table] { return plan }
        let plan = try writer.plans[table] as? ImportPlan ?? ImportPlan(schema[table], writer)
        writer.plans[table] = plan
        plan.begin()
        plan.shapes.begin(writer.shapes.all(of: table))
        plan.mayBeRenamed = writer.mayBeRenamed(table, since: request.requestTime)
        plan.keepsTexts = writer.tablesWithTexts.contains(table)
        plansInUse[table] = plan
        return plan
    }

    /// Nil if objects of the table are missing in the body.
    func planInUse(_ table: TableID) -> ImportPlan? { plansInUse[table] }

    mutating func plan(ofTarget property: PropertyIndex, in plan: ImportPlan) throws -> ImportPlan {
        try self.plan(plan.target(of: property).table)
    }

    var plans: [ImportPlan] { plansInUse.all.compactMap { $0 } }

    // MARK: The body

    /// - Parameter wholeKey: a single key for the whole path.
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

    /// Two different values for one key reject only this element.
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
            // A deleted object leaves the list complete.
            rootCount -= 1
        }
        memory.removeAll()
    }

    mutating func noteRootOfOtherModel(isElement: Bool = true) {
        rootCount += 1
        if isElement { outcome.elementCount += 1 }
    }

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
        // Distinguishes a missing list from an empty one.
        rootCount += 1
        reject(.notAnObject(found: "no \"\(key)\""), of: plan.model)
    }

    @inline(__always)
    mutating func readElements(
        _ reader: inout JSONReader, _ readElement: (inout Importer, inout JSONReader) throws -> Void
    ) throws {
        guard try reader.enterArray() else { return }
        var index = 0
        repeat {
            try countElement()
            path.append(.element(index))
            try readElement(&self, &reader)
            path.removeLast()
            index += 1
        } while try reader.continueArray()
    }

    /// After every 64 elements of any list, stops if the import was cancelled or is too late.
    @inline(__always)
    mutating func countElement() throws {
        elementCount &+= 1
        if elementCount & 63 == 0 { try writer.stop.check() }
    }

    /// Recognizes objects by natural keys, if the outcome of a creation is unknown.
    private mutating func adoptCreations() throws {
        guard !writer.sendMarks.isEmpty else { return }
        for plan in plans where !plan.model.options.natural.isEmpty {
            let shown = plan.rows.pairs.map { RowID($0.key) }
            try writer.adoptCreations(in: plan.model.table, among: shown, &progress)
        }
    }

    // MARK: Outcome

    private mutating func countRows() {
        for plan in plans {
            let table = plan.model.table
            if request.answer != nil {
                covered.kinds[CoveredRows.kind(table)] = RowRanges(plan.rows.pairs.lazy.map { RowID($0.key) })
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
        for (list, owners) in listOwners { covered.kinds[CoveredRows.kind(list)] = RowRanges(owners) }
        for (table, rows) in namedMembers { covered.kinds[CoveredRows.kind(ofMembersIn: table)] = RowRanges(rows) }
    }

    mutating func noteCovered(_ list: List, of owner: RowID, naming members: [RowID]) throws {
        guard request.answer != nil else { return }
        listOwners[list.id, default: []].append(owner)
        let plan = try plan(list.target)
        let named = members.filter { plan.rows[$0.rawValue] == nil }
        if !named.isEmpty { namedMembers[list.target, default: []] += named }
    }

    mutating func noteNewest(_ attribute: PropertyIndex, of object: ReadingObject) {
        // A list may have objects of other models, with another property at this index, or none.
        guard object.plan.model.table == request.table,
            let column = object.plan.model.column(of: attribute)?.index, object.frame.hasValue(column),
            !object.frame.defaulted.contains(column.rawValue)
        else { return }
        let value = object.frame[column].stored
        if outcome.newest.map({ $0.isBefore(value) }) ?? true { outcome.newest = value }
    }

    var answered: AnsweredRows {
        var rows = AnsweredRows()
        rows.roots = outcome.roots
        (rows.elementCount, rows.isList) = (outcome.elementCount, outcome.isList)
        rows.objectCount = outcome.report.inserted + outcome.report.updated + outcome.report.unchanged
        return rows
    }
}
