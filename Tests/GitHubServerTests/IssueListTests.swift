import Testing

@testable import GitHubServer

@Suite struct IssueListTests {
    /// The expected issues of a filter, of Hello-World's 65: the condition, written again in the test.
    struct Row: Sendable, CustomTestStringConvertible {
        let query: String
        let holds: @Sendable (JSON) -> Bool
        var testDescription: String { query }
    }

    static let rows = [
        Row(query: "") { $0["state"] == "open" },
        Row(query: "state=closed") { $0["state"] == "closed" },
        Row(query: "state=all") { _ in true },
        Row(query: "state=all&labels=bug") { $0["labels"]!.all("name").contains("bug") },
        Row(query: "state=all&labels=good%20first%20issue,question") {
            Set($0["labels"]!.all("name")).isSuperset(of: ["good first issue", "question"])
        },
        Row(query: "state=all&labels=nothing") { _ in false },
        Row(query: "state=all&milestone=2") { $0["milestone"]!["number"] == 2 },
        Row(query: "state=all&milestone=none") { $0["milestone"] == .null },
        Row(query: "state=all&milestone=*") { $0["milestone"] != .null },
        Row(query: "state=all&assignee=hubot") { $0["assignees"]!.all("login").contains("hubot") },
        Row(query: "state=all&assignee=none") { $0["assignee"] == .null },
        Row(query: "state=all&assignee=*") { $0["assignee"] != .null },
        Row(query: "state=all&assignee=nobody") { _ in false },
        Row(query: "state=all&creator=monalisa") { $0["user"]!["login"] == "monalisa" },
        Row(query: "state=all&since=2011-05-01T00:00:00Z") { $0["updated_at"]!.string! >= "2011-05-01T00:00:00Z" },
        Row(query: "since=2011-05-01T02:00:00%2B02:00&labels=c%2B%2B") {
            $0["updated_at"]!.string! >= "2011-05-01T00:00:00Z" && $0["state"] == "open"
                && $0["labels"]!.all("name").contains("c++")
        },
    ]

    @Test(arguments: rows)
    func `Issues are filtered by the query`(_ row: Row) async throws {
        try await withServer { client in
            let all = try await client.get(IssueTests.issues + "?state=all&per_page=100").json.elements
            #expect(all.count == 65)
            let found = try await client.get(IssueTests.issues + "?per_page=100&" + row.query).json.elements
            #expect(found == all.filter(row.holds))
            #expect(found.count < 65 || row.query == "state=all")
        }
    }

    /// An issue that was updated at the very second is included, and one of the second before is excluded.
    @Test func `Issues are listed since a second`() async throws {
        try await withServer { client in
            let number = 7
            var times: [String] = []
            for title in ["one", "two", "three"] {
                let edited = try await client.send(
                    "PATCH", "\(IssueTests.issues)/\(number)", "{\"title\":\"\(title)\"}")
                times.append(try #require(edited.json["updated_at"]?.string))
            }
            #expect(times == ["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:03Z"])
            for (since, count) in [
                (times[1], 1), (times[2], 1), ("2026-01-01T00:00:04Z", 0), ("2026-01-01T02:00:03%2B02:00", 1),
                ("2026-01-01T02:00:04%2B02:00", 0), ("2025-12-31T22:00:03-02:00", 1), ("2025-12-31T22:00:04-02:00", 0),
            ] {
                let found = try await client.get(IssueTests.issues + "?state=all&since=" + since).json.all("number")
                #expect(found == Array(repeating: JSON.integer(number), count: count), "\(since)")
            }
        }
    }

    @Test(arguments: ["created", "updated", "comments"])
    func `Issues are sorted in either direction`(_ sort: String) async throws {
        try await withServer { client in
            let target = "\(IssueTests.issues)?state=all&per_page=100&sort=\(sort)"
            let descending = try await client.get(target).json.elements
            let ascending = try await client.get(target + "&direction=asc").json.elements
            #expect(ascending == descending.reversed())
            let key = sort == "comments" ? sort : sort + "_at"
            let values = ascending.map { $0[key]?.string ?? String($0[key]?.integer ?? -1) }
            #expect(values == values.sorted { $0.count == $1.count ? $0 < $1 : $0.count < $1.count })
        }
    }

    @Test(arguments: ["state=merged", "milestone=99", "milestone=x", "since=yesterday", "sort=size"])
    func `An invalid query of the issue list is rejected`(_ query: String) async throws {
        try await withServer { client in
            let answer = try await client.get("\(IssueTests.issues)?\(query)")
            #expect(answer.status == 422)
            #expect(answer.json["errors"]?[0]?["code"] == "invalid")
        }
    }

    @Test(arguments: [
        ("tail", 5), ("tail+is:closed", 1), ("TAIL+state:open", 4), ("repo:octocat/Spoon-Knife", 4),
        ("repo:octocat/Hello-World+label:%22help+wanted%22+is:issue", 7), ("author:nobody", 0), ("user:monalisa", 3),
        ("assignee:hubot+repo:octocat/Hello-World", 11),
    ])
    func `A search returns the matching issues and their count`(_ text: String, _ count: Int) async throws {
        try await withServer { client in
            let answer = try await client.get("/search/issues?per_page=100&q=\(text)").json
            #expect(answer["total_count"] == JSON.integer(count))
            #expect(answer["incomplete_results"] == false)
            #expect(answer["items"]?.elements.count == count)
            #expect(answer["items"]?.elements.allSatisfy { $0["score"] != nil } == true)
        }
    }

    @Test func `A search without a text is rejected`() async throws {
        try await withServer { client in
            let answer = try await client.get("/search/issues")
            #expect(answer.status == 422)
            #expect(answer.json["errors"]?[0]?["code"] == "missing")
        }
    }

    @Test func `Pull requests are in the list of issues, and in the search only on request`() async throws {
        try await withServer(.demo(repositories: 1, issues: 3, pullRequests: 2)) { client in
            let listed = try await client.get(IssueTests.issues + "?state=all").json
            #expect(listed.all("number") == [5, 4, 3, 2, 1].map { .integer($0) })
            #expect(listed.elements.map { $0["pull_request"] != nil } == [true, true, false, false, false])
            #expect(listed[0]?["html_url"] == "https://github.com/octocat/Hello-World/pull/5")
            #expect(listed[0]?["pull_request"]?["html_url"] == listed[0]?["html_url"])
            for (kind, numbers) in [("issue", [3, 2, 1]), ("pr", [5, 4])] {
                let found = try await client.get("/search/issues?q=repo:octocat/Hello-World+is:\(kind)").json
                #expect(found["items"]?.all("number") == numbers.map { .integer($0) })
            }
            let shown = try await client.get(IssueTests.issues + "/5").json
            #expect(shown["pull_request"]?["url"]?.string?.hasSuffix("/repos/octocat/Hello-World/pulls/5") == true)
        }
    }
}
