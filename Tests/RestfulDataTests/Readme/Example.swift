// swift-format-ignore-file
// The text is the README's.
import Foundation
import RestfulData

/// The example of the README, word for word, as something that compiles.
struct Example {
    @Model
    final class User {
        var identifier: Int?                 // JSON "id", by convention
        var login = ""
        var avatarURL: URL?                  // JSON "avatar_url"
        var createdAt: Date?                 // JSON "created_at"
        @Relationship("/users/:login/repos", inverse: "owner")
        var repositories: [Repository]
    }

    @Model
    final class Repository {
        var identifier: Int?
        var fullName = ""
        @Attribute("description") var summary: String?
        @Attribute("private") var isPrivate = false
        var owner: User?                     // a model's type is a relationship
        var issues: [Issue]                  // its route is derived from Issue's base URL
    }

    @Model("/repos/:repository.full_name/issues", key: "number")
    final class Issue {
        enum State: String { case open, closed }

        var identifier: Int?                 // the identity, unique at the server
        var number: Int?                     // the key in URLs: …/issues/:number
        var title = ""
        var state: State = .open
        var user: User?
        @Relationship(sentAs: .key("name")) var labels: [Label]
        var repository: Repository?
    }

    @Model
    final class Label {
        var identifier: Int?
        var name = ""
        var color = ""
    }

    @MainActor
    func openAndCloseAnIssue(token: String) async throws {
        let api = API("https://api.github.com", conventions: .github) {
            BearerToken(token)
            Retry()
        }
        let store = try Store(
            .file("github.sqlite"), models: [User.self, Repository.self, Issue.self, Label.self], api: api)

        let octocat = try await User.fetch("/users/:login", ["login": "octocat"], in: store.main)
        let repositories = try await octocat.$repositories.fetch()      // GET /users/octocat/repos
        print(repositories[0].owner === octocat)                        // true: one object for each identity

        let issue = Issue(in: store.main)
        issue.title = "Found a bug"
        try await repositories[0].$issues.add(issue)                     // POST /repos/octocat/Hello-World/issues
        issue.state = .closed
        try await issue.save()                                           // PATCH …/issues/1347 {"state":"closed"}
        try await issue.fetch()                                          // GET, into this same object

        let open = try store.main.query(Issue.self).where { $0.state == .open }.order { $0.number }.fetch()
        print(open.count, "open issues, without a request")
        print(store.explain(Issue.self))                                 // every column, JSON key and route, and why
    }
}
