// `_tombstone`: the versions of objects that pushed events have deleted.

extension Statements {
    /// The version that a pushed event has deleted, or `nil`.
    ///
    /// - Parameter key: the object's identity as text.
    func tombstone(of key: String, in table: TableID) throws(SQLiteFailure) -> StoredValue? {
        let read = try connection.statement("SELECT version FROM _tombstone WHERE model = ? AND key = ?")
        read.bind([.text(schema[table].tableName), .text(key)])
        defer { read.reset() }
        return try read.step() ? read.value(0) : nil
    }

    /// - Parameter version: `nil` deletes the tombstone.
    func setTombstone(_ version: StoredValue?, of key: String, in table: TableID) throws(SQLiteFailure) {
        let object = [StoredValue.text(schema[table].tableName), .text(key)]
        guard let version else {
            let delete = try connection.statement("DELETE FROM _tombstone WHERE model = ? AND key = ?")
            delete.bind(object)
            return try delete.run()
        }
        let write = try connection.statement("INSERT OR REPLACE INTO _tombstone (model, key, version) VALUES (?, ?, ?)")
        write.bind(object + [version])
        try write.run()
    }
}
