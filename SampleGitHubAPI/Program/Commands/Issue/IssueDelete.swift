import ArgumentParser
import RestfulData

struct IssueDelete: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete an issue.",
        discussion: """
            GitHub's REST API deletes no issues. The command asks the GraphQL API of the same server, `/graphql`, which needs the \
            token of an administrator of the repository. `serve` has it, too.
            """)

    @OptionGroup var issue: IssueArguments
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var output: Output<Issue>
    @OptionGroup var service: ServiceOptions

    func validate() throws { try confirmation.check() }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issue = try await issue.fetch(gitHub)
        try confirmation.confirm("Delete the issue \(issue.name)")
        try await gitHub.delete(issue, by: service.graphQLURL)
        try output.tell("✓ Deleted issue \(issue.name)", issue)
    }
}

extension GitHub {
    /// - Throws: `CommandError` with GitHub's answer if it refuses.
    fileprivate func delete(_ issue: Issue, by graphQLURL: String) async throws {
        let mutation = Mutation(
            query: "mutation($id: ID!) { deleteIssue(input: {issueId: $id}) { clientMutationId } }",
            variables: ["id": issue.nodeID ?? ""])
        let answer = try await GraphQLAnswer.send(.post, URLTemplate(graphQLURL), body: mutation, in: store.main)
        if let error = answer.errors.first {
            throw CommandError(status: error.status, message: "POST \(graphQLURL): \(error.message)")
        }
        // GitHub answers 410, which removes the issue.
        _ = try? await issue.fetch()
    }
}

private struct Mutation: Encodable {
    let query: String
    let variables: [String: String]
}

/// GraphQL's errors come with 200.
@ResponseBody
struct GraphQLAnswer {
    struct Failure: Codable, Sendable {
        let type: String?
        let message: String

        var status: ExitStatus {
            switch type {
            case "NOT_FOUND": .notFound
            case "FORBIDDEN", "INSUFFICIENT_SCOPES": .notAllowed
            default: .failure
            }
        }
    }

    var errors: [Failure] = []
}
