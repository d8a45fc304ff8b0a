import GitHubServer
import RestfulData

/// A test compares the text of each step with the code below it.
@MainActor struct Tour {
    let server: GitHubServer
    let api: API
    let store: Store
    /// As the user has called it.
    let path: String
    let narrator: Narrator

    func run() async throws {
        try narrator.tell([
            "A small GitHub runs on this machine, with invented contents. Its users,",
            "repositories and issues become live objects of the model classes in",
            "SampleGitHubAPI/Program/Models, kept in a new SQLite file.",
        ])
        let octocat = try await fetchUser()
        let helloWorld = try await listRepositories(of: octocat)
        try await listIssues(of: helloWorld)
        let issue = try await openIssue(in: helloWorld)
        try await comment(on: issue)
        try await edit(issue)
        try await label(issue)
        try await refuse(issue)
        try await close(issue)
        try await listAgain(helloWorld)
        let crashes = try askTheStore()
        if let crash = crashes.first { try await queue(crash, in: helloWorld) }
        let reopened = try await restart()
        try await drain(reopened)
        try await compare(reopened)
        reopened.close()
        try goodbye()
    }

    // MARK: Reading

    private func fetchUser() async throws -> User {
        try narrator.step(
            "Fetch a user.",
            #"let octocat = try await User.fetch(key: "octocat", in: store.main)"#)
        let octocat = try await User.fetch(key: "octocat", in: store.main)
        try narrator.result("\(octocat.login) is \(octocat.name ?? ""), with \(octocat.publicRepos ?? 0) repositories.")
        return octocat
    }

    private func listRepositories(of octocat: User) async throws -> Repository {
        try narrator.step(
            "List the user's repositories, which come in pages.",
            "let repositories = try await octocat.$repositories.fetch(pages: .all())")
        let repositories = try await octocat.$repositories.fetch(pages: .all())
        try narrator.result(
            Table(columns: Repository.columns, rows: Array(repositories.prefix(4))).lines(width: 77) + ["…"])

        try narrator.step(
            "Each of them came with its owner. It is one object wherever you meet it.",
            "repositories[0].owner === octocat")
        let isSame = repositories[0].owner === octocat
        try narrator.result("\(isSame)")
        return repositories.first { $0.fullName == "octocat/Hello-World" } ?? repositories[0]
    }

    private func listIssues(of helloWorld: Repository) async throws {
        try narrator.step(
            "List a repository's open issues, with all that is nested in them.",
            "let issues = try await helloWorld.$issues.fetch(pages: .all())")
        let issues = try await helloWorld.$issues.fetch(pages: .all())
        try narrator.result(
            Table(columns: Issue.columns, rows: Array(issues.prefix(4))).lines(width: 77)
                + ["… \(issues.count) in all"]
        )
    }

    // MARK: Writing

    private func openIssue(in helloWorld: Repository) async throws -> Issue {
        try narrator.step(
            "Open an issue. The object gets its number from the reply, and stays the same.",
            """
            let issue = Issue(in: store.main)
            issue.title = "Found a bug"
            try await helloWorld.$issues.add(issue)
            """)
        let issue = Issue(in: store.main)
        issue.title = "Found a bug"
        try await helloWorld.$issues.add(issue)
        try narrator.result("\(issue.reference), \(issue.state.rawValue), by \(issue.user?.login ?? "")")
        return issue
    }

    private func comment(on issue: Issue) async throws {
        try narrator.step(
            "Comment on it.",
            """
            let comment = Comment(in: store.main)
            comment.body = "Me too"
            try await issue.$comments.add(comment)
            """)
        let comment = Comment(in: store.main)
        comment.body = "Me too"
        try await issue.$comments.add(comment)
        try narrator.result(
            "issue.comments.count == \(issue.comments.count), comment.issue === issue: \(comment.issue === issue)")
    }

    private func edit(_ issue: Issue) async throws {
        try narrator.step(
            "Edit it. Only what changed is sent; and nothing where nothing did.",
            """
            issue.title = "The greeting is too quiet"
            try await issue.save()
            try await issue.save()
            """)
        issue.title = "The greeting is too quiet"
        try await issue.save()
        try await issue.save()
        try narrator.result("\(issue.reference) \(issue.title)")
    }

    private func label(_ issue: Issue) async throws {
        try narrator.step(
            "Label it. Labels are objects here, and names on the way to GitHub.",
            """
            let labels = try await issue.repository?.$labels.fetch() ?? []
            issue.labels = labels.filter { $0.name == "bug" }
            try await issue.save()
            """)
        let labels = try await issue.repository?.$labels.fetch() ?? []
        issue.labels = labels.filter { $0.name == "bug" }
        try await issue.save()
        try narrator.result(issue.labels.map { "\($0.name) is #\($0.color)" })
    }

    private func refuse(_ issue: Issue) async throws {
        try narrator.step(
            "What the server refuses is an error by property, and loses nothing.",
            """
            issue.title = ""
            do { try await issue.save() } catch { refusal = error.reply }
            store.main.rollback()
            """)
        var refusal: ReplyError?
        issue.title = ""
        do { try await issue.save() } catch { refusal = error.reply }
        store.main.rollback()
        try narrator.result("refusal.fields == \(refusal?.fields ?? [:])", "After the rollback: \(issue.title)")
    }

    private func close(_ issue: Issue) async throws {
        try narrator.step(
            "Close it.",
            """
            issue.state = .closed
            try await issue.save()
            """)
        issue.state = .closed
        try await issue.save()
        try narrator.result("\(issue.reference) is \(issue.state.rawValue)")
    }

    // MARK: The store

    private func listAgain(_ helloWorld: Repository) async throws {
        try narrator.step(
            "List the issues again. What the store knows already is not written again.",
            "let again = try await helloWorld.$issues.fetchReporting(pages: .all())")
        let again = try await helloWorld.$issues.fetchReporting(pages: .all())
        try narrator.result("again.report: \(again.report)")
    }

    private func askTheStore() throws -> [Issue] {
        try narrator.step(
            "Ask the store, without the network.",
            """
            let crashes = try store.main.query(Issue.self)
                .where { $0.state == .open && $0.title.contains("crashes") }
                .order(by: { $0.number }, .descending)
                .fetch()
            """)
        let crashes = try store.main.query(Issue.self)
            .where { $0.state == .open && $0.title.contains("crashes") }
            .order(by: { $0.number }, .descending)
            .fetch()
        try narrator.result(crashes.map { "\($0.reference) \($0.title)" })

        try narrator.step("Count what it holds now.", "try store.main.query(User.self).count()")
        try narrator.result(
            "User        \(try store.main.query(User.self).count())",
            "Repository  \(try store.main.query(Repository.self).count())",
            "Issue       \(try store.main.query(Issue.self).count())",
            "Label       \(try store.main.query(Label.self).count())",
            "Milestone   \(try store.main.query(Milestone.self).count())",
            "Comment     \(try store.main.query(Comment.self).count())")
        return crashes
    }

    // MARK: The outbox

    private func queue(_ crash: Issue, in helloWorld: Repository) async throws {
        try narrator.step(
            "The server goes away. What you change waits in the store's outbox.",
            """
            await server.stop()
            let report = Issue(in: store.main)
            report.title = "Written on a train"
            try await helloWorld.$issues.add(report, .queued)
            crash.title = "Café mode crashes at night"
            try await crash.save(.queued)
            """)
        await server.stop()
        let report = Issue(in: store.main)
        report.title = "Written on a train"
        try await helloWorld.$issues.add(report, .queued)
        crash.title = "Café mode crashes at night"
        try await crash.save(.queued)
        try narrator.result("store.main.outboxCount == \(store.main.outboxCount)")
    }

    private func restart() async throws -> Store {
        try narrator.step(
            "The program ends and starts again. The changes are in the store's file.",
            """
            store.close()
            let reopened = try Store(.file(path), models: GitHub.models, api: api)
            let entries = try await reopened.outbox.entries()
            """)
        store.close()
        let reopened = try Store(.file(path), models: GitHub.models, api: api)
        let entries = try await reopened.outbox.entries()
        try narrator.result(entries.map { "\($0)".replacing(server.baseURL, with: "") })
        return reopened
    }

    private func drain(_ reopened: Store) async throws {
        try narrator.step(
            "The server is back. Each change is sent once.",
            """
            try await server.start(port: port)
            let report = await reopened.outbox.drain()
            """)
        try await server.start(port: port)
        let report = await reopened.outbox.drain()
        try narrator.result(
            ["report.sent == \(report.sent), report.waiting == \(report.waiting)"], isSideBySide: true)
    }

    private func compare(_ reopened: Store) async throws {
        try narrator.step(
            "List the issues once more. The server has both changes.",
            """
            let repository = try reopened.main.query(Repository.self)
                .where { $0.fullName == "octocat/Hello-World" }
                .first()
            let issues = try await repository?.$issues.fetch(query: ["per_page": 100]) ?? []
            """)
        let repository = try reopened.main.query(Repository.self)
            .where { $0.fullName == "octocat/Hello-World" }
            .first()
        let issues = try await repository?.$issues.fetch(query: ["per_page": 100]) ?? []
        let changed = ["Written on a train", "Café mode crashes at night"]
        try narrator.result(issues.filter { changed.contains($0.title) }.map { "\($0.reference) \($0.title)" })
    }

    /// The server comes back there.
    private var port: UInt16 { server.baseURL.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    private func goodbye() throws {
        try narrator.tell([
            "", "The store stays at \(path). Look at it:",
            "  sqlite3 \(path) .tables",
            "  sqlite3 -box \(path) 'SELECT number, title, state FROM issue LIMIT 5'",
            "  SampleGitHubAPI issues octocat/Hello-World --offline --store \(path)",
            "How the classes became tables, JSON and routes: SampleGitHubAPI explain",
        ])
    }
}
