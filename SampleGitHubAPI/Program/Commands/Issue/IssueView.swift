import ArgumentParser
import RestfulData

struct IssueView: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "view", abstract: "Show an issue.", aliases: ["show"])

    @OptionGroup var issue: IssueArguments
    @Flag(name: .shortAndLong, help: "Show its comments.") var comments = false
    @Flag(name: .web, help: .web) var web = false
    @OptionGroup var output: Output<Issue>
    @Flag(name: .offline, help: .offline) var isOffline = false
    @Option(name: .maxAge, help: .maxAge) var maxAge: UInt32?
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issue = try await issue.fetch(gitHub)
        if web, let url = issue.htmlURL { return try Browser.open(url) }
        if comments || output.wants("comments") { try await gitHub.fetchComments(of: [issue]) }
        guard comments, output.json == nil else { return try output.show(issue) }
        // As in `gh`, other programs get the comments alone.
        guard Terminal.width != nil else { return try write(issue.comments.flatMap(\.wholeLines)) }
        try output.show(issue)
        try write(issue.comments.flatMap { [""] + $0.card.lines })
    }
}
