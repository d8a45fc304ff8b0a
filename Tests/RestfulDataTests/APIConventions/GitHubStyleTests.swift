import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Shapes that are sent in another form than received, and lists that are wrapped only sometimes.
@MainActor @Suite struct GitHubStyleTests {
    @Test func `A GitHub issue is sent by names and numbers and read as objects`() async throws {
        let reply = """
            {"id": 1, "number": 1347, "title": "Found a bug", "body": "Broken", "state": "open",
             "user": {"id": 2, "login": "hubot"}, "assignees": [{"id": 3, "login": "octocat"}, {"id": 4, "login": "mona"}],
             "labels": [{"id": 5, "name": "bug", "color": "f00"}],
             "milestone": {"id": 6, "number": 3, "title": "v1"}}
            """
        let service = try Service(
            GitHub.models, conventions: .github,
            replies: ["POST /repos/octocat/hello/issues": .json(reply, status: 201)])
        let repository = try await service.imported(Repository.self, #"{"id": 9, "full_name": "octocat/hello"}"#)
        let issue = Issue(in: service.main)
        issue.title = "Found a bug"
        issue.body = "Broken"
        issue.assignees = [
            try await service.imported(User.self, #"{"id": 3, "login": "octocat"}"#),
            try await service.imported(User.self, #"{"id": 4, "login": "mona"}"#),
        ]
        issue.labels = [try await service.imported(Label.self, #"{"id": 5, "name": "bug"}"#)]
        issue.milestone = try await service.imported(Milestone.self, #"{"id": 6, "number": 3}"#)
        try await repository.$issues.add(issue)
        #expect(
            service.stub.log == [
                #"POST /repos/octocat/hello/issues {"title":"Found a bug","body":"Broken","assignees":["octocat","mona"],"#
                    + #""labels":["bug"],"milestone":3}"#
            ])
        #expect(issue.milestone?.title == "v1" && issue.labels[0].color == "f00" && issue.user?.login == "hubot")
        #expect(issue.assignees.map(\.login) == ["octocat", "mona"] && issue.repository === repository)
    }

    @Test func `A search's items are its list, page by page`() async throws {
        let service = try Service(
            GitHub.models, conventions: .github,
            replies: [
                "GET /search/issues?q=bug": .json(
                    #"{"total_count": 2, "incomplete_results": false, "items": [{"id": 1, "number": 1}]}"#,
                    headerFields: [.init("Link")!: #"</search/issues?q=bug&page=2>; rel="next""#]),
                "GET /search/issues?q=bug&page=2": .json(
                    #"{"total_count": 2, "incomplete_results": false, "items": [{"id": 2, "number": 2}]}"#),
            ])
        let found = try await Issue.fetchAll("/search/issues", query: ["q": "bug"], pages: .all(), in: service.main)
        #expect(found.map(\.number) == [1, 2])
    }

    @Test func `Lists whose members have a link back are not sent`() async throws {
        let service = try Service(GitHub.models, conventions: .github)
        let issue = try await service.imported(Issue.self, #"{"id": 1, "number": 1}"#)
        let repository = try await service.imported(Repository.self, #"{"id": 9, "full_name": "a/b"}"#)
        repository.issues = [issue]
        try await repository.save()
        #expect(service.stub.log == [])
    }
}
