import GRDBSQLite
import JSONBytes

// Whether a row has what a body says of it already, told by its values where SQLite has them. The `WHERE` of an
// `UPDATE` tells it too, but only once all values are bound and a cursor is open in each of the table's indexes.

extension RawStatement {
    /// Whether a column of the row that the statement stands on has the very value. Where it doesn't, SQLite may still
    /// take the two for the same, as 1 and 1.0.
    @inline(__always)
    func has(_ slot: ImportSlot, at column: Int32) -> Bool {
        // As in `Snapshot`: only this thread uses the value, and nothing is done with the statement meanwhile.
        let value = unsafe sqlite3_column_value(handle, column)
        let type = unsafe sqlite3_value_type(value)
        switch slot.tag {
        case .absent: return true
        case .null: return type == SQLITE_NULL
        case .integer: return unsafe type == SQLITE_INTEGER && sqlite3_value_int64(value) == slot.bits
        case .real:
            let bits = UInt64(bitPattern: slot.bits)
            return unsafe type == SQLITE_FLOAT && sqlite3_value_double(value).bitPattern == bits
        case .text, .blob:
            guard type == (slot.tag == .text ? SQLITE_TEXT : SQLITE_BLOB) else { return false }
            // In this order, as https://sqlite.org/c3ref/column_blob.html has it.
            let start = unsafe sqlite3_value_blob(value)
            let count = unsafe Int(sqlite3_value_bytes(value))
            return unsafe equal(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), slot.bytes)
        }
    }

    /// Whether the columns from `first` on, which keep what is said of a row, have all of that, and nothing of what is
    /// unsaid now.
    @inline(__always)
    func has(_ said: SaidMask, unsaying unsaid: ColumnMask, of model: ModelSchema, at first: Int32) -> Bool {
        for word in 0..<model.saidColumns.count {
            // A column that has nothing reads as 0.
            let (known, said) = (integer(first + Int32(word)), said[word, of: model])
            let unsaid = word < model.saidWords ? unsaid[word: word] : 0
            guard known & (said | unsaid) == said else { return false }
        }
        return true
    }
}

extension ModelSchema {
    /// What a row is compared by: the key, what is said of it, and each column.
    var comparedColumns: String { (["_id"] + saidColumns + columns.map(\.sqlName)).joined(separator: ", ") }
    /// By which it is found: its identity, or the key of an embedded object, which has none.
    var comparedCondition: String { isEmbedded ? "_id = ?" : identityCondition }

    /// That a row has an identity; false for embedded objects, which no identity names.
    var identityCondition: String {
        identity.isEmpty ? "0" : identityColumns.map { "\($0.sqlName) = ?" }.joined(separator: " AND ")
    }
}
