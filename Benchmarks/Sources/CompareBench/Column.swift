/// The columns of the table, in their order.
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
}

/// What one peer needed for each task, round by round.
struct Measurements {
    private var values: [Column: [Double]] = [:]

    mutating func append(_ round: [Column: Double]) {
        for (column, value) in round { values[column, default: []].append(value) }
    }

    subscript(column: Column) -> [Double] { values[column] ?? [] }
}
