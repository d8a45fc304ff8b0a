import Testing

@testable import GitHubServer

@Suite struct RoutingTests {
    @Test(arguments: [
        ("GET", "/nothing"), ("GET", "/users/nobody"), ("GET", "/users/nobody/repos"),
        ("GET", "/repos/octocat/nothing"),
        ("GET", "/repos/nobody/Hello-World"), ("GET", hello + "/issues/9999"), ("GET", hello + "/issues/one"),
        ("DELETE", hello + "/issues/1"), ("GET", hello + "/issues/comments/1"), ("GET", hello + "/labels/nothing"),
        ("GET", hello + "/milestones/99"), ("GET", hello + "/"), ("GET", "/repositories/1"), ("GET", "/user/1/repos"),
        ("PATCH", "/users/octocat"), ("POST", "/repos/octocat/nothing/issues"),
    ])
    func `An unknown path is answered with 404`(_ method: String, _ target: String) async throws {
        try await withServer { client in
            let answer = try await client.send(method, target, method == "GET" ? nil : "{}")
            #expect(answer.status == 404)
            #expect(answer.json["message"] == "Not Found")
            #expect(answer.json["status"] == "404")
            #expect(answer.json["documentation_url"]?.string?.hasPrefix("https://docs.github.com/rest") == true)
        }
    }

    @Test func `An error links the documentation of its route`() async throws {
        try await withServer { client in
            let answer = try await client.get(hello + "/issues/9999")
            #expect(answer.json["documentation_url"] == "https://docs.github.com/rest/issues/issues#get-an-issue")
        }
    }

    @Test func `Each path segment is decoded separately`() async throws {
        try await withServer { client in
            for (encoded, name) in [
                ("good%20first%20issue", "good first issue"), ("area%2Fnetworking", "area/networking"),
                ("size%3A%20100%25%3F", "size: 100%?"), ("c++", "c++"), ("%F0%9F%9A%80%20sp%C3%A4ter", "🚀 später"),
            ] {
                let answer = try await client.get("\(hello)/labels/\(encoded)")
                #expect(answer.status == 200)
                #expect(answer.json["name"] == .string(name))
            }
            #expect(try await client.get(hello + "/labels/area/networking").status == 404)
            for malformed in ["%", "%2", "%zz", "%FF"] {
                #expect(try await client.get("\(hello)/labels/\(malformed)").status == 400)
            }
        }
    }

    @Test func `Names are found in any letter case`() async throws {
        try await withServer { client async throws in
            #expect(try await client.get("/users/OctoCat").json["login"] == "octocat")
            #expect(try await client.get("/repos/OCTOCAT/hello-world").json["full_name"] == "octocat/Hello-World")
            #expect(try await client.get(hello + "/labels/BUG").json["name"] == "bug")
        }
    }

    @Test func `A HEAD request is answered without a body`() async throws {
        try await withServer { client in
            let get = try await client.get(hello)
            let head = try await client.send("HEAD", hello)
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == String(get.body.count))
            #expect(head.headers["etag"] == get.headers["etag"])
        }
    }

    @Test func `The root lists the server's addresses`() async throws {
        try await withServer { client in
            let root = try await client.get("/").json
            #expect(root["current_user_url"] == .string(client.server.baseURL + "/user"))
            #expect(root["repository_url"] == .string(client.server.baseURL + "/repos/{owner}/{repo}"))
        }
    }

    @Test func `The rate limit is reported without counting the request`() async throws {
        try await withServer { client in
            _ = try await client.get("/")
            for _ in 1...2 {
                let answer = try await client.get("/rate_limit")
                #expect(answer.json["rate"]?["used"] == 1)
                #expect(answer.json["resources"]?["core"]?["remaining"] == 4_999)
                #expect(answer.json["resources"]?["search"]?["limit"] == 30)
                #expect(answer.headers["x-ratelimit-used"] == "1")
            }
        }
    }

    @Test(arguments: ["", "{", "{\"title\":}", "title=x", "nonsense"])
    func `A body that is not JSON is rejected`(_ body: String) async throws {
        try await withServer { client in
            for (method, path) in [("POST", "/issues"), ("PATCH", "/issues/1"), ("POST", "/labels"), ("PATCH", "")] {
                let answer = try await client.send(method, hello + path, body)
                #expect(answer.status == 400)
                #expect(answer.json["message"] == "Problems parsing JSON")
            }
        }
    }

    @Test(arguments: ["[]", "\"title\"", "null", "7"])
    func `A JSON body that is not an object is rejected`(_ body: String) async throws {
        try await withServer { client in
            let answer = try await client.send("POST", hello + "/issues", body)
            #expect(answer.status == 400)
            #expect(answer.json["message"] == "Body should be a JSON object")
        }
    }

    @Test func `A deeply nested body is rejected without a crash`() async throws {
        try await withServer { client async throws in
            let body = String(repeating: "[", count: 100_000)
            #expect(try await client.send("POST", hello + "/issues", body).status == 400)
            #expect(try await client.get(hello).status == 200)
        }
    }
}
