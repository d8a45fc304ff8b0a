// The tables of `Schema.bookkeepingStatements`, except those with a file of their own.

/// A link to an object without a row. It is set when the row is inserted.
struct PendingLink {
    let source: RecordID
    let property: PropertyIndex
    let target: TableID
    /// The target's identity as text.
    let key: String
    /// The position in a list. For a link `nil`, or ``formerPosition`` if it was cleared.
    let position: Int?

    /// A link that was cleared because a fetched list omits its row. The row's URL still uses the former target, until
    /// the server reports another.
    static let formerPosition = -1
}

extension Statements {
    // MARK: Pending links

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

    /// The links to set when a row with this key is inserted.
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

    /// By position, without a former link.
    func pendingLinks(of source: RecordID, by property: PropertyIndex) throws(SQLiteFailure) -> [PendingLink] {
        guard let target = schema[source.table][property].target else { return [] }
        let read = try statement(.pendingBy)
        bind(source, property, to: read)
        var links: [PendingLink] = []
        while try read.step() {
            links.append(
                PendingLink(
                    source: source, property: property, target: target, key: read.text(0),
                    position: read.isNull(1) ? nil : Int(clamping: read.integer(1))))
        }
        return links
    }

    /// See ``PendingLink/formerPosition``.
    func formerKey(of source: RecordID, by link: PropertyIndex) throws(SQLiteFailure) -> String? {
        let read = try statement(.formerBy)
        bind(source, link, to: read)
        defer { read.reset() }
        return try read.step() ? read.text(0) : nil
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

    /// - Returns: whether the relationship had pending links.
    @discardableResult
    func deletePendingLinks(of source: RecordID, by property: PropertyIndex) throws(SQLiteFailure) -> Bool {
        let delete = try statement(.deletePendingBy)
        bind(source, property, to: delete)
        try delete.run()
        return connection.changes > 0
    }

    func deletePendingLink(of source: RecordID, by property: PropertyIndex, key: String) throws(SQLiteFailure) {
        let delete = try statement(.deletePendingOne)
        bind(source, property, to: delete)
        delete.bind(.text(key), at: 4)
        try delete.run()
    }

    func pendingPositions(of source: RecordID, by property: PropertyIndex) throws(SQLiteFailure) -> [Int] {
        let read = try statement(.pendingPositions)
        bind(source, property, to: read)
        return try read.rows().map { Int(clamping: $0.rawValue) }
    }

    /// Moves the links that the survivor lacks.
    func movePendingLinks(of duplicate: RecordID, to survivor: RowID) throws(SQLiteFailure) {
        let move = try statement(.movePending)
        bind(duplicate, to: move)
        move.bind(survivor, at: 3)
        try move.run()
    }

    // MARK: Paged lists

    func tablesOfPagedLists() throws(SQLiteFailure) -> Set<TableID> {
        try tables(named: statement(.pagedTables))
    }

    func tablesOfRepeatedMembers() throws(SQLiteFailure) -> Set<TableID> {
        try tables(named: statement(.repeatingTables))
    }

    private func tables(named read: RawStatement) throws(SQLiteFailure) -> Set<TableID> {
        var tables: Set<TableID> = []
        while try read.step() {
            if let table = table(named: read.text(0)) { tables.insert(table) }
        }
        return tables
    }

    /// Whether the list was never fetched, or only some of its pages were.
    func isPartial(_ owner: ListOwner) throws(SQLiteFailure) -> Bool {
        if try self[owner.record.table].isUnloaded(owner.property, of: owner.record.row) { return true }
        return try hasPart(owner)
    }

    /// Whether no part of the list was fetched.
    func isUnloaded(_ owner: ListOwner) throws(SQLiteFailure) -> Bool {
        guard try self[owner.record.table].isUnloaded(owner.property, of: owner.record.row) else { return false }
        return try !hasPart(owner)
    }

    func hasPart(_ owner: ListOwner) throws(SQLiteFailure) -> Bool {
        let read = try statement(.isPartial)
        bind(owner.record, owner.property, to: read)
        defer { read.reset() }
        return try read.step()
    }

    /// - Parameter isNew: whether the part has new members. If `false`, a whole list stays whole.
    func notePart(of owner: ListOwner, isNew: Bool) throws(SQLiteFailure) {
        let write = try statement(isNew ? .setPartial : .addPartial)
        bind(owner.record, owner.property, to: write)
        try write.run()
    }

    /// For a list that was fetched in parts.
    func noteWhole(_ owner: ListOwner) throws(SQLiteFailure) {
        let write = try statement(.setWhole)
        bind(owner.record, owner.property, to: write)
        try write.run()
    }

    func repeatsMember(_ owner: ListOwner) throws(SQLiteFailure) -> Bool {
        let read = try statement(.repeatsMember)
        bind(owner.record, owner.property, to: read)
        defer { read.reset() }
        return try read.step()
    }

    /// A partial list stays partial.
    func noteRepetition(_ isRepeated: Bool, of owner: ListOwner) throws(SQLiteFailure) {
        let write = try statement(isRepeated ? .setRepeating : .endRepeating)
        bind(owner.record, owner.property, to: write)
        try write.run()
    }

    func forgetParts(of source: RecordID) throws(SQLiteFailure) {
        let delete = try statement(.deleteParts)
        bind(source, to: delete)
        try delete.run()
    }

    /// If either row's list is partial, the survivor's is.
    func moveParts(of duplicate: RecordID, to survivor: RowID) throws(SQLiteFailure) {
        let move = try statement(.moveParts)
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

    func spellings() throws(SQLiteFailure) -> [LearnedSpelling] {
        let read = try statement(.spellings)
        var spellings: [LearnedSpelling] = []
        while try read.step() {
            guard let table = table(named: read.text(0)), let property = schema[table].property(named: read.text(1))
            else { continue }
            spellings.append(LearnedSpelling(table: table, property: property.index, key: read.text(2)))
        }
        return spellings
    }

    func write(_ learned: LearnedSpelling) throws(SQLiteFailure) {
        let model = schema[learned.table]
        let write = try statement(learned.key == nil ? .removeSpelling : .setSpelling)
        write.bind(.text(model.tableName), at: 1)
        write.bind(.text(model[learned.property].name), at: 2)
        if let key = learned.key { write.bind(.text(key), at: 3) }
        try write.run()
    }

    // MARK: Texts of values

    func tablesOfTexts() throws(SQLiteFailure) -> Set<TableID> {
        let read = try statement(.textTables)
        var tables: Set<TableID> = []
        while try read.step() {
            if let table = table(named: read.text(0)) { tables.insert(table) }
        }
        return tables
    }

    /// A text may be out of date: compare it with the value before use.
    func texts(of source: RecordID) throws(SQLiteFailure) -> [PropertyIndex: String] {
        let read = try statement(.texts)
        bind(source, to: read)
        var texts: [PropertyIndex: String] = [:]
        while try read.step() {
            guard let property = schema[source.table].property(named: read.text(0)) else { continue }
            texts[property.index] = read.text(1)
        }
        return texts
    }

    func text(of property: PropertyIndex, in source: RecordID) throws(SQLiteFailure) -> String? {
        let read = try statement(.text)
        bind(source, property, to: read)
        guard try read.step() else { return nil }
        defer { read.reset() }
        return read.text(0)
    }

    func write(_ text: String, of property: PropertyIndex, in source: RecordID) throws(SQLiteFailure) {
        let write = try statement(.setText)
        bind(source, property, to: write)
        write.bind(.text(text), at: 4)
        try write.run()
    }

    /// Stores the day (`"2026-01-31"`) of each row's value as its JSON text.
    func writeDays(of column: Column, in model: ModelSchema) throws(SQLiteFailure) {
        let day = "strftime('%Y-%m-%d', \(column.sqlName), 'unixepoch')"
        let write = try connection.statement(
            """
            INSERT OR REPLACE INTO _wire_text (model, row, property, text) \
            SELECT ?, _id, ?, '"' || \(day) || '"' FROM \(model.sqlName) WHERE \(day) IS NOT NULL
            """)
        write.bind(.text(model.tableName), at: 1)
        write.bind(.text(model[column.property].name), at: 2)
        try write.run()
    }

    func forgetText(of property: PropertyIndex, in source: RecordID) throws(SQLiteFailure) {
        let delete = try statement(.deleteText)
        bind(source, property, to: delete)
        try delete.run()
    }

    func forgetTexts(of source: RecordID) throws(SQLiteFailure) {
        let delete = try statement(.deleteTexts)
        bind(source, to: delete)
        try delete.run()
    }

    /// Moves the texts that the survivor lacks.
    func moveTexts(of duplicate: RecordID, to survivor: RowID) throws(SQLiteFailure) {
        let move = try statement(.moveTexts)
        bind(duplicate, to: move)
        move.bind(survivor, at: 3)
        try move.run()
        try forgetTexts(of: duplicate)
    }

    // MARK: Deleted rows

    /// By table: the largest row id, if that row was deleted.
    func lastDeletedRows() throws(SQLiteFailure) -> [TableID: RowID] {
        let read = try statement(.lastDeleted)
        var last: [TableID: RowID] = [:]
        while try read.step() { if let table = table(named: read.text(0)) { last[table] = read.row(1) } }
        return last
    }

    func noteLastDeleted(_ record: RecordID) throws(SQLiteFailure) {
        let write = try statement(.setLastDeleted)
        write.bind(.text(schema[record.table].tableName), at: 1)
        write.bind(record.row, at: 2)
        try write.run()
    }

    // MARK: Edited memberships

    func pairs() throws(SQLiteFailure) -> PairLog {
        var log = PairLog()
        let read = try statement(.pairs)
        while try read.step() {
            let (pair, edit) = Self.pair(of: read)
            log[pair] = edit
        }
        return log
    }

    func pairs(of list: List, owner: RowID) throws(SQLiteFailure) -> [RowID: PairEdit] {
        guard case .join(let join, let isReversed) = list.storage else { return [:] }
        let read = try statement(isReversed ? .pairsOfTarget : .pairsOfSource)
        read.bind(.text(join.name), at: 1)
        read.bind(owner, at: 2)
        var found: [RowID: PairEdit] = [:]
        while try read.step() {
            let (pair, edit) = Self.pair(of: read)
            found[isReversed ? pair.source : pair.target] = edit
        }
        return found
    }

    private static func pair(of read: RawStatement) -> (Pair, PairEdit) {
        let pair = Pair(join: read.text(0), source: read.row(1), target: read.row(2))
        let edit = PairEdit(
            isMember: read.integer(3) != 0, base: read.isNull(4) ? nil : read.integer(4) != 0,
            stamp: .seen(read.integer(5)), sides: PairEdit.Sides(rawValue: read.integer(6)))
        return (pair, edit)
    }

    /// - Parameter edit: `nil` deletes the pending edit.
    func set(_ edit: PairEdit?, of pair: Pair) throws(SQLiteFailure) {
        let write = try statement(edit == nil ? .deletePair : .setPair)
        write.bind(.text(pair.join), at: 1)
        write.bind(pair.source, at: 2)
        write.bind(pair.target, at: 3)
        if let edit {
            write.bind(Int64(edit.isMember ? 1 : 0), at: 4)
            write.bind(edit.base.map { StoredValue.integer(Int64($0 ? 1 : 0)) } ?? .null, at: 5)
            write.bind(edit.stamp.rawValue, at: 6)
            write.bind(edit.sides.rawValue, at: 7)
        }
        try write.run()
    }

    // MARK: SQL

    enum BookkeepingPurpose: Int, CaseIterable {
        case pendingTables, pendingTo, insertPending, deletePendingTo, deletePendingOf, deletePendingBy, movePending
        case pagedTables, isPartial, setPartial, addPartial, setWhole, deleteParts, moveParts
        case repeatingTables, repeatsMember, setRepeating, endRepeating
        case pendingPositions, pendingBy, formerBy, deletePendingOne, shapes, setShape, spellings, setSpelling,
            removeSpelling
        case pairs, pairsOfSource, pairsOfTarget, setPair, deletePair
        case lastDeleted, setLastDeleted, textTables, texts, text, setText, deleteText, deleteTexts, moveTexts

        private var pairColumns: String { "list, source_id, target_id, is_member, base, stamp, sides" }

        fileprivate var sql: String {
            switch self {
            // Finds each name by one index search. A NULL ends each half.
            case .pendingTables:
                """
                WITH RECURSIVE sources(name) AS (SELECT min(source) FROM _pending_link UNION ALL \
                SELECT (SELECT min(source) FROM _pending_link WHERE source > name) FROM sources WHERE name IS NOT NULL), \
                targets(name) AS (SELECT min(target) FROM _pending_link UNION ALL \
                SELECT (SELECT min(target) FROM _pending_link WHERE target > name) FROM targets WHERE name IS NOT NULL) \
                SELECT name, NULL FROM sources UNION ALL SELECT NULL, name FROM targets
                """
            case .pendingTo:
                """
                SELECT source, source_id, relationship, position FROM _pending_link \
                WHERE target = ? AND target_identity = ? AND position IS NOT -1 \
                ORDER BY source, source_id, relationship, position
                """
            case .insertPending:
                """
                INSERT OR REPLACE INTO _pending_link \
                (source, source_id, relationship, target, target_identity, position) VALUES (?, ?, ?, ?, ?, ?)
                """
            case .deletePendingTo:
                "DELETE FROM _pending_link WHERE target = ? AND target_identity = ? AND position IS NOT -1"
            case .deletePendingOf: "DELETE FROM _pending_link WHERE source = ? AND source_id = ?"
            case .deletePendingBy: "DELETE FROM _pending_link WHERE source = ? AND source_id = ? AND relationship = ?"
            case .deletePendingOne:
                """
                DELETE FROM _pending_link \
                WHERE source = ? AND source_id = ? AND relationship = ? AND target_identity = ?
                """
            case .pendingPositions:
                """
                SELECT position FROM _pending_link \
                WHERE source = ? AND source_id = ? AND relationship = ? AND position IS NOT NULL
                """
            case .pendingBy:
                """
                SELECT target_identity, position FROM _pending_link \
                WHERE source = ? AND source_id = ? AND relationship = ? AND position IS NOT -1 \
                ORDER BY position, target_identity
                """
            case .formerBy:
                """
                SELECT target_identity FROM _pending_link \
                WHERE source = ? AND source_id = ? AND relationship = ? AND position = -1
                """
            case .movePending:
                "UPDATE OR IGNORE _pending_link SET source_id = ?3 WHERE source = ?1 AND source_id = ?2"
            case .pagedTables: "SELECT DISTINCT source FROM _paged_list"
            case .isPartial:
                """
                SELECT 1 FROM _paged_list \
                WHERE source = ? AND source_id = ? AND relationship = ? AND is_whole = 0
                """
            case .setPartial:
                """
                INSERT INTO _paged_list (source, source_id, relationship, is_whole) VALUES (?, ?, ?, 0) \
                ON CONFLICT DO UPDATE SET is_whole = 0 WHERE is_whole <> 0
                """
            case .addPartial:
                "INSERT OR IGNORE INTO _paged_list (source, source_id, relationship, is_whole) VALUES (?, ?, ?, 0)"
            case .setWhole:
                """
                UPDATE _paged_list SET is_whole = 1 \
                WHERE source = ? AND source_id = ? AND relationship = ? AND is_whole = 0
                """
            case .deleteParts: "DELETE FROM _paged_list WHERE source = ? AND source_id = ?"
            case .moveParts:
                """
                INSERT INTO _paged_list (source, source_id, relationship, is_whole) \
                SELECT source, ?3, relationship, is_whole FROM _paged_list WHERE source = ?1 AND source_id = ?2 \
                ON CONFLICT DO UPDATE SET is_whole = \(Schema.wholenessOfBoth)
                """
            case .repeatingTables: "SELECT DISTINCT source FROM _paged_list WHERE is_whole = 2"
            case .repeatsMember:
                """
                SELECT 1 FROM _paged_list \
                WHERE source = ? AND source_id = ? AND relationship = ? AND is_whole = 2
                """
            case .setRepeating:
                """
                INSERT INTO _paged_list (source, source_id, relationship, is_whole) VALUES (?, ?, ?, 2) \
                ON CONFLICT DO UPDATE SET is_whole = 2 WHERE is_whole = 1
                """
            case .endRepeating:
                """
                UPDATE _paged_list SET is_whole = 1 \
                WHERE source = ? AND source_id = ? AND relationship = ? AND is_whole = 2
                """
            case .pairs: "SELECT \(pairColumns) FROM _pair"
            case .pairsOfSource: "SELECT \(pairColumns) FROM _pair WHERE list = ? AND source_id = ?"
            case .pairsOfTarget: "SELECT \(pairColumns) FROM _pair WHERE list = ? AND target_id = ?"
            case .setPair: "INSERT OR REPLACE INTO _pair (\(pairColumns)) VALUES (?, ?, ?, ?, ?, ?, ?)"
            case .deletePair: "DELETE FROM _pair WHERE list = ? AND source_id = ? AND target_id = ?"
            case .shapes: "SELECT model, property, shape FROM _wire_shape"
            case .setShape: "INSERT OR REPLACE INTO _wire_shape (model, property, shape) VALUES (?, ?, ?)"
            case .spellings: "SELECT model, property, name FROM _wire_name"
            case .setSpelling: "INSERT OR REPLACE INTO _wire_name (model, property, name) VALUES (?, ?, ?)"
            case .removeSpelling: "DELETE FROM _wire_name WHERE model = ? AND property = ?"
            case .textTables:
                """
                WITH RECURSIVE tables(name) AS (SELECT min(model) FROM _wire_text UNION ALL \
                SELECT (SELECT min(model) FROM _wire_text WHERE model > name) FROM tables WHERE name IS NOT NULL) \
                SELECT name FROM tables WHERE name IS NOT NULL
                """
            case .texts: "SELECT property, text FROM _wire_text WHERE model = ? AND row = ?"
            case .text: "SELECT text FROM _wire_text WHERE model = ? AND row = ? AND property = ?"
            case .setText: "INSERT OR REPLACE INTO _wire_text (model, row, property, text) VALUES (?, ?, ?, ?)"
            case .deleteText: "DELETE FROM _wire_text WHERE model = ? AND row = ? AND property = ?"
            case .deleteTexts: "DELETE FROM _wire_text WHERE model = ? AND row = ?"
            case .moveTexts: "UPDATE OR IGNORE _wire_text SET row = ?3 WHERE model = ?1 AND row = ?2"
            case .lastDeleted: "SELECT model, row FROM _last_row"
            case .setLastDeleted:
                """
                INSERT INTO _last_row (model, row) VALUES (?, ?) \
                ON CONFLICT DO UPDATE SET row = excluded.row WHERE row < excluded.row
                """
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

struct LearnedShape: Sendable {
    let table: TableID
    let property: PropertyIndex
    let shape: WireShape
}

/// The key is `nil` if the server follows the conventions again.
struct LearnedSpelling: Sendable {
    let table: TableID
    let property: PropertyIndex
    let key: String?
}
