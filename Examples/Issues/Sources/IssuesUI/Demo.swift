import RestfulData
import RestfulDataTesting
import RestfulDataUI
import SwiftUI

/// A small GitHub in this process, made of the app's own models, for previews and the demo.
enum Demo {
    static let login = "octocat"

    private static func server() throws -> TestServer {
        try TestServer(models: models, conventions: .github) { server in
            try server.seed(User.self, json: users)
            try server.seed(Repository.self, json: repositories)
            try server.seed(IssueLabel.self, json: labels)
            try server.seed(Issue.self, json: issues)
            try server.seed(Comment.self, json: comments)
            // Replies contain whole users, as GitHub's do.
            try server.nest(Repository.self, "owner")
            try server.nest(Issue.self, "user")
            try server.nest(Comment.self, "user")
            try server.defaults(Issue.self, ["state": "open", "user_id": 1])
            try server.defaults(Comment.self, ["user_id": 1])
            // The app lacks this rule, so the server can reject a change that the form has accepted.
            try server.check(Issue.self, "title") { title in
                (title?.string?.count ?? 0) > 40 ? "is too long (maximum is 40 characters)" : nil
            }
        }
    }

    /// Opens a store in memory, for a server of its own.
    @MainActor
    static func account() throws -> Session.Account {
        let server = try server()
        let store = try Store(.inMemory, models: models, api: API(server))
        store.outbox.start()
        return Session.Account(login: login, store: store, demoServer: server)
    }

    private static let users = """
        [{"id": 1, "login": "octocat", "name": "Mona Lisa Octocat"}, {"id": 2, "login": "hubot", "name": "Hubot"}]
        """
    private static let repositories = """
        [
            {"id": 10, "full_name": "octocat/Hello-World", "description": "My first repository", "owner_id": 1},
            {"id": 11, "full_name": "octocat/Spoon-Knife", "description": "For forking", "owner_id": 1}
        ]
        """
    private static let labels = """
        [
            {"id": 20, "name": "bug", "repository_id": 10}, {"id": 21, "name": "question", "repository_id": 10},
            {"id": 22, "name": "easy", "repository_id": 10}
        ]
        """
    private static let issues = """
        [
            {"id": 100, "number": 1, "title": "Crash when offline", "body": "Open the app in a tunnel.",
             "state": "open", "created_at": "2026-01-05T09:00:00Z", "comments": 2, "user_id": 2, "repository_id": 10,
             "labels": [{"id": 20}]},
            {"id": 101, "number": 2, "title": "Typo in the README", "body": "It says Wrold.", "state": "closed",
             "created_at": "2026-01-06T10:30:00Z", "comments": 0, "user_id": 1, "repository_id": 10,
             "labels": [{"id": 20}, {"id": 22}]},
            {"id": 102, "number": 3, "title": "Can it greet in French?", "body": "Bonjour would be nice.",
             "state": "open", "created_at": "2026-01-09T15:45:00Z", "comments": 0, "user_id": 2, "repository_id": 10,
             "labels": [{"id": 21}]}
        ]
        """
    private static let comments = """
        [
            {"id": 200, "body": "It happens on my phone, too.", "created_at": "2026-01-05T11:00:00Z", "user_id": 1,
             "issue_id": 100},
            {"id": 201, "body": "Only in the old version.", "created_at": "2026-01-07T08:15:00Z", "user_id": 2,
             "issue_id": 100}
        ]
        """
}

/// Fetches the subject of a preview from a demo server, and shows it.
struct DemoPreview<Subject, Content: View>: View {
    let fetch: @MainActor (ObjectContext) async throws -> Subject
    @ViewBuilder let content: (Subject) -> Content

    @State private var shown: (session: Session, subject: Subject)?
    @State private var problem: String?

    var body: some View {
        if let shown, let account = shown.session.account {
            content(shown.subject).store(account.store).environment(shown.session)
        } else if let problem {
            Text(problem)
        } else {
            ProgressView().task { await load() }
        }
    }

    private func load() async {
        do {
            let account = try Demo.account()
            shown = (Session(account: account), try await fetch(account.store.main))
        } catch {
            problem = "\(error)"
        }
    }
}
