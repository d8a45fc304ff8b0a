import ArgumentParser
import RestfulData

struct MilestoneCreate: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Make a milestone.")

    @OptionGroup var place: RepositoryArguments
    @Option(name: .shortAndLong, help: "The title.") var title: String
    @OptionGroup var fields: MilestoneFields
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Milestone>
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(place.repository)
        let milestone = Milestone(in: gitHub.store.main)
        milestone.title = title
        fields.apply(to: milestone)
        try await repository.$milestones.add(milestone, queueing.timing)
        guard !isQueued else {
            return try output.tellQueued("create milestone \(title) in \(repository.fullName)", milestone, in: gitHub)
        }
        try output.showAddress(of: milestone)
    }
}
