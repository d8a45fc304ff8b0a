struct Comment: Sendable {
    let id: Int
    let issueNumber: Int
    var body: String
    var userID: Int
    let createdAt: Timestamp
    var updatedAt: Timestamp
}
