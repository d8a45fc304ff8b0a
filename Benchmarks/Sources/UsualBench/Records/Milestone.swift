import GRDB

/// A milestone's row.
struct Milestone: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "milestone"

    var id: Int
    var nodeID: String
    var url: String
    var htmlURL: String
    var labelsURL: String
    var number: Int
    var state: String
    var title: String
    var summary: String?
    var openIssues: Int
    var closedIssues: Int
    var createdAt: String?
    var updatedAt: String?
    var closedAt: String?
    var dueOn: String?
    var creatorID: Int?

    enum CodingKeys: String, CodingKey {
        case id, url, number, state, title
        case nodeID = "node_id"
        case htmlURL = "html_url"
        case labelsURL = "labels_url"
        case summary = "description"
        case openIssues = "open_issues"
        case closedIssues = "closed_issues"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case closedAt = "closed_at"
        case dueOn = "due_on"
        case creatorID = "creator_id"
    }
}
