import Testing

@testable import GitHubServer

@Suite struct GateTests {
    @Test func `A request without User-Agent is rejected`() async throws {
        try await withServer { client in
            let answer = try await client.send("GET", "/", exactly: ["Accept": "*/*"])
            #expect(answer.status == 403)
            #expect(answer.headers["content-type"] == "text/html; charset=utf-8")
            #expect(answer.text.contains("Request forbidden by administrative rules."))
            #expect(answer.text.contains("User-Agent header"))
        }
    }

    @Test(arguments: ["Bearer wrong", "token wrong", "Bearer", "Basic b2N0b2NhdDo="])
    func `Wrong credentials are rejected`(_ authorization: String) async throws {
        try await withServer(token: "right") { client in
            let answer = try await client.get(hello, ["Authorization": authorization])
            #expect(answer.status == 401)
            #expect(
                answer.text
                    == #"{"message":"Bad credentials","documentation_url":"https://docs.github.com/rest","status":"401"}"#
            )
        }
    }

    @Test(arguments: ["Bearer right", "bearer right", "token right"])
    func `A request with the server's token is answered with its user`(_ authorization: String) async throws {
        try await withServer(token: "right") { client in
            let answer = try await client.get("/user", ["Authorization": authorization])
            #expect(answer.status == 200)
            #expect(answer.json["login"] == "octocat")
            #expect(answer.json["plan"]?["name"] == "free")
        }
    }

    @Test func `Anonymous requests may read but not write`() async throws {
        try await withServer(token: "right") { client in
            let read = try await client.get(hello)
            #expect(read.status == 200)
            #expect(read.json["permissions"] == nil)
            #expect(read.headers["x-ratelimit-limit"] == "60")
            let write = try await client.send("POST", hello + "/issues", #"{"title":"Hi"}"#)
            #expect(write.status == 401)
            #expect(write.json["message"] == "Requires authentication")
            #expect(try await client.get("/user").status == 401)
        }
    }

    @Test func `On a server without a token, anyone acts as Octocat`() async throws {
        try await withServer { client in
            let answer = try await client.send("POST", hello + "/issues", #"{"title":"Hi"}"#)
            #expect(answer.status == 201)
            #expect(answer.json["user"]?["login"] == "octocat")
            #expect(try await client.get("/user").status == 401)
            #expect(try await client.get("/user", ["Authorization": "Bearer any"]).status == 200)
        }
    }

    @Test(arguments: [
        ("application/vnd.github+json", 200), ("application/vnd.github.v3.raw+json, */*;q=0.1", 200),
        ("application/json; q=0.5", 200), ("*/*", 200), ("text/html", 415), ("image/png, text/plain", 415),
    ])
    func `A request is answered depending on its Accept field`(_ accept: String, _ status: Int) async throws {
        try await withServer { client in
            let answer = try await client.get("/", ["Accept": accept])
            #expect(answer.status == status)
            if status == 415 {
                #expect(answer.json["message"]?.string?.contains("Must accept 'application/json'.") == true)
            }
        }
    }

    @Test(arguments: [("2022-11-28", 200), ("1999-12-31", 400)])
    func `A request is answered depending on its API version`(_ version: String, _ status: Int) async throws {
        try await withServer { client async throws in
            #expect(try await client.get("/", ["X-GitHub-Api-Version": version]).status == status)
        }
    }

    @Test func `Replies have GitHub's header fields`() async throws {
        try await withServer { client in
            let answer = try await client.get("/users/octocat")
            #expect(answer.headers["content-type"] == "application/json; charset=utf-8")
            #expect(answer.headers["x-github-media-type"] == "github.v3; format=json")
            #expect(answer.headers["x-github-request-id"] == "A001:00000001")
            #expect(answer.headers["date"] == "Thu, 01 Jan 2026 00:00:00 GMT")
            #expect(answer.headers["x-ratelimit-limit"] == "5000")
            #expect(answer.headers["x-ratelimit-used"] == "1")
            #expect(answer.headers["x-ratelimit-remaining"] == "4999")
            #expect(answer.headers["x-ratelimit-reset"] == "1767229200")
            #expect(answer.headers["x-ratelimit-resource"] == "core")
            #expect(try await client.get("/users/octocat").headers["x-ratelimit-used"] == "2")
            #expect(try await client.get("/search/issues?q=a").headers["x-ratelimit-resource"] == "search")
        }
    }
}
