import Testing

@testable import GitHubServer

@Suite struct RepositoryTests {
    @Test func `A user has the properties of the seed`() async throws {
        try await withServer { client in
            let user = try await client.get("/users/octocat").json
            #expect(user["id"] == 583_231)
            #expect(user["node_id"] == "MDQ6VXNlcjU4MzIzMQ==")
            #expect(user["public_repos"] == 35)
            #expect(user["gists_url"] == .string(client.server.baseURL + "/users/octocat/gists{/gist_id}"))
            #expect(user["email"] == .null)
        }
    }

    @Test func `A repository has the properties of the seed`() async throws {
        try await withServer { client in
            let repository = try await client.get(hello).json
            #expect(repository["full_name"] == "octocat/Hello-World")
            #expect(repository["owner"]?["login"] == "octocat")
            #expect(repository["private"] == false)
            #expect(repository["license"]?["spdx_id"] == "MIT")
            #expect(repository["permissions"]?["admin"] == true)
            #expect(repository["open_issues_count"] == 44)
            #expect(repository["open_issues"] == 44)
            #expect(repository["subscribers_count"] != nil)
        }
    }

    @Test(arguments: [
        ("", "amber-anchor", "Spoon-Knife"), ("sort=full_name&direction=desc", "Spoon-Knife", "amber-anchor"),
        ("sort=created", "slate-engine", "Hello-World"), ("sort=pushed&direction=asc", "Hello-World", "slate-engine"),
    ])
    func `A user's repositories are sorted by the query`(query: String, first: String, last: String) async throws {
        try await withServer { client in
            let names = try await client.get("/users/octocat/repos?per_page=100&\(query)").json.all("name")
            #expect(names.count == 35)
            #expect(names.first == JSON.string(first))
            #expect(names.last == JSON.string(last))
        }
    }

    @Test(arguments: [("octocat", "owner", 35), ("hubot", "owner", 0), ("hubot", "member", 35), ("monalisa", "all", 1)])
    func `A user's repositories are filtered by owner or member`(login: String, kind: String, count: Int) async throws {
        try await withServer { client in
            let answer = try await client.get("/users/\(login)/repos?per_page=100&type=\(kind)")
            #expect(answer.json.elements.count == count)
        }
    }

    @Test func `An edited repository has the new properties`() async throws {
        try await withServer { client in
            let edited = try await client.send(
                "PATCH", hello, #"{"description":"New","has_wiki":false,"homepage":null,"id":7,"owner":{"id":1}}"#)
            #expect(edited.status == 200)
            let repository = try await client.get(hello).json
            #expect(repository == edited.json)
            #expect(repository["description"] == "New")
            #expect(repository["has_wiki"] == false)
            #expect(repository["homepage"] == .null)
            #expect(repository["id"] == 1_296_269)
            #expect(repository["updated_at"] == "2026-01-01T00:00:01Z")
        }
    }

    @Test func `A renamed repository's former name redirects`() async throws {
        try await withServer { client in
            #expect(try await client.send("PATCH", hello, #"{"name":"Hello-Moon"}"#).json["name"] == "Hello-Moon")
            let url = client.server.baseURL + "/repositories/1296269"
            let read = try await client.get(hello + "/issues/1?x=y")
            #expect(read.status == 301)
            #expect(read.headers["location"] == url + "/issues/1?x=y")
            #expect(read.json["message"] == "Moved Permanently")
            #expect(read.json["url"] == .string(url + "/issues/1?x=y"))
            let write = try await client.send("PATCH", hello + "/issues/1", #"{"title":"x"}"#)
            #expect(write.status == 307)
            #expect(write.headers["location"] == url + "/issues/1")
            #expect(try await client.get("/repositories/1296269/issues/1").json["number"] == 1)
            #expect(try await client.get("/repos/octocat/Hello-Moon/issues/1").status == 200)
        }
    }

    @Test(arguments: [
        #"{"name":""}"#, #"{"name":"a b"}"#, #"{"name":"spoon-knife"}"#, #"{"has_wiki":"yes"}"#, #"{"description":7}"#,
    ])
    func `An invalid edit of a repository is rejected`(_ body: String) async throws {
        try await withServer { client in
            let before = try await client.get(hello).text
            #expect(try await client.send("PATCH", hello, body).status == 422)
            #expect(try await client.get(hello).text == before)
        }
    }

    @Test func `A repository with issues disabled answers 410 to its issues`() async throws {
        try await withServer { client in
            _ = try await client.send("PATCH", hello, #"{"has_issues":false}"#)
            let answer = try await client.get(hello + "/issues")
            #expect(answer.status == 410)
            #expect(answer.json["message"] == "Issues has been disabled in this repository.")
        }
    }

    @Test func `An archived repository rejects writes`() async throws {
        try await withServer { client in
            _ = try await client.send("PATCH", hello, #"{"archived":true}"#)
            #expect(try await client.get(hello + "/issues/1").status == 200)
            let answer = try await client.send("PATCH", hello + "/issues/1", #"{"title":"x"}"#)
            #expect(answer.status == 403)
            #expect(answer.json["message"] == "Repository was archived so is read-only.")
        }
    }
}
