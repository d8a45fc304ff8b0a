import RestfulData

/// The columns of a milestone, except links.
@Model
final class FlatMilestone {
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
    var createdAt: String?
    var updatedAt: String?
    var closedAt: String?
    var dueOn: String?
}
