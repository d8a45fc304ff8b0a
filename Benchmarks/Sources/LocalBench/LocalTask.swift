/// A row of the table.
enum LocalTask: String, CaseIterable {
    case create = "create 10,000 in memory"
    case save = "save the 10,000"
    case set = "set one attribute of each"
    case saveEdits = "save 10,000 edits"
    case readInteger = "read an Int property"
    case readText = "read a String property"
    case follow = "follow a link to a live object"
    case lookUp = "10,000 lookups of live objects"
    case query = "200 filtered and sorted queries"
    case count = "20 counts"
    case notify = "10 writes to a notified list of 6,667"
    case delete = "delete 10,000 and save"

    /// The number of passes in one measurement.
    var passes: Int {
        switch self {
        case .readInteger, .readText, .follow: Sample.passes
        default: 1
        }
    }
}

/// One way to do the work. Peers are made anew for each round, and do the tasks in their order.
@MainActor
protocol LocalPeer {
    /// Prepares the task, outside of the measured time.
    mutating func prepare(_ task: LocalTask) async throws
    /// Does the task, which is timed.
    ///
    /// - Returns: A number that must be equal for all; `nil` if the peer lacks the task.
    mutating func run(_ task: LocalTask) async throws -> Int?
    /// Done when the round has ended.
    func close() throws
}

extension LocalPeer {
    mutating func prepare(_ task: LocalTask) {}
}
