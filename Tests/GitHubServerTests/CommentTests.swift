import Testing

@testable import GitHubServer

@Suite struct CommentTests {
    @Test func `A comment is created, edited and deleted`() async throws {
        try await withServer { client in
            let created = try await client.send("POST", hello + "/issues/1/comments", #"{"body":"Me too"}"#)
            #expect(created.status == 201)
            let path = "\(hello)/issues/comments/\(created.json["id"]?.integer ?? 0)"
            #expect(created.headers["location"] == client.server.baseURL + path)
            #expect(created.json["issue_url"] == .string(client.server.baseURL + hello + "/issues/1"))
            #expect(created.json["user"]?["login"] == "octocat")
            #expect(try await client.get(path).text == created.text)
            let issue = try await client.get(hello + "/issues/1").json
            #expect(issue["comments"] == 2)
            #expect(issue["updated_at"] == "2026-01-01T00:00:01Z")

            let edited = try await client.send("PATCH", path, #"{"body":"Me three"}"#)
            #expect(edited.status == 200)
            #expect(edited.json["body"] == "Me three")
            #expect(edited.json["updated_at"] == "2026-01-01T00:00:02Z")
            let listed = try await client.get(hello + "/issues/1/comments")
            #expect(listed.json.all("body").last == JSON.string("Me three"))

            let deleted = try await client.send("DELETE", path)
            #expect(deleted.status == 204)
            #expect(deleted.body.isEmpty)
            #expect(deleted.headers["content-type"] == nil)
            #expect(try await client.get(path).status == 404)
            #expect(try await client.send("DELETE", path).status == 404)
            #expect(try await client.get(hello + "/issues/1").json["comments"] == 1)
        }
    }

    @Test(arguments: [
        (#"{}"#, "missing_field"), (#"{"body":""}"#, "unprocessable"), (#"{"body":" "}"#, "unprocessable"),
    ])
    func `A comment without a body is rejected`(_ body: String, _ code: String) async throws {
        try await withServer { client in
            let answer = try await client.send("POST", hello + "/issues/1/comments", body)
            #expect(answer.status == 422)
            #expect(answer.json["errors"]?[0]?["resource"] == "IssueComment")
            #expect(answer.json["errors"]?[0]?["code"] == JSON.string(code))
        }
    }

    @Test func `Comments are listed since a date`() async throws {
        try await withServer { client in
            let all = try await client.get(hello + "/issues/2/comments?per_page=100").json
            let date = try #require(all[20]?["updated_at"]?.string)
            let later = try await client.get(hello + "/issues/2/comments?since=\(date)").json
            #expect(later.elements == Array(all.elements[20...]))
        }
    }

    @Test func `Comments are listed since a second, and a malformed time is rejected`() async throws {
        try await withServer { client in
            let comments = hello + "/issues/2/comments"
            let new = try await client.send("POST", comments, #"{"body":"Now"}"#).json
            #expect(new["updated_at"] == "2026-01-01T00:00:01Z")
            for (since, found) in [
                ("2026-01-01T00:00:01Z", [new]), ("2026-01-01T01:00:01%2B01:00", [new]), ("2026-01-01T00:00:02Z", []),
                ("2026-01-01T01:00:02%2B01:00", []),
            ] {
                #expect(try await client.get(comments + "?since=" + since).json == .array(found), "\(since)")
            }
            let refused = try await client.get(comments + "?since=yesterday")
            #expect(refused.status == 422)
            #expect(refused.json["errors"]?[0]?["field"] == "since")
        }
    }
}
