import ArgumentParser
import Foundation

struct MilestoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "milestone", abstract: "Make a milestone, change, close or delete it.",
        subcommands: [MilestoneCreate.self, MilestoneEdit.self, MilestoneClose.self, MilestoneDelete.self])
}

/// Which milestone a command is about.
struct MilestoneArguments: ParsableArguments {
    @Argument(help: RepositoryName.help) var repository: RepositoryName
    @Argument(help: "The milestone's number.") var number: Int

    @MainActor func fetch(_ gitHub: GitHub) async throws -> Milestone {
        try await gitHub.milestone(number, in: repository)
    }
}

/// What a milestone can be given.
struct MilestoneFields: ParsableArguments {
    @Option(help: "What it is for.") var description: String?
    @Option(help: ArgumentHelp("When it is due.", valueName: "yyyy-mm-dd")) var due: Day?

    func apply(to milestone: Milestone) {
        if let description { milestone.summary = description }
        if let due { milestone.dueOn = due.date }
    }
}

/// `2026-01-31`, as an argument: that day's noon in UTC, so that GitHub, which thinks in Pacific time, takes the same day.
struct Day: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        guard let start = try? Date(argument, strategy: .iso8601.year().month().day()), start.day == argument else {
            return nil
        }
        date = start.addingTimeInterval(12 * 60 * 60)
    }
}
