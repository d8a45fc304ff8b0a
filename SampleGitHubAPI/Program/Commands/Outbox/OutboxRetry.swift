import ArgumentParser
import RestfulData

struct OutboxRetry: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Let a rejected change be sent again.",
        discussion: """
            Of a creation whose reply was lost it is the decision to create the object once more, which may make a second one.
            """)

    @OptionGroup var change: OutboxArguments
    @OptionGroup var output: JSONFlag
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let entry = try await change.find(gitHub)
        guard case .rejected = entry.state else {
            return try output.tell("! Change \(entry.id) is not rejected; `outbox send` sends it", OutboxRow(entry))
        }
        try await gitHub.store.outbox.retry(entry)
        let waiting = try await change.find(gitHub)
        try output.tell("✓ Change \(entry.id) waits again; `outbox send` sends it", OutboxRow(waiting))
    }
}
