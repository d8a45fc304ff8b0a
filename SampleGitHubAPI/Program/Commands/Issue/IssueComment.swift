import ArgumentParser
import RestfulData

struct IssueComment: QueueingCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment", abstract: "Comment on an issue, or change or delete your last comment.")

    @OptionGroup var issue: IssueArguments
    @OptionGroup var body: BodyOptions
    @Flag(help: "Change the last comment of yours.") var editLast = false
    @Flag(help: "Delete the last comment of yours.") var deleteLast = false
    @OptionGroup var confirmation: Confirmation
    @Flag(name: .web, help: .web) var web = false
    @OptionGroup var queueing: QueueOption
    @OptionGroup var output: Output<Comment>
    @OptionGroup var service: ServiceOptions

    func validate() throws {
        guard !(editLast && deleteLast) else {
            throw ValidationError("Specify only one of --edit-last and --delete-last.")
        }
        guard !(queueing.queue && (editLast || deleteLast)) else {
            throw ValidationError("--queue is for new comments: your last one is known to GitHub alone.")
        }
        guard deleteLast != body.isGiven || web else {
            throw ValidationError(
                deleteLast ? "--delete-last takes no text." : "What to say? Use --body, or --body-file.")
        }
        if deleteLast { try confirmation.check() }
    }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let text = try body.text() ?? ""
        let issue = try await issue.fetch(gitHub)
        if web, let url = issue.htmlURL { return try Browser.open(url) }
        if deleteLast { return try await delete(lastComment(on: issue, gitHub)) }
        guard editLast else { return try await add(text, to: issue, gitHub) }
        let comment = try await lastComment(on: issue, gitHub)
        comment.body = text
        try await comment.save()
        try output.showAddress(of: comment)
    }

    @MainActor private func add(_ text: String, to issue: Issue, _ gitHub: GitHub) async throws {
        let comment = try await gitHub.comment(text, on: issue, queueing.timing)
        guard !isQueued else { return try output.tellQueued("comment on issue \(issue.name)", comment, in: gitHub) }
        try output.showAddress(of: comment)
    }

    @MainActor private func delete(_ comment: Comment) async throws {
        try confirmation.confirm("Delete the comment \(comment.body)")
        try await comment.delete()
        try output.tell("Comment deleted", comment)
    }

    @MainActor private func lastComment(on issue: Issue, _ gitHub: GitHub) async throws -> Comment {
        let me = try await gitHub.freshUser("@me")
        let comments = try await issue.$comments.fetch(query: ["per_page": 100], pages: .all())
        guard let comment = comments.last(where: { $0.user === me }) else {
            throw CommandError(status: .notFound, message: "\(issue.reference) has no comment of \(me.login)")
        }
        return comment
    }
}

extension GitHub {
    /// One issue after the other; offline none. Lists without a query are whole, so deleted comments disappear.
    func fetchComments(of issues: [Issue]) async throws {
        for issue in issues where !isOffline && issue.commentCount + issue.comments.count > 0 {
            try await issue.$comments.fetch(pages: .all())
        }
    }

    @discardableResult func comment(
        _ text: String, on issue: Issue, _ timing: WriteTiming
    ) async throws -> Comment {
        let comment = Comment(in: store.main)
        comment.body = text
        try await issue.$comments.add(comment, timing)
        return comment
    }
}
