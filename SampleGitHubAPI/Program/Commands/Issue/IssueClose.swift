import ArgumentParser
import RestfulData

struct IssueClose: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "close", abstract: "Close an issue.")

    @OptionGroup var issue: IssueArguments
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issue = try await issue.fetch(gitHub)
        issue.state = .closed
        try await issue.save()
        try options.show(issue)
    }
}

struct IssueReopen: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "reopen", abstract: "Open a closed issue again.")

    @OptionGroup var issue: IssueArguments
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issue = try await issue.fetch(gitHub)
        issue.state = .open
        try await issue.save()
        try options.show(issue)
    }
}
