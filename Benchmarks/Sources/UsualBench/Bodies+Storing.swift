import GRDB

extension IssueBody {
    /// Upserts the issue's nested objects, then the issue, then the rows of its lists.
    func store(in database: Database) throws {
        try user?.upsert(database)
        try assignee?.upsert(database)
        try closedBy?.upsert(database)
        try milestone?.store(in: database)
        try issue.upsert(database)
        try IssueLabel.filter(Column("issue_id") == issue.id).deleteAll(database)
        for (position, label) in labels.enumerated() {
            try label.upsert(database)
            try IssueLabel(issueID: issue.id, labelID: label.id, position: position).insert(database)
        }
        try IssueAssignee.filter(Column("issue_id") == issue.id).deleteAll(database)
        for (position, assignee) in assignees.enumerated() {
            try assignee.upsert(database)
            try IssueAssignee(issueID: issue.id, userID: assignee.id, position: position).insert(database)
        }
    }
}

extension MilestoneBody {
    func store(in database: Database) throws {
        try creator?.upsert(database)
        try milestone.upsert(database)
    }
}

extension RepositoryBody {
    func store(in database: Database) throws {
        try owner?.upsert(database)
        try repository.upsert(database)
    }
}
