import GRDBSQLite
import JSONBytes

// Checks whether a stored row already has the values of a response body. The `WHERE` of an `UPDATE` would check it only
// after binding all values and opening a cursor in each index.

extension RawStatement {
    /// True for an absent slot. SQLite treats more values as equal, such as 1 and 1.0.
    @inline(__always)
    func has(_ slot: ImportSlot, at column: Int32) -> Bool {
        // Safe: only this thread uses the value, and the statement isn't stepped meanwhile.
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
            // Called in the order of https://sqlite.org/c3ref/column_blob.html.
            let start = unsafe sqlite3_value_blob(value)
            let count = unsafe Int(sqlite3_value_bytes(value))
            return unsafe equal(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count), slot.bytes)
        }
    }

    /// Whether the mask in the columns from `first` on has all of `loaded` and none of `unloaded`.
    @inline(__always)
    func has(_ loaded: LoadedMask, unloading unloaded: ColumnMask, of model: ModelSchema, at first: Int32) -> Bool {
        for word in 0..<model.loadedColumns.count {
            // NULL reads as 0.
            let (known, loaded) = (integer(first + Int32(word)), loaded[word, of: model])
            let unloaded = word < model.loadedWords ? unloaded[word: word] : 0
            guard known & (loaded | unloaded) == loaded else { return false }
        }
        return true
    }
}

extension ModelSchema {
    var comparedColumns: String { (["_id"] + loadedColumns + columns.map(\.sqlName)).joined(separator: ", ") }
    /// Compares the identity, or the row id of embedded objects.
    var comparedCondition: String { isEmbedded ? "_id = ?" : identityCondition }

    /// False for embedded objects, which lack an identity.
    var identityCondition: String {
        identity.isEmpty ? "0" : identityColumns.map { "\($0.sqlName) = ?" }.joined(separator: " AND ")
    }
}
