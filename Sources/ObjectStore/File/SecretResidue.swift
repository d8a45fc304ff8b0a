import GRDBSQLite
import Synchronization

/// What the file may still hold of secrets that the store has let go of.
///
/// A write-only attribute is forgotten when the server has it: the row's value goes back to its default. The bytes in
/// the database are overwritten in that same transaction (`secure_delete`). The WAL has the pages as they were until it
/// is cut, which is possible when nobody reads by it: so it is tried after this commit, and after each later one until
/// it was done.
final class SecretResidue: Sendable {
    /// By table: the write-only attributes and what each is when it has been forgotten.
    private let secrets: [TableID: [PropertyIndex: @Sendable () -> StoredValue]]
    private let isInWAL = Mutex(false)

    init(_ schema: Schema) {
        var secrets: [TableID: [PropertyIndex: @Sendable () -> StoredValue]] = [:]
        for model in schema.roots {
            for property in model.properties {
                guard case .attribute(_, let value, let options) = property.kind, options.access == .writeOnly else {
                    continue
                }
                secrets[model.table, default: [:]][property.index] = value
            }
        }
        self.secrets = secrets
    }

    /// Has SQLite overwrite what is deleted, where some model has secrets.
    ///
    /// `ON`, not `FAST`, which leaves pages alone that become free as a whole: a long row's last columns are on such
    /// pages. What it costs, the writing of freed pages, is paid by stores with secrets only.
    func overwriteDeleted(on connection: Connection) throws {
        if !secrets.isEmpty { try connection.execute("PRAGMA secure_delete = ON") }
    }

    /// Notes whether batches that are about to be written forget a secret. If they are refused after all, the WAL is
    /// cut once for nothing.
    func note(_ batches: [WriteBatch]) {
        guard !secrets.isEmpty, batches.contains(where: forgetsSecret) else { return }
        isInWAL.withLock { $0 = true }
    }

    /// Notes whether a commit has deleted rows that may have had a secret.
    func note(_ changes: ChangeSet) {
        guard secrets.keys.contains(where: { !changes.tables[$0].deleted.isEmpty }) else { return }
        isInWAL.withLock { $0 = true }
    }

    private func forgetsSecret(_ batch: WriteBatch) -> Bool {
        batch.rows.contains { row in
            secrets[row.record.table]?.contains { row.values[$0.key] == $0.value() } ?? false
        }
    }

    /// Whether the WAL should be cut.
    var isThere: Bool { !secrets.isEmpty && isInWAL.withLock { $0 } }

    /// Cuts the WAL to nothing, unless somebody reads by it.
    func remove(by writer: Writer) {
        if writer.cutWAL() { isInWAL.withLock { $0 = false } }
    }
}

extension Writer {
    /// Copies the WAL into the file and cuts it to nothing, if that is possible at once.
    ///
    /// - Returns: whether it was.
    fileprivate func cutWAL() -> Bool {
        // Else it would wait for readers, and with it whoever writes next.
        checkpoint(SQLITE_CHECKPOINT_TRUNCATE, patience: 0)
    }
}
