import JSONBytes

/// Imports one body within a transaction: bytes to bound values to upserts, in one pass over the bytes, with no
/// dictionaries, strings or model objects on the way.
///
/// An object's nested objects are written before it, as its row holds their local keys; its lists after it. Each object is
/// read into a ``ImportFrame`` first, since which columns it has decides the statement.
struct Importer: ~Copyable {
    let writer: Writer
    let schema: Schema
    let request: ImportRequest
    var memory = ImportMemory()
    var outcome = ImportOutcome()
    var changes: ChangeSet
    /// How one gets from the body's root to the value being read, for the report.
    var path: [PathPart] = []
    /// Which links of which owners objects being read stand in, for identities that include one.
    var containers: [Container] = []
    /// By the join table's name.
    var joins: [String: (clear: RawStatement, insert: RawStatement)] = [:]
    /// Lists of a document that lead ahead, to be put in order once all of it is read.
    var incompleteLists: [(plan: ImportPlan, id: Int64, lists: [(property: Int, identities: [StoredValue])])] = []
    private var plansInUse: [ImportPlan?]
    /// Rows that have lost an owner so far; those that have no other at the end are deleted.
    var orphans: [WriteBatch.Key] = []
    /// How many relationships away from the body's own objects the value being read is.
    var depth = 0
    /// What the object that was rejected last is known by, if only the target of a link in its identity is missing: a link
    /// to it can wait.
    var unknownIdentity: String?
    /// How many objects, or what stands in their place, the body has itself.
    private var rootCount = 0

    /// How many relationships and list places deep objects are imported. Each takes stack, of which a thread of Apple's
    /// dispatch queues has 512 KB.
    static let depthLimit = 100

    enum PathPart {
        case element(Int)
        case property(table: Int, index: Int)
        case key(String)
    }

    struct Container {
        let table: Int
        let id: Int64
    }

    init(_ writer: Writer, _ request: ImportRequest) {
        self.writer = writer
        self.schema = writer.schema
        self.request = request
        self.changes = ChangeSet(tableCount: schema.tables.count)
        self.plansInUse = Array(repeating: nil, count: schema.tables.count)
    }

    /// Imports the body. What it throws ends the transaction, so the file is as it was.
    mutating func run(_ bytes: UnsafeRawBufferPointer) throws {
        defer { for plan in plansInUse { plan?.begin() } }
        var reader = unsafe try JSONReader(unsafe: bytes)
        if let membership = request.membership {
            containers.append(Container(table: membership.table, id: membership.owner))
        }
        if let response = request.response {
            outcome.response = try readResponse(&reader, response)
        } else {
            try readRoot(&reader, request.keyPath[...])
        }
        try reader.finish()
        if let membership = request.membership {
            try store(outcome.roots, in: membership, isUnderstood: outcome.roots.count == rootCount)
        }
        var rules = DeletionRules(isConfirmed: true)
        try writer.deleteOrphans(orphans, &changes, &rules)
        try learnShapes()
        countRows()
        if request.isAllOrNothing, outcome.report.rejectedCount > 0 {
            throw StoreError.rejected(outcome.report)
        }
    }

    /// The plan of a table, ready for this import.
    mutating func plan(_ table: Int) throws -> ImportPlan {
        if let plan = plansInUse[table] { return plan }
        let plan: ImportPlan
        if let known = writer.plans[table] {
            plan = known
        } else {
            plan = try ImportPlan(schema.tables[table], schema, writer.connection)
            writer.plans[table] = plan
        }
        plan.begin()
        plan.shapes.begin(writer.shapes.all(of: table))
        plansInUse[table] = plan
        return plan
    }

    /// The plans of the tables that the body has spoken of so far.
    var plans: [ImportPlan] { plansInUse.compactMap { $0 } }

    // MARK: The body

    private mutating func readRoot(_ reader: inout JSONReader, _ keys: ArraySlice<String>) throws {
        if let key = keys.first {
            try readEnvelope(&reader, key, keys.dropFirst())
            return
        }
        if schema.style.document == .jsonAPI { return try readDocument(&reader) }
        let plan = try plan(request.table)
        guard try reader.peekKind() == .array else {
            try readRootElement(&reader, plan, target: request.target)
            return
        }
        outcome.isList = true
        guard try reader.enterArray() else { return }
        var index = 0
        repeat {
            path.append(.element(index))
            try readRootElement(&reader, plan, target: nil)
            path.removeLast()
            index += 1
        } while try reader.continueArray()
    }

    mutating func readRootElement(_ reader: inout JSONReader, _ plan: ImportPlan, target: Int64?) throws {
        rootCount += 1
        guard try reader.peekKind() == .object else {
            reject(plan, .notAnObject(found: try describeNext(&reader)))
            return
        }
        if let id = try readObject(&reader, plan, target: target, expecting: request.model),
            try isMember(id, request.model, plan)
        {
            outcome.roots.append(id)
        }
        memory.removeAll()
    }

    /// Notes that the body has an object of its own that is none of the model's.
    mutating func noteRootThatIsNone() { rootCount += 1 }

    /// Goes into the body's wrapping objects by key; what stands beside the keys is passed over.
    private mutating func readEnvelope(_ reader: inout JSONReader, _ key: String, _ rest: ArraySlice<String>) throws {
        let plan = try plan(request.table)
        var isFound = false
        if try reader.peekKind() == .object {
            if try reader.enterObject() {
                repeat {
                    if try reader.string(reader.readKey()) == key {
                        isFound = true
                        try readRoot(&reader, rest)
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
        reject(plan, .notAnObject(found: "no \"\(key)\""))
    }

    // MARK: The report

    mutating func reject(_ plan: ImportPlan, _ reason: ImportReport.Rejection.Reason, _ model: Int = 0) {
        reject(model: plan.table.model(model).modelName, reason)
    }

    mutating func reject(model: String, _ reason: ImportReport.Rejection.Reason) {
        outcome.report.rejectedCount += 1
        guard outcome.report.rejected.count < ImportReport.listLimit else { return }
        outcome.report.rejected.append(ImportReport.Rejection(path: pathText(), model: model, reason: reason))
    }

    mutating func mismatch(
        _ plan: ImportPlan, _ property: Int, expected: String, found: String
    ) {
        path.append(.property(table: plan.table.index, index: property))
        noteMismatch(expected: expected, found: found)
        path.removeLast()
    }

    /// Notes that the value which `path` leads to was left out.
    mutating func noteMismatch(expected: String, found: String) {
        outcome.report.mismatchedCount += 1
        guard outcome.report.mismatched.count < ImportReport.listLimit else { return }
        outcome.report.mismatched.append(
            ImportReport.Mismatch(path: pathText(), expected: expected, found: found))
    }

    /// Where the value stands that is being read, or one in it.
    func pathText(to last: PathPart? = nil) -> String {
        var text = request.keyPath.joined(separator: ".")
        for part in path + (last.map { [$0] } ?? []) {
            switch part {
            case .element(let index): text += "[\(index)]"
            case .property(let table, let index):
                let keys = schema.tables[table].properties[index].documentPath
                text += (text.isEmpty ? "" : ".") + keys.joined(separator: ".")
            case .key(let key): text += (text.isEmpty ? "" : ".") + key
            }
        }
        return text.isEmpty ? "the body" : text
    }

    /// Passes the next value and says what it was, at most forty characters of it.
    func describeNext(_ reader: inout JSONReader) throws -> String {
        let fragment = try reader.skipValue()
        return describe(fragment, reader)
    }

    func describe(_ fragment: JSONFragment, _ reader: borrowing JSONReader) -> String {
        switch fragment.kind {
        case .object: "an object"
        case .array: "an array"
        default:
            unsafe String(decoding: reader.bytes(of: fragment).prefix(40), as: UTF8.self)
                + (fragment.count > 40 ? "…" : "")
        }
    }

    private mutating func countRows() {
        for plan in plans {
            for (id, status) in plan.rows {
                switch status {
                case .inserted:
                    outcome.report.inserted += 1
                    changes.tables[plan.table.index].inserted.append(id)
                case .updated:
                    outcome.report.updated += 1
                    changes.tables[plan.table.index].updated.append(id)
                case .unchanged: outcome.report.unchanged += 1
                }
            }
        }
    }
}
