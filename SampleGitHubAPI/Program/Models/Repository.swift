import Foundation
import RestfulData

@Model("/repos", key: "fullName")
final class Repository {
    var identifier: Int?
    var fullName = ""
    @Attribute("description") var summary: String?
    @Attribute("private") var isPrivate = false
    var url: URL?
    var htmlURL: URL?
    var language: String?
    var stargazersCount = 0
    var openIssuesCount = 0
    var pushedAt: Date?
    var owner: User?
    var labels: [Label]
    @Relationship(merges: true) var issues: [Issue]  // what GitHub lists are the open ones
    @Relationship(merges: true) var milestones: [Milestone]
}
