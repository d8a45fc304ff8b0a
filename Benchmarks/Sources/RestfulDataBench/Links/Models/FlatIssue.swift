import RestfulData

/// The columns of an issue, except links.
@Model
final class FlatIssue {
    var identifier: Int?
    var nodeIdentifier = ""
    var url = ""
    var repositoryURL = ""
    var labelsURL = ""
    var commentsURL = ""
    var eventsURL = ""
    var htmlURL = ""
    var timelineURL = ""
    var number = 0
    var state = ""
    var stateReason: String?
    var title = ""
    var body: String?
    var locked = false
    var activeLockReason: String?
    var comments = 0
    var authorAssociation = ""
    var createdAt: String?
    var updatedAt: String?
    var closedAt: String?
}
