import GitHubServer
import Testing

/// Stored objects are shown from the file alone.
@Suite struct OfflineTests {
    static let commands = [
        "user octocat", "repo octocat/Hello-World", "issues octocat/Hello-World --limit 100",
        "issues octocat/Hello-World --state all --limit 5", "issue view octocat/Hello-World 3 --comments",
        "labels octocat/Hello-World", "milestones octocat/Hello-World", "repos octocat",
    ]

    @Test(arguments: commands) func `An offline command shows data that was fetched before`(_ command: String)
        async throws
    {
        try await onStage { stage in
            _ = try await stage.run("issues", "octocat/Hello-World", "--state", "all", "--limit", "100")
            let online = try await stage.runOnTerminal(command)
            #expect(online.status == 0)
            await stage.server.stop()
            let unreachable = try await stage.runOnTerminal(command)
            #expect(unreachable.status == 69)
            let offline = try await stage.runOnTerminal(command + " --offline")
            #expect(offline.output == online.output)
            #expect(offline.errors == "")
            #expect(offline.status == 0)
        }
    }

    @Test(arguments: commands) func `A repeated command is answered with 304, or from the store within its maximum age`(
        _ command: String
    ) async throws {
        try await onStage { stage in
            let first = try await stage.runOnTerminal(command)
            stage.server.forgetRequests()
            let second = try await stage.runOnTerminal(command)
            let statuses = Set(stage.server.requests.map(\.status))
            #expect(second.output == first.output && statuses == [304])
            stage.server.forgetRequests()
            let third = try await stage.runOnTerminal(command + " --max-age 3600 --verbose")
            #expect(third.output == first.output && stage.server.requests.isEmpty)
            #expect(third.errors.contains("→ from the store"))
        }
    }

    @Test func `A repository is found offline in any letter case`() async throws {
        try await onStage { stage in
            let issues = try await stage.run("issues", "octocat/Hello-World")
            for name in ["OctoCat/hello-world", "octocat/Hello-World"] {
                #expect(try await stage.run("issues", name, "--offline").output == issues.output)
            }
        }
    }

    @Test func `An offline list shows issues that only a search has fetched`() async throws {
        try await onStage { stage in
            let list = ["issues", "-R", "octocat/Hello-World", "--state", "all"]
            let found = try await stage.run(list + ["--search", "bug"])
            #expect(found.output != "")
            #expect(try await stage.run(list + ["--offline"]).output == found.output)
        }
    }

    @Test func `An object that the store lacks is reported offline`() async throws {
        try await onStage { stage in
            for (command, what) in [
                ("user octocat", "user octocat"), ("repo octocat/Hello-World", "repository octocat/Hello-World"),
                ("issue view 7 -R octocat/Hello-World", "repository octocat/Hello-World"),
            ] {
                let run = try await stage.run(stage.words(command) + ["--offline"])
                #expect(run.status == 66)
                #expect(run.errors == "SampleGitHubAPI: the store has no \(what); without --offline it is fetched\n")
            }
            _ = try await stage.run("repo", "octocat/Hello-World")
            let run = try await stage.run("issue", "view", "octocat/Hello-World", "7", "--offline")
            #expect(run.errors.contains("the store has no issue octocat/Hello-World#7"))
            let labels = try await stage.runOnTerminal("labels octocat/Hello-World --offline")
            #expect(labels.errors == "No labels in the store.\n")
            #expect(stage.reads() == ["/repos/octocat/Hello-World"])
        }
    }

    @Test func `Data that was not fetched is null offline, not empty`() async throws {
        try await onStage { stage in
            let view = ["issue", "view", "octocat/Hello-World", "3", "--json", "comments", "--offline"]
            _ = try await stage.run("issues", "octocat/Hello-World", "--state", "all", "--limit", "100")
            #expect(try JSONDocument(await stage.run(view).output)["comments"].isNull)
            let author = try JSONDocument(await stage.run("user", "hubot", "--json", "--offline").output)
            #expect(author["followers"].isNull && author["publicRepos"].isNull)
            _ = try await stage.run(view.dropLast())
            #expect(try JSONDocument(await stage.run(view).output)["comments"].elements.count == 3)
        }
    }

    @Test func `A comment that was deleted elsewhere is not shown`() async throws {
        try await onStage { stage in
            let issue = ["octocat/Hello-World", "4", "--token", "t"]
            _ = try await stage.run(["issue", "comment", "--body", "Me too"] + issue)
            _ = try await stage.run(
                ["issue", "comment", "--delete-last", "--yes", "--store", stage.path("other.sqlite")] + issue)
            #expect(try await stage.run(["issue", "view", "--comments"] + issue).output == "")
        }
    }

    @Test func `A repository is fetched only if the store lacks it`() async throws {
        try await onStage { stage in
            let issue = "/repos/octocat/Hello-World/issues/1"
            _ = try await stage.run("issue", "close", "octocat/Hello-World", "1")
            #expect(stage.server.requests.map(\.method) == ["GET", "GET", "PATCH"])
            stage.server.forgetRequests()
            _ = try await stage.run("issue", "reopen", "1", "-R", "octocat/Hello-World")
            #expect(stage.server.requests.map { "\($0.method) \($0.target)" } == ["GET \(issue)", "PATCH \(issue)"])
        }
    }
}
