import ArgumentParser
import RestfulData

struct IssueCreate: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Open an issue.")

    @OptionGroup var place: RepositoryArguments
    @Option(name: .shortAndLong, help: "The title.") var title: String
    @OptionGroup var body: BodyOptions
    @Option(
        name: .shortAndLong, help: "A label's name; repeat it, or set commas, for several.",
        completion: .custom(StoredNames.labels))
    var label: [String] = []
    @Option(
        name: .shortAndLong, help: "A user's name, or @me; repeat it, or set commas, for several.",
        completion: .custom(StoredNames.users))
    var assignee: [String] = []
    @Option(name: .shortAndLong, help: "A milestone's number or title.", completion: .custom(StoredNames.milestones))
    var milestone: String?
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Issue>
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let body = try body.text()
        let repository = try await gitHub.repository(place.repository)
        let issue = Issue(in: gitHub.store.main)
        issue.title = title
        if let body { issue.body = body }
        for name in label.commaSeparated { issue.labels.append(try await gitHub.label(name, in: repository)) }
        for login in assignee.commaSeparated { issue.assignees.append(try await gitHub.user(login)) }
        if let milestone { issue.milestone = try await gitHub.milestone(milestone, in: repository) }
        try await repository.$issues.add(issue, queueing.timing)
        guard !isQueued else {
            return try output.tellQueued("create issue \"\(title)\" in \(repository.fullName)", issue, in: gitHub)
        }
        try output.showAddress(of: issue)
    }
}
