/// Which rows a batch will delete or name anew, and which of them have made room already for another row of it.
struct BatchIdentities {
    let batch: WriteBatch
    private var deleted: Set<WriteBatch.Key>?
    private var renamed: [WriteBatch.Key: WriteBatch.Row] = [:]
    private var bases: [WriteBatch.Key: [String: StoredValue]] = [:]

    init(_ batch: WriteBatch) { self.batch = batch }

    /// Whether the batch deletes the row.
    mutating func deletes(_ key: WriteBatch.Key) -> Bool {
        look()
        return deleted?.contains(key) == true
    }

    /// The values that the batch has for a row that is there.
    mutating func row(_ key: WriteBatch.Key) -> WriteBatch.Row? {
        look()
        return renamed[key]
    }

    /// Only a batch with a conflict is looked through.
    private mutating func look() {
        guard deleted == nil else { return }
        deleted = Set(batch.deletions)
        for row in batch.rows where !row.isInsert { renamed[WriteBatch.Key(table: row.table, id: row.id)] = row }
    }

    /// What the file said of a row before it made room.
    func bases(_ row: WriteBatch.Row) -> [String: StoredValue] {
        bases.isEmpty ? [:] : bases[WriteBatch.Key(table: row.table, id: row.id)] ?? [:]
    }

    mutating func keep(_ values: [String: StoredValue], of key: WriteBatch.Key) { bases[key] = values }

    /// Whether the row has made room, so that what it is called now is not what it was called.
    func hasMadeRoom(_ key: WriteBatch.Key) -> Bool { bases[key] != nil }
}
