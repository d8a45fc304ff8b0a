import GRDB

/// An issue's row.
struct Issue: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "issue"
    static let author = belongsTo(User.self, using: ForeignKey(["user_id"]))

    var id: Int
    var nodeID: String
    var url: String
    var repositoryURL: String
    var labelsURL: String
    var commentsURL: String
    var eventsURL: String
    var htmlURL: String
    var timelineURL: String
    var number: Int
    var state: String
    var stateReason: String?
    var title: String
    var body: String?
    var locked: Bool
    var activeLockReason: String?
    var comments: Int
    var authorAssociation: String
    var createdAt: String?
    var updatedAt: String?
    var closedAt: String?
    var userID: Int?
    var assigneeID: Int?
    var milestoneID: Int?
    var closedByID: Int?

    enum CodingKeys: String, CodingKey {
        case id, url, number, state, title, body, locked, comments
        case nodeID = "node_id"
        case repositoryURL = "repository_url"
        case labelsURL = "labels_url"
        case commentsURL = "comments_url"
        case eventsURL = "events_url"
        case htmlURL = "html_url"
        case timelineURL = "timeline_url"
        case stateReason = "state_reason"
        case activeLockReason = "active_lock_reason"
        case authorAssociation = "author_association"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case closedAt = "closed_at"
        case userID = "user_id"
        case assigneeID = "assignee_id"
        case milestoneID = "milestone_id"
        case closedByID = "closed_by_id"
    }
}

/// An issue and its author.
struct AuthoredIssue: Decodable, FetchableRecord {
    var issue: Issue
    var author: User

    private enum CodingKeys: String, CodingKey {
        case issue
        case author = "user"
    }
}
