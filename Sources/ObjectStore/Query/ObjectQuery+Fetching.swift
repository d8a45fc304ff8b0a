extension ObjectQuery {
    /// The objects, live in the context.
    ///
    /// - Throws: ``StoreError`` when the file can't be read.
    /// - Complexity: one statement; a row that is live already is not copied again.
    public func fetch() throws(StoreError) -> [M] {
        let table = try context.table(of: M.self)
        var query = self
        query.condition = condition?.seen(by: context, table)
        guard context.hasUnsavedObjects(of: table) else { return try query.rows(table, isLimited: true) }
        return try query.withUnsavedObjects(table)
    }

    /// The first object; `nil` where there is none.
    public func first() throws(StoreError) -> M? { try limit(min(1, limit ?? 1), offset: offset).fetch().first }

    /// How many objects there are.
    public func count() throws(StoreError) -> Int {
        let table = try context.table(of: M.self)
        guard !context.hasUnsavedObjects(of: table) else { return try fetch().count }
        var query = self
        query.condition = condition?.seen(by: context, table)
        return try query.countRows(table)
    }

    private func countRows(_ table: ModelSchema) throws(StoreError) -> Int {
        var parameters: [StoredValue] = []
        let inner = "SELECT 1 FROM \(SQL.quoted(table.name))" + suffix(table, isLimited: true, &parameters)
        return try context.reading { (reader) throws in
            let statement = try statement("SELECT count(*) FROM (\(inner))", table, reader)
            for (n, value) in parameters.enumerated() { statement.bind(value, at: Int32(n + 1)) }
            guard try statement.step() else { return 0 }
            defer { statement.reset() }
            return Int(statement.integer(0))
        }
    }

    /// The objects of the file's rows.
    private func rows(_ table: ModelSchema, isLimited: Bool) throws(StoreError) -> [M] {
        var parameters: [StoredValue] = []
        let sql = SQL.selectRows(table) + suffix(table, isLimited: isLimited, &parameters)
        return try context.reading { (reader) throws in
            let statement = try statement(sql, table, reader)
            for (n, value) in parameters.enumerated() { statement.bind(value, at: Int32(n + 1)) }
            return try context.objects(M.self, table, of: statement)
        }
    }

    private func statement(_ sql: String, _ table: ModelSchema, _ reader: Reader) throws -> RawStatement {
        let connection = try reader.reading()
        if condition?.comparesDecimals(table) == true || orders.contains(where: { table.isDecimal($0.property) }) {
            try DecimalCollation.register(on: connection)
        }
        return try connection.statement(sql)
    }

    private func suffix(_ table: ModelSchema, isLimited: Bool, _ parameters: inout [StoredValue]) -> String {
        let conditions = [modelCondition(table, &parameters), condition?.sql(table, &parameters)].compactMap(\.self)
        var sql = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        let orders = orders.flatMap { order in
            table.orderTerms(order.property).map { $0 + (order.direction == .descending ? " DESC" : "") }
        }
        sql += " ORDER BY " + (orders + ["_id"]).joined(separator: ", ")
        if isLimited, limit != nil || offset > 0 {
            parameters += [.integer(Int64(limit ?? -1)), .integer(Int64(offset))]
            sql += " LIMIT ? OFFSET ?"
        }
        return sql
    }

    /// Which of the rows are the model's, where it shares the table with others that it inherits from.
    private func modelCondition(_ table: ModelSchema, _ parameters: inout [StoredValue]) -> String? {
        guard table.number > 0, let family = table.family else { return nil }
        return Condition.isAmong(property: family.discriminator, family.values[table.number]).sql(table, &parameters)
    }

    /// The file's rows, with what the context's unsaved objects change about them.
    private func withUnsavedObjects(_ table: ModelSchema) throws(StoreError) -> [M] {
        let unsaved = context.unsavedObjects.compactMap { context.current($0) as? M }
        let edited = Set(unsaved.map { ObjectIdentifier($0) })
        var objects = try rows(table, isLimited: false).filter { !edited.contains(ObjectIdentifier($0)) }
        objects += unsaved.filter { !$0.isDeleted && condition?.holds(for: $0._object) != false }
        let places = objects.sorted { precedes($0._object, $1._object) }
        let rest = places.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }

    private func precedes(_ left: ObjectState, _ right: ObjectState) -> Bool {
        for order in orders {
            let result = left.table.order(
                left.stored(order.property), right.stored(order.property), by: order.property)
            if result != 0 { return (result < 0) == (order.direction == .ascending) }
        }
        return left.localID < right.localID
    }
}

extension ObjectContext {
    func hasUnsavedObjects(of table: ModelSchema) -> Bool {
        unsaved.containsOne(of: table.index)
    }

    /// The objects of the rows that a statement gives, whose first column is the local key.
    func objects<M: Model>(_ type: M.Type, _ table: ModelSchema, of statement: RawStatement) throws -> [M] {
        if table.family != nil { return try familyObjects(table, of: statement) }
        var objects: [M] = []
        var new: [(id: Int64, object: M)] = []
        while try statement.step() {
            let id = statement.integer(0)
            if let live: M = liveObject(table, id) {
                objects.append(live)
            } else {
                let object = makeObject(type, table, id, statement)
                objects.append(object)
                new.append((id, object))
            }
        }
        maps[table.index].reserve(new.count)
        for (id, object) in new { maps[table.index].insert(object, for: id) }
        return objects
    }

    /// The object of the row that a statement stands on.
    func object<M: Model>(_ type: M.Type, _ table: ModelSchema, of statement: RawStatement) -> M? {
        let id = statement.integer(0)
        if table.family != nil { return object(table.index, id, of: statement) as? M }
        if let live: M = liveObject(table, id) { return live }
        let object = makeObject(type, table, id, statement)
        maps[table.index].insert(object, for: id)
        return object
    }

    /// The same in a table with several models. A row that is none of `M`'s is left out.
    private func familyObjects<M: Model>(_ table: ModelSchema, of statement: RawStatement) throws -> [M] {
        var objects: [M] = []
        while try statement.step() {
            if let object = object(table.index, statement.integer(0), of: statement) as? M { objects.append(object) }
        }
        return objects
    }

    /// The object of an unsaved one's row: another one where the row has become another model's.
    fileprivate func current(_ object: any Model) -> any Model {
        let state = object._object
        guard state.table.family != nil else { return object }
        return liveObject(state.table.index, state.localID) ?? object
    }

    private func liveObject<M: Model>(_ table: ModelSchema, _ id: Int64) -> M? {
        guard let live = maps[table.index][id] else { return nil }
        // The map of a table with one model holds instances of that class only, and the caller found the table by `M`.
        return unsafe unsafeDowncast(live, to: M.self)
    }

    private func makeObject<M: Model>(_ type: M.Type, _ table: ModelSchema, _ id: Int64, _ statement: RawStatement) -> M
    {
        let snapshot = Snapshot.row(of: statement, from: 1, slots: table.slots, count: table.properties.count)
        return M(_object: ObjectState(table: table, localID: id, snapshot: snapshot, context: self))
    }
}
