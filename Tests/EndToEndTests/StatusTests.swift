import Foundation
import GitHubServer
import Testing

/// The contents of the store, and the completeness of lists.
@Suite struct StatusTests {
    @Test func `The status lists the stored lists, their extent and the remaining limits`() async throws {
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
            // The store's contents are printed even if the server is down.
            let away = try await Run(
                ["status", "--base-url", "http://127.0.0.1:1"], in: stage.folder, environment: [:], input: "")
            #expect(away.output.contains("30 issues") && away.errors.contains("127.0.0.1") && away.status == 69)
        }
    }

    @Test func `The status names lists as a user does`() async throws {
        try await onStage { stage in
            _ = try await stage.run("repos", "octocat")
            _ = try await stage.run("issue", "view", "octocat/Hello-World", "3", "--comments")
            _ = try await stage.run("issues", "octocat/Hello-World", "--state", "all", "--json", "number,comments")
            let status = try JSONDocument(await stage.run("status", "--offline", "--json").output)
            let lists = status["lists"].elements.compactMap { $0["list"].string }
            #expect(lists.contains("octocat repositories") && lists.contains("octocat/Hello-World#3 comments"))
            #expect(lists.allSatisfy { $0.hasPrefix("octocat") }, "\(lists)")
            let shown = try await stage.run("status", "--offline")
            #expect(shown.output.contains("octocat/Hello-World#3 comments"))
        }
    }

    #if os(Linux)
        /// `script` runs it on a terminal of its own; elsewhere it takes other options.
        private static let script = URL(filePath: "/usr/bin/script")

        @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: script.path), "there is no `script`"))
        func `A long list shows its progress on a terminal and erases it at the end`() async throws {
            try await onStage(.demo(repositories: 1, issues: 250)) { stage in
                let words = "issues octocat/Hello-World --state all --limit 500 --base-url \(stage.server.baseURL)"
                let command = "TERM=xterm \(Run.binary.path) \(words)"
                let run = try await Run(["-qec", command, "/dev/null"], in: stage.folder, executable: Self.script)
                #expect(run.status == 0 && run.output.contains("100 of 500 issues") && run.output.contains("[========"))
                let end = try #require(run.output.range(of: "\r\u{1B}[K"))
                #expect(!run.output[end.upperBound...].contains("issues\u{1B}[K"))
                let short = try await Run(
                    ["-qec", command.replacing("--limit 500", with: "--limit 30"), "/dev/null"], in: stage.folder,
                    executable: Self.script)
                #expect(short.status == 0 && !short.output.contains("issues\u{1B}[K"))
                let piped = try await stage.run(stage.words("issues octocat/Hello-World --state all --limit 500"))
                #expect(piped.errors == "")
            }
        }
    #endif
}
