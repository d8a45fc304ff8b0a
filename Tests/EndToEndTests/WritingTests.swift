import Foundation
import GitHubServer
import Testing

/// The requests and output of the commands that change something.
@Suite struct WritingTests {
    let hello = "/repos/octocat/Hello-World"

    @Test func `The create command creates an issue`() async throws {
        try await onStage { stage in
            let run = try await stage.run(
                "issue", "create", "octocat/Hello-World", "--title", "日本語", "--body", "Two\nlines", "--label", "bug",
                "--label", "area/networking", "--milestone", "2", "--assignee", "hubot,octocat")
            #expect(run.output == "https://github.com/octocat/Hello-World/issues/66\n")
            #expect(run.errors == "")
            #expect(
                stage.writes() == [
                    "POST \(hello)/issues "
                        + #"{"title":"日本語","body":"Two\nlines","assignees":["hubot","octocat"],"#
                        + #""labels":["bug","area/networking"],"milestone":2} → 201"#
                ])
        }
    }

    @Test func `A body is read from a file or standard input`() async throws {
        try await onStage { stage in
            try Data("From a file\n".utf8).write(to: URL(fileURLWithPath: stage.path("body.md")))
            for (file, input, body) in [
                (stage.path("body.md"), "", #"From a file\n"#), ("-", "Piped, 日本語", "Piped, 日本語"),
            ] {
                for command in [
                    ["create", "-R", "octocat/Hello-World", "-t", "T"], ["edit", "octocat/Hello-World#1"],
                ] {
                    let run = try await stage.run(["issue"] + command + ["--body-file", file], input: input)
                    #expect(run.status == 0)
                    #expect(stage.writes().first?.contains(#""body":"\#(body)""#) == true)
                }
                let run = try await stage.run(
                    ["issue", "comment", "octocat/Hello-World", "1", "-F", file], input: input)
                #expect(run.status == 0)
                #expect(stage.writes() == [#"POST \#(hello)/issues/1/comments {"body":"\#(body)"} → 201"#])
            }
            let missing = try await stage.run("issue", "create", "octocat/Hello-World", "-t", "T", "-F", "none.md")
            #expect(missing.status == 74)
            #expect(missing.errors == "SampleGitHubAPI: none.md can't be read, or is no text in UTF-8\n")
            #expect(stage.server.requests.isEmpty)
        }
    }

    @Test func `An issue can be named in each of gh's ways`() async throws {
        try await onStage { stage in
            for words in [
                ["octocat/Hello-World", "7"], ["7", "-R", "octocat/Hello-World"],
                ["--repo", "octocat/Hello-World", "#7"],
                ["octocat/Hello-World#7"], ["7", "-R", "github.com/octocat/Hello-World"],
                ["7", "-R", "https://github.com/octocat/Hello-World"],
                ["https://github.com/octocat/Hello-World/issues/7"],
            ] {
                let run = try await stage.run(["issue", "view"] + words + ["--json", "number"])
                #expect(run.output == "{\n  \"number\": 7\n}\n", "\(words)")
            }
            let named = try await stage.run(
                "issue", "view", "7", "--json", "number", environment: ["GH_REPO": "octocat/Hello-World"])
            #expect(named.status == 0)
        }
    }

    @Test func `An edit sends only changed properties`() async throws {
        try await onStage { stage in
            let edits: [(arguments: [String], body: String?)] = [
                (["edit", "--title", "Found it"], #"{"title":"Found it"}"#),
                (["edit", "--title", "Found it"], nil),
                (["edit", "--remove-label", "bug", "--body", ""], #"{"body":"","labels":[]}"#),
                (["edit", "--remove-label", "bug"], nil),
                (["edit", "--add-label", "c++,wontfix"], #"{"labels":["c++","wontfix"]}"#),
                (["edit", "--add-label", "bug", "--remove-label", "c++"], #"{"labels":["wontfix","bug"]}"#),
                (["edit", "--add-label", "bug"], nil),
                (["edit", "--add-label", "BUG"], nil),
                (["edit", "--remove-label", "WontFix"], #"{"labels":["bug"]}"#),
                (
                    ["edit", "--remove-milestone", "--remove-assignee", "octocat"],
                    #"{"assignees":[],"milestone":null}"#
                ),
                (
                    ["edit", "--milestone", "Someday", "--add-assignee", "hubot"],
                    #"{"assignees":["hubot"],"milestone":3}"#
                ),
                (["close"], #"{"state":"closed"}"#),
                (["close"], nil),
                (["reopen"], #"{"state":"open"}"#),
                (["close", "--reason", "not planned"], #"{"state":"closed","state_reason":"not_planned"}"#),
            ]
            for (arguments, body) in edits {
                let command = ["issue", arguments[0], "octocat/Hello-World", "1"] + arguments.dropFirst()
                let run = try await stage.run(command)
                #expect(run.status == 0, "\(run.errors)")
                #expect(stage.writes() == (body.map { ["PATCH \(hello)/issues/1 \($0) → 200"] } ?? []))
            }
        }
    }

    @Test func `An edit with an unknown label fails and creates no label`() async throws {
        try await onStage { stage in
            let run = try await stage.run("issue", "edit", "octocat/Hello-World", "1", "--add-label", "nope")
            #expect(run.status == 66)
            #expect(stage.writes() == [])
        }
    }

    @Test func `Closing and reopening report the resulting state of the issue`() async throws {
        try await onStage { stage in
            for (verb, note) in [
                ("close", "✓ Closed issue octocat/Hello-World#1 (Found a bug)"),
                ("close", "! Issue octocat/Hello-World#1 (Found a bug) is already closed"),
                ("reopen", "✓ Reopened issue octocat/Hello-World#1 (Found a bug)"),
                ("reopen", "! Issue octocat/Hello-World#1 (Found a bug) is already open"),
            ] {
                let run = try await stage.run("issue", verb, "octocat/Hello-World", "1", "--comment", "So be it")
                #expect(run.output == "")
                #expect(run.errors == note + "\n")
                #expect(run.status == 0)
            }
            #expect(stage.writes().count { $0.hasPrefix("POST") } == 2)
        }
    }

    @Test func `The comment command adds, edits and deletes a comment`() async throws {
        try await onStage { stage in
            let comment = ["issue", "comment", "octocat/Hello-World", "4", "--token", "t"]
            let run = try await stage.run(comment + ["--body", "Me too"])
            #expect(run.output.hasPrefix("https://github.com/octocat/Hello-World/issues/4#issuecomment-"))
            let id = run.output.dropLast().split(separator: "-").last ?? ""
            #expect(stage.writes() == [#"POST \#(hello)/issues/4/comments {"body":"Me too"} → 201"#])
            let edited = try await stage.run(comment + ["--edit-last", "--body", "Me three"])
            #expect(edited.output == run.output)
            #expect(stage.writes() == [#"PATCH \#(hello)/issues/comments/\#(id) {"body":"Me three"} → 200"#])
            let shown = try JSONDocument(
                await stage.run("issue", "view", "octocat/Hello-World#4", "--json", "comments").output)
            #expect(shown["comments"].elements.map { $0["body"].string } == ["Me three"])
            let refused = try await stage.run(comment + ["--delete-last"])
            #expect(refused.status == 64)
            #expect(stage.writes() == [])
            let deleted = try await stage.run(comment + ["--delete-last", "--yes"])
            #expect(deleted.errors == "Comment deleted\n")
            #expect(stage.writes() == ["DELETE \(hello)/issues/comments/\(id) → 204"])
            let none = try await stage.run(comment + ["--delete-last", "--yes"])
            #expect(none.status == 66)
            #expect(none.errors == "SampleGitHubAPI: octocat/Hello-World#4 has no comment of octocat\n")
        }
    }

    @Test func `A deleted issue is deleted by GraphQL and from the store`() async throws {
        try await onStage { stage in
            let unsure = try await stage.run("issue", "delete", "octocat/Hello-World", "7")
            #expect(unsure.status == 64)
            let id = try JSONDocument(await stage.run("issue", "view", "octocat/Hello-World#7", "--json", "id").output)[
                "id"]
            #expect(stage.writes() == [])
            let deleted = try await stage.run("issue", "delete", "7", "-R", "octocat/Hello-World", "--yes")
            #expect(deleted.status == 0)
            #expect(deleted.errors == "✓ Deleted issue octocat/Hello-World#7 (The tail has a typo)\n")
            let node = Data("05:Issue\(id.number ?? 0)".utf8).base64EncodedString()
            #expect(
                stage.writes() == [
                    #"POST /graphql {"query":"mutation($id: ID!) { deleteIssue(input: {issueId: $id}) { clientMutationId } }","#
                        + #""variables":{"id":"\#(node)"}} → 200"#
                ])
            let offline = try await stage.run("issue", "view", "octocat/Hello-World#7", "--offline")
            #expect(offline.status == 66)
            let again = try await stage.run("issue", "delete", "octocat/Hello-World#7", "--yes")
            #expect(again.errors.hasSuffix("/issues/7: 410 This issue was deleted\n"), "\(again.errors)")
            #expect(stage.writes() == [])
        }
    }

    @Test func `A refused deletion of an issue is reported, and the issue stays`() async throws {
        try await onStage { stage in
            _ = try await stage.run("issue", "view", "octocat/Hello-World#7")
            let answer =
                #"{"data":{"deleteIssue":null},"errors":[{"type":"FORBIDDEN","message":"Not an administrator"}]}"#
            let headers = ["Content-Type": "application/json; charset=utf-8"]
            stage.server.inject(.reply(status: 200, headers: headers, body: answer), method: "POST")
            let refused = try await stage.run("issue", "delete", "octocat/Hello-World#7", "--yes")
            #expect(refused.status == 4)
            #expect(refused.errors == "SampleGitHubAPI: POST /graphql: Not an administrator\n")
            #expect(try await stage.run("issue", "view", "octocat/Hello-World#7", "--offline").status == 0)
        }
    }

    @Test func `The label commands create, edit and delete a label`() async throws {
        try await onStage { stage in
            let created = try await stage.run("label", "create", "so so", "-R", "octocat/Hello-World", "-c", "ff0000")
            #expect(created.output == "")
            #expect(created.errors == "✓ Label \"so so\" created in octocat/Hello-World\n")
            let edited = try await stage.run(
                "label", "edit", "octocat/Hello-World", "so so", "--name", "a/b", "--description", "Or", "--json",
                "name,description")
            #expect(edited.output == "{\n  \"description\": \"Or\",\n  \"name\": \"a/b\"\n}\n")
            let unsure = try await stage.run("label", "delete", "octocat/Hello-World", "a/b")
            #expect(unsure.status == 64)
            #expect(
                unsure.errors == "SampleGitHubAPI: --yes is required where nobody can be asked. (--help says more)\n")
            let deleted = try await stage.run("label", "delete", "octocat/Hello-World", "a/b", "--yes")
            #expect(deleted.errors == "✓ Label \"a/b\" deleted from octocat/Hello-World\n")
            #expect(
                stage.writes() == [
                    #"POST \#(hello)/labels {"name":"so so","color":"ff0000"} → 201"#,
                    #"PATCH \#(hello)/labels/so%20so {"description":"Or","new_name":"a/b"} → 200"#,
                    #"DELETE \#(hello)/labels/a%2Fb → 204"#,
                ])
        }
    }

    @Test func `The milestone commands create, edit, close and delete a milestone`() async throws {
        try await onStage { stage in
            let created = try await stage.run(
                "milestone", "create", "octocat/Hello-World", "--title", "v2", "--due", "2026-03-04")
            #expect(created.output == "https://github.com/octocat/Hello-World/milestone/4\n")
            let number = ["octocat/Hello-World", "4"]
            _ = try await stage.run(["milestone", "edit"] + number + ["--title", "v3", "--description", "All"])
            let closed = try await stage.run("milestone", "close", "v3", "-R", "octocat/Hello-World", "--json", "state")
            #expect(try JSONDocument(closed.output)["state"].string == "CLOSED")
            let deleted = try await stage.run(["milestone", "delete", "--yes"] + number)
            #expect(deleted.errors == "✓ Deleted milestone v3\n")
            #expect(
                stage.writes() == [
                    #"POST \#(hello)/milestones {"title":"v2","due_on":"2026-03-04T12:00:00Z"} → 201"#,
                    #"PATCH \#(hello)/milestones/4 {"title":"v3","description":"All"} → 200"#,
                    #"PATCH \#(hello)/milestones/4 {"state":"closed"} → 200"#,
                    #"DELETE \#(hello)/milestones/4 → 204"#,
                ])
        }
    }
}
