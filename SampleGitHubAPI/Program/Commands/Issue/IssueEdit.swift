import ArgumentParser
import RestfulData

struct IssueEdit: QueueingCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Change an issue. Only what changes is sent.")

    @OptionGroup var issue: IssueArguments
    @Option(name: .shortAndLong, help: "The new title.") var title: String?
    @OptionGroup var body: BodyOptions
    @Option(
        help: ArgumentHelp("A label to add; repeat it, or set commas, for several.", valueName: "name"),
        completion: .custom(StoredNames.labels))
    var addLabel: [String] = []
    @Option(
        help: ArgumentHelp("A label to remove.", valueName: "name"), completion: .custom(StoredNames.labels))
    var removeLabel: [String] = []
    @Option(
        help: ArgumentHelp("Whom to assign it to, or @me; repeat it, or set commas, for several.", valueName: "login"),
        completion: .custom(StoredNames.users))
    var addAssignee: [String] = []
    @Option(
        help: ArgumentHelp("Whom to assign it to no longer, or @me.", valueName: "login"),
        completion: .custom(StoredNames.users))
    var removeAssignee: [String] = []
    @Option(name: .shortAndLong, help: "A milestone's number or title.", completion: .custom(StoredNames.milestones))
    var milestone: String?
    @Flag(help: "Take it out of its milestone.") var removeMilestone = false
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Issue>
    @OptionGroup var service: ServiceOptions

    private var isGiven: Bool {
        let lists = [addLabel, removeLabel, addAssignee, removeAssignee]
        return title != nil || body.isGiven || milestone != nil || removeMilestone || lists.contains { !$0.isEmpty }
    }

    func validate() throws {
        guard isGiven else { throw ValidationError("Nothing to change: say --title, --body, --add-label or the like.") }
        guard milestone == nil || !removeMilestone else {
            throw ValidationError("Specify only one of --milestone and --remove-milestone.")
        }
    }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let body = try body.text()
        let issue = try await issue.fetch(gitHub)
        if let title { issue.title = title }
        if let body { issue.body = body }
        try await editLists(of: issue, gitHub)
        if removeMilestone { issue.milestone = nil }
        if let milestone, let repository = issue.repository {
            issue.milestone = try await gitHub.milestone(milestone, in: repository)
        }
        try await issue.save(queueing.timing)
        guard !isQueued else { return try output.tellQueued("edit issue \(issue.name)", issue, in: gitHub) }
        try output.showAddress(of: issue)
    }

    @MainActor private func editLists(of issue: Issue, _ gitHub: GitHub) async throws {
        let removed = removeLabel.commaSeparated
        issue.labels.removeAll { label in removed.contains { label.name.isName($0) } }
        for name in addLabel.commaSeparated where !issue.labelNames.contains(where: { $0.isName(name) }) {
            guard let repository = issue.repository else { continue }
            issue.labels.append(try await gitHub.label(name, in: repository))
        }
        for login in removeAssignee.commaSeparated {
            let user = try await gitHub.user(login)
            issue.assignees.removeAll { $0 === user }
        }
        for login in addAssignee.commaSeparated {
            let user = try await gitHub.user(login)
            if !issue.assignees.contains(where: { $0 === user }) { issue.assignees.append(user) }
        }
    }
}
