// The validators of rows (`ETag` or `Last-Modified`), for conditional writes.

extension Writer {
    /// Sets or removes the validator of a row. Does nothing if the row is deleted.
    func setValidator(_ validator: String?, of record: RecordID) throws {
        guard validator != nil || tablesWithValidators.contains(record.table), try hasRow(record) else { return }
        try statements.setValidator(validator, of: record)
        if validator != nil { tablesWithValidators.insert(record.table) }
    }
}
