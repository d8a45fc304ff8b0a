import ArgumentParser
import RestfulData

struct MilestonesCommand: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "milestones", abstract: "List a repository's milestones.")

    @Argument(help: RepositoryName.help) var repository: RepositoryName
    @Option(help: "Which ones.") var state = StateFilter.open
    @OptionGroup var list: ListOptions
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(repository)
        let milestones = try await repository.$milestones.fetch(
            query: ["state": RouteValue(state.rawValue), "per_page": list.pageSize], pages: list.pages)
        try options.show(list.cut(milestones))
    }
}
