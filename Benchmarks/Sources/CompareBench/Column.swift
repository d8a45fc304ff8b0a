/// The columns of the tables, in their order.
enum Column: String, CaseIterable {
    case cold = "import, cold"
    case unchanged = "import, unchanged"
    case changed = "import, 1 % changed"
    case oneIntoSmall = "one into 1,000"
    case oneIntoLarge = "one into 100,000"
    case repositories = "import repositories"
    case fetchAll = "fetch all"
    case lookUps = "10,000 lookups"
    case followUsers = "follow user"
    case peak = "peak MB"
    case coldWithCheckpoint = "cold, with checkpoint"
    case unchangedWithCheckpoint = "unchanged, with checkpoint"
    case changedWithCheckpoint = "1 % changed, with checkpoint"
    case repositoriesWithCheckpoint = "repositories, with checkpoint"

    /// The lines with the time at which the file itself has the imported values, and not only its WAL.
    static let withCheckpoint: [Column] = [
        .coldWithCheckpoint, .unchangedWithCheckpoint, .changedWithCheckpoint, .repositoriesWithCheckpoint,
    ]

    /// Those that say when the caller has the answer.
    static let untilAnswer = allCases.filter { !withCheckpoint.contains($0) }
}

/// One peer's measurements of each task, round by round.
struct Measurements {
    private var values: [Column: [Double]] = [:]

    mutating func append(_ round: [Column: Double]) {
        for (column, value) in round { values[column, default: []].append(value) }
    }

    subscript(column: Column) -> [Double] { values[column] ?? [] }
}
