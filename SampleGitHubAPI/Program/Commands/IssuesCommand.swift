import ArgumentParser
import RestfulData

struct IssuesCommand: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "issues", abstract: "List a repository's issues.")

    @Argument(help: RepositoryName.help) var repository: RepositoryName
    @Option(help: "Which ones.") var state = StateFilter.open
    @OptionGroup var list: ListOptions
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(repository)
        let issues = try await repository.$issues.fetch(
            query: ["state": RouteValue(state.rawValue), "per_page": list.pageSize], pages: list.pages)
        try options.show(list.cut(issues.filter { $0.pullRequestURL == nil }))
    }
}
