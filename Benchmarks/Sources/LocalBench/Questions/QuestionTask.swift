/// A row of the second table: something that is asked of many objects, beside the least that would do.
enum QuestionTask: String, CaseIterable {
    case join = "a join: a condition on what a link leads to, two values of each found"
    case aggregate = "an aggregate: sums and counts by what a link leads to"
    case search = "full text: the best twenty of two words"
    case live = "one object changed in a live sorted list of 100,000"
    case trackers = "one of 1,000 objects changed, each with its tracker"
    case visit = "1,000,000 objects visited"

    var other: String {
        switch self {
        case .join, .aggregate: "the same SQL through GRDB"
        case .search: "the same through GRDB from FTS5"
        case .live: "the list fetched again"
        case .trackers: "one object with a tracker"
        case .visit: "memory before"
        }
    }

    /// The ratio to the other that is aimed at, at most.
    var goal: Double {
        switch self {
        case .join, .aggregate, .search: 1.1
        case .live: 1.0 / 50
        case .trackers: 1.5
        case .visit: 1.2
        }
    }

    /// The number of repetitions in one measurement.
    var passes: Int {
        switch self {
        case .join: 20
        case .aggregate: 5
        case .search: 50
        case .live, .visit: 1
        case .trackers: 200
        }
    }
}
