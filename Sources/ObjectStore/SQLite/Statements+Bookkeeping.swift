// The links that wait for their target, and how the server last wrote each attribute: the tables of
// `Schema.bookkeepingStatements`.

/// A link to an identity that no row has yet.
struct PendingLink {
    /// The row whose relationship it is.
    let source: RecordID
    let property: PropertyIndex
    /// The table that is to have the target.
    let target: TableID
    /// What the target is known by, made of its identity.
    let key: String
    /// The target's position in a list; `nil` for a link.
    let position: Int?
}

extension Statements {
    // MARK: Pending links

    /// The tables that have rows with pending links, and those that are to have their targets.
    func tablesOfPendingLinks() throws(SQLiteFailure) -> (sources: Set<TableID>, targets: Set<TableID>) {
        var tables: (sources: Set<TableID>, targets: Set<TableID>) = ([], [])
        let read = try statement(.pendingTables)
        while try read.step() {
            if let source = table(named: read.text(0)) { tables.sources.insert(source) }
            if let target = table(named: read.text(1)) { tables.targets.insert(target) }
        }
        return tables
    }

    func insert(_ link: PendingLink) throws(SQLiteFailure) {
        let insert = try statement(.insertPending)
        bind(link.source, link.property, to: insert)
        insert.bind(.text(schema[link.target].tableName), at: 4)
        insert.bind(.text(link.key), at: 5)
        insert.bind(link.position.map { StoredValue.integer(Int64($0)) } ?? .null, at: 6)
        try insert.run()
    }

    /// The links that wait for a row of that key.
    func pendingLinks(to target: TableID, key: String) throws(SQLiteFailure) -> [PendingLink] {
        let read = try statement(.pendingTo)
        read.bind(.text(schema[target].tableName), at: 1)
        read.bind(.text(key), at: 2)
        var links: [PendingLink] = []
        while try read.step() {
            guard let table = table(named: read.text(0)),
                let property = schema[table].property(named: read.text(2))
            else { continue }
            links.append(
                PendingLink(
                    source: RecordID(table: table, row: read.row(1)), property: property.index, target: target,
                    key: key, position: read.isNull(3) ? nil : Int(clamping: read.integer(3))))
        }
        return links
    }

    func deletePendingLinks(to target: TableID, key: String) throws(SQLiteFailure) {
        let delete = try statement(.deletePendingTo)
        delete.bind(.text(schema[target].tableName), at: 1)
        delete.bind(.text(key), at: 2)
        try delete.run()
    }

    func deletePendingLinks(of source: RecordID) throws(SQLiteFailure) {
        let delete = try statement(.deletePendingOf)
        bind(source, to: delete)
        try delete.run()
    }

    func deletePendingLinks(of source: RecordID, by property: PropertyIndex) throws(SQLiteFailure) {
        let delete = try statement(.deletePendingBy)
        bind(source, property, to: delete)
        try delete.run()
    }

    /// The survivor has the pending links of the duplicate, but for those that it has itself.
    func movePendingLinks(of duplicate: RecordID, to survivor: RowID) throws(SQLiteFailure) {
        let move = try statement(.movePending)
        bind(duplicate, to: move)
        move.bind(survivor, at: 3)
        try move.run()
    }

    private func bind(_ source: RecordID, _ property: PropertyIndex? = nil, to statement: RawStatement) {
        let model = schema[source.table]
        statement.bind(.text(model.tableName), at: 1)
        statement.bind(source.row, at: 2)
        if let property { statement.bind(.text(model[property].name), at: 3) }
    }

    private func table(named name: String) -> TableID? { schema.roots.first { $0.tableName == name }?.table }

    // MARK: Wire shapes

    /// How the server last wrote each attribute that it has written.
    func wireShapes() throws(SQLiteFailure) -> [LearnedShape] {
        let read = try statement(.shapes)
        var shapes: [LearnedShape] = []
        while try read.step() {
            guard let table = table(named: read.text(0)), let property = schema[table].property(named: read.text(1))
            else { continue }
            let shape = WireShape(bits: UInt32(truncatingIfNeeded: read.integer(2)))
            shapes.append(LearnedShape(table: table, property: property.index, shape: shape))
        }
        return shapes
    }

    func write(_ learned: LearnedShape) throws(SQLiteFailure) {
        let model = schema[learned.table]
        let write = try statement(.setShape)
        write.bind(.text(model.tableName), at: 1)
        write.bind(.text(model[learned.property].name), at: 2)
        write.bind(Int64(learned.shape.bits), at: 3)
        try write.run()
    }

    // MARK: SQL

    enum BookkeepingPurpose: Int, CaseIterable {
        case pendingTables, pendingTo, insertPending, deletePendingTo, deletePendingOf, deletePendingBy, movePending
        case shapes, setShape

        fileprivate var sql: String {
            switch self {
            case .pendingTables: "SELECT DISTINCT source, target FROM _pending_link"
            case .pendingTo:
                """
                SELECT source, source_id, relationship, position FROM _pending_link \
                WHERE target = ? AND target_identity = ? ORDER BY source, source_id, relationship, position
                """
            case .insertPending:
                """
                INSERT OR REPLACE INTO _pending_link \
                (source, source_id, relationship, target, target_identity, position) VALUES (?, ?, ?, ?, ?, ?)
                """
            case .deletePendingTo: "DELETE FROM _pending_link WHERE target = ? AND target_identity = ?"
            case .deletePendingOf: "DELETE FROM _pending_link WHERE source = ? AND source_id = ?"
            case .deletePendingBy: "DELETE FROM _pending_link WHERE source = ? AND source_id = ? AND relationship = ?"
            case .movePending:
                "UPDATE OR IGNORE _pending_link SET source_id = ?3 WHERE source = ?1 AND source_id = ?2"
            case .shapes: "SELECT model, property, shape FROM _wire_shape"
            case .setShape: "INSERT OR REPLACE INTO _wire_shape (model, property, shape) VALUES (?, ?, ?)"
            }
        }
    }

    private func statement(_ purpose: BookkeepingPurpose) throws(SQLiteFailure) -> RawStatement {
        if let known = bookkeeping[purpose.rawValue] { return known }
        let statement = try RawStatement(connection, purpose.sql)
        bookkeeping[purpose.rawValue] = statement
        return statement
    }
}

/// How the server last wrote a property's value.
struct LearnedShape: Sendable {
    let table: TableID
    let property: PropertyIndex
    let shape: WireShape
}
