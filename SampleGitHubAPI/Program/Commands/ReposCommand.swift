import ArgumentParser
import RestfulData

struct ReposCommand: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "repos", abstract: "List a user's repositories.")

    @Argument(help: "The user's name at GitHub.") var login: String
    @OptionGroup var list: ListOptions
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let user = try await gitHub.user(login)
        let repositories = try await user.$repositories.fetch(query: ["per_page": list.pageSize], pages: list.pages)
        try options.show(list.cut(repositories))
    }
}
