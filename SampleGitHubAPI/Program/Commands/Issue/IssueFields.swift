import ArgumentParser
import RestfulData

/// What an issue can be given when it is opened or edited.
struct IssueFields: ParsableArguments {
    @Option(help: "The text, in Markdown.") var body: String?
    @Option(
        name: .customLong("label"), help: "A label's name; repeat it for several. They replace those that are there.")
    var labels: [String] = []
    @Option(help: "A milestone's number.") var milestone: Int?
    @Option(
        name: .customLong("assignee"), help: "A user's name; repeat it for several. They replace those that are there.")
    var assignees: [String] = []

    @MainActor func apply(to issue: Issue, in repository: Repository, _ gitHub: GitHub) async throws {
        if let body { issue.body = body }
        if let milestone { issue.milestone = try await repository.$milestones.fetch(milestone) }
        if !labels.isEmpty {
            issue.labels = []
            for name in labels { issue.labels.append(try await repository.$labels.fetch(name)) }
        }
        if !assignees.isEmpty {
            issue.assignees = []
            for login in assignees { issue.assignees.append(try await gitHub.user(login)) }
        }
    }
}
