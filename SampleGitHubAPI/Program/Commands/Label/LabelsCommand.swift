import ArgumentParser
import RestfulData

struct LabelsCommand: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "labels", abstract: "List a repository's labels.")

    @Argument(help: RepositoryName.help) var repository: RepositoryName
    @OptionGroup var list: ListOptions
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(repository)
        let labels = try await repository.$labels.fetch(query: ["per_page": list.pageSize], pages: list.pages)
        try options.show(list.cut(labels))
    }
}
