import Testing

/// `--json`: one document, keys sorted, each key there whatever its value.
@Suite struct JSONTests {
    static let commands: [(arguments: String, keys: [String])] = [
        (
            "user monalisa",
            ["bio", "company", "created_at", "followers", "id", "location", "login", "name", "public_repos"]
        ),
        (
            "repo octocat/Hello-World",
            [
                "description", "full_name", "id", "language", "open_issues_count", "owner", "private", "pushed_at",
                "stargazers_count",
            ]
        ),
        (
            "issue show octocat/Hello-World 7",
            [
                "assignees", "body", "comment_list", "comments", "created_at", "id", "labels", "milestone", "number",
                "repository", "state", "title", "updated_at", "user",
            ]
        ),
        (
            "issue close octocat/Hello-World 7",
            [
                "assignees", "body", "comments", "created_at", "id", "labels", "milestone", "number", "repository",
                "state", "title", "updated_at", "user",
            ]
        ),
        ("label edit octocat/Hello-World bug", ["color", "description", "id", "name", "repository"]),
        (
            "milestone edit octocat/Hello-World 1",
            [
                "closed_issues", "creator", "description", "due_on", "id", "number", "open_issues", "repository",
                "state", "title",
            ]
        ),
        ("issue comment octocat/Hello-World 1 --body x", ["body", "created_at", "id", "issue", "user"]),
        ("label delete octocat/Hello-World bug", ["deleted"]),
        ("milestone delete octocat/Hello-World 1", ["deleted"]),
        ("explain Issue", ["explanation"]),
    ]

    @Test(arguments: commands) func `Prints one document`(_ arguments: String, _ keys: [String]) async throws {
        try await onStage { stage in
            let run = try await stage.run(arguments.split(separator: " ").map(String.init) + ["--json"])
            #expect(try JSONDocument(run.output).keys == keys)
            #expect(run.errors == "")
        }
    }

    @Test func `The help names the fields`() async throws {
        try await onStage { stage in
            let run = try await Run(["--help"], in: stage.folder)
            let help = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            for (_, keys) in JSONTests.commands where keys.count > 1 && !keys.contains("comment_list") {
                #expect(help.contains(": \(keys.joined(separator: ", ")) "))
            }
        }
    }

    @Test func `Is the same each time`() async throws {
        try await onStage { stage in
            let run = try await stage.run("issue", "edit", "octocat/Hello-World", "7", "--title", "T", "--json")
            #expect(
                run.output == """
                    {
                      "assignees": [
                        "octocat"
                      ],
                      "body": null,
                      "comments": 3,
                      "created_at": "2011-02-16T19:50:12Z",
                      "id": 3129627019,
                      "labels": [
                        "question",
                        "🚀 später",
                        "good first issue"
                      ],
                      "milestone": 2,
                      "number": 7,
                      "repository": "octocat/Hello-World",
                      "state": "open",
                      "title": "T",
                      "updated_at": "2026-01-01T00:00:01Z",
                      "user": "hubot"
                    }

                    """)
        }
    }

    @Test func `Lists are arrays`() async throws {
        try await onStage { stage in
            let milestones = try JSONDocument(await stage.run("milestones", "octocat/Hello-World", "--json").output)
            #expect(milestones.elements.map { $0["title"].string } == ["v1.1", "Someday"])
            #expect(milestones.elements.map { $0["due_on"].isNull } == [false, true])
            #expect(try await stage.run("repos", "hubot", "--json").output == "[]\n")
        }
    }
}
