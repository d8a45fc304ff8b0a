import ArgumentParser
import Foundation

/// Exits with the status of a command's error.
@main
struct SampleProgram: AsyncParsableCommand {
    static let name = "SampleGitHubAPI"
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "A GitHub client that keeps what it has seen: the sample of RestfulData.",
        discussion: """
            Users, repositories, issues, labels, milestones and comments are objects of six short model classes, \
            fetched from GitHub's REST API, changed there, and kept in an SQLite file.

            Begin with `demo`, which needs no network and no account.

            Commands, options and outputs are those of `gh` where it has them: `issue list -R octocat/Hello-World`, or \
            shorter, `issues octocat/Hello-World`. On a terminal lists are as wide as it is; elsewhere their fields are \
            whole, with tabs between them. What commands show they can show from the store alone, with --offline. What they \
            change can wait there, with --queue; `outbox send` sends it.

            ENVIRONMENT
            GH_TOKEN, GITHUB_TOKEN: whom requests act for. GH_REPO: the repository where -R names none. GH_BROWSER, BROWSER: \
            what opens addresses. GH_FORCE_TTY: print as on a terminal, of so many columns. NO_COLOR: without colours.

            EXIT STATUS
            \(ExitStatus.table)
            """,
        version: "SampleGitHubAPI \(version)",
        subcommands: [
            IssueCommand.self, LabelCommand.self, MilestoneCommand.self, RepoCommand.self, UserCommand.self,
            SearchCommand.self, WatchCommand.self, OutboxCommand.self, StatusCommand.self, APICommand.self,
            ExplainCommand.self, ServeCommand.self, DemoCommand.self, CompletionCommand.self,
        ])

    /// For list commands.
    static let shortcuts = [
        "issues": ["issue", "list"], "labels": ["label", "list"], "milestones": ["milestone", "list"],
        "repos": ["repo", "list"],
    ]

    /// `--json=title` as `--json title`, since the parser drops a joined value of an option with an optional value.
    private static func separated(_ argument: String) -> [String] {
        argument.hasPrefix("--json=") ? ["--json", String(argument.dropFirst("--json=".count))] : [argument]
    }

    static func main() async {
        replaceClosedFiles()
        // The write to a closed pipe reports it.
        signal(SIGPIPE, SIG_IGN)
        let written = CommandLine.arguments.dropFirst()
        let arguments = written.prefix(1).flatMap { shortcuts[$0] ?? [$0] } + written.dropFirst().flatMap(separated)
        do {
            let command = try await asyncParseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch is ClosedPipe {
            exit(withError: nil)
        } catch {
            guard exitCode(for: error) != .success else { exit(withError: error) }  // --help
            let failure = Failure(error, arguments)
            failure.report()
            exit(withError: ExitCode(failure.status.rawValue))
        }
    }
}
