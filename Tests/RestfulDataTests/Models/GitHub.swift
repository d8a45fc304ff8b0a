import Foundation
import RestfulData

// The models of the sample, as far as these tests need them.

@Model("/users", key: "login")
final class User {
    var identifier: Int?
    var login = ""
    var name: String?
    var avatarURL: URL?
    @Attribute("site_admin") var isSiteAdmin = false
    var createdAt: Date?
    @Relationship("/users/:login/repos", inverse: "owner") var repositories: [Repository]
}

@Model("/repos", key: "fullName")
final class Repository {
    var identifier: Int?
    var fullName = ""
    @Attribute("description") var summary: String?
    @Attribute("private") var isPrivate = false
    var stargazersCount = 0
    var owner: User?
    var issues: [Issue]
    var labels: [Label]
    var milestones: [Milestone]
}

@Model("/repos/:repository.full_name/issues", key: "number")
final class Issue {
    enum State: String { case open, closed }

    var identifier: Int?
    var number: Int?
    var title = ""
    var body: String?
    var state: State = .open
    var createdAt: Date?
    @Attribute(access: .readOnly) var updatedAt: Date?
    var user: User?
    var repository: Repository?
    @Relationship(sentAs: .key("login")) var assignees: [User]
    @Relationship(sentAs: .key("name")) var labels: [Label]
    @Relationship(sentAs: .key("number")) var milestone: Milestone?
    @Relationship("/repos/:repository.full_name/issues/:number/comments", json: "comment_list") var comments: [Comment]
}

@Model("/repos/:repository.full_name/labels", key: "name")
final class Label {
    var identifier: Int?
    var name = ""
    var color = ""
    @Attribute("description") var summary: String?
    @Attribute("new_name", access: .writeOnly) var newName: String?
    var repository: Repository?
}

@Model("/repos/:repository.full_name/milestones", key: "number")
final class Milestone {
    var identifier: Int?
    var number: Int?
    var title = ""
    var dueOn: Date?
    var creator: User?
    var repository: Repository?
}

@Model("/repos/:issue.repository.full_name/issues/comments")
final class Comment {
    var identifier: Int?
    var body = ""
    var user: User?
    var issue: Issue?
}

enum GitHub {
    static let models: [any Model.Type] = [
        User.self, Repository.self, Issue.self, Label.self, Milestone.self, Comment.self,
    ]
}
