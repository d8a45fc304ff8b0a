import ArgumentParser

/// The command line: reads the arguments, runs the command, and ends with a status that says what went wrong.
@main
struct SampleProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "SampleGitHubAPI",
        abstract: "A GitHub client that keeps what it has seen: the sample of RestfulData.",
        discussion: """
            Users, repositories, issues, labels, milestones and comments are objects of six short model classes, \
            fetched from GitHub's REST API, changed there, and kept in an SQLite file.

            Begin with `demo`, which needs no network and no account.

            JSON
            user: bio, company, created_at, followers, id, location, login, name, public_repos
            repository: description, full_name, id, language, open_issues_count, owner, private, pushed_at, \
            stargazers_count
            issue: assignees, body, comments, created_at, id, labels, milestone, number, repository, state, title, \
            updated_at, user
            label: color, description, id, name, repository
            milestone: closed_issues, creator, description, due_on, id, number, open_issues, repository, state, title
            comment: body, created_at, id, issue, user
            Users are logins there, repositories full names, labels names, an issue's milestone and a comment's issue \
            numbers, dates ISO 8601 in UTC. A list is an array. `issue show` adds comment_list. What was deleted stands \
            in {"deleted": …}.

            EXIT STATUS
            \(ExitStatus.table)
            """,
        subcommands: [
            UserCommand.self, ReposCommand.self, RepoCommand.self, IssuesCommand.self, IssueCommand.self,
            LabelsCommand.self, LabelCommand.self, MilestonesCommand.self, MilestoneCommand.self,
            ExplainCommand.self, ServeCommand.self, DemoCommand.self,
        ])

    static func main() async {
        do {
            let command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch {
            guard exitCode(for: error) != .success else { exit(withError: error) }  // --help
            let failure = Failure(error)
            failure.report()
            exit(withError: ExitCode(failure.status.rawValue))
        }
    }
}
