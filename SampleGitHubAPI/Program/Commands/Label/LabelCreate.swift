import ArgumentParser
import RestfulData

struct LabelCreate: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Make a label.")

    @OptionGroup var arguments: LabelArguments
    @OptionGroup var fields: LabelFields
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Label>
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let place = try arguments.place
        let repository = try await gitHub.repository(place.repository)
        let label = Label(in: gitHub.store.main)
        label.name = place.name
        fields.apply(to: label)
        try await repository.$labels.add(label, queueing.timing)
        guard !isQueued else {
            return try output.tellQueued("create label \"\(label.name)\" in \(repository.fullName)", label, in: gitHub)
        }
        try output.tell("✓ Label \"\(label.name)\" created in \(repository.fullName)", label)
    }
}
