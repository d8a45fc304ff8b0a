extension Connection {
    /// The first column of the first row as a whole number; 0 where there is none.
    func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
        let statement = try RawStatement(self, sql)
        guard try statement.step() else { return 0 }
        return statement.integer(0)
    }

    /// The first column of every row.
    func strings(_ sql: String) throws(SQLiteFailure) -> [String] {
        let statement = try RawStatement(self, sql)
        var strings: [String] = []
        while try statement.step() { strings.append(statement.text(0)) }
        return strings
    }
}
