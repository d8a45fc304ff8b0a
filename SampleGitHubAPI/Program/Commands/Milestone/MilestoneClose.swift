import ArgumentParser
import RestfulData

struct MilestoneClose: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "close", abstract: "Close a milestone.")

    @OptionGroup var milestone: MilestoneArguments
    @OptionGroup var output: Output<Milestone>
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let milestone = try await milestone.fetch(gitHub)
        milestone.state = .closed
        try await milestone.save()
        try output.tell("✓ Closed milestone \(milestone.title)", milestone)
    }
}
