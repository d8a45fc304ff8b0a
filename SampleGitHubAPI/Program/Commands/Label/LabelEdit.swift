import ArgumentParser
import RestfulData

struct LabelEdit: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "edit", abstract: "Change a label.")

    @OptionGroup var label: LabelArguments
    @Option(name: .customLong("name"), help: "The new name.") var newName: String?
    @OptionGroup var fields: LabelFields
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let label = try await gitHub.label(label.name, in: label.repository)
        if let newName { label.newName = newName }
        fields.apply(to: label)
        try await label.save()
        try options.show(label)
    }
}
