import ArgumentParser
import RestfulData

struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "List the changes that wait to be sent, send them, or decide about one.",
        discussion: """
            Commands with --queue keep their change in the store's file. `send` sends what waits. A change that GitHub refuses \
            stays until you decide: `retry` lets it be sent again, `discard` takes it back.
            """,
        subcommands: [OutboxList.self, OutboxSend.self, OutboxRetry.self, OutboxDiscard.self])
}

struct OutboxArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The change's number, as `outbox list` shows it.", valueName: "number"))
    var number: Int64

    /// - Throws: `CommandError` with the numbers in the outbox.
    @MainActor func find(_ gitHub: GitHub) async throws -> OutboxEntry {
        if let entry = try await gitHub.store.outbox.entry(number) { return entry }
        let entries = try await gitHub.store.outbox.entries()
        let numbers = entries.map { String($0.id) }.joined(separator: ", ")
        let content = entries.isEmpty ? "it is empty" : "it has \(numbers)"
        throw CommandError(status: .notFound, message: "the outbox has no change \(number); \(content)")
    }
}
