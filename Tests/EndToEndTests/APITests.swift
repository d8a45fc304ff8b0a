import Foundation
import GitHubServer
import Testing

/// Requests of the user's own.
@Suite struct APITests {
    private let issue = "/repos/octocat/Hello-World/issues/1"

    @Test func `The api command prints the reply to any request`() async throws {
        try await onStage { stage in
            let run = try await stage.run("api", issue, "-H", "Accept: application/vnd.github.full+json")
            #expect(run.status == 0 && run.errors == "")
            let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            #expect(json?["number"] as? Int == 1)
            #expect(stage.writes().isEmpty)
        }
    }

    @Test func `The api command sends fields and the contents of files`() async throws {
        try await onStage { stage in
            try Data(#"{"title":"Of a file"}"#.utf8).write(to: URL(fileURLWithPath: stage.path("issue.json")))
            let fields = try await stage.run("api", "\(issue)/comments", "-f", "body=a=b")
            let file = try await stage.run("api", issue, "-X", "patch", "--input", stage.path("issue.json"))
            #expect(fields.status == 0 && file.status == 0)
            #expect(
                stage.writes() == [
                    #"POST \#(issue)/comments {"body":"a=b"} → 201"#, #"PATCH \#(issue) {"title":"Of a file"} → 200"#,
                ])
        }
    }

    @Test func `The api command writes the reply to a file`() async throws {
        try await onStage { stage in
            let run = try await stage.run("api", issue, "-o", stage.path("issue.json"))
            #expect(run.status == 0 && run.output == "")
            let json = try Data(contentsOf: URL(fileURLWithPath: stage.path("issue.json")))
            #expect(String(decoding: json, as: UTF8.self).contains(#""number""#))
        }
    }

    @Test func `A failed api request reports the server's error and leaves no file`() async throws {
        try await onStage { stage in
            let run = try await stage.run("api", "/nowhere", "-o", stage.path("nothing"))
            #expect(run.status == 66)
            #expect(run.errors.contains("404"))
            #expect(!FileManager.default.fileExists(atPath: stage.path("nothing")))
            let missing = try await stage.run("api", issue, "--input", stage.path("none.json"))
            #expect(missing.status == 74)
            #expect(missing.errors.contains("No such file or directory"))
        }
    }
}
