import ArgumentParser

struct RepoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repo", abstract: "Show a repository, or a user's.",
        subcommands: [RepoView.self, RepoList.self], defaultSubcommand: RepoView.self)
}

struct RepoView: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "view", abstract: "Show a repository.")

    @OptionGroup var place: RepositoryArguments
    @Flag(name: .web, help: .web) var web = false
    @OptionGroup var output: Output<Repository>
    @Flag(name: .offline, help: .offline) var isOffline = false
    @Option(name: .maxAge, help: .maxAge) var maxAge: UInt32?
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        if web, let url = try await gitHub.repository(place.repository).htmlURL { return try Browser.open(url) }
        try await output.show(gitHub.freshRepository(place.repository))
    }
}
