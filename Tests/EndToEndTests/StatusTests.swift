import GitHubServer
import Testing

/// What the store has, and how far lists were listed.
@Suite struct StatusTests {
    @Test func `Says which lists are here, how much of each, and what is left of the limits`() async throws {
        try await onStage(.demo(repositories: 1, issues: 65)) { stage in
            let empty = try await stage.run("status", "--offline")
            #expect(empty.output == "The store is empty.\n" && empty.status == 0)
            _ = try await stage.run("issues", "octocat/Hello-World", "--limit", "30", "--state", "all")
            _ = try await stage.run("labels", "octocat/Hello-World")
            stage.server.forgetRequests()
            let status = try await stage.run("status", "--json")
            #expect(stage.reads() == ["/rate_limit"])
            let json = try JSONDocument(status.output)
            #expect(json["objects"]["issues"].number == 30 && json["objects"]["repositories"].number == 1)
            let lists = json["lists"].elements
            #expect(
                lists.compactMap { $0["list"].string } == [
                    "octocat/Hello-World issues ?state=all", "octocat/Hello-World labels",
                ])
            #expect(lists.compactMap { $0["extent"].string } == ["part", "whole"])
            #expect(json["limits"].elements.compactMap { $0["resource"].string } == ["core", "search"])
            let shown = try await stage.runOnTerminal("status --offline")
            #expect(shown.output.contains("30 or more") && shown.output.contains("all ") && shown.errors == "")
            #expect(stage.reads() == [])
        }
    }
}
