import ArgumentParser
import RestfulData

struct IssueEdit: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change an issue. Only what changes is sent.")

    enum Field: String, ExpressibleByArgument, CaseIterable {
        case body, labels, milestone, assignees
    }

    @OptionGroup var issue: IssueArguments
    @Option(help: "The new title.") var title: String?
    @Option(help: "What to empty; repeat it for several.") var clear: [Field] = []
    @OptionGroup var fields: IssueFields
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issue = try await issue.fetch(gitHub)
        if let title { issue.title = title }
        if clear.contains(.body) { issue.body = nil }
        if clear.contains(.labels) { issue.labels = [] }
        if clear.contains(.milestone) { issue.milestone = nil }
        if clear.contains(.assignees) { issue.assignees = [] }
        if let repository = issue.repository { try await fields.apply(to: issue, in: repository, gitHub) }
        try await issue.save()
        try options.show(issue)
    }
}
