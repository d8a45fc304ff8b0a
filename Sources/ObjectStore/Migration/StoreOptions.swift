/// What opening a store may do beyond the ordinary.
///
/// ```swift
/// let store = try Store(
///     .file("github.sqlite"), models: [User.self], api: api,
///     options: StoreOptions(migrations: [splitNames]) { progress in print(progress) })
/// ```
public struct StoreOptions: Sendable {
    /// Steps in code, applied in this order, each once in the life of a file.
    public var migrations: [Migration]
    /// Called while the file is migrated: at each step, and for every 20,000 rows that a step has written. It runs on
    /// the thread that opens the store, within the migration's transaction.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// When `save()`, `create()`, `delete()` and the changes of lists are sent, where the call doesn't say it.
    ///
    /// A call with settings of its own (``Call``) or a method is sent at once in any case, as these are not stored.
    public var writes: WriteTiming

    /// No steps of your own, and nobody is told.
    public init(
        migrations: [Migration] = [], writes: WriteTiming = .immediate,
        migrationProgress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) {
        self.migrations = migrations
        self.writes = writes
        self.migrationProgress = migrationProgress
    }
}

/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable, CustomStringConvertible {
    /// What is being done, in words: `add the column "color" to "item"`.
    public let step: String
    /// The step's number, from 1, and how many there are.
    public let number: Int
    /// How many steps there are.
    public let count: Int
    /// The table whose rows are being written; `nil` for a step that writes none.
    public let table: String?
    /// How many of its rows are done, of how many.
    public let rowsDone: Int
    /// How many rows the table has.
    public let rowsTotal: Int

    /// The same in words.
    public var description: String {
        "\(number)/\(count) \(step)" + (table == nil ? "" : " (\(rowsDone) of \(rowsTotal) rows)")
    }
}
