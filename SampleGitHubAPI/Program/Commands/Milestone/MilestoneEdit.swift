import ArgumentParser
import RestfulData

struct MilestoneEdit: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "edit", abstract: "Change a milestone.")

    @OptionGroup var milestone: MilestoneArguments
    @Option(name: .shortAndLong, help: "The new title.") var title: String?
    @OptionGroup var fields: MilestoneFields
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Milestone>
    @OptionGroup var service: ServiceOptions

    func validate() throws {
        guard title != nil || fields.isGiven else {
            throw ValidationError("Nothing to change: say --title, --description or --due.")
        }
    }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let milestone = try await milestone.fetch(gitHub)
        if let title { milestone.title = title }
        fields.apply(to: milestone)
        try await milestone.save(queueing.timing)
        guard !isQueued else {
            return try output.tellQueued("edit milestone \(milestone.title)", milestone, in: gitHub)
        }
        try output.showAddress(of: milestone)
    }
}
