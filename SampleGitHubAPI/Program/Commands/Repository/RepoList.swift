import ArgumentParser
import RestfulData

struct RepoList: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List a user's repositories.")

    @Argument(help: "The user's name at GitHub; @me is whom the token belongs to.") var login: String
    @OptionGroup var list: ListOptions
    @OptionGroup var output: Output<Repository>
    @Flag(name: .offline, help: .offline) var isOffline = false
    @Option(name: .maxAge, help: .maxAge) var maxAge: UInt32?
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let user = try await gitHub.user(login)
        let repositories =
            isOffline
            ? user.repositories.sorted { $0.fullName.lowercased() < $1.fullName.lowercased() }
            : try await user.$repositories.fetch(query: ["per_page": list.pageSize], pages: list.pages)
        try output.show(repositories, limit: list.limit, in: gitHub.place("\(login)'s account"))
    }
}
