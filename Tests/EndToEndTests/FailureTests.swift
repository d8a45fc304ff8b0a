import Foundation
import GitHubServer
import TestSupport
import Testing

/// Each kind of failure: its exit status, one line on standard error, and an empty standard output.
@Suite struct FailureTests {
    private func check(_ run: Run, _ status: Int32, _ message: String, _ stage: Stage) {
        #expect(run.status == status)
        let errors = run.errors.replacing(stage.server.baseURL, with: "URL").replacing(
            stage.folder.path, with: "FOLDER")
        #expect(errors == "SampleGitHubAPI: \(message)\n")
        #expect(run.output == "")
    }

    static let usage: [(arguments: String, message: String)] = [
        ("user", "Missing expected argument '<login>' (--help says more)"),
        ("repo octocat", "The value 'octocat' is invalid for '<owner/name>' (--help says more)"),
        ("repo ../octocat", "The value '../octocat' is invalid for '<owner/name>' (--help says more)"),
        ("isue list", "Unknown command 'isue'. Did you mean 'issue'? (--help says more)"),
        ("isues o/n", "Unknown command 'isues'. Did you mean 'issues'? (--help says more)"),
        ("issue lst o/n", "Unknown command 'issue lst'. Did you mean 'issue list'? (--help says more)"),
        ("repo vew o/n", "Unknown command 'repo vew'. Did you mean 'repo view'? (--help says more)"),
        ("api", "Missing expected argument '<path>' (--help says more)"),
        ("api /user -f title", "'title' is no field; write it as key=value. (--help says more)"),
        ("api /user -H accept", "'accept' is no header field; write it as name:value. (--help says more)"),
        ("api /user -f a=1 -o file", "--output is for a GET. (--help says more)"),
        ("api /user -f a=1 --input file", "Specify only one of --field and --input. (--help says more)"),
        ("nonsense", "Unknown command 'nonsense'. (--help says more)"),
        ("issue list o/n --sate all", "Unknown option '--sate'. Did you mean '--state'? (--help says more)"),
        ("issues o/n --sate=all", "Unknown option '--sate'. Did you mean '--state'? (--help says more)"),
        ("issues o/n -state all", "Unknown option '-state'. Did you mean '--state'? (--help says more)"),
        ("issues o/n --ofline", "Unknown option '--ofline'. Did you mean '--offline'? (--help says more)"),
        ("issues o/n --json --sate all", "Unknown option '--sate'. Did you mean '--state'? (--help says more)"),
        ("issue edit o/n 7 --tilte t", "Unknown option '--tilte'. Did you mean '--title'? (--help says more)"),
        ("repo o/n --wb", "Unknown option '--wb'. Did you mean '--web'? (--help says more)"),
        ("issues o/n --frobnicate", "Unknown option '--frobnicate'. (--help says more)"),
        ("issues o/n -x", "Unknown option '-x'. (--help says more)"),
        ("issue delete o/n 7", "--yes is required where nobody can be asked. (--help says more)"),
        ("issues o/n --limit 0", "The limit must be at least 1. (--help says more)"),
        (
            "watch o/n --interval 9223372036854775807",
            "The value '9223372036854775807' is invalid for '--interval <seconds>' (--help says more)"
        ),
        ("issue view o/n x", "'x' is no issue's number. (--help says more)"),
        ("issue view o 7", "'o' names no repository; write it as owner/name. (--help says more)"),
        (
            "issue view 7",
            "Which repository? Say owner/name, with -R before it or without, or set GH_REPO. (--help says more)"
        ),
        ("issue comment o/n 7", "What to say? Use --body, or --body-file. (--help says more)"),
        ("issue create o/n -t t -b b -F f", "Specify only one of --body and --body-file. (--help says more)"),
        (
            "issue edit o/n 7", "Nothing to change: say --title, --body, --add-label or the like. (--help says more)"
        ),
        (
            "issue edit o/n 7 -m 1 --remove-milestone",
            "Specify only one of --milestone and --remove-milestone. (--help says more)"
        ),
        ("label edit o/n bug", "Nothing to change: say --name, --color or --description. (--help says more)"),
        ("milestone edit o/n 1", "Nothing to change: say --title, --description or --due. (--help says more)"),
        ("issue comment o/n 7 --delete-last", "--yes is required where nobody can be asked. (--help says more)"),
        (
            "milestone create o/n --title t --due 2026-02-31",
            "The value '2026-02-31' is invalid for '--due <yyyy-mm-dd>' (--help says more)"
        ),
    ]

    @Test(arguments: usage) func `Arguments that form no command are refused without a request`(
        _ arguments: String, _ message: String
    )
        async throws
    {
        try await onStage { stage in
            let run = try await stage.run(arguments.split(separator: " ").map(String.init))
            check(run, 64, message, stage)
            #expect(stage.server.requests.isEmpty)
        }
    }

    @Test func `A malformed repository in the environment is reported`() async throws {
        try await onStage { stage in
            let run = try await stage.run("issue", "view", "7", environment: ["GH_REPO": "octocat"])
            check(
                run, 64, "GH_REPO is 'octocat', which names no repository; write it as owner/name. (--help says more)",
                stage)
        }
    }

    @Test func `A base URL that isn't absolute http or https is refused`() async throws {
        try await onStage { stage in
            let run = try await Run(["user", "octocat", "--base-url", "ftp://x"], in: stage.folder)
            #expect(run.status == 64)
            #expect(run.errors.contains("\"ftp://x\" is not an absolute http or https URL"))
        }
    }

    @Test func `An object that the server doesn't have is reported as not found`() async throws {
        try await onStage { stage in
            check(try await stage.run("user", "nobody"), 66, "GET URL/users/nobody: 404 Not Found", stage)
            check(
                try await stage.run("label", "delete", "octocat/Hello-World", "nope", "--yes"), 66,
                "GET URL/repos/octocat/Hello-World/labels/nope: 404 Not Found", stage)
        }
    }

    @Test func `A wrong or missing token is reported as an authentication error`() async throws {
        try await onStage(token: "right") { stage in
            let wrong = try await stage.run("user", "octocat", "--token", "ghp_wrong")
            check(wrong, 4, "GET URL/users/octocat: 401 Bad credentials", stage)
            let missing = try await stage.run("label", "create", "octocat/Hello-World", "x")
            check(missing, 4, "POST URL/repos/octocat/Hello-World/labels: 401 Requires authentication", stage)
            let given = try await stage.run("user", "octocat", environment: ["GITHUB_TOKEN": "right"])
            #expect(given.status == 0)
            let first = try await stage.run(
                "user", "octocat", environment: ["GH_TOKEN": "right", "GITHUB_TOKEN": "wrong"])
            #expect(first.status == 0)
        }
    }

    @Test func `A request that the server forbids is reported and not repeated`() async throws {
        try await onStage { stage in
            let headers = ["Content-Type": "application/json; charset=utf-8"]
            let message = "Resource not accessible by personal access token"
            stage.server.inject(.reply(status: 403, headers: headers, body: "{\"message\":\"\(message)\"}"))
            check(try await stage.run("user", "octocat"), 4, "GET URL/users/octocat: 403 \(message)", stage)
            #expect(stage.server.requests.count == 1)
        }
    }

    @Test func `The token of the arguments, unless empty, takes precedence over the environment's`() async throws {
        try await onStage(token: "right") { stage in
            for (arguments, environment, isRight) in [
                (["--token", "right"], "wrong", true), (["--token", "wrong"], "right", false),
                (["--token", ""], "right", true), (["--token", "right"], "", true), ([], "right", true),
            ] {
                let run = try await stage.run(
                    ["user", "octocat"] + arguments, environment: ["GITHUB_TOKEN": environment])
                #expect(run.status == (isRight ? 0 : 4), "\(arguments) \(environment)")
            }
        }
    }

    /// It takes the program's own timeout of half a minute.
    @Test(.timeLimit(.minutes(10))) func `A server that takes too long is reported as a timeout`() async throws {
        try await onStage { stage in
            stage.server.inject(.delay(.seconds(3_000)))
            let run = try await stage.run("user", "octocat")
            #expect(run.status == 75)
            #expect(
                run.errors.contains(
                    "GET \(stage.server.baseURL)/users/octocat: no whole reply came and was stored within 30.0 seconds")
            )
            #expect(run.output == "")
        }
    }

    @Test func `A validation error lists the properties that the server rejected`() async throws {
        try await onStage { stage in
            check(
                try await stage.run("issue", "create", "octocat/Hello-World", "--title", ""), 65,
                "POST URL/repos/octocat/Hello-World/issues: 422 Validation Failed (title: missing_field)", stage)
            check(
                try await stage.run("label", "create", "octocat/Hello-World", "bug", "--color", "red"), 65,
                "POST URL/repos/octocat/Hello-World/labels: 422 Validation Failed "
                    + "(color: invalid; name: already_exists)", stage)
        }
    }

    @Test func `A refused connection is reported`() async throws {
        try await onStage { stage in
            await stage.server.stop()
            let port = try SilentPort(of: stage.server.baseURL)
            defer { extendLifetime(port) }
            check(
                try await stage.run("user", "octocat"), 69,
                "GET URL/users/octocat: the connection was refused; "
                    + "check that the server runs and that host and port are right", stage)
        }
    }

    @Test func `A lost connection is reported`() async throws {
        try await onStage { stage in
            stage.server.inject(.dropReply, method: "POST")
            let run = try await stage.run("label", "create", "octocat/Hello-World", "x")
            #expect(run.status == 69)
            #expect(run.errors.contains("the connection was lost before the whole reply had come"))
        }
    }

    @Test func `A reply that isn't GitHub's is reported as such`() async throws {
        try await onStage { stage in
            let page = "<!DOCTYPE html><html><body>Sign in to the hotel's network</body></html>"
            stage.server.inject(.reply(status: 200, headers: ["Content-Type": "text/html"], body: page))
            let run = try await stage.run("user", "octocat")
            #expect(run.status == 76)
            #expect(run.errors.hasPrefix("SampleGitHubAPI: GET \(stage.server.baseURL)/users/octocat: "))
            #expect(run.errors.count { $0 == "\n" } == 1)
            #expect(run.output == "")
        }
    }

    @Test func `A failing or limited server gives the exit status of a temporary error`() async throws {
        try await onStage { stage in
            stage.server.inject(.badGateway, times: 4)
            check(try await stage.run("user", "octocat"), 75, "GET URL/users/octocat: 502 Server Error", stage)
            let reset = Int(Date().timeIntervalSince1970) + 3_600
            stage.server.inject(.rateLimited(reset: reset))
            let limited = try await stage.run("user", "octocat")
            #expect(limited.status == 75)
            #expect(limited.errors.contains("403 API rate limit exceeded"))
        }
    }

    @Test func `A secondary limit without details reports a wait of a minute after a single request`()
        async throws
    {
        try await onStage { stage in
            stage.server.inject(.secondaryRateLimited())
            let limited = try await stage.run("user", "octocat")
            #expect(limited.status == 75 && limited.errors.contains("try again in 60 s"), "\(limited.errors)")
            #expect(stage.server.requests.map(\.status) == [403])
        }
    }

    @Test func `A command waits for the server's limits and is not refused by known ones`() async throws {
        try await onStage { stage in
            stage.server.inject(.secondaryRateLimited(retryAfter: 1))
            let start = ContinuousClock.now
            #expect(try await stage.run("user", "octocat").status == 0)
            #expect(ContinuousClock.now - start >= .seconds(1))
            #expect(stage.server.requests.map(\.status) == [403, 200])
            stage.server.forgetRequests()
            stage.server.limit(to: 2, every: .seconds(2))
            let list = try await stage.run("issues", "octocat/Hello-World", "--limit", "1000", "--state", "all")
            #expect(list.status == 0)
            #expect(stage.server.requests.count >= 2)
            #expect(stage.server.requests.allSatisfy { $0.status == 200 })
        }
    }

    @Test func `A store that can't be used is reported without a request`() async throws {
        try await onStage { stage in
            try Data("This is a letter, not a database. ".utf8).write(to: URL(fileURLWithPath: stage.path("letter")))
            check(
                try await stage.run("user", "octocat", "--store", stage.path("letter")), 73,
                "The store FOLDER/letter is not an SQLite database; name another file, or move this one away.", stage)
            let nowhere = try await stage.run("user", "octocat", "--store", stage.path("no/folder/x.sqlite"))
            #expect(nowhere.status == 73)
            #expect(
                nowhere.errors.hasPrefix(
                    "SampleGitHubAPI: The store \(stage.path("no/folder/x.sqlite")) can't be opened"))
            let folder = try await stage.run("user", "octocat", "--store", stage.folder.path)
            #expect(folder.status == 73)
            #expect(stage.server.requests.isEmpty)
        }
    }

    @Test(
        .disabled(
            if: ProcessInfo.processInfo.environment["SANITIZER"] == "thread",
            "ThreadSanitizer does not start where the size of files is limited"))
    func `A result that couldn't be stored is reported with a warning not to repeat the command`() async throws {
        try await onStage { stage in
            _ = try await stage.run("repo", "view", "octocat/Hello-World")
            // Files are limited to 32 KB, so the store's log has no room for the created object.
            let command = """
                trap '' XFSZ; ulimit -f 64
                exec '\(Run.binary.path)' issue create -R octocat/Hello-World --title t --base-url \(stage.server.baseURL)
                """
            let run = try await Run(["-c", command], in: stage.folder, executable: URL(fileURLWithPath: "/bin/sh"))
            #expect(run.status == 74)
            #expect(run.errors.contains("the server has done it, but it could not be stored here: The store "))
            #expect(run.errors.hasSuffix("The same command would do it again; a list fetches what was done.\n"))
            #expect(stage.server.requests.last?.status == 201)
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "this system has no /dev/full"))
    func `An output that can't be written is reported`() async throws {
        try await onStage { stage in
            let command = "'\(Run.binary.path)' user octocat --base-url \(stage.server.baseURL) > /dev/full"
            let shell = URL(fileURLWithPath: "/bin/sh")
            let run = try await Run(["-c", command], in: stage.folder, executable: shell)
            #expect(run.status == 74)
            #expect(run.errors.hasPrefix("SampleGitHubAPI: standard output can't be written: "))
        }
    }

    @Test func `Control sequences in texts of the server are not printed`() async throws {
        try await onStage { stage in
            let evil = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m\u{202E}x"
            _ = try await stage.run("issue", "create", "octocat/Hello-World", "--title", evil, "--body", evil)
            for arguments in ["issues octocat/Hello-World", "issue view octocat/Hello-World 66"] {
                for output in [
                    try await stage.run(stage.words(arguments)).output, try await stage.runOnTerminal(arguments).output,
                    try await stage.run(stage.words(arguments + " --json")).output,
                ] {
                    #expect(output.contains("owned"))
                    #expect(
                        !output.unicodeScalars.contains {
                            $0 != "\n" && $0 != "\t" && ($0.properties.generalCategory == .control || $0 == "\u{202E}")
                        })
                }
            }
        }
    }
}
