import ArgumentParser
import RestfulData

struct LabelDelete: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a label.")

    @OptionGroup var arguments: LabelArguments
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Label>
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let place = try arguments.place
        try confirmation.confirm("Delete the label \(place.name) of \(place.repository.fullName)")
        let label = try await arguments.fetch(gitHub)
        try await label.delete(queueing.timing)
        guard !isQueued else {
            let change = "delete label \"\(place.name)\" of \(place.repository.fullName)"
            return try output.tellQueued(change, label, in: gitHub)
        }
        try output.tell("✓ Label \"\(label.name)\" deleted from \(place.repository.fullName)", label)
    }
}
