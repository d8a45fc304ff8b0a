import Testing

/// What the commands send that change something, and what they print then.
@Suite struct WritingTests {
    let hello = "/repos/octocat/Hello-World"

    @Test func `Opens an issue`() async throws {
        try await onStage { stage in
            let run = try await stage.run(
                "issue", "create", "octocat/Hello-World", "--title", "日本語", "--body", "Two\nlines", "--label", "bug",
                "--label", "area/networking", "--milestone", "2", "--assignee", "hubot", "--assignee", "octocat")
            #expect(
                run.output == """
                    octocat/Hello-World#66 日本語
                      State        open
                      By           octocat
                      Assigned to  hubot, octocat
                      Labels       bug, area/networking
                      Milestone    v1.1
                      Opened       2026-01-01
                      Updated      2026-01-01
                      Comments     0

                      Two
                      lines

                    """)
            #expect(
                stage.writes() == [
                    "POST \(hello)/issues "
                        + #"{"title":"日本語","body":"Two\nlines","assignees":["hubot","octocat"],"#
                        + #""labels":["bug","area/networking"],"milestone":2} → 201"#
                ])
        }
    }

    @Test func `Sends only what changes`() async throws {
        try await onStage { stage in
            let edits: [(arguments: [String], body: String?)] = [
                (["edit", "--title", "Found it"], #"{"title":"Found it"}"#),
                (["edit", "--title", "Found it"], nil),
                (["edit", "--clear", "labels", "--clear", "body"], #"{"body":null,"labels":[]}"#),
                (["edit", "--label", "c++"], #"{"labels":["c++"]}"#),
                (["edit", "--clear", "milestone", "--clear", "assignees"], #"{"assignees":[],"milestone":null}"#),
                (["close"], #"{"state":"closed"}"#),
                (["close"], nil),
                (["reopen"], #"{"state":"open"}"#),
            ]
            for (arguments, body) in edits {
                let command = ["issue", arguments[0], "octocat/Hello-World", "1"] + arguments.dropFirst()
                let run = try await stage.run(command)
                #expect(run.status == 0)
                #expect(stage.writes() == (body.map { ["PATCH \(hello)/issues/1 \($0) → 200"] } ?? []))
            }
        }
    }

    @Test func `Comments on an issue`() async throws {
        try await onStage { stage in
            let run = try await stage.run("issue", "comment", "octocat/Hello-World", "4", "--body", "Me too")
            #expect(run.output == "octocat, 2026-01-01\n\n  Me too\n")
            #expect(stage.writes() == [#"POST \#(hello)/issues/4/comments {"body":"Me too"} → 201"#])
            let shown = try JSONDocument(await stage.run("issue", "show", "octocat/Hello-World", "4", "--json").output)
            #expect(shown["comments"].number == 1)
            #expect(shown["comment_list"].elements.map { $0["body"].string } == ["Me too"])
        }
    }

    @Test func `Makes, changes and deletes a label`() async throws {
        try await onStage { stage in
            let name = ["octocat/Hello-World", "so so"]
            let created = try await stage.run(["label", "create"] + name + ["--color", "ff0000"])
            #expect(created.output == "so so\n  Color  #ff0000\n")
            let edited = try await stage.run(["label", "edit"] + name + ["--name", "a/b", "--description", "Or"])
            #expect(edited.output == "a/b\n  Color        #ff0000\n  Description  Or\n")
            let deleted = try await stage.run("label", "delete", "octocat/Hello-World", "a/b")
            #expect(deleted.output == "Deleted the label a/b.\n")
            #expect(
                stage.writes() == [
                    #"POST \#(hello)/labels {"name":"so so","color":"ff0000"} → 201"#,
                    #"PATCH \#(hello)/labels/so%20so {"description":"Or","new_name":"a/b"} → 200"#,
                    #"DELETE \#(hello)/labels/a%2Fb → 204"#,
                ])
        }
    }

    @Test func `Makes, changes, closes and deletes a milestone`() async throws {
        try await onStage { stage in
            let created = try await stage.run(
                "milestone", "create", "octocat/Hello-World", "--title", "v2", "--due", "2026-03-04")
            #expect(
                created.output == """
                    v2
                      Number         4
                      State          open
                      By             octocat
                      Due            2026-03-04
                      Open issues    0
                      Closed issues  0

                    """)
            let number = ["octocat/Hello-World", "4"]
            _ = try await stage.run(["milestone", "edit"] + number + ["--title", "v3", "--description", "All"])
            let closed = try await stage.run(["milestone", "close"] + number + ["--json"])
            #expect(try JSONDocument(closed.output)["state"].string == "closed")
            let deleted = try await stage.run(["milestone", "delete"] + number)
            #expect(deleted.output == "Deleted the milestone v3.\n")
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
