import Testing

@testable import GitHubServer

@Suite struct IssueTests {
    static let issues = hello + "/issues"

    @Test func `An issue has the properties of the seed`() async throws {
        try await withServer { client in
            let issue = try await client.get(Self.issues + "/1").json
            let url = client.server.baseURL + Self.issues + "/1"
            #expect(issue["url"] == .string(url))
            #expect(issue["labels_url"] == .string(url + "/labels{/name}"))
            #expect(issue["number"] == 1)
            #expect(issue["title"] == "Found a bug")
            #expect(issue["state"] == "open")
            #expect(issue["state_reason"] == .null)
            #expect(issue["labels"]?.all("name") == ["bug"])
            #expect(issue["assignee"]?["login"] == "octocat")
            #expect(issue["assignees"]?.all("login") == ["octocat"])
            #expect(issue["milestone"]?["number"] == 1)
            #expect(issue["comments"] == 1)
            #expect(issue["reactions"]?["+1"] == 0)
            #expect(issue["author_association"] == "COLLABORATOR")
            #expect((issue["id"]?.integer ?? 0) > 1 << 31)
        }
    }

    @Test func `A created issue has the sent properties`() async throws {
        try await withServer { client in
            let created = try await client.send(
                "POST", Self.issues,
                """
                {"title":"Found another","body":"See \\"here\\"\\n\\u0007 🐛","labels":["bug",{"name":"brand new"}],
                "assignees":["hubot","HUBOT"],"milestone":2,"state":"closed","unknown":{"x":1}}
                """)
            #expect(created.status == 201)
            #expect(created.headers["location"] == client.server.baseURL + Self.issues + "/66")
            #expect(created.json["number"] == 66)
            #expect(created.json["state"] == "open")
            #expect(created.json["body"] == "See \"here\"\n\u{7} 🐛")
            #expect(created.json["labels"]?.all("name") == ["bug", "brand new"])
            #expect(created.json["assignees"]?.all("login") == ["hubot"])
            #expect(created.json["milestone"]?["number"] == 2)
            #expect(created.json["created_at"] == "2026-01-01T00:00:01Z")
            #expect(created.json["user"]?["login"] == "octocat")
            #expect(created.json["author_association"] == "OWNER")
            #expect(try await client.get(Self.issues + "/66").text == created.text)
            #expect(try await client.get(hello + "/labels/brand%20new").json["color"] == "ededed")
            #expect(try await client.get(hello).json["open_issues_count"] == 45)
        }
    }

    @Test func `An issue is closed and reopened`() async throws {
        try await withServer { client in
            let path = Self.issues + "/1"
            let closed = try await client.send("PATCH", path, #"{"state":"closed"}"#).json
            #expect(closed["state"] == "closed")
            #expect(closed["state_reason"] == "completed")
            #expect(closed["closed_at"] == "2026-01-01T00:00:01Z")
            #expect(closed["updated_at"] == "2026-01-01T00:00:01Z")
            #expect(closed["closed_by"]?["login"] == "octocat")
            #expect(closed["milestone"]?["open_issues"]?.integer == 8)
            #expect(closed["milestone"]?["closed_issues"]?.integer == 5)
            #expect(try await client.get(hello).json["open_issues_count"] == 43)
            let other = try await client.send("PATCH", path, #"{"state_reason":"not_planned"}"#).json
            #expect(other["state_reason"] == "not_planned")
            #expect(other["closed_at"] == "2026-01-01T00:00:01Z")
            let reopened = try await client.send("PATCH", path, #"{"state":"open"}"#).json
            #expect(reopened["state"] == "open")
            #expect(reopened["state_reason"] == "reopened")
            #expect(reopened["closed_at"] == .null)
            #expect(reopened["closed_by"] == .null)
            #expect(try await client.get(hello).json["open_issues_count"] == 44)
        }
    }

    @Test func `An edit changes only the sent properties`() async throws {
        try await withServer { client in
            let path = Self.issues + "/1"
            let before = try await client.get(path).json
            let edited = try await client.send("PATCH", path, #"{"milestone":null,"assignees":[],"body":null}"#).json
            #expect(edited["milestone"] == .null)
            #expect(edited["assignee"] == .null)
            #expect(edited["assignees"] == .array([]))
            #expect(edited["body"] == .null)
            for name in ["title", "state", "labels", "user", "created_at", "number", "id"] {
                #expect(edited[name] == before[name])
            }
            #expect(
                try await client.send("PATCH", path, #"{"assignee":"monalisa"}"#).json["assignee"]?["login"]
                    == "monalisa")
            #expect(try await client.send("PATCH", path, #"{"assignee":null}"#).json["assignee"] == .null)
            #expect(try await client.send("PATCH", path, #"{"title":42}"#).json["title"] == "42")
            #expect(try await client.send("PATCH", path, #"{"milestone":"3"}"#).json["milestone"]?["number"] == 3)
        }
    }

    @Test(arguments: [
        (#"{}"#, "title", "missing_field"), (#"{"title":""}"#, "title", "missing_field"),
        (#"{"title":" \n"}"#, "title", "missing_field"), (#"{"title":null}"#, "title", "missing_field"),
        (#"{"title":"x","milestone":99}"#, "milestone", "invalid"),
        (#"{"title":"x","assignees":["nobody"]}"#, "assignees", "invalid"),
    ])
    func `The error about a new issue names the invalid field`(body: String, field: String, code: String) async throws {
        try await withServer { client in
            let answer = try await client.send("POST", Self.issues, body)
            #expect(answer.status == 422)
            #expect(answer.json["message"] == "Validation Failed")
            let error = try #require(answer.json["errors"]?[0])
            #expect(error["resource"] == "Issue")
            #expect(error["field"] == JSON.string(field))
            #expect(error["code"] == JSON.string(code))
            #expect(answer.json["documentation_url"] == "https://docs.github.com/rest/issues/issues#create-an-issue")
            #expect(try await client.get(hello).json["open_issues_count"] == 44)
        }
    }

    @Test(arguments: [
        #"{"assignee":{"login":"octocat"}}"#, #"{"assignees":[{"login":"octocat"}]}"#, #"{"milestone":{"number":1}}"#,
        #"{"labels":"bug"}"#, #"{"labels":[7]}"#, #"{"title":["x"]}"#, #"{"body":7}"#, #"{"state":7}"#,
    ])
    func `Values of wrong types are rejected`(_ body: String) async throws {
        try await withServer { client in
            let answer = try await client.send("PATCH", Self.issues + "/1", body)
            #expect(answer.status == 422)
            #expect(answer.json["message"]?.string?.hasPrefix("Invalid request.\n\nFor 'properties/") == true)
            #expect(answer.json["errors"] == nil)
        }
    }

    @Test func `An issue sent back as it was read is rejected`() async throws {
        try await withServer { client in
            let issue = try await client.get(Self.issues + "/1").text
            #expect(try await client.send("PATCH", Self.issues + "/1", issue).status == 422)
        }
    }

    @Test func `A rejected edit changes nothing`() async throws {
        try await withServer { client in
            let before = try await client.get(Self.issues + "/1")
            let answer = try await client.send(
                "PATCH", Self.issues + "/1", #"{"title":"x","labels":["brand new"],"state":"merged","milestone":99}"#)
            #expect(answer.json["errors"]?.all("field") == ["state", "milestone"])
            #expect(answer.json["errors"]?[0]?["value"] == "merged")
            #expect(try await client.get(Self.issues + "/1").text == before.text)
            #expect(try await client.get(hello + "/labels/brand%20new").status == 404)
        }
    }

    @Test func `An issue without an author has a null user`() async throws {
        try await withServer { client async throws in
            #expect(try await client.get(Self.issues + "/13").json["user"] == .null)
        }
    }
}
