import Foundation
import TestSupport
import Testing

@testable import GitHubServer

/// The keys of the server's replies, compared with bodies in the shape that GitHub documents.
@Suite struct ShapeTests {
    /// Optional keys of GitHub's objects, which these objects lack.
    static let optional: Set = [
        "pull_request", "template_repository", "organization", "parent", "source", "performed_via_github_app",
        "security_and_analysis",
    ]

    @Test(arguments: [
        ("/users/octocat", "public-user"), ("/user", "private-user"), (hello, "full-repository"),
        ("/users/octocat/repos", "minimal-repository-items"), (hello + "/issues/1", "issue"),
        (hello + "/issues", "issue-items"), (hello + "/labels/bug", "label"), (hello + "/milestones/1", "milestone"),
        (hello + "/issues/1/comments", "issue-comment-items"),
    ])
    func `Replies have the keys that GitHub documents`(_ target: String, _ schema: String) async throws {
        try await withServer { client in
            let sent = try await client.get(target, ["Authorization": "Bearer any"])
            #expect(sent.status == 200)
            let keys = (sent.json[0] ?? sent.json).keys
            let documents = Self.documents(of: schema)
            #expect(documents.count == Bodies.roots.count)
            for document in documents {
                let documented = try #require(JSON(parsing: Data(contentsOf: document)))
                let missing = (documented[0] ?? documented).keys.subtracting(Self.optional).subtracting(keys)
                #expect(missing.isEmpty, "\(document.path)")
            }
        }
    }

    /// The bodies of a schema: that of the tests, and the recorded one.
    private static func documents(of schema: String) -> [URL] {
        Bodies.roots.compactMap { root in
            let names = ["github/\(schema)", "github-examples/\(schema)-default-response", "github-examples/\(schema)"]
            return names.map { root.appending(path: $0 + ".json") }
                .first { FileManager.default.fileExists(atPath: $0.path) }
        }
    }

    @Test(arguments: [
        (hello + "/labels/bug", "color default description id name node_id url"),
        (
            hello + "/milestones/1",
            """
            closed_at closed_issues created_at creator description due_on html_url id labels_url node_id number \
            open_issues state title updated_at url
            """
        ),
        (
            hello + "/issues/1",
            """
            active_lock_reason assignee assignees author_association body closed_at closed_by comments comments_url \
            created_at events_url html_url id issue_dependencies_summary labels labels_url locked milestone node_id \
            number performed_via_github_app pinned_comment reactions repository_url state state_reason \
            sub_issues_summary timeline_url title type updated_at url user
            """
        ),
    ])
    func `Replies have exactly the expected keys`(_ target: String, _ keys: String) async throws {
        try await withServer { client async throws in
            #expect(try await client.get(target).json.keys.sorted().joined(separator: " ") == keys)
        }
    }

    @Test func `Each object's URL leads to the object`() async throws {
        try await withServer { client in
            let targets = [
                "/users/octocat", hello, hello + "/issues/1", hello + "/labels/c++", hello + "/milestones/2",
                hello + "/issues/1/comments",
            ]
            for target in targets {
                let json = try await client.get(target).json
                let url = try #require((json[0] ?? json)["url"]?.string)
                let own = try await client.get(String(url.dropFirst(client.server.baseURL.count)))
                #expect(own.json == json[0] ?? json)
            }
        }
    }
}
