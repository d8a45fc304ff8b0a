/// A context's unsaved rows and edited lists in temporary tables. Statements on several tables read them instead of the
/// file's rows.
///
/// They show the context's view: an edit of one side of a link changes both, and deleted objects are marked. They are
/// refilled for each query, in time linear in the unsaved objects.
struct UnsavedRows {
    private var tables: [TableID: Table] = [:]
    private var joins: [String: Memberships] = [:]
    /// Keeps the objects alive until the query is done.
    private var objects: [any Model] = []

    subscript(table: TableID) -> Table? { tables[table] }

    /// - Parameter join: the join table's quoted name.
    func memberships(in join: String) -> Memberships? { joins[join] }

    struct Table {
        /// The table has the model's columns, and `_model`: the index of the row's submodel, or NULL for a deleted
        /// object.
        let name: String
        /// A SELECT of the deleted rows; `nil` if all rows exist.
        var goneRows: String?

        /// The unsaved rows of one model, and the file's rows that they don't replace.
        ///
        /// - Parameters:
        ///   - isOfModel: the condition for the model's rows in the file.
        ///   - condition: a condition on column names without an alias.
        func rows(of model: ModelSchema, _ isOfModel: String?, where condition: String?) -> String {
            let columns = (["_id"] + model.columns.map(\.sqlName)).joined(separator: ", ")
            let also = condition.map { " AND \($0)" } ?? ""
            let isModel = model.submodel.isRoot ? "_model IS NOT NULL" : "_model = \(model.submodel.rawValue)"
            return """
                (SELECT \(columns) FROM \(model.sqlName) AS _file WHERE _id NOT IN (SELECT _id FROM \(name))\
                \(isOfModel.map { " AND \($0)" } ?? "")\(also) \
                UNION ALL SELECT \(columns) FROM \(name) AS _unsaved WHERE \(isModel)\(also))
                """
        }
    }

    struct Memberships {
        let join: String
        /// The tables of edited pairs, and of the owners of edited lists. `side` is 0 for sources and 1 for targets.
        let pairs: String
        let owners: String

        /// An owner's edited list, or else the file's pairs with edits of the other side.
        func members(by side: JoinSide, of owner: String) -> String {
            let own = side.owner == "source_id" ? 0 : 1
            return """
                (SELECT \(side.member) FROM \(join) AS _file WHERE \(side.owner) = \(owner) \
                AND \(side.owner) NOT IN (SELECT id FROM \(owners) WHERE side = \(own)) \
                AND \(side.member) NOT IN (SELECT id FROM \(owners) WHERE side = \(1 - own)) \
                UNION ALL SELECT \(side.member) FROM \(pairs) AS _unsaved WHERE \(side.owner) = \(owner) \
                AND (side = \(own) OR \(side.owner) NOT IN (SELECT id FROM \(owners) WHERE side = \(own))))
                """
        }
    }
}

// MARK: - Filling

extension ObjectContext {
    /// `nil` if all rows to read are saved.
    func unsavedRows(of read: TablesRead) throws(StoreError) -> UnsavedRows? {
        let tables = read.tables.union(read.targets)
        guard !unsaved.isEmpty || base != nil, tables.contains(where: hasUnsavedRows) else { return nil }
        return try reading { (reader) throws in
            let statements = try reader.reading()
            var rows = UnsavedRows()
            for table in tables.sorted() where schema.contains(table) {
                try rows.fill(schema[table], with: unsavedObjects(of: table, statements), statements)
            }
            for (_, join) in read.joins.sorted(by: { $0.key < $1.key }) {
                try rows.fill(join, of: self, statements.connection)
            }
            return rows
        }
    }

    private func hasUnsavedRows(_ table: TableID) -> Bool {
        guard schema.contains(table) else { return false }
        if unsaved.count(in: table) > 0 || base?.parent.hasUnsavedRows(table) == true { return true }
        return partners(of: table).contains { unsaved.count(in: $0.target) > 0 }
    }

    /// Whether a condition compares a one-to-one link that an unsaved edit of the inverse may change.
    func asksForPartner(_ condition: Condition?, _ model: ModelSchema) -> Bool {
        guard let condition, !unsaved.isEmpty else { return false }
        let partners = partners(of: model.table)
        guard !partners.isEmpty else { return false }
        return condition.ownProperties.contains { property in
            let index = model.index(of: property)
            return partners.contains { $0.column.property == index }
        }
    }

    private func partners(of table: TableID) -> [(column: Column, target: TableID, inverse: PropertyIndex)] {
        schema[table].columns.compactMap { column in
            guard let link = schema[table].linkEnds(of: column.property), let inverse = link.inverse,
                schema.contains(link.target), schema[link.target].linkEnds(of: inverse) != nil
            else { return nil }
            return (column, link.target, inverse)
        }
    }

    /// The unsaved objects, and those on both ends of edited inverse links.
    private func unsavedObjects(of table: TableID, _ statements: Statements) throws -> [any Model] {
        var objects = unsaved.objects(in: table)
        var known = Set(objects.map { $0._object.current.localID })
        for (column, target, inverse) in partners(of: table) where unsaved.count(in: target) > 0 {
            for partner in unsaved.objects(in: target).map({ $0._object.current }) {
                guard let edit = partner.edits[inverse] else { continue }
                let rows = try statements[table].rows(referencing: partner.localID, by: column)
                for row in rows + [edit.value.row].compactMap(\.self) where known.insert(row).inserted {
                    if let object = object(for: RecordID(table: table, row: row)) { objects.append(object) }
                }
            }
        }
        return objects
    }
}

extension ObjectContext {
    /// The edited lists, including those of a draft's parent, since a draft has no copies of them.
    fileprivate func editedMembers(in join: JoinTable) -> [(side: Int64, owner: RowID, members: [RowID])] {
        var known: Set<ListOwner> = []
        return sequence(first: self, next: { $0.base?.parent }).flatMap { $0.editedLists(of: join) }.compactMap {
            list in
            guard let own = object(for: list.owner.record)?._object.current, !own.isDeleted,
                known.insert(ListOwner(list.owner.property, of: own.record)).inserted
            else { return nil }
            return (list.isReversed ? 1 : 0, own.localID, members(of: own, list.owner.property))
        }
    }

    private func editedLists(of join: JoinTable) -> [(owner: ListOwner, isReversed: Bool)] {
        var edited: [(owner: ListOwner, isReversed: Bool)] = []
        for table in Set([join.source, join.target]).sorted() {
            for state in unsaved.objects(in: table).map({ $0._object.current }) where !state.isDeleted {
                for (property, list) in state.lists where list.isEdited && !state.isRolledBack {
                    guard case .join(let other, let isReversed) = state.model[property].list?.storage,
                        other.name == join.name
                    else { continue }
                    edited.append((ListOwner(property, of: state.record), isReversed))
                }
            }
        }
        return edited
    }
}

extension UnsavedRows {
    fileprivate mutating func fill(
        _ model: ModelSchema, with objects: [any Model], _ statements: Statements
    ) throws {
        guard !objects.isEmpty else { return }
        let connection = statements.connection
        let name = "temp.\(SQL.quoted("_unsaved_" + model.tableName))"
        let columns = model.columns.map { "\($0.sqlName) \($0.type.rawValue)" }
        let definition = (["_id INTEGER PRIMARY KEY", "_model INTEGER"] + columns).joined(separator: ", ")
        try connection.statement("CREATE TABLE IF NOT EXISTS \(name) (\(definition))").run()
        try connection.statement("DELETE FROM \(name)").run()
        let values = (0..<columns.count + 2).map { _ in "?" }.joined(separator: ", ")
        let insertion = try connection.statement("INSERT OR REPLACE INTO \(name) VALUES (\(values))")
        var hasGone = false
        for state in objects.map({ $0._object.current }) {
            insertion.bind(state.localID, at: 1)
            hasGone = hasGone || state.isDeleted
            let submodel = StoredValue.integer(Int64(state.model.submodel.rawValue))
            insertion.bind(state.isDeleted ? StoredValue.null : submodel, at: 2)
            for (place, column) in model.columns.enumerated() {
                insertion.bind(state.isDeleted ? StoredValue.null : state.seen(column.property), at: Int32(place + 3))
            }
            try insertion.run()
        }
        tables[model.table] = Table(
            name: name, goneRows: hasGone ? "SELECT _id FROM \(name) WHERE _model IS NULL" : nil)
        self.objects += objects
    }

    fileprivate mutating func fill(_ join: JoinTable, of context: ObjectContext, _ connection: Connection) throws {
        let edited = context.editedMembers(in: join)
        guard !edited.isEmpty else { return }
        let pairs = "temp.\(SQL.quoted("_unsaved_" + join.name))"
        let owners = "temp.\(SQL.quoted("_edited_" + join.name))"
        try connection.statement(
            """
            CREATE TABLE IF NOT EXISTS \(pairs) (
                side INTEGER, source_id INTEGER, target_id INTEGER,
                PRIMARY KEY (side, source_id, target_id)) WITHOUT ROWID
            """
        ).run()
        try connection.statement(
            "CREATE TABLE IF NOT EXISTS \(owners) (side INTEGER, id INTEGER, PRIMARY KEY (side, id)) WITHOUT ROWID"
        ).run()
        try connection.statement("DELETE FROM \(pairs)").run()
        try connection.statement("DELETE FROM \(owners)").run()
        let owner = try connection.statement("INSERT OR IGNORE INTO \(owners) VALUES (?, ?)")
        let pair = try connection.statement("INSERT OR IGNORE INTO \(pairs) VALUES (?, ?, ?)")
        for list in edited {
            owner.bind(list.side, at: 1)
            owner.bind(list.owner, at: 2)
            try owner.run()
            for member in list.members {
                pair.bind(list.side, at: 1)
                pair.bind(list.side == 0 ? list.owner : member, at: 2)
                pair.bind(list.side == 0 ? member : list.owner, at: 3)
                try pair.run()
            }
        }
        let table = SQL.quoted(join.name)
        joins[table] = Memberships(join: table, pairs: pairs, owners: owners)
    }
}

extension ObjectState {
    /// The value in the context's view. A link is nil if its target is deleted or has another partner.
    fileprivate func seen(_ property: PropertyIndex) -> StoredValue {
        guard let link = model.linkEnds(of: property) else { return stored(property) }
        guard let row = seenRow(property) else { return .null }
        guard let target = context?.liveObject(RecordID(table: link.target, row: row)) else {
            return isLost(row, at: property) ? .null : StoredValue(row)
        }
        return target._object.isDeleted || !isKept(property, by: target._object)
            ? .null : StoredValue(target._object.localID)
    }

    /// Whether an edited link references a deleted object. Links in the file always reference rows.
    func isLost(_ row: RowID, at property: PropertyIndex) -> Bool {
        guard let context, edits[property] != nil, let link = model.linkEnds(of: property) else { return false }
        return context.object(for: RecordID(table: link.target, row: row)) == nil
    }
}
