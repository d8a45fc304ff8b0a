import GitHubServer
import Testing

/// The issues of the list, and the requests for them.
@Suite struct ListTests {
    private let hello = "/repos/octocat/Hello-World"

    private func numbers(_ arguments: String, _ stage: Stage) async throws -> [Int] {
        let run = try await stage.run(stage.words("issues octocat/Hello-World --json number \(arguments)"))
        #expect(run.errors == "")
        return try JSONDocument(run.output).elements.compactMap { $0["number"].number }
    }

    /// GitHub lists pull requests among the issues: here the newest 40.
    @Test func `The list of issues leaves out pull requests before its limit counts`() async throws {
        try await onStage(.demo(repositories: 1, issues: 65, pullRequests: 40)) { stage in
            let ten = try await numbers("--limit 10 --state all", stage)
            #expect(ten == Array((56...65).reversed()))
            #expect(
                stage.reads().dropFirst() == [
                    "\(hello)/issues?state=all&per_page=30",
                    "/repositories/1296269/issues?state=all&per_page=30&page=2",
                ])
            let most = try await numbers("--limit 64 --state all", stage)
            #expect(most == Array((2...65).reversed()))
        }
        try await onStage(.demo(repositories: 1, issues: 0, pullRequests: 40)) { stage in
            let run = try await stage.runOnTerminal("issues octocat/Hello-World")
            #expect(run.output == "")
            #expect(run.errors == "No issues in octocat/Hello-World.\n")
            #expect(run.status == 0)
            #expect(try await numbers("", stage) == [])
        }
    }

    @Test func `A list requests no more objects than its limit`() async throws {
        try await onStage { stage in
            #expect(try await numbers("--limit 31", stage).count == 31)
            #expect(stage.reads() == [hello, "\(hello)/issues?state=open&per_page=31"])
            let repositories = try await stage.run("repos", "octocat", "--limit", "7", "--json", "name")
            #expect(try JSONDocument(repositories.output).elements.count == 7)
            #expect(stage.reads() == ["/users/octocat/repos?per_page=7"])
        }
    }

    @Test func `A list has thirty objects by default`() async throws {
        try await onStage { stage in
            let usual = try await numbers("", stage)
            let all = try await numbers("--limit 1000 --state all", stage)
            #expect((usual.count, all.count) == (30, 65))
        }
    }

    static let filters: [(arguments: String, query: String)] = [
        ("--label bug", "labels=bug&"), ("--label BUG", "labels=BUG&"),
        ("-l enhancement -l wontfix --state all", "labels=enhancement%2Cwontfix&"),
        ("--label enhancement,wontfix -s closed", "labels=enhancement%2Cwontfix&"),
        ("--assignee hubot", "assignee=hubot&"),
        ("--author monalisa", "creator=monalisa&"), ("--author Monalisa", "creator=Monalisa&"),
        ("-A hubot -a octocat --milestone 2 -s all", "assignee=octocat&creator=hubot&milestone=2&"),
        ("--milestone v1.1", "milestone=2&"),
    ]

    @Test(arguments: filters)
    func `A list is filtered by the server, and offline with the same result`(_ arguments: String, _ query: String)
        async throws
    {
        try await onStage { stage in
            let online = try await numbers("\(arguments) --limit 100", stage)
            #expect(!online.isEmpty && online.count < 44)
            #expect(stage.reads().last?.contains(query) == true)
            _ = try await numbers("--state all --limit 100", stage)
            _ = stage.reads()
            #expect(try await numbers("\(arguments) --limit 100 --offline", stage) == online)
            #expect(stage.reads() == [])
        }
    }

    @Test func `A search sends GitHub's own search syntax`() async throws {
        try await onStage(.demo(repositories: 2, issues: 65, pullRequests: 5)) { stage in
            let run = try await stage.run(
                "issue", "list", "-R", "octocat/Hello-World", "--search", "tail is:closed", "--state", "all", "--json",
                "number,title")
            let found = try JSONDocument(run.output).elements
            #expect(found.compactMap { $0["title"].string }.allSatisfy { $0.contains("tail") })
            #expect(found.count == 1)
            #expect(
                stage.reads().last
                    == "/search/issues?q=repo%3Aoctocat%2FHello-World%20is%3Aissue%20tail%20is%3Aclosed&sort=created&order=desc&per_page=30"
            )
            let filtered = try await stage.run(
                "issues", "octocat/Hello-World", "-S", "crashes", "-l", "bug", "-a", "octocat", "--json", "number")
            #expect(filtered.status == 0)
            #expect(
                stage.reads().last?.contains("state%3Aopen%20assignee%3Aoctocat%20crashes&") == true)
        }
    }

    @Test func `An offline search matches words and refuses GitHub's qualifiers`() async throws {
        try await onStage { stage in
            _ = try await numbers("--state all --limit 100", stage)
            let found = try await numbers("--search TAIL --offline", stage)
            #expect(found == [59, 46, 20, 7])
            let run = try await stage.run("issues", "octocat/Hello-World", "--search", "is:closed", "--offline")
            #expect(run.status == 64)
        }
    }

    @Test func `A list fetches comments if its fields name them`() async throws {
        try await onStage { stage in
            let run = try await stage.run("issues", "octocat/Hello-World", "--limit", "5", "--json", "number,comments")
            let issues = try JSONDocument(run.output).elements
            #expect(issues.map { $0["comments"].elements.count }.reduce(0, +) > 0)
            #expect(stage.reads().contains { $0.hasSuffix("/comments") })
        }
    }

    @Test func `The user @me is the token's user`() async throws {
        try await onStage { stage in
            let mine = try await numbers("--author @me --token t --state all", stage)
            #expect(try await numbers("--author octocat --state all", stage) == mine)
            #expect(!mine.isEmpty)
            let me = try await stage.run("user", "@me", "--token", "t", "--json", "login")
            #expect(try JSONDocument(me.output)["login"].string == "octocat")
        }
    }
}
