extension ObjectQuery {
    /// The objects, live in the context.
    ///
    /// - Throws: ``StoreError`` when the file can't be read; ``StoreError/oversizedQuery(model:limit:)`` for conditions that
    ///   SQLite could not take.
    /// - Complexity: one statement; a row that is live already is not copied again. Unsaved objects of the model are looked
    ///   at one by one, the file's rows only as far as the limit.
    public func fetch() throws(StoreError) -> [M] {
        let model = try context.model(of: M.self)
        context.catchUp()
        return try seenByContext(model).fetch(model, matching: textMatch(model))
    }

    /// The same of a query that is seen by the context already.
    func fetch(_ model: ModelSchema, matching match: TextMatch?) throws(StoreError) -> [M] {
        if let match, orders.isEmpty { return try ranked(of: model, by: match) }
        let query = narrowed(by: match)
        guard context.unsaved.count(in: model.table) > 0 else { return try query.rows(of: model) }
        return try query.withUnsavedObjects(of: model)
    }

    /// The first object; `nil` when there is none.
    public func first() throws(StoreError) -> M? { try limit(min(1, limit ?? 1), offset: offset).fetch().first }

    /// How many objects there are.
    ///
    /// - Complexity: one statement, two when the context has unsaved objects of the model. No object is made.
    public func count() throws(StoreError) -> Int {
        let model = try context.model(of: M.self)
        context.catchUp()
        let query = try seenByContext(model).narrowed(by: textMatch(model))
        guard context.unsaved.count(in: model.table) > 0 else { return try query.countRows(of: model) }
        return try query.countWithUnsavedObjects(of: model)
    }

    /// The query where links to objects that are deleted here and not saved count as nil, and those to objects that turned
    /// out to be others lead to these.
    func seenByContext(_ model: ModelSchema) -> ObjectQuery {
        var query = self
        query.condition = condition?.seen(by: context, model)
        return query
    }

    // MARK: The file's rows

    /// The objects of the file's rows.
    private func rows(of model: ModelSchema) throws(StoreError) -> [M] {
        try stepping(through: model, selection(of: model, limit: limit, offset: offset)) { (statement) throws in
            try context.objects(M.self, of: model, from: statement)
        }
    }

    /// The objects of some of the file's rows, of those that the condition holds for there.
    func storedObjects(of model: ModelSchema, among rows: [RowID]) throws(StoreError) -> [M] {
        var sql = QueryStatement(try context.selectRows(of: model))
        sql.append([isOfModel(model), condition], of: model)
        sql.append("_id IN (SELECT value FROM json_each(?))")
        sql.parameters.append(.text("[" + rows.map { String($0.rawValue) }.joined(separator: ",") + "]"))
        return try stepping(through: model, sql) { (statement) throws in
            try context.objects(M.self, of: model, from: statement)
        }
    }

    private func countRows(of model: ModelSchema) throws(StoreError) -> Int {
        within(try countFileRows(of: model, edited: 0))
    }

    /// How many rows of the file the condition holds for there; of no more than the limit asks for, and so many edited ones.
    private func countFileRows(of model: ModelSchema, edited: Int) throws(StoreError) -> Int {
        var sql = QueryStatement("SELECT 1 FROM \(model.sqlName)")
        sql.append([isOfModel(model), condition], of: model)
        guard let limit, let enough = Self.sum(offset, edited).flatMap({ Self.sum(limit, $0) }) else {
            return try countFileRows(of: model)
        }
        sql.parameters.append(.integer(Int64(enough)))
        sql.text = "SELECT count(*) FROM (\(sql.text) LIMIT ?)"
        return try number(sql, of: model)
    }

    /// How many rows of the file, or of some of them, the condition holds for there.
    private func countFileRows(of model: ModelSchema, among rows: [RowID]? = nil) throws(StoreError) -> Int {
        var sql = QueryStatement("SELECT count(*) FROM \(model.sqlName)")
        sql.append([isOfModel(model), condition], of: model)
        if let rows {
            sql.append("_id IN (SELECT value FROM json_each(?))")
            sql.parameters.append(.text("[" + rows.map { String($0.rawValue) }.joined(separator: ",") + "]"))
        }
        return try number(sql, of: model)
    }

    /// What a statement gives that asks for one number.
    private func number(_ sql: QueryStatement, of model: ModelSchema) throws(StoreError) -> Int {
        try stepping(through: model, sql) { (statement) throws in
            guard try statement.step() else { return 0 }
            defer { statement.reset() }
            return Int(statement.integer(0))
        }
    }

    /// As many of so many objects as the limit and the offset leave.
    private func within(_ count: Int) -> Int { min(max(0, count - offset), limit ?? .max) }

    /// The statement that gives the file's rows, in the query's order.
    func selection(of model: ModelSchema, limit: Int?, offset: Int) throws(StoreError) -> QueryStatement {
        var sql = QueryStatement(try context.selectRows(of: model))
        sql.append([isOfModel(model), condition], of: model)
        let orders = orders.flatMap { order in
            model.orderTerms(order.property).map { $0 + (order.direction == .descending ? " DESC" : "") }
        }
        sql.text += " ORDER BY " + (orders + ["_id"]).joined(separator: ", ")
        if limit != nil || offset > 0 {
            sql.parameters += [.integer(Int64(limit ?? -1)), .integer(Int64(offset))]
            sql.text += " LIMIT ? OFFSET ?"
        }
        return sql
    }

    func stepping<Result>(
        through model: ModelSchema, _ sql: QueryStatement, _ body: (RawStatement) throws -> Result
    ) throws(StoreError) -> Result {
        try sql.checkLimits(of: model)
        return try context.reading { (reader) throws in
            let connection = try reader.reading().connection
            if condition?.comparesDecimals(model) == true || orders.contains(where: { model.isDecimal($0.property) }) {
                try DecimalCollation.register(on: connection)
            }
            let statement = try connection.statement(sql.text)
            statement.bind(sql.parameters)
            return try body(statement)
        }
    }

    /// Which of the rows are the model's, when it shares the table with others that it inherits from.
    func isOfModel(_ model: ModelSchema) -> Condition? {
        guard !model.submodel.isRoot, let family = model.family else { return nil }
        return .isAmong(property: family.discriminator, family.values(of: model.submodel))
    }

    // MARK: Unsaved objects

    /// The file's rows, with what the context's unsaved objects change about them.
    ///
    /// The rows of unsaved objects are passed over, so at most as many more are read as there are of those. Before the offset
    /// lie at most as many unsaved objects as there are: the other rows before it are not made objects of.
    private func withUnsavedObjects(of model: ModelSchema) throws(StoreError) -> [M] {
        let unsaved = context.unsaved.objects(in: model.table)
        let edited = Set(unsaved.map(\._object.localID))
        let skipped = max(0, offset - unsaved.count)
        let count = limit.flatMap { Self.sum($0, offset - skipped) }
        let selection = try selection(
            of: model, limit: count.flatMap { Self.sum($0, skipped + edited.count) }, offset: 0)
        let rows = try stepping(through: model, selection) { (statement) throws in
            try context.objects(
                M.self, of: model, from: statement, UnsavedRows(rows: edited, skipped: skipped, limit: count))
        }
        let found = unsaved.compactMap { context.current($0) as? M }.filter(holds)
        let all = Self.merged(rows, found.sorted { precedes($0._object, $1._object) }, by: precedes)
        let rest = all.dropFirst(offset - skipped)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }

    /// `nil` where there is no such number.
    static func sum(_ left: Int, _ right: Int) -> Int? {
        let (sum, isOver) = left.addingReportingOverflow(right)
        return isOver ? nil : sum
    }

    private func countWithUnsavedObjects(of model: ModelSchema) throws(StoreError) -> Int {
        let unsaved = context.unsaved.objects(in: model.table)
        let all = try countFileRows(of: model, edited: unsaved.count)
        let edited = try countFileRows(of: model, among: unsaved.map(\._object.localID))
        return within(all - edited + unsaved.compactMap { context.current($0) as? M }.count(where: holds))
    }

    /// Whether the query finds an object in memory.
    func holds(for object: M) -> Bool {
        context.unsaved.work.add()
        return !object._object.isDeleted && condition?.holds(for: object._object) != false
    }

    /// One sorted list of two.
    private static func merged(_ left: [M], _ right: [M], by precedes: (ObjectState, ObjectState) -> Bool) -> [M] {
        var merged: [M] = []
        merged.reserveCapacity(left.count + right.count)
        var rest = right[...]
        for object in left {
            while let next = rest.first, precedes(next._object, object._object) { merged.append(rest.removeFirst()) }
            merged.append(object)
        }
        return merged + rest
    }

    func precedes(_ left: ObjectState, _ right: ObjectState) -> Bool {
        for order in orders {
            let result = left.model.order(
                left.stored(order.property), right.stored(order.property), by: order.property)
            if result != 0 { return (result < 0) == (order.direction == .ascending) }
        }
        return left.localID < right.localID
    }
}

/// Which of the rows that a statement gives are not to be made objects of.
private struct UnsavedRows {
    /// The rows of unsaved objects.
    let rows: Set<RowID>
    /// How many of the others are passed over.
    let skipped: Int
    /// How many are taken at most after those.
    let limit: Int?
}

// MARK: - By identity

extension ObjectContext {
    /// The object of an identity of one part; see the function of the same name that takes several.
    @inlinable
    public func find<M: Model, Part: IdentityPart>(_ type: M.Type, _ identity: Part) throws(StoreError) -> M? {
        let value = identity.identityPart
        // What is found is an instance of the class.
        if let live = liveObject(ofClass: ObjectIdentifier(type), value) {
            return unsafe unsafeDowncast(live, to: M.self)
        }
        return try find(type, identifiedBy: [value])
    }

    /// The object of an identity, live in this context, as this context sees it: one that was made here and is not saved, or whose
    /// identity was edited, is found by what it is called now. `nil` when there is none.
    ///
    /// One lookup in the unique index, without a round trip to another thread.
    ///
    /// - Parameter identity: the parts of the identity, in the order of its declaration; one for most models. An object stands
    ///   for a relationship: `find(Ticket.self, project, 5)`.
    /// - Throws: ``StoreError/wrongIdentity(model:parts:given:)`` for another number of parts; ``StoreError`` when the file
    ///   can't be read.
    public func find<M: Model, each Part: IdentityPart>(
        _ type: M.Type, _ identity: repeat each Part
    ) throws(StoreError) -> M? {
        var values: [StoredValue] = []
        for part in repeat each identity { values.append(part.identityPart) }
        return try find(type, identifiedBy: values)
    }

    @usableFromInline
    func find<M: Model>(_ type: M.Type, identifiedBy values: [StoredValue]) throws(StoreError) -> M? {
        let model = try model(of: type)
        catchUp()
        guard values.count == model.identity.count else {
            throw .wrongIdentity(
                model: model.modelName, parts: model.identity.map { model[$0].name }, given: values.count)
        }
        if let stored = try storedObject(type, of: model, values), !stored.isDeleted,
            !stored._object.hasEditedIdentity || model.identity.map(stored._object.stored) == values
        {
            maps[model.table].noteRow(of: stored)
            return stored
        }
        return unsaved.objects(in: model.table, identity: values).lazy.compactMap { $0 as? M }.first
    }

    /// The object that is here already, without a look at the file: one of the class, and of a table with one model; `nil` when
    /// the file has to be asked.
    @usableFromInline
    func liveObject(ofClass type: ObjectIdentifier, _ identity: StoredValue) -> AnyObject? {
        guard let table = schema.table(ofClass: type), let reader else { return nil }
        if !reader.isReading { catchUp() }
        return reader.isReading && !hasFailed ? maps[table].object(identifiedBy: identity) : nil
    }

    private func storedObject<M: Model>(
        _ type: M.Type, of model: ModelSchema, _ identity: [StoredValue]
    ) throws(StoreError) -> M? {
        try reading { (reader) throws in
            let statement = try reader.reading()[model.table].identityRowStatement()
            statement.bind(identity)
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            return object(type, of: model, from: statement)
        }
    }
}

// MARK: - Rows to objects

extension ObjectContext {
    /// The objects of the rows that a statement gives, which begins with ``TableStatements/selectRows``.
    func objects<M: Model>(
        _ type: M.Type, of model: ModelSchema, from statement: RawStatement
    ) throws -> [M] {
        var objects: [M] = []
        if model.family != nil {
            // A row that isn't one of `M`'s is left out.
            while try statement.step() {
                let record = RecordID(table: model.table, row: statement.row(0))
                if let object = object(for: record, readBy: statement) as? M { objects.append(object) }
            }
            return objects
        }
        var new: [(row: RowID, object: M)] = []
        let map = maps[model.table]
        while try statement.step() {
            let row = statement.row(0)
            if let live: M = map.object(row) {
                objects.append(live)
            } else {
                let object: M = makeObject(of: model, row, from: statement)
                objects.append(object)
                new.append((row, object))
            }
        }
        map.reserve(new.count)
        for (row, object) in new { map.insert(object, for: row) }
        return objects
    }

    /// The same without those of unsaved objects, as far as a limit.
    fileprivate func objects<M: Model>(
        _ type: M.Type, of model: ModelSchema, from statement: RawStatement, _ unsaved: UnsavedRows
    ) throws -> [M] {
        var objects: [M] = []
        var skipped = 0
        defer { statement.reset() }
        while objects.count < unsaved.limit ?? .max, try statement.step() {
            self.unsaved.work.add()
            guard !unsaved.rows.contains(statement.row(0)) else {
                // A row that is another model's by now, before that is merged, is followed.
                if model.family != nil { _ = object(type, of: model, from: statement) }
                continue
            }
            if skipped < unsaved.skipped {
                skipped += 1
            } else if let object = object(type, of: model, from: statement) {
                objects.append(object)
            }
        }
        return objects
    }

    /// What a statement about the rows of a model begins with.
    fileprivate func selectRows(of model: ModelSchema) throws(StoreError) -> String {
        try reading { (reader) throws in try reader.reading()[model.table].selectRows }
    }

    /// The object of the row that a statement stands on.
    func object<M: Model>(_ type: M.Type, of model: ModelSchema, from statement: RawStatement) -> M? {
        let row = statement.row(0)
        if model.family != nil {
            return object(for: RecordID(table: model.table, row: row), readBy: statement) as? M
        }
        let map = maps[model.table]
        if let live: M = map.object(row) { return live }
        let object: M = makeObject(of: model, row, from: statement)
        map.insert(object, for: row)
        return object
    }

    private func makeObject<M: Model>(of model: ModelSchema, _ row: RowID, from statement: RawStatement) -> M {
        M(
            _object: ObjectState(
                of: RecordID(table: model.table, row: row), model: model, snapshot: model.snapshot(of: statement),
                context: self))
    }

    /// The object of an unsaved one's row: another one when the row has become another model's.
    func current(_ object: any Model) -> any Model {
        let state = object._object
        guard state.model.family != nil else { return object }
        return liveObject(state.record) ?? object
    }
}

extension IdentityMap {
    /// The live object of a row in a table with one model.
    ///
    /// The map of such a table holds instances of that class only, and the caller found the table by `M`.
    fileprivate func object<M: Model>(_ row: RowID) -> M? { unsafe object(row, as: M.self) }
}
