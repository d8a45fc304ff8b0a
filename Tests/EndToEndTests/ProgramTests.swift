import Foundation
import GitHubServer
import Testing

/// What concerns all commands.
@Suite struct ProgramTests {
    @Test func `Speaks to GitHub as it wants`() async throws {
        try await onStage { stage in
            _ = try await stage.run("user", "octocat", "--token", "secret")
            let headers = try #require(stage.server.requests.first).headers
            #expect(headers["accept"] == "application/vnd.github+json")
            #expect(headers["x-github-api-version"] == "2022-11-28")
            #expect(headers["user-agent"] == "SampleGitHubAPI")
            #expect(headers["authorization"] == "Bearer secret")
        }
    }

    @Test func `Logs requests to standard error without secrets`() async throws {
        try await onStage { stage in
            let run = try await stage.run("user", "octocat", "--verbose", "--token", "secret", "--json")
            #expect(try JSONDocument(run.output)["login"].string == "octocat")
            #expect(run.errors.contains("GET \(stage.server.baseURL)/users/octocat → 200 in "))
            #expect(!run.errors.contains("secret"))
        }
    }

    @Test func `Help names every exit status`() async throws {
        try await onStage { stage in
            let run = try await Run(["--help"], in: stage.folder)
            #expect(run.status == 0)
            for status in [0, 64, 65, 66, 69, 70, 73, 74, 75, 76, 77] {
                #expect(run.output.contains(try Regex("\n +\(status)  [a-z]")))
            }
        }
    }

    @Test func `Explains one model or all`() async throws {
        try await onStage { stage in
            let issue = try await stage.run("explain", "Issue")
            #expect(issue.output.hasPrefix("Issue\n"))
            #expect(issue.output.contains("/repos/:repository.full_name/issues/:number"))
            let all = try await stage.run("explain")
            for model in ["User", "Repository", "Issue", "Label", "Milestone", "Comment"] {
                #expect("\n\(all.output)".contains("\n\(model)\n"))
            }
            #expect(stage.server.requests.isEmpty)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: stage.folder.path).allSatisfy {
                    !$0.contains("sqlite")
                })
        }
    }

    static let script = URL(fileURLWithPath: "/usr/bin/script")

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: script.path), "this system has no script(1)"))
    func `Colours only a terminal that wants them`() async throws {
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
