// Validators of rows (`ETag` or `Last-Modified`), for conditional writes.

extension Writer {
    /// Does nothing for a deleted row.
    func setValidator(_ validator: String?, of record: RecordID) throws {
        guard validator != nil || tablesWithValidators.contains(record.table), try hasRow(record) else { return }
        try statements.setValidator(validator, of: record)
        if validator != nil { tablesWithValidators.insert(record.table) }
    }
}
