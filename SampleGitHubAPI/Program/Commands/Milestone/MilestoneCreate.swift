import ArgumentParser
import RestfulData

struct MilestoneCreate: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Make a milestone.")

    @Argument(help: RepositoryName.help) var repository: RepositoryName
    @Option(help: "The title.") var title: String
    @OptionGroup var fields: MilestoneFields
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(repository)
        let milestone = Milestone(in: gitHub.store.main)
        milestone.title = title
        fields.apply(to: milestone)
        try await repository.$milestones.add(milestone)
        try options.show(milestone)
    }
}
