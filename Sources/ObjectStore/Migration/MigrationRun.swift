/// Executes a plan in the running transaction. Problems that depend on the rows are collected, and the caller then
/// rolls back.
///
/// Table names change between steps, so it prepares its own statements.
struct MigrationRun {
    let schema: Schema
    let connection: Connection
    let progress: (@Sendable (MigrationProgress) -> Void)?
    private(set) var problems: [String] = []
    /// The step's number, from 1.
    private var number = 0
    private var count = 0
    private var step: MigrationStep?

    /// The number of rows between two reports of progress.
    private static let rowsAtATime: Int64 = 20_000

    init(
        schema: Schema, connection: Connection, progress: (@Sendable (MigrationProgress) -> Void)?
    ) {
        self.schema = schema
        self.connection = connection
        self.progress = progress
    }

    mutating func take(_ steps: [MigrationStep]) throws {
        count = steps.count
        for step in steps {
            number += 1
            self.step = step
            report(0, of: 0)
            try take(step)
        }
    }

    private mutating func take(_ step: MigrationStep) throws {
        switch step {
        case .refuseUnsent(let table, let model, let properties): try refuseUnsent(properties, of: model, in: table)
        case .keepUnsent(let unsent): try keep(unsent)
        case .refuseUnsentClass(let unsent): try refuse(unsent)
        case .renameTable(let old, let new):
            try connection.execute("ALTER TABLE \(SQL.quoted(old)) RENAME TO \(SQL.quoted(new))")
            try renameRelationshipNotes(old, to: new)
            try run("UPDATE OR REPLACE _pair SET list = ?1 WHERE list = ?2", .text(new), .text(old))
            for table in Self.wireNotes + ["_validator", "_tombstone", "_last_row"] {
                try run("UPDATE OR REPLACE \(table) SET model = ?1 WHERE model = ?2", .text(new), .text(old))
            }
            try changeDeletedRows { $0.renameTable(old, to: new) }
        case .keepMembers(let members): try keep(members)
        case .updateLoaded(let loadedUpdate): try place(loadedUpdate)
        case .dropIndex(let name): try connection.execute("DROP INDEX IF EXISTS \(SQL.quoted(name))")
        case .dropTable(let name):
            try connection.execute("DROP TABLE IF EXISTS \(SQL.quoted(name))")
            try run("DELETE FROM _pair WHERE list = ?1", .text(name))
        case .emptyTable(let name): try empty(name)
        case .addTable(_, let statement), .addIndex(_, let statement): try connection.execute(statement)
        case .renameColumn(let table, let old, let new):
            try connection.execute(
                "ALTER TABLE \(SQL.quoted(table)) RENAME COLUMN \(SQL.quoted(old)) TO \(SQL.quoted(new))")
            try changeDeletedRows { $0.renameColumns([old: new], of: table) }
        case .addColumn(let table, let column, let value): try add(column, to: table, default: value)
        case .fillNulls(let table, let column, let value): try fillNulls(in: column, of: table, with: value)
        case .rebuild(let rebuild): try self.rebuild(rebuild)
        case .restoreMembers(let members): try restore(members)
        case .updateUnsent(let update): try updateUnsent(update)
        case .updateRelationshipNotes(let update): try updateRelationshipNotes(update)
        case .updateShapes(let update): try updateShapes(update)
        case .unify(let tables):
            try unify(tables)
            try updateKeys(ofDeletionsIn: tables)
        }
    }

    /// Adds marks of requests that await a reply, to a file of a format that lacks `_send`.
    func moveSendMarks(from layout: FileLayout) throws {
        guard layout.tables["_send"] == nil else { return }
        for (name, table) in layout.tables where table.columns.contains(where: { $0.name == "_unsent" }) {
            try run(
                """
                INSERT OR IGNORE INTO _send (source, source_id, relationship, holder) \
                SELECT ?, _id, '', '' FROM \(SQL.quoted(name)) \
                WHERE \(UnsentChanges.sqlMention(of: UnsentChanges.sendMark))
                """, .text(name))
        }
    }

    private func report(_ done: Int64, of total: Int64) {
        guard let progress, let step else { return }
        progress(
            MigrationProgress(
                step: step.description, number: number, count: count, table: step.rowTable, rowsDone: Int(done),
                rowsTotal: Int(total)))
    }

    private func empty(_ table: String) throws {
        let layout = try FileLayout(connection)
        for (source, column) in layout.links(to: table) {
            let (name, link) = (SQL.quoted(source), SQL.quoted(column))
            if layout.tables[source]?.isJoinTable ?? false {
                try connection.execute("DELETE FROM \(name)")
                try run("DELETE FROM _pair WHERE list = ?1", .text(source))
            } else {
                try connection.execute("UPDATE \(name) SET \(link) = NULL WHERE \(link) IS NOT NULL")
            }
        }
        try connection.execute("DELETE FROM \(SQL.quoted(table))")
    }

    // MARK: Columns

    private func add(_ column: ColumnLayout, to table: String, default value: StoredValue) throws {
        var definition = "\(SQL.quoted(column.name)) \(column.type)"
        if let target = column.target {
            definition += SQL.reference(to: SQL.quoted(target), onDelete: column.onDelete)
        }
        if !value.isNull, let literal = SQL.literal(value) { definition += " DEFAULT \(literal)" }
        try connection.execute("ALTER TABLE \(SQL.quoted(table)) ADD COLUMN \(definition)")
    }

    private func place(_ loadedUpdate: LoadedUpdate) throws {
        let table = SQL.quoted(loadedUpdate.table)
        for column in loadedUpdate.added { try connection.execute("ALTER TABLE \(table) ADD COLUMN \(column) INTEGER") }
        let sets = loadedUpdate.values.map { "\($0.column) = \($0.expression)" }
        try connection.execute("UPDATE \(table) SET \(sets.joined(separator: ", "))")
        try changeDeletedRows { $0.moveLoaded(by: loadedUpdate) }
    }

    private func fillNulls(in column: String, of table: String, with value: StoredValue) throws {
        let name = SQL.quoted(column)
        try run("UPDATE \(SQL.quoted(table)) SET \(name) = ? WHERE \(name) IS NULL", value)
    }

    func run(_ sql: String, _ values: StoredValue...) throws {
        let statement = try RawStatement(connection, sql)
        for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
        try statement.run()
    }
}

// MARK: Rebuilds

extension MigrationRun {
    /// Follows https://sqlite.org/lang_altertable.html#otheralter: foreign keys aren't enforced meanwhile, and links
    /// refer to the new table by name.
    private mutating func rebuild(_ rebuild: TableRebuild) throws {
        let name = rebuild.model.sqlName
        let new = SQL.quoted("_new_\(rebuild.model.tableName)")
        let end = rebuild.statement.firstIndex(of: "(") ?? rebuild.statement.startIndex
        try connection.execute("CREATE TABLE \(new) \(rebuild.statement[end...])")
        if rebuild.convertsRows {
            try convertRows(rebuild, into: new)
        } else {
            try copyRows(rebuild, into: new)
        }
        try connection.execute("DROP TABLE \(name)")
        try connection.execute("ALTER TABLE \(new) RENAME TO \(name)")
        try changeDeletedRows { $0.follow(rebuild) }
    }

    /// Copies ``rowsAtATime`` at a time, within SQLite.
    private func copyRows(_ rebuild: TableRebuild, into new: String) throws {
        let name = rebuild.model.sqlName
        var values: [StoredValue] = []
        let expressions = rebuild.columns.map { _, source -> String in
            switch source {
            // All of these but `.copy` are converted row by row.
            case .copy(let old), .convert(let old, _), .fillEach(let old, _): return SQL.quoted(old)
            case .each: return "NULL"
            case .fill(let old, let value):
                values.append(value)
                return "coalesce(\(SQL.quoted(old)), ?\(values.count + 1))"
            case .constant(let value):
                values.append(value)
                return "?\(values.count + 1)"
            }
        }
        let total = try connection.integer("SELECT count(*) FROM \(name)")
        let statement = try RawStatement(
            connection,
            """
            INSERT INTO \(new) (\(SQL.list(rebuild.columns.map(\.name)))) \
            SELECT \(expressions.joined(separator: ", ")) FROM \(name) \
            WHERE _id > ?1 ORDER BY _id LIMIT \(Self.rowsAtATime)
            """)
        for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 2)) }
        var last = Int64.min
        var done: Int64 = 0
        while true {
            statement.bind(last, at: 1)
            try statement.run()
            let written = Int64(connection.changes)
            guard written > 0 else { break }
            done += written
            last = connection.lastInsertedKey
            report(done, of: total)
        }
    }

    private mutating func convertRows(_ rebuild: TableRebuild, into new: String) throws {
        let name = rebuild.model.sqlName
        let total = try connection.integer("SELECT count(*) FROM \(name)")
        var conversion = RowConversion(rebuild)
        let read = try RawStatement(
            connection, "SELECT \(SQL.list(conversion.oldColumns)) FROM \(name) ORDER BY _id")
        let values = rebuild.columns.map { _ in "?" }.joined(separator: ", ")
        let write = try RawStatement(
            connection, "INSERT INTO \(new) (\(SQL.list(rebuild.columns.map(\.name)))) VALUES (\(values))")
        var done: Int64 = 0
        while try read.step() {
            for (index, value) in try conversion.convert(read).enumerated() {
                write.bind(value, at: Int32(index + 1))
            }
            try write.run()
            done += 1
            if done % Self.rowsAtATime == 0 { report(done, of: total) }
        }
        report(done, of: total)
        problems += conversion.problems
    }
}

// MARK: Members

extension MigrationRun {
    /// The temporary table lasts as long as the connection.
    private mutating func keep(_ members: KeptMembers) throws {
        let name = SQL.quoted(members.name)
        try connection.execute("DROP TABLE IF EXISTS temp.\(name)")
        try connection.execute(
            "CREATE TEMP TABLE \(name) (owner INTEGER NOT NULL, member INTEGER NOT NULL, position INTEGER)")
        try connection.execute("INSERT INTO temp.\(name) \(SQL.selectMembers(members.source))")
        try keepPairs(of: members)
        try refusePairs(of: members)
    }

    /// Refuses pending memberships if the members' links replace the join table, as those have edits of their own.
    private mutating func refusePairs(of members: KeptMembers) throws {
        guard case .join(let join, _) = members.source, case .column = members.destination else { return }
        if members.isDiscarded { return try discardEdits(of: members) }
        let read = try RawStatement(connection, "SELECT count(*) FROM _pair WHERE list = ?")
        read.bind(.text(join), at: 1)
        guard try read.step(), case let count = read.integer(0), count > 0 else { return }
        let memberships = count == 1 ? "1 membership has a change" : "\(count) memberships have changes"
        problems.append(
            "\(members.property) has room for one owner now, and \(memberships) that the server has not confirmed: send "
                + "them first, with the models as they were, or let go of them with "
                + "`Migration.discarding(\"\(members.formerProperty)\")`")
    }

    /// Uses an unused name first, since two join tables may exchange their names.
    private func keepPairs(of members: KeptMembers) throws {
        guard case .join(let former, let wasReversed) = members.source,
            case .join(let join, let isReversed) = members.destination
        else { return }
        let ends = isReversed == wasReversed ? "" : ", source_id = target_id, target_id = source_id"
        let sides = isReversed == wasReversed ? "" : ", sides = (sides & 1) * 2 + (sides & 2) / 2"
        try run(
            "UPDATE OR REPLACE _pair SET list = ?1\(ends)\(sides) WHERE list = ?2", .text("\u{1}\(join)"),
            .text(former))
    }

    private mutating func restore(_ members: KeptMembers) throws {
        let kept = "temp.\(SQL.quoted(members.name))"
        switch members.destination {
        case .link(let table, let column):
            try refuseSeveral("member", of: "owner", in: kept, members)
            try set("\(SQL.quoted(column)) = _kept.member", of: table, from: "\(kept) AS _kept", key: "owner")
        case .column(let table, let column, let position):
            try refuseSeveral("owner", of: "member", in: kept, members)
            let order = position.map { ", \(SQL.quoted($0)) = _kept.position" } ?? ""
            try set("\(SQL.quoted(column)) = _kept.owner\(order)", of: table, from: "\(kept) AS _kept", key: "member")
        case .join(let join, let isReversed):
            let position = isReversed ? "inverse_position" : "position"
            let ends = isReversed ? "target_id, source_id" : "source_id, target_id"
            try connection.execute(
                """
                INSERT INTO \(SQL.quoted(join)) (\(ends), \(position)) SELECT owner, member, position FROM \(kept) \
                WHERE true ON CONFLICT DO UPDATE SET \(position) = excluded.\(position)
                """)
            if case .join(let former, let wasReversed) = members.source {
                try run("UPDATE OR REPLACE _pair SET list = ?1 WHERE list = ?2", .text(join), .text("\u{1}\(join)"))
                try changeDeletedRows { rows in
                    rows.moveMembers(of: former, to: join, isReversed: isReversed != wasReversed)
                }
            }
        }
        try connection.execute("DROP TABLE \(kept)")
    }

    private func set(_ assignments: String, of table: String, from kept: String, key: String) throws {
        let name = SQL.quoted(table)
        try connection.execute("UPDATE \(name) SET \(assignments) FROM \(kept) WHERE \(name)._id = _kept.\(key)")
    }

    /// Refuses several partners where the new storage has room for one.
    private mutating func refuseSeveral(
        _ what: String, of whose: String, in kept: String, _ members: KeptMembers
    ) throws {
        let several = try connection.integer(
            "SELECT count(*) FROM (SELECT 1 FROM \(kept) GROUP BY \(whose) HAVING count(DISTINCT \(what)) > 1)")
        guard several > 0 else { return }
        let rows = several == 1 ? "1 object has" : "\(several) objects have"
        problems.append(
            "\(members.property) has room for one \(what) now, and \(rows) more: keep the list, or leave one \(what) each "
                + "before the models change")
    }
}

// MARK: Unsent changes

extension MigrationRun {
    private mutating func refuseUnsent(_ properties: [String], of model: String, in table: String) throws {
        var counts: [String: Int] = [:]
        try forEachUnsent(in: table) { _, unsent in
            for name in properties where unsent.contains(name) { counts[name, default: 0] += 1 }
        }
        // Queued additions and removals of members.
        let queued = try RawStatement(
            connection, "SELECT relationship, count(*) FROM _outbox WHERE source = ? GROUP BY relationship")
        queued.bind(.text(table), at: 1)
        while try queued.step() {
            guard properties.contains(queued.text(0)) else { continue }
            counts[queued.text(0), default: 0] += Int(queued.integer(1))
        }
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
            let rows = count == 1 ? "1 object has a change" : "\(count) objects have changes"
            problems.append(
                "\(model).\(name) is gone, and \(rows) of it that the server has not confirmed: send them first, say "
                    + "`renamedFrom: \"\(name)\"` where it has another name now, take it over with "
                    + "`Migration.rows(of:replacing: \"\(name)\")`, or let go of it with "
                    + "`Migration.discarding(\"\(model).\(name)\")`")
        }
    }

    private func keep(_ unsent: UnsentClass) throws {
        if unsent.isDiscarded { return try discardEdits(of: unsent) }
        let isOfClass = unsent.rows.map { " AND \($0.condition)" } ?? ""
        let rows = "\(unsent.sqlName) WHERE _unsent IS NOT NULL\(isOfClass)"
        let name = "temp.\(SQL.quoted(unsent.name))"
        try connection.execute("DROP TABLE IF EXISTS \(name)")
        try connection.execute("CREATE TEMP TABLE \(SQL.quoted(unsent.name)) AS SELECT _id FROM \(rows)")
    }

    private mutating func refuse(_ unsent: UnsentClass) throws {
        let name = "temp.\(SQL.quoted(unsent.name))"
        var left = "SELECT count(*) FROM \(name) AS kept"
        if let staying = unsent.staying {
            left += " JOIN \(SQL.quoted(unsent.newTable)) AS now USING (_id) WHERE NOT \(staying.condition)"
        }
        let count = try connection.integer(left)
        try connection.execute("DROP TABLE \(name)")
        guard count > 0 else { return }
        let objects = count == 1 ? "1 object of it has" : "\(count) objects of it have"
        problems.append(
            "\(unsent.model) \(unsent.change), and \(objects) changes that the server has not confirmed: send them "
                + "first, with the models as they were, or let go of them with "
                + "`Migration.discarding(\"\(unsent.model)\")`")
    }

    private func updateUnsent(_ update: UnsentUpdate) throws {
        try changeUnsent(in: update.table) { unsent in update.apply(to: &unsent) }
        try changeDeletedRows { rows in rows.changeUnsent(of: update.table) { unsent in update.apply(to: &unsent) } }
    }

    func forEachDeletion(in table: String, _ body: (RowID, DeletedRows) throws -> Void) throws {
        var deletions: [(row: RowID, deleted: DeletedRows)] = []
        let read = try RawStatement(
            connection, "SELECT source_id, object FROM _outbox WHERE source = ? AND object IS NOT NULL")
        read.bind(.text(table), at: 1)
        while try read.step() {
            if let deleted = DeletedRows(text: read.text(1)) { deletions.append((read.row(0), deleted)) }
        }
        for (row, deleted) in deletions { try body(row, deleted) }
    }

    /// Changes the rows of queued deletions.
    private func changeDeletedRows(_ change: (inout DeletedRows) -> Void) throws {
        var changed: [(source: String, row: Int64, rows: DeletedRows)] = []
        let read = try RawStatement(
            connection, "SELECT source, source_id, object FROM _outbox WHERE object IS NOT NULL")
        while try read.step() {
            guard let rows = DeletedRows(text: read.text(2)) else { continue }
            var new = rows
            change(&new)
            if new != rows { changed.append((read.text(0), read.integer(1), new)) }
        }
        for (source, row, rows) in changed {
            try run(
                "UPDATE _outbox SET object = ?1 WHERE source = ?2 AND source_id = ?3 AND object IS NOT NULL",
                .text(rows.text), .text(source), .integer(row))
        }
    }

    func changeUnsent(in table: String, _ change: (inout UnsentChanges) -> Void) throws {
        var changed: [(row: RowID, unsent: UnsentChanges)] = []
        try forEachUnsent(in: table) { row, unsent in
            var new = unsent
            change(&new)
            if new != unsent { changed.append((row, new)) }
        }
        for (row, unsent) in changed { try setUnsent(unsent, of: row, in: table) }
    }

    private func forEachUnsent(in table: String, _ body: (RowID, UnsentChanges) -> Void) throws {
        let read = try RawStatement(
            connection, "SELECT _id, _unsent FROM \(SQL.quoted(table)) WHERE _unsent IS NOT NULL")
        while try read.step() { body(read.row(0), UnsentChanges(text: read.text(1))) }
    }

    func setUnsent(_ unsent: UnsentChanges, of row: RowID, in table: String) throws {
        let statement = try connection.statement("UPDATE \(SQL.quoted(table)) SET _unsent = ? WHERE _id = ?")
        statement.bind(unsent.text.map(StoredValue.text) ?? .null, at: 1)
        statement.bind(row, at: 2)
        try statement.run()
    }
}

// MARK: Entries by relationship

extension MigrationRun {
    private func renameRelationshipNotes(_ old: String, to new: String) throws {
        for column in ["source", "target"] {
            try run(
                "UPDATE OR REPLACE _pending_link SET \(column) = ?1 WHERE \(column) = ?2", .text(new), .text(old))
        }
        for notes in ["_paged_list", "_send", "_outbox"] {
            try run("UPDATE OR REPLACE \(notes) SET source = ?1 WHERE source = ?2", .text(new), .text(old))
        }
    }

    /// Tables with entries by relationship.
    private static let relationshipNotes = ["_pending_link", "_paged_list", "_send", "_outbox"]

    private func updateRelationshipNotes(_ update: RelationshipNotesUpdate) throws {
        for (table, property) in update.removed {
            for notes in Self.relationshipNotes {
                try run("DELETE FROM \(notes) WHERE source = ?1 AND relationship = ?2", .text(table), .text(property))
            }
        }
        for name in update.lostTargets { try run("DELETE FROM _pending_link WHERE target = ?1", .text(name)) }
        for name in update.lostSources {
            for notes in Self.relationshipNotes {
                try run("DELETE FROM \(notes) WHERE source = ?1", .text(name))
            }
        }
        // By way of an unused name, since two properties may exchange their names.
        for (table, from, _) in update.renamed {
            try renameRelationshipNotes(of: table, from: from, to: "\u{1}\(from)")
        }
        for (table, from, to) in update.renamed { try renameRelationshipNotes(of: table, from: "\u{1}\(from)", to: to) }
        for (table, renamed) in Dictionary(grouping: update.renamed, by: \.table) {
            let names = Dictionary(renamed.map { ($0.from, $0.to) }) { first, _ in first }
            try changeDeletedRows { $0.renameRelationships(names, of: table) }
        }
    }

    private func renameRelationshipNotes(of table: String, from old: String, to new: String) throws {
        for notes in Self.relationshipNotes {
            try run(
                "UPDATE OR REPLACE \(notes) SET relationship = ?1 WHERE source = ?2 AND relationship = ?3", .text(new),
                .text(table), .text(old))
        }
    }
}

// MARK: Wire shapes

extension MigrationRun {
    private func updateShapes(_ update: WireShapesUpdate) throws {
        for notes in Self.wireNotes {
            for (table, property) in update.removed {
                try run("DELETE FROM \(notes) WHERE model = ?1 AND property = ?2", .text(table), .text(property))
            }
        }
        for notes in Self.wireNotes + ["_validator", "_tombstone"] {
            for name in update.lostTables { try run("DELETE FROM \(notes) WHERE model = ?1", .text(name)) }
        }
        for (table, from, _) in update.renamed { try renameShape(of: table, from: from, to: "\u{1}\(from)") }
        for (table, from, to) in update.renamed { try renameShape(of: table, from: "\u{1}\(from)", to: to) }
    }

    private func renameShape(of table: String, from old: String, to new: String) throws {
        for notes in Self.wireNotes {
            try run(
                "UPDATE OR REPLACE \(notes) SET property = ?1 WHERE model = ?2 AND property = ?3", .text(new),
                .text(table), .text(old))
        }
    }

    /// Tables with learned formats and names.
    private static let wireNotes = ["_wire_shape", "_wire_text", "_wire_name"]
}

// MARK: SQL

extension UnsentClass {
    var sqlName: String { SQL.quoted(table) }
}

extension UnsentClass.Rows {
    var condition: String {
        let values = values.compactMap { SQL.literal(.text($0)) }.joined(separator: ", ")
        // A discriminator may be null.
        return "\(isOthers ? "NOT " : "")ifnull(CAST(\(SQL.quoted(column)) AS TEXT) IN (\(values)), 0)"
    }
}

extension SQL {
    /// Selects owner, member and position, unordered.
    fileprivate static func selectMembers(_ storage: MemberStorage) -> String {
        switch storage {
        case .link(let table, let column):
            "SELECT _id, \(quoted(column)), 0 FROM \(quoted(table)) WHERE \(quoted(column)) IS NOT NULL"
        case .column(let table, let column, let position):
            """
            SELECT \(quoted(column)), _id, \(position.map(quoted) ?? "NULL") FROM \(quoted(table)) \
            WHERE \(quoted(column)) IS NOT NULL
            """
        case .join(let name, isReversed: true): "SELECT target_id, source_id, inverse_position FROM \(quoted(name))"
        case .join(let name, isReversed: false): "SELECT source_id, target_id, position FROM \(quoted(name))"
        }
    }
}
