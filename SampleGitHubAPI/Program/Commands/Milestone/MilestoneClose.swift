import ArgumentParser
import RestfulData

struct MilestoneClose: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "close", abstract: "Close a milestone.")

    @OptionGroup var milestone: MilestoneArguments
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Milestone>
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let milestone = try await milestone.fetch(gitHub)
        milestone.state = .closed
        try await milestone.save(queueing.timing)
        guard !isQueued else {
            return try output.tellQueued("close milestone \(milestone.title)", milestone, in: gitHub)
        }
        try output.tell("✓ Closed milestone \(milestone.title)", milestone)
    }
}
