/// Or a pull request. Both are numbered within the repository.
struct Issue: Sendable {
    enum Reason: String, Sendable, JSONRepresentable, CaseIterable {
        case completed, reopened, duplicate
        case notPlanned = "not_planned"

        var json: JSON { .string(rawValue) }
    }

    let id: Int
    let number: Int
    var title: String
    var body: String?
    /// nil if the account is gone.
    var userID: Int?
    var state = OpenState.open
    var reason: Reason?
    var labelIDs: [Int] = []
    var assigneeIDs: [Int] = []
    var milestoneNumber: Int?
    var isLocked = false
    var isPullRequest = false
    let createdAt: Timestamp
    var updatedAt: Timestamp
    var closedAt: Timestamp?
    var closedByID: Int?

    mutating func close(_ reason: Reason?, by user: Int?, at now: Timestamp) {
        if state == .open { (closedAt, closedByID) = (now, user) }
        (state, self.reason) = (.closed, reason ?? .completed)
    }

    mutating func reopen() {
        guard state == .closed else { return }
        (state, reason, closedAt, closedByID) = (.open, .reopened, nil, nil)
    }
}
