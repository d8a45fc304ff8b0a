/// Numbered within its repository.
struct Milestone: Sendable {
    let id: Int
    let number: Int
    var title: String
    var description: String?
    var creatorID: Int
    var state = OpenState.open
    let createdAt: Timestamp
    var updatedAt: Timestamp
    var closedAt: Timestamp?
    var dueOn: Timestamp?
}
