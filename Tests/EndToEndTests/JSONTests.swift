import GitHubServer
import Testing

/// `--json`: one document, keys sorted, with the requested fields, or all.
@Suite struct JSONTests {
    static let issue = [
        "assignees", "author", "body", "closed", "closedAt", "comments", "createdAt", "id", "labels", "milestone",
        "number", "state", "stateReason", "title", "updatedAt", "url",
    ]
    static let label = ["color", "description", "id", "name", "url"]
    static let milestone = [
        "closedIssues", "creator", "description", "dueOn", "id", "number", "openIssues", "state", "title", "url",
    ]
    static let comment = ["author", "body", "createdAt", "id", "url"]

    static let commands: [(arguments: String, keys: [String])] = [
        (
            "user monalisa --json",
            [
                "bio", "company", "createdAt", "followers", "id", "location", "login", "name", "publicRepos", "url",
            ]
        ),
        (
            "repo octocat/Hello-World --json",
            [
                "description", "id", "isPrivate", "name", "nameWithOwner", "openIssuesCount", "owner",
                "primaryLanguage", "pushedAt", "stargazerCount", "url", "visibility",
            ]
        ),
        ("issue view octocat/Hello-World 7 --json", issue.filter { $0 != "comments" }),
        ("issue close octocat/Hello-World 7 --json", issue.filter { $0 != "comments" }),
        ("issue view octocat/Hello-World 7 --json title,comments", ["comments", "title"]),
        ("issue view octocat/Hello-World 7 --json=title,number", ["number", "title"]),
        ("label edit octocat/Hello-World bug --color d73a4a --json", label),
        ("milestone edit octocat/Hello-World 1 --title v1.0 --json", milestone),
        ("issue comment octocat/Hello-World 1 --body x --json", comment),
        ("label delete octocat/Hello-World bug --yes --json", label),
        ("milestone delete octocat/Hello-World 1 --yes --json", milestone),
    ]

    @Test(arguments: commands) func `JSON output is one document`(_ arguments: String, _ keys: [String]) async throws {
        try await onStage { stage in
            let run = try await stage.run(stage.words(arguments))
            #expect(try JSONDocument(run.output).keys == keys)
            #expect(run.status == 0)
        }
    }

    @Test(arguments: [
        ("issue list", issue), ("label list", label), ("milestones", milestone), ("issue comment", comment),
    ])
    func `The help of each command names its JSON fields`(_ command: String, _ keys: [String]) async throws {
        try await onStage { stage in
            let run = try await Run(stage.words(command) + ["--help"], in: stage.folder)
            let help = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(help.contains(": \(keys.joined(separator: ", "))."))
        }
    }

    @Test func `An unknown JSON field is refused without a request`() async throws {
        try await onStage { stage in
            let run = try await stage.run("issues", "octocat/Hello-World", "--json", "number,nope")
            #expect(run.status == 64)
            #expect(run.errors.contains("Unknown JSON field 'nope'; there are assignees, author, "))
            #expect(stage.server.requests.isEmpty)
        }
    }

    @Test func `JSON output has sorted keys and is the same every time`() async throws {
        try await onStage { stage in
            let run = try await stage.run(
                "issue", "edit", "octocat/Hello-World", "7", "--title", "T", "--json",
                "assignees,author,body,closedAt,createdAt,id,labels,milestone,number,state,title,updatedAt")
            #expect(
                run.output == """
                    {
                      "assignees": [
                        {
                          "login": "octocat",
                          "name": null
                        }
                      ],
                      "author": {
                        "login": "hubot",
                        "name": null
                      },
                      "body": "",
                      "closedAt": null,
                      "createdAt": "2011-02-16T19:50:12Z",
                      "id": 3129627019,
                      "labels": [
                        {
                          "color": "d876e3",
                          "description": "Further information is requested",
                          "id": 1296269007,
                          "name": "question"
                        },
                        {
                          "color": "5319e7",
                          "description": "Not this year",
                          "id": 1296269012,
                          "name": "🚀 später"
                        },
                        {
                          "color": "7057ff",
                          "description": "Good for newcomers",
                          "id": 1296269004,
                          "name": "good first issue"
                        }
                      ],
                      "milestone": {
                        "description": "Greets by name",
                        "dueOn": "2026-02-16T19:01:12Z",
                        "number": 2,
                        "title": "v1.1"
                      },
                      "number": 7,
                      "state": "OPEN",
                      "title": "T",
                      "updatedAt": "2026-01-01T00:00:01Z"
                    }

                    """)
        }
    }

    @Test func `The JSON output of a list is an array, also an empty one`() async throws {
        try await onStage { stage in
            let milestones = try JSONDocument(
                await stage.run("milestones", "octocat/Hello-World", "--json", "title,dueOn").output)
            #expect(milestones.elements.map { $0["title"].string } == ["v1.1", "Someday"])
            #expect(milestones.elements.map { $0["dueOn"].isNull } == [false, true])
            #expect(try await stage.run("repos", "hubot", "--json").output == "[]\n")
        }
    }
}
