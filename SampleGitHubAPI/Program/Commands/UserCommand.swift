import ArgumentParser

struct UserCommand: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "user", abstract: "Show a user.")

    @Argument(help: "The user's name at GitHub.") var login: String
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        try await options.show(gitHub.user(login))
    }
}
