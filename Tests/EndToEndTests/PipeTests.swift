import Foundation
import GitHubServer
import Testing

/// Output to a pipe, as `gh` writes it: whole fields with tabs between, for other programs.
@Suite struct PipeTests {
    static let outputs: [(arguments: String, output: String)] = [
        (
            "issues octocat/Hello-World --limit 3",
            "65\tOPEN\tRetrying should be optional\tbug\t2011-08-10T04:36:12Z\tmonalisa\n"
                + "64\tOPEN\tThe cache takes forever\t\t2011-08-07T02:29:12Z\thubot\n"
                + "62\tOPEN\tCafé mode crashes\tsize: 100%?, duplicate\t2011-08-01T05:45:12Z\tmonalisa\n"
        ),
        (
            "labels octocat/Hello-World --limit 2",
            "bug\tSomething isn't working\t#d73a4a\ndocumentation\tImprovements or additions to documentation\t#0075ca\n"
        ),
        ("repos hubot", ""),
    ]

    @Test(arguments: outputs) func `Piped output has whole fields`(_ arguments: String, _ output: String) async throws {
        try await onStage { stage in
            let run = try await stage.run(stage.words(arguments))
            #expect(run.output == output)
            #expect(run.errors == "")
        }
    }

    @Test func `A piped issue is printed as lines of names and values`() async throws {
        try await onStage { stage in
            let run = try await stage.run("issue", "view", "octocat/Hello-World", "7")
            #expect(
                run.output.hasPrefix(
                    """
                    title:\tThe tail has a typo
                    state:\tOPEN
                    author:\thubot
                    labels:\tquestion, 🚀 später, good first issue
                    comments:\t3
                    assignees:\toctocat
                    milestone:\tv1.1
                    number:\t7

                    """))
            let comments = try await stage.run("issue", "view", "octocat/Hello-World", "3", "--comments")
            #expect(comments.output.hasPrefix("author:\tmonalisa\ncreated:\t2011-02-04T"))
            #expect(comments.output.hasSuffix("--\nIt says \"Hello\" but\nnot to whom.\n--\n"))
        }
    }

    @Test func `A command ends without an error when its reader has ended`() async throws {
        try await onStage { stage in
            for command in ["issues octocat/Hello-World --json", "issue view octocat/Hello-World 3 --comments"] {
                // It begins when its reader has ended.
                let script = """
                    mkfifo go; { cat go
                    '\(Run.binary.path)' \(command) --base-url \(stage.server.baseURL); echo $? >status
                    } | { exec <&-; : >go; }; rm go
                    """
                let run = try await Run(
                    ["-c", script], in: stage.folder, executable: URL(fileURLWithPath: "/bin/sh"))
                #expect(run.errors == "")
                #expect(try String(contentsOfFile: stage.path("status"), encoding: .utf8) == "0\n")
            }
        }
    }

    /// It draws only changes, and this list stays the same.
    @Test func `A watch ends without an error when its reader has ended`() async throws {
        try await onStage { stage in
            let watch = "'\(Run.binary.path)' watch octocat/Hello-World --interval 3600"
            for command in [watch, watch + " --offline"] {
                let script = "{ \(command) --base-url \(stage.server.baseURL); echo $? >status; } | head -1"
                let run = try await Run(
                    ["-c", script], in: stage.folder, executable: URL(fileURLWithPath: "/bin/sh"))
                #expect(run.output.split(separator: "\n").count == 1)
                #expect(run.errors == "")
                #expect(try String(contentsOfFile: stage.path("status"), encoding: .utf8) == "0\n")
            }
        }
    }

    /// The next opened file, such as a connection to the server, gets the number of the closed one.
    @Test func `Nothing is printed to another file when the output is closed`() async throws {
        try await onStage { stage in
            let command = "'\(Run.binary.path)' issues octocat/Hello-World --base-url \(stage.server.baseURL)"
            for (closed, status) in [(">&-", "74"), ("<&- 2>&-", "0"), ("<&- >&- 2>&-", "74")] {
                let run = try await Run(
                    ["-c", "\(command) --verbose \(closed); echo $? >status"], in: stage.folder,
                    executable: URL(fileURLWithPath: "/bin/sh"))
                #expect(try String(contentsOfFile: stage.path("status"), encoding: .utf8) == "\(status)\n")
                #expect(run.output.isEmpty == (status != "0"))
                if closed == ">&-" { #expect(run.errors.hasSuffix("can't be written: \(badFile)\n")) }
            }
        }
    }

    private var badFile: String { POSIXError(.EBADF).localizedDescription }

    @Test func `A table is as wide as the terminal`() async throws {
        try await onStage { stage in
            let command = "issues octocat/Hello-World --state all --limit 100"
            for width in [60, 80, 100, 200] {
                let lines = try await stage.runOnTerminal(command, width: width).output.split(separator: "\n")
                // The one emoji of the list takes two columns.
                let widest = lines.map { $0.count + $0.count { $0 == "🚀" } }.max() ?? 0
                #expect(width == 200 ? widest > 100 && widest < 200 : widest == width)
                #expect(lines.contains { $0.contains("…") } == (width < 200))
            }
        }
    }

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: ProgramTests.script.path), "this system has no script(1)"))
    func `A table's width is taken from the terminal`() async throws {
        try await onStage { stage in
            let issues = "'\(Run.binary.path)' issues octocat/Hello-World --base-url \(stage.server.baseURL)"
            for (width, isCut) in [(60, true), (200, false)] {
                let run = try await Run(
                    ["-qec", "stty cols \(width); \(issues)", "/dev/null"], in: stage.folder,
                    environment: ["TERM": "dumb"], executable: ProgramTests.script)
                #expect(run.output.contains("\r\n30 issues; --limit may show more\r\n"))
                #expect(run.output.contains("…") == isCut)
            }
        }
    }
}
