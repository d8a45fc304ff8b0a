import ArgumentParser
import RestfulData

struct LabelDelete: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a label.")

    @OptionGroup var label: LabelArguments
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(label.repository)
        let label = try await repository.$labels.fetch(label.name)
        try await repository.$labels.delete(label)
        try options.show("Deleted the label \(label.name).", json: ["deleted": label.json])
    }
}
