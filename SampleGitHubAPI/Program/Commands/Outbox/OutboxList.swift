import ArgumentParser
import RestfulData

struct OutboxList: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the changes that wait, with the requests that they would be.")

    @OptionGroup var output: JSONFlag
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let entries = try await gitHub.store.outbox.entries()
        try output.show(entries.map { OutboxRow($0) }, below: service.baseURL)
    }
}
