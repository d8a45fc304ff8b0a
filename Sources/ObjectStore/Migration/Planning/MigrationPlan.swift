/// What turns a file into one for other models: steps, and the reasons why it can't be.
struct MigrationPlan: Sendable {
    var steps: [MigrationStep] = []
    /// Each says what would be lost and what to do. Those that only the rows can tell are found by the steps themselves.
    var problems: [String] = []
    /// The tables whose models were left out: they stay as they are, until a step discards them.
    var retired: [DescribedTable] = []
}
