import ArgumentParser
import RestfulData

struct MilestoneDelete: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a milestone.")

    @OptionGroup var milestone: MilestoneArguments
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Milestone>
    @OptionGroup var service: ServiceOptions

    func validate() throws { try confirmation.check() }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let milestone = try await milestone.fetch(gitHub)
        try confirmation.confirm("Delete the milestone \(milestone.title)")
        let title = milestone.title
        try await milestone.delete(queueing.timing)
        guard !isQueued else { return try output.tellQueued("delete milestone \(title)", milestone, in: gitHub) }
        try output.tell("✓ Deleted milestone \(title)", milestone)
    }
}
