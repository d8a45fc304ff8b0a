import ArgumentParser
import RestfulData

struct OutboxDiscard: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Take a change back that was not sent.")

    @OptionGroup var change: OutboxArguments
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var output: JSONFlag
    @OptionGroup var service: ServiceOptions

    func validate() throws { try confirmation.check() }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let entry = try await change.find(gitHub)
        let row = OutboxRow(entry)
        try confirmation.confirm("Discard change \(entry.id), \(row.request)")
        guard try await gitHub.store.outbox.discard(entry) else {
            throw CommandError(
                status: .tryLater,
                message: "change \(entry.id) has just been changed; look at it again by `outbox list`")
        }
        try output.tell("✓ Discarded change \(entry.id), \(row.request)", row)
    }
}
