import ArgumentParser
import RestfulData

struct LabelCreate: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Make a label.")

    @OptionGroup var label: LabelArguments
    @OptionGroup var fields: LabelFields
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(label.repository)
        let label = Label(in: gitHub.store.main)
        label.name = self.label.name
        fields.apply(to: label)
        try await repository.$labels.add(label)
        try options.show(label)
    }
}
