import Foundation
import RestfulData

@Model
final class DatedMilestone {
    var identifier: Int?
    var nodeIdentifier = ""
    var url = ""
    var htmlURL = ""
    var labelsURL = ""
    var number: Int?
    var state = ""
    var title = ""
    @Attribute("description") var summary: String?
    var openIssues = 0
    var closedIssues = 0
    var createdAt: Date?
    var updatedAt: Date?
    var closedAt: Date?
    var dueOn: Date?
    var creator: User?
}
