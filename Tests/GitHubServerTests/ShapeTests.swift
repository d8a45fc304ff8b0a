import Foundation
import TestSupport
import Testing

@testable import GitHubServer

/// The keys of what the server sends, held against GitHub's own documented examples where they are at hand.
@Suite struct ShapeTests {
    static let examples = ProjectFolder.corpus.appending(path: "github-examples")

    /// Keys that only some of GitHub's things have, and that these do not.
    static let optional: Set = [
        "pull_request", "template_repository", "organization", "parent", "source", "performed_via_github_app",
        "security_and_analysis",
    ]

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: examples.path), "GitHub's examples are not at hand"),
        arguments: [
            ("/users/octocat", "public-user-default-response"), ("/user", "private-user"),
            (hello, "full-repository-default-response"), ("/users/octocat/repos", "minimal-repository-items"),
            (hello + "/issues/1", "issue"), (hello + "/issues", "issue-items"), (hello + "/labels/bug", "label"),
            (hello + "/milestones/1", "milestone"), (hello + "/issues/1/comments", "issue-comment-items"),
        ])
    func `Has the keys of GitHub's examples`(_ target: String, _ example: String) async throws {
        try await withServer { client in
            let sent = try await client.get(target, ["Authorization": "Bearer any"])
            let data = try Data(contentsOf: Self.examples.appending(path: example + ".json"))
            let documented = try #require(JSON(parsing: data))
            #expect(sent.status == 200)
            let keys = (sent.json[0] ?? sent.json).keys
            #expect((documented[0] ?? documented).keys.subtracting(Self.optional).subtracting(keys).isEmpty)
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
    func `Has exactly these keys`(_ target: String, _ keys: String) async throws {
        try await withServer { client async throws in
            #expect(try await client.get(target).json.keys.sorted().joined(separator: " ") == keys)
        }
    }

    @Test func `Every address of a thing it holds leads to it`() async throws {
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
