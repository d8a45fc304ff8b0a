struct Repository: Sendable {
    let id: Int
    var name: String
    let ownerID: Int
    var description: String?
    var homepage: String?
    var language: String?
    var license: License?
    var topics: [String] = []
    var defaultBranch = "main"
    var isPrivate = false
    var isArchived = false
    var isTemplate = false
    var hasIssues = true
    var hasProjects = true
    var hasWiki = true
    var hasDiscussions = false
    var size = 0
    var stars = 0
    var forks = 0
    var subscribers = 0
    var createdAt: Timestamp
    var updatedAt: Timestamp
    var pushedAt: Timestamp
    var collaboratorIDs: [Int] = []

    var labels: [Label] = []
    var milestones: [Milestone] = []
    var issues: [Issue] = []
    var comments: [Comment] = []
    /// Numbers are used once.
    var lastMilestoneNumber = 0
    /// They stay reserved.
    var deletedIssueNumbers: Set<Int> = []

    var openIssueCount: Int { issues.count { $0.state == .open } }

    func commentCount(ofIssue number: Int) -> Int { comments.count { $0.issueNumber == number } }

    func issueCount(ofMilestone number: Int, _ state: OpenState) -> Int {
        issues.count { $0.milestoneNumber == number && $0.state == state }
    }

    var nextIssueNumber: Int { max(issues.last?.number ?? 0, deletedIssueNumbers.max() ?? 0) + 1 }

    mutating func deleteIssue(at index: Int) {
        let number = issues.remove(at: index).number
        comments.removeAll { $0.issueNumber == number }
        deletedIssueNumbers.insert(number)
    }

    func label(_ id: Int) -> Label? { labels.first { $0.id == id } }

    /// Ignores case.
    func label(named name: String) -> Label? { labels.first { $0.name.lowercased() == name.lowercased() } }
}

struct License: Sendable {
    let key: String
    let name: String
    let spdx: String

    static let mit = License(key: "mit", name: "MIT License", spdx: "MIT")
}
