import Testing

@testable import GitHubServer

@Suite struct MilestoneTests {
    @Test func `A milestone is created, edited and deleted`() async throws {
        try await withServer { client in
            let created = try await client.send(
                "POST", hello + "/milestones",
                #"{"title":"v2.0","description":"Greets back","due_on":"2026-10-09T23:39:01Z"}"#)
            #expect(created.status == 201)
            let path = hello + "/milestones/4"
            #expect(created.headers["location"] == client.server.baseURL + path)
            #expect(created.json["number"] == 4)
            #expect(created.json["due_on"] == "2026-10-09T23:39:01Z")
            #expect(created.json["creator"]?["login"] == "octocat")
            #expect(created.json["open_issues"] == 0)

            _ = try await client.send("PATCH", hello + "/issues/1", #"{"milestone":4}"#)
            let edited = try await client.send("PATCH", path, #"{"state":"closed","due_on":null,"number":9}"#).json
            #expect(edited["state"] == "closed")
            #expect(edited["closed_at"] == edited["updated_at"])
            #expect(edited["due_on"] == .null)
            #expect(edited["open_issues"] == 1)
            #expect(try await client.get(path).json == edited)
            #expect(try await client.send("PATCH", path, #"{"state":"open"}"#).json["closed_at"] == .null)

            #expect(try await client.send("DELETE", path).status == 204)
            #expect(try await client.get(path).status == 404)
            #expect(try await client.get(hello + "/issues/1").json["milestone"] == .null)
            let next = try await client.send("POST", hello + "/milestones", #"{"title":"v2.0"}"#)
            #expect(next.json["number"] == 5)
        }
    }

    @Test(arguments: [
        ("", [2, 3]), ("state=closed", [1]), ("state=all", [1, 2, 3]), ("state=all&direction=desc", [3, 2, 1]),
        ("state=all&sort=completeness", [2, 3, 1]),
    ])
    func `Milestones are filtered and sorted by the query`(_ query: String, _ numbers: [Int]) async throws {
        try await withServer { client in
            let found = try await client.get("\(hello)/milestones?\(query)").json.all("number")
            #expect(Set(found) == Set(numbers.map(JSON.integer)))
            if !query.contains("completeness") { #expect(found == numbers.map(JSON.integer)) }
        }
    }

    @Test(arguments: [
        (#"{}"#, "title", "missing_field"), (#"{"title":"v1.0"}"#, "title", "already_exists"),
        (#"{"title":"x","state":"merged"}"#, "state", "invalid"),
        (#"{"title":"x","due_on":"soon"}"#, "due_on", "invalid"),
    ])
    func `The error about an invalid milestone names the field`(body: String, field: String, code: String) async throws
    {
        try await withServer { client in
            let answer = try await client.send("POST", hello + "/milestones", body)
            #expect(answer.status == 422)
            #expect(answer.json["errors"]?[0]?["resource"] == "Milestone")
            #expect(answer.json["errors"]?[0]?["field"] == JSON.string(field))
            #expect(answer.json["errors"]?[0]?["code"] == JSON.string(code))
        }
    }
}
