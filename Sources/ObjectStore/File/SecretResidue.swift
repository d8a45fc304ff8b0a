import GRDBSQLite
import Synchronization

/// Removes deleted secrets from the file.
///
/// A write-only attribute is reset when the server has it. The transaction overwrites its bytes in the database
/// (`secure_delete`). The WAL keeps them until it is truncated, which readers can prevent. So this commit and later
/// ones try it, until one succeeds.
final class SecretResidue: Sendable {
    /// The defaults of write-only attributes, by table.
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

    /// `FAST` would spare pages that become free, and a long row's last columns are on such pages. `ON` costs the
    /// writing of freed pages.
    func overwriteDeleted(on connection: Connection) throws {
        if !secrets.isEmpty { try connection.execute("PRAGMA secure_delete = ON") }
    }

    /// Call it before the commit. If that fails, the WAL is truncated unnecessarily.
    func note(_ batches: [WriteBatch]) {
        guard !secrets.isEmpty, batches.contains(where: forgetsSecret) else { return }
        isInWAL.withLock { $0 = true }
    }

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

    func remove(by writer: Writer) {
        if writer.cutWAL() { isInWAL.withLock { $0 = false } }
    }
}

extension Writer {
    /// - Returns: whether the WAL could be truncated at once.
    fileprivate func cutWAL() -> Bool {
        // Waiting for readers would delay later writes.
        checkpoint(SQLITE_CHECKPOINT_TRUNCATE, patience: 0)
    }
}
