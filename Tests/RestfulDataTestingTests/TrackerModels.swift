import RestfulData
import RestfulDataTesting

/// A service of repositories, issues, labels and comments, with one of everything that a relationship's URL may be.
enum Tracker {
    @Model("/users", key: "login")
    final class User {
        var identifier: Int?
        var login = ""
        var name: String?
        @Attribute(access: .writeOnly) var password: String?
    }

    @Model("/repos", key: "fullName")
    final class Repository {
        var identifier: Int?
        @Attribute(isPath: true) var fullName = ""
        @Relationship(inverse: nil) var owner: User?
        @Relationship(inverse: "repository", onDelete: .cascade) var issues: [Issue]
        @Relationship(inverse: "repository") var labels: [Label]
    }

    @Model("/repos/:repository.full_name/issues", key: "number")
    final class Issue {
        var identifier: Int?
        var number: Int?
        var title = ""
        var body: String?
        var state = "open"
        @Relationship(inverse: "issues") var repository: Repository?
        @Relationship("/repos/:repository.full_name/issues/:number/labels", inverse: nil, sentAs: .key("name"))
        var labels: [Label]
        @Relationship(inverse: nil, sentAs: .key("login")) var assignees: [User]
        @Relationship("/repos/:repository.full_name/issues/:number/comments", inverse: "issue") var comments: [Comment]
    }

    @Model("/repos/:repository.full_name/labels", key: "name")
    final class Label {
        var identifier: Int?
        var name = ""
        var repository: Repository?
    }

    @Model("/comments")
    final class Comment {
        var identifier: Int?
        var body = ""
        var issue: Issue?
    }

    static let models: [any Model.Type] = [
        User.self, Repository.self, Issue.self, Label.self, Comment.self,
    ]

    /// A server with one repository of two issues.
    static func server(clock: TestClock? = nil) throws -> TestServer {
        try TestServer(models: models, conventions: .github, clock: clock) {
            try $0.seed(User.self, json: #"[{"id": 1, "login": "octocat"}, {"id": 2, "login": "hubot"}]"#)
            try $0.seed(Repository.self, json: #"{"id": 10, "full_name": "octocat/Hello", "owner_id": 1}"#)
            try $0.seed(
                Issue.self,
                json: """
                    [{"id": 100, "number": 1, "title": "Crash", "state": "open", "repository_id": 10},
                     {"id": 101, "number": 2, "title": "Typo", "state": "closed", "repository_id": 10}]
                    """)
            try $0.seed(
                Label.self,
                json: """
                    [{"id": 20, "name": "bug", "repository_id": 10}, {"id": 21, "name": "easy", "repository_id": 10}]
                    """)
        }
    }
}

/// A service with notes: the smallest model.
enum Notebook {
    @Model("/notes")
    final class Note {
        var identifier: Int?
        var title = ""
        var text: String?
        var stars: Int?
        var isDone = false
        var tags: [String] = []
    }

    static let models: [any Model.Type] = [Note.self]

    static func server(
        _ conventions: APIConventions = .default, count: Int = 3, clock: TestClock? = nil
    ) throws -> TestServer {
        let notes = (1...max(count, 1)).prefix(count).map { #"{"id": \#($0), "title": "n\#($0)"}"# }
        return try TestServer(models: models, conventions: conventions, clock: clock) {
            try $0.seed(Note.self, json: "[\(notes.joined(separator: ","))]")
        }
    }
}
