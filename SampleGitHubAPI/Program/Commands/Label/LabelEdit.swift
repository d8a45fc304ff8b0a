import ArgumentParser
import RestfulData

struct LabelEdit: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "edit", abstract: "Change a label.")

    @OptionGroup var arguments: LabelArguments
    @Option(name: .shortAndLong, help: "The new name.") var name: String?
    @OptionGroup var fields: LabelFields
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Label>
    @OptionGroup var service: ServiceOptions

    func validate() throws {
        guard name != nil || fields.isGiven else {
            throw ValidationError("Nothing to change: say --name, --color or --description.")
        }
    }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let label = try await arguments.fetch(gitHub)
        if let name { label.newName = name }
        fields.apply(to: label)
        try await label.save(queueing.timing)
        guard !isQueued else {
            let repository = try arguments.place.repository.fullName
            let change = "edit label \"\(label.name)\" of \(repository)"
            return try output.tellQueued(change, label, in: gitHub)
        }
        try output.tell("✓ Label \"\(label.name)\" updated in \(arguments.place.repository.fullName)", label)
    }
}
