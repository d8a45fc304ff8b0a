import RestfulData
import RestfulDataTesting

/// The recipes of the article "Cookbook". The code between `// recipe: …` and `// end` is the article's code.
enum Cookbook {
    // recipe: Overview
    @Model("/users")
    final class User {
        var identifier: Int?
        var name = ""
    }

    @Model("/projects")
    final class Project {
        var identifier: Int?
        var name = ""
        @Relationship("/projects/:id/issues") var issues: [Issue]
    }

    @Model("/issues")
    final class Issue {
        enum State: String { case open, closed }

        var identifier: Int?
        @Attribute(searchable: true) var title = ""
        var state: State = .open
        var version: Int?
        var author: User?
        var project: Project?
        @Relationship("/issues/:id/labels") var labels: [Label]
        @Relationship("/issues/:id/comments") var comments: [Comment]
    }

    @Model("/labels")
    final class Label {
        var identifier: Int?
        var name = ""
    }

    @Model("/comments")
    final class Comment {
        var identifier: Int?
        var text = ""
        var issue: Issue?
    }
    // end

    static let models: [any Model.Type] = [User.self, Project.self, Issue.self, Label.self, Comment.self]
}

extension Cookbook {
    /// The lines that a recipe prints.
    @MainActor final class Printed {
        private(set) var lines: [String] = []

        func add(_ values: [Any]) { lines.append(values.map { "\($0)" }.joined(separator: " ")) }
    }

    /// A server with a project of three issues.
    static func server(_ conventions: APIConventions = .default, clock: TestClock? = nil) throws -> TestServer {
        try TestServer(models: models, conventions: conventions, clock: clock) {
            try $0.seed(User.self, json: #"[{"id": 1, "name": "Ada"}, {"id": 2, "name": "Grace"}]"#)
            try $0.seed(Project.self, json: #"{"id": 7, "name": "Apollo"}"#)
            try $0.seed(Label.self, json: #"[{"id": 20, "name": "bug"}, {"id": 21, "name": "easy"}]"#)
            try $0.seed(
                Issue.self,
                json: """
                    [{"id": 1, "title": "Crash", "state": "open", "version": 1, "project_id": 7, "author_id": 1},
                     {"id": 2, "title": "Typo", "state": "closed", "version": 1, "project_id": 7, "author_id": 2},
                     {"id": 3, "title": "Slow start", "state": "open", "version": 1, "project_id": 7, "author_id": 1}]
                    """)
        }
    }

    static func store(_ server: TestServer) throws -> Store {
        try Store(.temporary, models: models, api: API(server))
    }
}
