import Foundation
import GitHubServer
import Testing

/// Changes that wait in the store: `--queue` adds them, and `outbox` shows, sends and discards them.
@Suite struct OutboxCommandTests {
    let hello = "/repos/octocat/Hello-World"

    /// Fetches the commands' objects, and forgets the requests.
    private func fetchAll(_ stage: Stage) async throws {
        for command in [
            "issues octocat/Hello-World --state all --limit 100", "labels octocat/Hello-World",
            "milestones octocat/Hello-World --state all", "user hubot",
        ] {
            let run = try await stage.run(stage.words(command))
            #expect(run.status == 0, "\(run.errors)")
        }
        stage.server.forgetRequests()
    }

    /// Runs the binary with an address that refuses connections.
    private func runAway(_ stage: Stage, _ arguments: String) async throws -> Run {
        try await Run(stage.words(arguments) + ["--base-url", "http://127.0.0.1:1"], in: stage.folder)
    }

    private func entries(_ stage: Stage) async throws -> [JSONDocument] {
        try JSONDocument(await stage.run("outbox", "list", "--json").output).elements
    }

    @Test func `Queued changes need no request and are sent once`() async throws {
        try await onStage { stage in
            try await fetchAll(stage)
            let issue = ["octocat/Hello-World", "1", "--queue"]
            let created = try await stage.run(
                "issue", "create", "octocat/Hello-World", "--title", "On a train", "--label", "bug", "--assignee",
                "hubot", "--milestone", "2", "--queue")
            #expect(created.output == "")
            #expect(created.errors == "✓ Queued: create issue \"On a train\" in octocat/Hello-World; 1 change waits\n")
            #expect(created.status == 0)
            let edited = try await stage.run(["issue", "edit", "--title", "Found it"] + issue)
            #expect(edited.errors == "✓ Queued: edit issue octocat/Hello-World#1 (Found it); 2 changes wait\n")
            // The same issue is one request.
            let closed = try await stage.run(["issue", "close"] + issue)
            #expect(closed.errors == "✓ Queued: close issue octocat/Hello-World#1 (Found it); 2 changes wait\n")
            let comment = try await stage.run(
                "issue", "comment", "octocat/Hello-World", "4", "--body", "Me too", "--queue")
            #expect(comment.errors.hasPrefix("✓ Queued: comment on issue octocat/Hello-World#4 ("))
            #expect(comment.errors.hasSuffix("); 3 changes wait\n"))
            #expect(stage.server.requests.isEmpty)
            let sent = try await stage.run("outbox", "send")
            #expect(sent.status == 0)
            #expect(sent.errors == "✓ Sent 3 changes\n")
            #expect(
                sent.output.split(separator: "\n").map { $0.split(separator: "\t")[1] } == ["sent", "sent", "sent"])
            #expect(
                stage.writes().sorted() == [
                    #"PATCH \#(hello)/issues/1 {"title":"Found it","state":"closed"} → 200"#,
                    #"POST \#(hello)/issues {"title":"On a train","assignees":["hubot"],"#
                        + #""labels":["bug"],"milestone":2} → 201"#,
                    #"POST \#(hello)/issues/4/comments {"body":"Me too"} → 201"#,
                ])
            let again = try await stage.run("outbox", "send")
            #expect(again.errors == "No changes wait.\n" && again.output == "" && again.status == 0)
            #expect(stage.writes() == [])
        }
    }

    static let queued: [(command: String, request: String)] = [
        ("issue close octocat/Hello-World 1", "PATCH issues/1"),
        ("label create octocat/Hello-World new --color ff0000", "POST labels"),
        ("label edit octocat/Hello-World bug --color ff0000", "PATCH labels/bug"),
        ("label delete octocat/Hello-World bug --yes", "DELETE labels/bug"),
        ("milestone create octocat/Hello-World --title new", "POST milestones"),
        ("milestone edit octocat/Hello-World 1 --title new", "PATCH milestones/1"),
        ("milestone close octocat/Hello-World 2", "PATCH milestones/2"),
        ("milestone delete octocat/Hello-World 1 --yes", "DELETE milestones/1"),
    ]

    @Test(arguments: queued) func `Each command that writes can queue its change`(
        _ command: String, _ request: String
    ) async throws {
        try await onStage { stage in
            try await fetchAll(stage)
            let run = try await stage.run(stage.words(command) + ["--queue"])
            #expect(run.status == 0)
            #expect(run.errors.hasPrefix("✓ Queued: ") && run.errors.hasSuffix("; 1 change waits\n"), "\(run.errors)")
            #expect(stage.server.requests.isEmpty)
            let words = request.split(separator: " ")
            let list = try await entries(stage)
            let entry = try #require(list.first)
            #expect(entry["request"].string == "\(words[0]) \(stage.server.baseURL)\(hello)/\(words[1])")
            #expect(entry["state"].string == "waiting")
            let sent = try await stage.run("outbox", "send")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(stage.server.requests.first.map { "\($0.method) \($0.path)" } == "\(words[0]) \(hello)/\(words[1])")
        }
    }

    @Test func `An edit that changes nothing is not queued`() async throws {
        try await onStage { stage in
            try await fetchAll(stage)
            let run = try await stage.run("issue", "edit", "octocat/Hello-World#1", "--title", "Found a bug", "--queue")
            let edit = "edit issue octocat/Hello-World#1 (Found a bug)"
            #expect(run.errors == "! Nothing to queue: \(edit); 0 changes wait\n")
            #expect(run.status == 0)
        }
    }

    @Test func `An object that must be fetched before its change can be queued is reported`() async throws {
        try await onStage { stage in
            func check(_ command: String, _ what: String) async throws {
                let run = try await stage.run(stage.words(command) + ["--queue"])
                #expect(run.status == 66)
                #expect(run.errors == "SampleGitHubAPI: the store has no \(what); without --queue it is fetched\n")
            }
            try await check("issue create octocat/Hello-World --title t", "repository octocat/Hello-World")
            _ = try await stage.run("repo", "octocat/Hello-World")
            stage.server.forgetRequests()
            try await check("issue close octocat/Hello-World 7", "issue octocat/Hello-World#7")
            try await check("label edit octocat/Hello-World bug --name x", "label bug of octocat/Hello-World")
            try await check("milestone close octocat/Hello-World 2", "milestone 2 of octocat/Hello-World")
            try await check("issue create octocat/Hello-World -t t --assignee @me", "user @me")
            #expect(stage.server.requests.isEmpty)
            #expect(try await entries(stage).isEmpty)
        }
    }

    @Test func `An edit of a comment can't be queued`() async throws {
        try await onStage { stage in
            let run = try await stage.run("issue", "comment", "o/n", "7", "--edit-last", "--body", "b", "--queue")
            #expect(run.status == 64)
            #expect(run.errors.contains("--queue is for new comments"))
        }
    }

    @Test func `The outbox list shows each change with its request`() async throws {
        try await onStage { stage in
            #expect(try await stage.run("outbox", "list", "--json").output == "[]\n")
            #expect(try await stage.runOnTerminal("outbox list").errors == "No changes wait.\n")
            try await fetchAll(stage)
            _ = try await stage.run("issue", "create", "octocat/Hello-World", "--title", "On a train", "--queue")
            let printed = try await stage.run("outbox", "list").output
            let fields = printed.dropLast().split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            #expect(
                Array(fields.prefix(4)) == [
                    "1", "waiting", "POST \(stage.server.baseURL)\(hello)/issues", #"{"title":"On a train"}"#,
                ])
            let shown = try await stage.runOnTerminal("outbox list", width: 120)
            #expect(shown.output.split(separator: "\n").count == 2)
            #expect(shown.output.contains("  POST \(hello)/issues  "))
            let list = try await entries(stage)
            let entry = try #require(list.first)
            #expect(
                entry.keys == [
                    "action", "body", "list", "model", "number", "object", "reason", "request", "since", "state",
                ])
            #expect(entry["number"].number == 1 && entry["action"].string == "add" && entry["list"].string == "issues")
            #expect(stage.server.requests.isEmpty)
        }
    }

    @Test func `A failure to send the outbox is reported with its reason`() async throws {
        try await onStage { stage in
            try await fetchAll(stage)
            _ = try await stage.run("issue", "close", "octocat/Hello-World#1", "--queue")
            let away = try await runAway(stage, "outbox send")
            #expect(away.status == 69)
            #expect(away.output.hasPrefix("1\twaiting\t"))
            #expect(away.errors.hasPrefix("! 1 change left\n") && away.errors.contains("the connection was refused"))
            #expect(try await stage.run("outbox", "send").status == 0)
            #expect(stage.writes() == [#"PATCH \#(hello)/issues/1 {"state":"closed"} → 200"#])
        }
    }

    @Test func `A rejected change waits for a decision`() async throws {
        try await onStage { stage in
            try await fetchAll(stage)
            _ = try await stage.run(["issue", "edit", "octocat/Hello-World#1", "--title", "", "--queue"])
            _ = try await stage.run("issue", "close", "octocat/Hello-World#4", "--queue")
            let sent = try await stage.run("outbox", "send")
            #expect(sent.status == 65)
            #expect(sent.errors.hasPrefix("✓ Sent 1 change\nSampleGitHubAPI: 1 change left, 1 rejected; "))
            let states = sent.output.split(separator: "\n").map { $0.split(separator: "\t")[1] }
            #expect(states == ["rejected", "sent"])
            #expect(stage.writes().count == 2)
            // A rejected change waits for the user.
            #expect(try await stage.run("outbox", "send").status == 65)
            #expect(stage.writes() == [])
            let waiting = try await entries(stage)
            let rejected = try #require(waiting.first)
            #expect(rejected["state"].string == "rejected")
            #expect(rejected["reason"].string?.hasPrefix("invalid: ") == true)
            let retried = try await stage.run("outbox", "retry", "1")
            #expect(retried.errors == "✓ Change 1 waits again; `outbox send` sends it\n" && retried.status == 0)
            let twice = try await stage.run("outbox", "retry", "1")
            #expect(twice.errors == "! Change 1 is not rejected; `outbox send` sends it\n" && twice.status == 0)
            #expect(try await stage.run("outbox", "send").status == 65)
            #expect(stage.writes() == [#"PATCH \#(hello)/issues/1 {"title":""} → 422"#])
        }
    }

    @Test func `A discarded change is undone in the store`() async throws {
        try await onStage { stage in
            try await fetchAll(stage)
            _ = try await stage.run("issue", "edit", "octocat/Hello-World#1", "--title", "Found it", "--queue")
            _ = try await stage.run("label", "delete", "octocat/Hello-World", "bug", "--yes", "--queue")
            let view = ["issue", "view", "octocat/Hello-World#1", "--offline", "--json", "title"]
            #expect(try JSONDocument(await stage.run(view).output)["title"].string == "Found it")
            #expect(try await stage.run("outbox", "discard", "1").status == 64)
            let request = "PATCH \(stage.server.baseURL)\(hello)/issues/1"
            let edit = try await stage.run("outbox", "discard", "1", "--yes")
            #expect(edit.errors == "✓ Discarded change 1, \(request)\n" && edit.status == 0)
            #expect(try JSONDocument(await stage.run(view).output)["title"].string == "Found a bug")
            let deletion = try await stage.run("outbox", "discard", "2", "--yes")
            #expect(deletion.status == 0)
            let labels = try await stage.run("labels", "octocat/Hello-World", "--offline")
            #expect(labels.output.split(separator: "\n").contains { $0.hasPrefix("bug\t") })
            #expect(try await stage.run("outbox", "send").errors == "No changes wait.\n")
            #expect(stage.server.requests.isEmpty)
        }
    }

    @Test func `An unknown number of a change is an error that names the known ones`() async throws {
        try await onStage { stage in
            let empty = try await stage.run("outbox", "retry", "7")
            #expect(empty.status == 66)
            #expect(empty.errors == "SampleGitHubAPI: the outbox has no change 7; it is empty\n")
            try await fetchAll(stage)
            for number in ["1", "4"] {
                _ = try await stage.run("issue", "close", "octocat/Hello-World", number, "--queue")
            }
            for command in ["retry 7", "discard 7 --yes"] {
                let run = try await stage.run(stage.words("outbox \(command)"))
                #expect(run.status == 66)
                #expect(run.errors == "SampleGitHubAPI: the outbox has no change 7; it has 1, 2\n")
            }
        }
    }
}
