import Foundation
import RestfulData

// A part of GitHub's REST API. JSON keys, tables and URLs follow from the `.github` conventions.

@Model("/users", key: "login")
final class User {
    var identifier: Int?
    var login = ""
    var name: String?
    @Relationship("/users/:login/repos", inverse: "owner") var repositories: [Repository]
}

@Model("/repos", key: "fullName")
final class Repository {
    var identifier: Int?
    var fullName = ""
    @Attribute("description") var summary: String?
    var openIssuesCount = 0
    var owner: User?
    var labels: [IssueLabel]
    // Without a query, GitHub lists open issues only. With `merges`, the closed ones stay members.
    @Relationship(merges: true) var issues: [Issue]
}

@Model("/repos/:repository.full_name/issues", key: "number")
final class Issue {
    enum State: String {
        case open, closed

        var other: State { self == .open ? .closed : .open }
    }

    var identifier: Int?
    var number: Int?
    @Attribute(searchable: true) var title = ""
    @Attribute(searchable: true) var body = ""
    var state: State = .open
    var createdAt: Date?
    var user: User?
    var repository: Repository?
    @Relationship(sentAs: .key("name")) var labels: [IssueLabel]
    // GitHub's "comments" is a number, and the list of comments has a URL only. So the list gets an unused JSON key.
    @Attribute("comments", access: .readOnly) var commentCount = 0
    @Relationship("/repos/:repository.full_name/issues/:number/comments", json: "comment_list")
    var comments: [Comment]
    // GitHub lists pull requests among the issues.
    @Attribute("pull_request.html_url", access: .readOnly) var pullRequestURL: URL?

    /// Is called before a change is stored. The form shows the messages, as it shows those of the server.
    func validate() throws(ValidationError) {
        try check(\.title, !title.isEmpty, "can't be blank")
    }
}

/// A label of a repository. `Label` would hide SwiftUI's view of that name.
@Model("/repos/:repository.full_name/labels", key: "name")
final class IssueLabel {
    var identifier: Int?
    var name = ""
    var repository: Repository?
}

@Model("/repos/:issue.repository.full_name/issues/comments")
final class Comment {
    var identifier: Int?
    var body = ""
    var createdAt: Date?
    var user: User?
    var issue: Issue?
}

/// All models of the store, and of the demo's server.
let models: [any Model.Type] = [User.self, Repository.self, Issue.self, IssueLabel.self, Comment.self]

extension Issue {
    var isOpen: Bool { state == .open }

    /// Closes or reopens the issue here, and at the server as soon as possible.
    @MainActor
    func toggleState() async throws(APIError) {
        state = state.other
        do { try await save(.queued) } catch {
            rollback(\.state)
            throw error
        }
    }

    /// Whether the issue has a label, for a toggle: `$issue[has: label]`.
    subscript(has label: IssueLabel) -> Bool {
        get { labels.contains(label) }
        set {
            if newValue { labels.append(label) } else { labels.removeAll { $0 == label } }
        }
    }
}
