import ArgumentParser
import Foundation

struct MilestoneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "milestone", abstract: "List milestones, make one, change, close or delete it.",
        subcommands: [
            MilestoneList.self, MilestoneCreate.self, MilestoneEdit.self, MilestoneClose.self, MilestoneDelete.self,
        ])
}

struct MilestoneArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("`1 -R owner/name`, or `owner/name 1`: its number or title.", valueName: "milestone"),
        completion: .custom(StoredNames.milestones))
    var words: [String]
    @OptionGroup var options: PlaceOptions

    func validate() throws { _ = try options.place(words) }

    @MainActor func fetch(_ gitHub: GitHub) async throws -> Milestone {
        let place = try options.place(words)
        return try await gitHub.milestone(place.name, in: gitHub.repository(place.repository))
    }
}

struct MilestoneFields: ParsableArguments {
    @Option(name: .shortAndLong, help: "What it is for.") var description: String?
    @Option(help: ArgumentHelp("When it is due.", valueName: "yyyy-mm-dd")) var due: Day?

    var isGiven: Bool { description != nil || due != nil }

    func apply(to milestone: Milestone) {
        if let description { milestone.summary = description }
        if let due { milestone.dueOn = due.date }
    }
}

/// `2026-01-31` is that day's noon in UTC, so that GitHub, which thinks in Pacific time, takes the same day.
struct Day: ExpressibleByArgument {
    let date: Date

    init?(argument: String) {
        guard let start = try? Date(argument, strategy: .iso8601.year().month().day()), start.day == argument else {
            return nil
        }
        date = start.addingTimeInterval(12 * 60 * 60)
    }
}
