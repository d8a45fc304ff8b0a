import ArgumentParser

struct UserCommand: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "user", abstract: "Show a user.")

    @Argument(
        help: "The user's name at GitHub; @me is whom the token belongs to.", completion: .custom(StoredNames.users))
    var login: String
    @OptionGroup var output: Output<User>
    @Flag(name: .offline, help: .offline) var isOffline = false
    @Option(name: .maxAge, help: .maxAge) var maxAge: UInt32?
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        try await output.show(gitHub.freshUser(login))
    }
}
