import ArgumentParser

struct IssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Show an issue, open one, change it.",
        subcommands: [
            IssueShow.self, IssueCreate.self, IssueEdit.self, IssueClose.self, IssueReopen.self, IssueComment.self,
        ])
}

/// Which issue a command is about.
struct IssueArguments: ParsableArguments {
    @Argument(help: RepositoryName.help) var repository: RepositoryName
    @Argument(help: "The issue's number.") var number: Int

    @MainActor func fetch(_ gitHub: GitHub) async throws -> Issue {
        try await gitHub.issue(number, in: repository)
    }
}
