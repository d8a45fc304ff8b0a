import ArgumentParser

struct RepoCommand: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "repo", abstract: "Show a repository.")

    @Argument(help: RepositoryName.help) var repository: RepositoryName
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        try await options.show(gitHub.repository(repository))
    }
}
