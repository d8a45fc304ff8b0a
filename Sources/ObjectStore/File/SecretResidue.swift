import GRDBSQLite
import Synchronization

/// Removes deleted secrets from the file.
///
/// A write-only attribute is reset to its default when the server has it. The same transaction overwrites the bytes in
/// the database (`secure_delete`). The WAL still has the former pages until it is truncated, and readers can prevent
/// that. So the store tries it after this commit, and after each later one until it succeeds.
final class SecretResidue: Sendable {
    /// By table: the write-only attributes, with functions that return their defaults.
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

    /// Makes SQLite overwrite deleted data if a model has secrets.
    ///
    /// The value is `ON`, since `FAST` spares pages that become free, and a long row's last columns are on such pages.
    /// The cost is that of writing freed pages.
    func overwriteDeleted(on connection: Connection) throws {
        if !secrets.isEmpty { try connection.execute("PRAGMA secure_delete = ON") }
    }

    /// Notes whether batches that are about to be written reset a secret. If they fail, the WAL is truncated
    /// unnecessarily.
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

    var isThere: Bool { !secrets.isEmpty && isInWAL.withLock { $0 } }

    /// Truncates the WAL, unless a reader uses it.
    func remove(by writer: Writer) {
        if writer.cutWAL() { isInWAL.withLock { $0 = false } }
    }
}

extension Writer {
    /// Copies the WAL into the file and truncates it, if that is possible at once.
    ///
    /// - Returns: whether it was truncated.
    fileprivate func cutWAL() -> Bool {
        // With patience, it would wait for readers, and later writes would wait for it.
        checkpoint(SQLITE_CHECKPOINT_TRUNCATE, patience: 0)
    }
}
