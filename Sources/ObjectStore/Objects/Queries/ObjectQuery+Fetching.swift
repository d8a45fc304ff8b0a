extension ObjectQuery {
    /// Returns the objects, live in the context.
    ///
    /// - Throws: ``StoreError`` if reading the file fails; ``StoreError/oversizedQuery(model:limit:)``.
    /// - Complexity: one statement. Unsaved objects of the model are all tested, the file's rows only up to the limit.
    public func fetch() throws(StoreError) -> [M] {
        let model = try context.model(of: M.self)
        let query = try inContextView(model)
        return try query.fetch(model, matching: searchMatch(model))
    }

    /// For a query that already has the context's view.
    func fetch(_ model: ModelSchema, matching match: SearchMatch?) throws(StoreError) -> [M] {
        let objects: [M] =
            if let match, orders.isEmpty {
                try ranked(of: model, by: match)
            } else {
                try narrowed(by: match).matches(of: model)
            }
        if !prefetched.isEmpty { try prefetch(for: objects) }
        return objects
    }

    func matches(of model: ModelSchema) throws(StoreError) -> [M] {
        let isOwn = isOwn(model)
        if isOwn, context.unsaved.count(in: model.table) > 0 { return try withUnsavedObjects(of: model) }
        return try rows(of: model, isOwn ? nil : context.unsavedRows(of: tablesRead(model)))
    }

    func storedObjects(of model: ModelSchema, among rows: [RowID]) throws(StoreError) -> [M] {
        try narrowed(by: .isAmong(.row, rows.map { StoredValue($0) })).rows(of: model, nil)
    }

    /// Returns the first object; `nil` if there is none.
    public func first() throws(StoreError) -> M? { try limit(Swift.min(1, limit ?? 1), offset: offset).fetch().first }

    /// Returns the number of objects.
    ///
    /// - Complexity: one statement that counts rows, two if the context has unsaved objects of the model.
    public func count() throws(StoreError) -> Int {
        let model = try context.model(of: M.self)
        let query = try inContextView(model).narrowed(by: searchMatch(model))
        if query.isOwn(model), context.unsaved.count(in: model.table) > 0 {
            return try query.countWithUnsavedObjects(of: model)
        }
        let unsaved = query.isOwn(model) ? nil : try context.unsavedRows(of: query.tablesRead(model))
        return within(try query.countFileRows(of: model, edited: 0, unsaved))
    }

    /// Whether the query reads only the model's own table, so it can be evaluated in memory for unsaved objects.
    func isOwn(_ model: ModelSchema) -> Bool {
        condition?.isOwn != false && orders.allSatisfy(\.term.isOwn) && !context.asksForPartner(condition, model)
    }

    /// Links to rows with unsaved deletions count as nil, and links to duplicates reference the survivor.
    ///
    /// - Throws: ``StoreError/foreignObject(model:)`` if the query names an object of another context.
    func inContextView(_ model: ModelSchema) throws(StoreError) -> ObjectQuery {
        context.catchUp()
        try context.checkObjects(condition?.objects ?? [])
        try context.checkObjects(orders.flatMap(\.term.objects))
        context.noteQueriedTables(of: tablesRead(model))
        var query = try afterLast(model)
        query.condition = query.condition?.inView(of: context, model)
        for index in query.orders.indices {
            query.orders[index].term = query.orders[index].term.inView(of: context, model)
        }
        return query
    }

    /// The tables that the query reads, with those of many-to-many relationships (``Schema/joinTable(of:)``). Empty for
    /// a class outside the store's models.
    var tables: Set<TableID> { context.schema.model(for: M.self).map { tablesRead($0).tables } ?? [] }

    func tablesRead(_ model: ModelSchema) -> TablesRead {
        var read = TablesRead(schema: context.schema, tables: [model.table])
        if let condition { read.add(condition, model) }
        for order in orders { read.add(order.term, model) }
        return read
    }

    // MARK: Rows

    private func rows(of model: ModelSchema, _ unsaved: UnsavedRows?) throws(StoreError) -> [M] {
        let statement = try selection(of: model, limit: limit, offset: offset, unsaved)
        return try context.stepping(through: statement, of: model) { (statement) throws in
            try context.objects(M.self, of: model, from: statement)
        }
    }

    /// Counts only up to the limit plus the number of edited rows.
    private func countFileRows(
        of model: ModelSchema, edited: Int, _ unsaved: UnsavedRows? = nil
    ) throws(StoreError) -> Int {
        guard let limit, let enough = Self.sum(offset, edited).flatMap({ Self.sum(limit, $0) }) else {
            return try number(of: model, "count(*)", unsaved)
        }
        return try number(of: model, "1", atMost: enough, unsaved)
    }

    private func countFileRows(of model: ModelSchema, among rows: [RowID]) throws(StoreError) -> Int {
        let among = Condition.isAmong(.row, rows.map { StoredValue($0) })
        var query = self
        query.condition = condition.map { .and($0, among) } ?? among
        return try query.number(of: model, "count(*)", nil)
    }

    /// The number that a SELECT returns or, with a limit, the number of its rows.
    private func number(
        of model: ModelSchema, _ selected: String, atMost limit: Int? = nil, _ unsaved: UnsavedRows?
    ) throws(StoreError) -> Int {
        var writer = QueryWriter(context.schema, unsaved: unsaved)
        let place = writer.begin(model)
        let filter = writer.filter(condition, at: place)
        var text = "SELECT \(selected) FROM \(writer.source(place))\(filter)"
        if let limit { text = "SELECT count(*) FROM (\(text) LIMIT \(writer.bind(.integer(Int64(limit)))))" }
        return try context.stepping(through: QueryStatement(text, writer), of: model) { (statement) throws in
            guard try statement.step() else { return 0 }
            defer { statement.reset() }
            return Int(statement.integer(0))
        }
    }

    private func within(_ count: Int) -> Int { Swift.min(Swift.max(0, count - offset), limit ?? .max) }

    func selection(
        of model: ModelSchema, limit: Int?, offset: Int, _ unsaved: UnsavedRows? = nil
    ) throws(StoreError) -> QueryStatement {
        var writer = QueryWriter(context.schema, unsaved: unsaved)
        let place = writer.begin(model)
        let end = ending(&writer, place, limit: limit, offset: offset)
        let start =
            writer.isPlain(place)
            ? try context.selectRows(of: model)
            : "SELECT \(place.columns) FROM \(writer.source(place))"
        return QueryStatement(start + end, writer)
    }

    func ending(_ writer: inout QueryWriter, _ place: QueryWriter.Place, limit: Int?, offset: Int) -> String {
        var text = writer.filter(condition, at: place)
        let terms = orders.flatMap { writer.orderTerms($0, at: place) }
        text += " ORDER BY " + (terms + [place.row.id]).joined(separator: ", ")
        if limit != nil || offset > 0 {
            text += " LIMIT \(writer.bind(.integer(Int64(limit ?? -1)))) OFFSET \(writer.bind(.integer(Int64(offset))))"
        }
        return text
    }

    // MARK: Unsaved objects

    /// The file's objects combined with unsaved ones.
    ///
    /// The rows of unsaved objects are skipped, so the limit is raised by their number. At most that many unsaved
    /// objects come before the offset. Other rows before it create no objects.
    private func withUnsavedObjects(of model: ModelSchema) throws(StoreError) -> [M] {
        let unsaved = context.unsaved.objects(in: model.table)
        let edited = Set(unsaved.map(\._object.localID))
        let skipped = Swift.max(0, offset - unsaved.count)
        let count = limit.flatMap { Self.sum($0, offset - skipped) }
        let selection = try selection(
            of: model, limit: count.flatMap { Self.sum($0, skipped + edited.count) }, offset: 0)
        let rows = try context.stepping(through: selection, of: model) { (statement) throws in
            try context.objects(
                M.self, of: model, from: statement, EditedRows(rows: edited, skipped: skipped, limit: count))
        }
        let found = unsaved.compactMap { context.current($0) as? M }.filter(holds)
        let all = Self.merged(rows, found.sorted { precedes($0._object, $1._object) }, by: precedes)
        let rest = all.dropFirst(offset - skipped)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }

    /// `nil` if the sum overflows.
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

    func holds(for object: M) -> Bool {
        context.unsaved.work.add()
        return !object._object.isDeleted && condition?.holds(for: object._object) != false
    }

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
            let (first, second) = (left.value(of: order.term), right.value(of: order.term))
            if first.isNull != second.isNull { return first.isNull == order.isNilFirst }
            let result = left.model.order(first, second, by: order.term)
            if result != 0 { return (result < 0) != order.isDescending }
        }
        return left.localID < right.localID
    }
}

// MARK: - Statements

struct QueryStatement {
    let text: String
    let parameters: [StoredValue]
    let writer: QueryWriter

    init(_ text: String, _ writer: QueryWriter) {
        self.text = text
        self.writer = writer
        parameters = writer.parameters
    }

    /// - Throws: ``StoreError/oversizedQuery(model:limit:)``.
    fileprivate func checkLimits(of model: ModelSchema) throws(StoreError) {
        if let problem = writer.problem { throw problem }
        if writer.isTooDeep {
            throw .oversizedQuery(
                model: model.modelName, limit: "about 300 levels of conditions or links within each other")
        }
        // SQLITE_MAX_VARIABLE_NUMBER: https://sqlite.org/limits.html
        if parameters.count > 32_766 { throw .oversizedQuery(model: model.modelName, limit: "32766 values") }
    }

    /// - Parameter isOwn: whether the statement is for the caller only; otherwise it may come from the cache.
    func prepared(
        on connection: Connection, of model: ModelSchema, isOwn: Bool = false
    ) throws -> RawStatement {
        if writer.usesDecimals {
            try DecimalCollation.register(on: connection)
            try ExactNumbers.register(on: connection)
        }
        for levels in writer.usedJSON { try JSONCollation.register(on: connection, unordered: levels) }
        if writer.usesURLs { try URLCollation.register(on: connection) }
        if writer.usesFolding { try TextFolding.register(on: connection) }
        if writer.usesListedValues { try ListedValues.register(on: connection) }
        do {
            let statement = isOwn ? try RawStatement(connection, text) : try connection.queryStatement(text)
            statement.bind(parameters)
            return statement
        } catch {
            guard let limit = error.parserLimit else { throw error }
            throw StoreError.oversizedQuery(model: model.modelName, limit: limit)
        }
    }
}

extension SQLiteFailure {
    /// The limit of SQLite that a statement exceeds. These failures have no codes of their own.
    fileprivate var parserLimit: String? {
        if message.contains("tables in a join") { return "64 links, each to be followed from the same object" }
        if message.contains("parser stack") || message.contains("Expression tree is too large") {
            return "about 60 levels of conditions within each other"
        }
        return nil
    }
}

extension QueryWriter {
    mutating func orderTerms(_ order: QueryOrder, at place: Place) -> [String] {
        let term = sql(order.term, at: place)
        let isUnsigned = schema.kind(of: order.term, in: place.row.model)?.isUnsigned == true
        let direction = order.isDescending ? " DESC" : ""
        // SQLite's default is NULL first, and last in a descending order.
        let nils = order.isNilFirst == order.isDescending ? (order.isNilFirst ? " NULLS FIRST" : " NULLS LAST") : ""
        return (isUnsigned ? ["\(term) < 0", term] : [term]).map { $0 + direction + nils }
    }
}

extension QueryWriter.Place {
    /// The columns that ``TableStatements/selectRows`` selects.
    var columns: String {
        (["_id"] + row.model.columns.map(\.sqlName)).map { "\(row.alias).\($0)" }.joined(separator: ", ")
    }
}

extension ObjectContext {
    func stepping<Result>(
        through sql: QueryStatement, of model: ModelSchema, isOwn: Bool = false,
        _ body: (RawStatement) throws -> Result
    ) throws(StoreError) -> Result {
        try sql.checkLimits(of: model)
        return try reading { (reader) throws in
            do {
                return try body(try sql.prepared(on: reader.reading().connection, of: model, isOwn: isOwn))
            } catch let failure as SQLiteFailure where failure.message == "integer overflow" {
                throw StoreError.unanswerable(
                    model: model.modelName, reason: "the sum of the values is beyond 64 bits")
            } catch let failure as SQLiteFailure where sql.writer.hasSQL && failure.isOfText {
                throw StoreError.unanswerable(model: model.modelName, reason: failure.message)
            }
        }
    }
}

private struct EditedRows {
    let rows: Set<RowID>
    /// The number of other rows to skip.
    let skipped: Int
    /// The maximum number of rows to take after those.
    let limit: Int?
}

// MARK: - By identity

extension ObjectContext {
    /// Returns the object with an identity of one part; see `find` for several.
    @inlinable
    public func find<M: Model, Part: IdentityPart>(_ type: M.Type, _ identity: Part) throws(StoreError) -> M? {
        let value = identity.identityPart
        // Safe: the object was found by its class.
        if let live = liveObject(ofClass: ObjectIdentifier(type), value) {
            return unsafe unsafeDowncast(live, to: M.self)
        }
        return try find(type, identifiedBy: [value])
    }

    /// Returns the object with an identity, live in this context; `nil` if there is none.
    ///
    /// The identity counts as this context sees it: new objects are found before they are saved, and edited identities
    /// by their new values. The call takes one lookup in the unique index, on this thread.
    ///
    /// - Parameter identity: the parts of the identity, in the order of declaration, with an object for a relationship:
    ///   `find(Ticket.self, project, 5)`.
    /// - Throws: ``StoreError/wrongIdentity(model:parts:given:)``; ``StoreError`` if reading the file fails.
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

    /// Finds a live object without the file, if its table has only this class. `nil` if the file has to be read.
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
    /// For statements that begin with ``TableStatements/selectRows``.
    func objects<M: Model>(
        _ type: M.Type, of model: ModelSchema, from statement: RawStatement
    ) throws -> [M] {
        var objects: [M] = []
        if model.family != nil {
            // The table also has rows of other models.
            while try statement.step() {
                let record = RecordID(table: model.table, row: statement.row(0))
                if let object = object(for: record, readBy: statement) as? M { objects.append(object) }
            }
            return objects
        }
        var found: [AnyObject] = []
        var new: [(row: RowID, object: any Model)] = []
        let map = maps[model.table]
        while try statement.step() {
            let row = statement.row(0)
            if let live: M = map.object(row) {
                found.append(live)
            } else {
                let object: M = makeObject(of: model, row, from: statement)
                found.append(object)
                new.append((row, object))
            }
        }
        map.reserve(new.count)
        for (row, object) in new { map.insert(object, for: row) }
        // Safe: each was an `M` when it was found.
        return unsafe Self.array(of: found)
    }

    fileprivate func objects<M: Model>(
        _ type: M.Type, of model: ModelSchema, from statement: RawStatement, _ unsaved: EditedRows
    ) throws -> [M] {
        var objects: [M] = []
        var skipped = 0
        defer { statement.reset() }
        while objects.count < unsaved.limit ?? .max, try statement.step() {
            self.unsaved.work.add()
            guard !unsaved.rows.contains(statement.row(0)) else {
                // Handles a change of the row's model by another context before it is merged.
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

    fileprivate func selectRows(of model: ModelSchema) throws(StoreError) -> String {
        try reading { (reader) throws in try reader.reading()[model.table].selectRows }
    }

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

    /// The row's live object: another instance if the row has become another model's.
    func current(_ object: any Model) -> any Model {
        let state = object._object
        guard state.model.family != nil else { return object }
        return liveObject(state.record) ?? object
    }
}

extension IdentityMap {
    /// For tables with one model. Safe: the map contains only instances of that class, and the caller found the table
    /// by `M`.
    fileprivate func object<M: Model>(_ row: RowID) -> M? { unsafe object(row, as: M.self) }
}
