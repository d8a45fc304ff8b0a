import ArgumentParser
import RestfulData

struct IssueComment: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "comment", abstract: "Comment on an issue.")

    @OptionGroup var issue: IssueArguments
    @Option(help: "The comment, in Markdown.") var body: String
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issue = try await issue.fetch(gitHub)
        let comment = Comment(in: gitHub.store.main)
        comment.body = body
        try await issue.$comments.add(comment)
        try options.show(comment)
    }
}
