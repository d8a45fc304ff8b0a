import ArgumentParser
import RestfulData

struct RepoList: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List a user's repositories.")

    @Argument(
        help: "The user's name at GitHub; @me is whom the token belongs to.", completion: .custom(StoredNames.users))
    var login: String
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
            : try await fetchedRepositories(of: user)
        try output.show(repositories, limit: list.limit, in: gitHub.place("\(login)'s account"))
    }

    @MainActor private func fetchedRepositories(of user: User) async throws -> [Repository] {
        var repositories: [Repository] = []
        let line = ProgressLine("repositories")
        defer { line.end() }
        for try await page in user.$repositories.pages(size: list.pageSize, limit: list.pageCount) {
            repositories += page.objects
            line.show(page.progress, limit: list.limit)
        }
        return repositories
    }
}
