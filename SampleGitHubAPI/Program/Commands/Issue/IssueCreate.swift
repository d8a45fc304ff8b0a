import ArgumentParser
import RestfulData

struct IssueCreate: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Open an issue.")

    @Argument(help: RepositoryName.help) var repository: RepositoryName
    @Option(help: "The title.") var title: String
    @OptionGroup var fields: IssueFields
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(repository)
        let issue = Issue(in: gitHub.store.main)
        issue.title = title
        try await fields.apply(to: issue, in: repository, gitHub)
        try await repository.$issues.add(issue)
        try options.show(issue)
    }
}
