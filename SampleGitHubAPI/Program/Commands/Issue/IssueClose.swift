import ArgumentParser
import RestfulData

struct IssueClose: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "close", abstract: "Close an issue.")

    enum Reason: String, ExpressibleByArgument, CaseIterable {
        case completed, duplicate
        case notPlanned = "not planned"
    }

    @OptionGroup var issue: IssueArguments
    @Option(name: .shortAndLong, help: "A comment to leave.") var comment: String?
    @Option(name: .shortAndLong, help: "Why.") var reason: Reason?
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Issue>
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issue = try await issue.fetch(gitHub)
        guard issue.state == .open else { return try output.tell("! Issue \(issue.name) is already closed", issue) }
        if let comment { try await gitHub.comment(comment, on: issue, queueing.timing) }
        issue.state = .closed
        if let reason { issue.stateReason = reason.rawValue.replacing(" ", with: "_") }
        try await issue.save(queueing.timing)
        guard !isQueued else { return try output.tellQueued("close issue \(issue.name)", issue, in: gitHub) }
        try output.tell("✓ Closed issue \(issue.name)", issue)
    }
}

struct IssueReopen: QueueingCommand {
    static let configuration = CommandConfiguration(commandName: "reopen", abstract: "Open a closed issue again.")

    @OptionGroup var issue: IssueArguments
    @Option(name: .shortAndLong, help: "A comment to leave.") var comment: String?
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Issue>
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issue = try await issue.fetch(gitHub)
        guard issue.state == .closed else { return try output.tell("! Issue \(issue.name) is already open", issue) }
        if let comment { try await gitHub.comment(comment, on: issue, queueing.timing) }
        issue.state = .open
        try await issue.save(queueing.timing)
        guard !isQueued else { return try output.tellQueued("reopen issue \(issue.name)", issue, in: gitHub) }
        try output.tell("✓ Reopened issue \(issue.name)", issue)
    }
}

extension Issue {
    /// `octocat/Hello-World#7 (Found a bug)`
    var name: String { "\(reference) (\(title))" }
}
