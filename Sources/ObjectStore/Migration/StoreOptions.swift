/// Options for opening a store.
///
/// ```swift
/// let options = StoreOptions(migrations: [splitNames]) { print($0) }
/// let store = try Store(location, models: models, api: api, options: options)
/// ```
public struct StoreOptions: Sendable {
    /// The steps in code, in the order in which they run.
    public var migrations: [Migration]
    /// Called at the start of each step, and after every 20,000 written rows, on the thread that opens the store,
    /// within the migration's transaction.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// When `save()`, `create()`, `delete()` and changes of lists are sent, unless a call has its own setting. A call
    /// with a ``Call`` or a method is always sent at once, since these can't be stored.
    public var writes: WriteTiming

    /// Creates options. By default, writes are sent at once.
    public init(
        migrations: [Migration] = [], writes: WriteTiming = .immediate,
        migrationProgress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) {
        self.migrations = migrations
        self.writes = writes
        self.migrationProgress = migrationProgress
    }
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable, CustomStringConvertible {
    /// A description of the step: `add the column "color" to "item"`.
    public let step: String
    /// The step's number, from 1.
    public let number: Int
    /// The number of steps.
    public let count: Int
    /// The table being written; nil if the step writes no rows.
    public let table: String?
    /// The number of written rows.
    public let rowsDone: Int
    /// The number of rows in the table.
    public let rowsTotal: Int

    /// The progress in words.
    public var description: String {
        "\(number)/\(count) \(step)" + (table == nil ? "" : " (\(rowsDone) of \(rowsTotal) rows)")
    }
}
