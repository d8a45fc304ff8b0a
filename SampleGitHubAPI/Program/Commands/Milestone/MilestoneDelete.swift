import ArgumentParser
import RestfulData

struct MilestoneDelete: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a milestone.")

    @OptionGroup var milestone: MilestoneArguments
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let milestone = try await milestone.fetch(gitHub)
        try await milestone.delete()
        try options.show("Deleted the milestone \(milestone.title).", json: ["deleted": milestone.json])
    }
}
