import Foundation
import RestfulData

@Model("/repos/:repository.full_name/milestones", key: "number")
final class Milestone {
    var identifier: Int?
    var number: Int?
    var title = ""
    @Attribute("description") var summary: String?
    var state: Issue.State = .open
    var htmlURL: URL?
    var openIssues = 0
    var closedIssues = 0
    var dueOn: Date?
    var creator: User?
    var repository: Repository?
}
