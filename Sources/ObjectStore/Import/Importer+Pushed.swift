// Pushed objects with versions may arrive twice, late and in any order.

extension Importer {
    /// The row or deletion that makes a pushed object obsolete.
    enum Overtaken {
        case row(RowID)
        case deletion
    }

    private func versionColumn(of object: ReadingObject) -> Column? {
        guard let version = request.version, object.plan.model.table == request.table else { return nil }
        return object.plan.model.column(of: version)
    }

    /// Nil if the body's object must be stored or deleted.
    func overtaking(_ object: ReadingObject, isDeletion: Bool) throws -> Overtaken? {
        guard let column = versionColumn(of: object) else { return nil }
        let (pushed, table) = (object.version(in: column), object.plan.model.table)
        if let row = try find(object) {
            let record = RecordID(table: table, row: row)
            // The body deleted the object earlier. Its row goes at the end.
            if !isDeletion, reportedDeleted.contains(record), try hasDeletion(of: object, since: pushed) {
                return .deletion
            }
            let known = try version(in: column, of: record)
            // A deletion that lacks a version always applies.
            guard !known.isNull, !(pushed.isNull && isDeletion) else { return nil }
            return pushed.isNull || pushed.isBefore(known) ? .row(row) : nil
        }
        return try !isDeletion && hasDeletion(of: object, since: pushed) ? .deletion : nil
    }

    /// Whether a deletion with this version or a newer one was pushed.
    private func hasDeletion(of object: ReadingObject, since version: StoredValue) throws -> Bool {
        guard let key = try pendingKey(of: object),
            let deleted = try writer.statements.tombstone(of: key, in: object.plan.model.table)
        else { return false }
        return !deleted.isBefore(version)
    }

    /// Keeps older pushes from bringing the object back.
    func keepTombstone(of object: ReadingObject) throws {
        guard let column = versionColumn(of: object), let key = try pendingKey(of: object) else { return }
        let table = object.plan.model.table
        var versions = [object.version(in: column)]
        if let row = try find(object) { versions.append(try version(in: column, of: RecordID(table: table, row: row))) }
        if let known = try writer.statements.tombstone(of: key, in: table) { versions.append(known) }
        let newest = versions.filter { !$0.isNull }.max { $0.isBefore($1) }
        if let newest { try writer.statements.setTombstone(newest, of: key, in: table) }
    }

    /// Forgets the deletion of an object that exists again.
    func forgetTombstone(of object: ReadingObject) throws {
        guard versionColumn(of: object) != nil, let key = try pendingKey(of: object) else { return }
        try writer.statements.setTombstone(nil, of: key, in: object.plan.model.table)
    }

    /// The server's version, also beneath an edit.
    private func version(in column: Column, of record: RecordID) throws -> StoredValue {
        let name = schema[record.table][column.property].name
        if let edit = try writer.unsentChanges(of: record).entries[name] { return edit.base }
        return try writer.statements[record.table].value(of: column, in: record.row)
    }
}

extension ReadingObject {
    fileprivate func version(in column: Column) -> StoredValue {
        frame.hasValue(column.index) ? frame[column.index].stored : .null
    }
}
