import Foundation
import RestfulData

@Model("/repos/:repository.full_name/issues", key: "number")
final class Issue {
    enum State: String { case open, closed }

    var identifier: Int?
    @Attribute("node_id") var nodeID: String?  // its name in GraphQL
    var number: Int?
    @Attribute(searchable: true) var title = ""
    @Attribute(searchable: true) var body: String?
    var state: State = .open
    var stateReason: String?
    var htmlURL: URL?
    var createdAt: Date?
    var updatedAt: Date?
    var closedAt: Date?
    var user: User?
    var repository: Repository?
    var repositoryURL: URL?  // all that a search says of it
    @Relationship(sentAs: .key("login")) var assignees: [User]
    @Relationship(sentAs: .key("name")) var labels: [Label]
    @Relationship(sentAs: .key("number")) var milestone: Milestone?
    @Relationship("/repos/:repository.full_name/issues/:number/comments", json: "comment_list") var comments: [Comment]
    @Attribute("comments") var commentCount = 0  // GitHub lists pull requests among the issues:
    @Attribute("pull_request.html_url") var pullRequestURL: URL?
}
