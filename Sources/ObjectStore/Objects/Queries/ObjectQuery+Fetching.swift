extension ObjectQuery {
    /// The objects, live in the context.
    ///
    /// - Throws: ``StoreError`` when the file can't be read.
    /// - Complexity: one statement; a row that is live already is not copied again.
    public func fetch() throws(StoreError) -> [M] {
        let model = try context.model(of: M.self)
        context.catchUp()
        let query = seenByContext(model)
        guard context.unsaved.containsOne(of: model.table) else { return try query.rows(of: model, isLimited: true) }
        return try query.withUnsavedObjects(of: model)
    }

    /// The first object; `nil` when there is none.
    public func first() throws(StoreError) -> M? { try limit(min(1, limit ?? 1), offset: offset).fetch().first }

    /// How many objects there are.
    public func count() throws(StoreError) -> Int {
        let model = try context.model(of: M.self)
        context.catchUp()
        guard !context.unsaved.containsOne(of: model.table) else { return try fetch().count }
        return try seenByContext(model).countRows(of: model)
    }

    /// The query where links to objects that are deleted here and not saved count as nil.
    private func seenByContext(_ model: ModelSchema) -> ObjectQuery {
        var query = self
        query.condition = condition?.seen(by: context, model)
        return query
    }

    // MARK: The file's rows

    /// The objects of the file's rows.
    private func rows(of model: ModelSchema, isLimited: Bool) throws(StoreError) -> [M] {
        var parameters: [StoredValue] = []
        let suffix = suffix(model, isLimited: isLimited, &parameters)
        return try context.reading { (reader) throws in
            let statements = try reader.reading()
            let statement = try statement(
                statements[model.table].selectRows + suffix, of: model, on: statements.connection)
            statement.bind(parameters)
            return try context.objects(M.self, of: model, from: statement)
        }
    }

    private func countRows(of model: ModelSchema) throws(StoreError) -> Int {
        var parameters: [StoredValue] = []
        let inner = "SELECT 1 FROM \(model.sqlName)" + suffix(model, isLimited: true, &parameters)
        return try context.reading { (reader) throws in
            let connection = try reader.reading().connection
            let statement = try statement("SELECT count(*) FROM (\(inner))", of: model, on: connection)
            statement.bind(parameters)
            guard try statement.step() else { return 0 }
            defer { statement.reset() }
            return Int(statement.integer(0))
        }
    }

    private func statement(_ sql: String, of model: ModelSchema, on connection: Connection) throws -> RawStatement {
        if condition?.comparesDecimals(model) == true || orders.contains(where: { model.isDecimal($0.property) }) {
            try DecimalCollation.register(on: connection)
        }
        return try connection.statement(sql)
    }

    /// The end of the statement, whose parameters are appended.
    private func suffix(_ model: ModelSchema, isLimited: Bool, _ parameters: inout [StoredValue]) -> String {
        let conditions = [isOfModel(model), condition].compactMap { $0?.sql(model, &parameters) }
        var sql = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        let orders = orders.flatMap { order in
            model.orderTerms(order.property).map { $0 + (order.direction == .descending ? " DESC" : "") }
        }
        sql += " ORDER BY " + (orders + ["_id"]).joined(separator: ", ")
        if isLimited, limit != nil || offset > 0 {
            parameters += [.integer(Int64(limit ?? -1)), .integer(Int64(offset))]
            sql += " LIMIT ? OFFSET ?"
        }
        return sql
    }

    /// Which of the rows are the model's, when it shares the table with others that it inherits from.
    private func isOfModel(_ model: ModelSchema) -> Condition? {
        guard !model.submodel.isRoot, let family = model.family else { return nil }
        return .isAmong(property: family.discriminator, family.values(of: model.submodel))
    }

    // MARK: Unsaved objects

    /// The file's rows, with what the context's unsaved objects change about them.
    private func withUnsavedObjects(of model: ModelSchema) throws(StoreError) -> [M] {
        let unsaved = context.unsavedObjects.compactMap { context.current($0) as? M }
        let edited = Set(unsaved.map { ObjectIdentifier($0) })
        var objects = try rows(of: model, isLimited: false).filter { !edited.contains(ObjectIdentifier($0)) }
        objects += unsaved.filter { !$0.isDeleted && condition?.holds(for: $0._object) != false }
        let rest = objects.sorted { precedes($0._object, $1._object) }.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }

    private func precedes(_ left: ObjectState, _ right: ObjectState) -> Bool {
        for order in orders {
            let result = left.model.order(
                left.stored(order.property), right.stored(order.property), by: order.property)
            if result != 0 { return (result < 0) == (order.direction == .ascending) }
        }
        return left.localID < right.localID
    }
}

// MARK: - By identity

extension ObjectContext {
    /// The object of an identity, live in this context; `nil` when there is none, in the file or among the objects that
    /// were made here and are not saved.
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
        let model = try model(of: type)
        catchUp()
        var values: [StoredValue] = []
        for part in repeat each identity { values.append(part.identityPart) }
        guard values.count == model.identity.count else {
            throw .wrongIdentity(
                model: model.modelName, parts: model.identity.map { model[$0].name }, given: values.count)
        }
        if let stored = try storedObject(type, of: model, values), !stored.isDeleted { return stored }
        return unsaved.first { object in
            let state = object._object
            return state.isInserted && !state.isDeleted && state.model.table == model.table
                && model.identity.map(state.stored) == values
        } as? M
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
    fileprivate func objects<M: Model>(
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

    /// The object of the row that a statement stands on.
    fileprivate func object<M: Model>(_ type: M.Type, of model: ModelSchema, from statement: RawStatement) -> M? {
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
    fileprivate func current(_ object: any Model) -> any Model {
        let state = object._object
        guard state.model.family != nil else { return object }
        return liveObject(state.record) ?? object
    }
}

extension IdentityMap {
    /// The live object of a row in a table with one model.
    ///
    /// The map of such a table holds instances of that class only, and the caller found the table by `M`.
    fileprivate func object<M: Model>(_ row: RowID) -> M? {
        self[row].map { unsafe unsafeDowncast($0, to: M.self) }
    }
}

extension RawStatement {
    fileprivate func bind(_ values: [StoredValue]) {
        for (n, value) in values.enumerated() { bind(value, at: Int32(n + 1)) }
    }
}
