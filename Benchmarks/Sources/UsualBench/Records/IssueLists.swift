import GRDB

/// A row of an issue's list of labels.
struct IssueLabel: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "issue_label"

    var issueID: Int
    var labelID: Int
    var position: Int

    enum CodingKeys: String, CodingKey {
        case issueID = "issue_id"
        case labelID = "label_id"
        case position
    }
}

/// A row of an issue's list of assignees.
struct IssueAssignee: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "issue_assignee"

    var issueID: Int
    var userID: Int
    var position: Int

    enum CodingKeys: String, CodingKey {
        case issueID = "issue_id"
        case userID = "user_id"
        case position
    }
}
