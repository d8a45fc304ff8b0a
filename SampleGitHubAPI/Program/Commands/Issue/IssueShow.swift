import ArgumentParser
import RestfulData

struct IssueShow: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show an issue with its comments.",
        discussion: "With --json the comments are in `comment_list`, while `comments` says how many there are.")

    @OptionGroup var issue: IssueArguments
    @OptionGroup var options: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issue = try await issue.fetch(gitHub)
        try await issue.$comments.fetch(query: ["per_page": 100], pages: .all())
        guard !options.json else { return try write([issue.jsonWithComments.text]) }
        try options.show(issue)
        for comment in issue.comments { try write(["\n" + comment.card.lines.joined(separator: "\n")]) }
    }
}

extension Issue {
    fileprivate var jsonWithComments: JSON {
        guard case .object(var members) = json else { return json }
        members["comment_list"] = .array(comments.map(\.json))
        return .object(members)
    }
}
