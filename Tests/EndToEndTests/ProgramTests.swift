import Foundation
import GitHubServer
import Testing

/// Features of all commands.
@Suite struct ProgramTests {
    @Test func `Requests have GitHub's header fields and the token`() async throws {
        try await onStage { stage in
            _ = try await stage.run("user", "octocat", "--token", "secret")
            let headers = try #require(stage.server.requests.first).headers
            #expect(headers["accept"] == "application/vnd.github+json")
            #expect(headers["x-github-api-version"] == "2022-11-28")
            #expect(headers["user-agent"] == "SampleGitHubAPI/0.1.0")
            #expect(headers["authorization"] == "Bearer secret")
        }
    }

    @Test func `The verbose log goes to standard error without secrets`() async throws {
        try await onStage { stage in
            let run = try await stage.run("user", "octocat", "--verbose", "--token", "secret", "--json")
            #expect(try JSONDocument(run.output)["login"].string == "octocat")
            #expect(run.errors.contains("GET \(stage.server.baseURL)/users/octocat → 200 in "))
            #expect(!run.errors.contains("secret"))
        }
    }

    @Test func `The help names every exit status`() async throws {
        try await onStage { stage in
            let run = try await Run(["--help"], in: stage.folder)
            #expect(run.status == 0)
            for status in [0, 1, 2, 4, 64, 65, 66, 69, 73, 74, 75, 76] {
                #expect(run.output.contains(try Regex("\n +\(status)  [a-z]")))
            }
        }
    }

    @Test func `The explain command explains one model or all, without a request`() async throws {
        try await onStage { stage in
            let issue = try await Run(["explain", "Issue"], in: stage.folder)
            #expect(issue.output.hasPrefix("Issue\n"))
            #expect(issue.output.contains("/repos/:repository.full_name/issues/:number"))
            let all = try await Run(["explain"], in: stage.folder)
            for model in ["User", "Repository", "Issue", "Label", "Milestone", "Comment"] {
                #expect("\n\(all.output)".contains("\n\(model)\n"))
            }
            let graph = try await Run(["explain", "--graph"], in: stage.folder)
            #expect(graph.output.hasPrefix("classDiagram\n"))
            #expect(graph.output.contains(#"Issue "0..1" -- "*" Comment"#), "\(graph.output)")
            #expect(try await Run(["explain", "Issue", "--graph"], in: stage.folder).status == 64)
            #expect(stage.server.requests.isEmpty)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: stage.folder.path).allSatisfy {
                    !$0.contains("sqlite")
                })
        }
    }

    @Test func `The version option prints the version`() async throws {
        try await onStage { stage in
            let run = try await Run(["--version"], in: stage.folder)
            #expect(run.output == "SampleGitHubAPI 0.1.0\n")
        }
    }

    static let foreign: [(command: String, options: [String])] = [
        ("explain", ["--token", "--store", "--verbose", "--base-url"]), ("serve", ["--store", "--verbose"]),
        ("demo", ["--base-url", "--token"]), ("issue close", ["--offline", "--limit"]),
        ("issue list", ["--yes", "--queue"]),
        ("outbox list", ["--queue", "--yes"]),
    ]

    @Test(arguments: foreign)
    func `A command's help has no options that don't concern it`(_ command: String, _ options: [String]) async throws {
        try await onStage { stage in
            let help = try await Run(stage.words(command) + ["--help"], in: stage.folder).output
            for option in options { #expect(!help.contains(option)) }
        }
    }

    /// The program that opens addresses writes them to a file here.
    @Test func `The web option opens the web site`() async throws {
        try await onStage { stage in
            let hello = "https://github.com/octocat/Hello-World"
            for (command, address) in [
                ("issue view octocat/Hello-World 7 --web", "\(hello)/issues/7"), ("repo octocat/Hello-World -w", hello),
                ("issues octocat/Hello-World --web", "\(hello)/issues?q=is:issue%20state:open"),
                (
                    "issues octocat/Hello-World -w -l c++",
                    "\(hello)/issues?q=is:issue%20label:%22c%2B%2B%22%20state:open"
                ),
                ("labels octocat/Hello-World --web", "\(hello)/labels"),
            ] {
                let run = try await stage.run(stage.words(command), environment: ["BROWSER": "printf '%s\n' >>opened"])
                #expect(run.status == 0)
                #expect(run.output == "")
                #expect(run.errors == "Opening \(address) in your browser.\n")
                #expect(
                    try String(contentsOfFile: stage.path("opened"), encoding: .utf8)
                        .hasSuffix(address + "\n"))
            }
            let none = try await stage.run(
                "repo", "octocat/Hello-World", "--web", environment: ["GH_BROWSER": "false", "BROWSER": "true"])
            #expect(none.status == 1)
            #expect(none.errors.hasSuffix("SampleGitHubAPI: 'false' can't open \(hello)\n"))
        }
    }

    static let script = URL(fileURLWithPath: "/usr/bin/script")

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: script.path), "this system has no script(1)"))
    func `A deletion asks for confirmation on a terminal`() async throws {
        try await onStage { stage in
            let delete = "'\(Run.binary.path)' label delete octocat/Hello-World bug --base-url \(stage.server.baseURL)"
            for (answer, writes) in [("n", []), ("y", ["DELETE /repos/octocat/Hello-World/labels/bug → 204"])] {
                let run = try await Run(
                    ["-qec", delete, "/dev/null"], in: stage.folder, environment: ["TERM": "dumb"],
                    input: answer + "\n", executable: ProgramTests.script)
                #expect(run.output.contains("Delete the label bug of octocat/Hello-World? [y/N]"))
                #expect(run.status == (answer == "y" ? 0 : 2))
                #expect(stage.writes() == writes)
            }
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: script.path), "this system has no script(1)"))
    func `Output has colours only on a terminal that supports them`() async throws {
        try await onStage { stage in
            let command = "'\(Run.binary.path)' issue show octocat/Hello-World 1 --base-url \(stage.server.baseURL)"
            for (environment, isColoured) in [([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false)] {
                let run = try await Run(
                    ["-qec", command, "/dev/null"], in: stage.folder,
                    environment: ["TERM": "xterm"].merging(environment) { $1 }, executable: ProgramTests.script)
                #expect(run.output.contains("octocat/Hello-World#1"))
                #expect(run.output.contains("\u{1B}") == isColoured)
            }
        }
    }
}
