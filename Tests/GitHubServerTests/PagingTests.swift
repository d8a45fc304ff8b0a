import Testing

@testable import GitHubServer

@Suite struct PagingTests {
    @Test(arguments: [
        ("/users/octocat/repos", 35), (hello + "/issues?state=all&direction=asc", 65),
        (hello + "/issues/2/comments", 33),
        ("/search/issues?q=repo:octocat/Hello-World", 65),
    ])
    func `Next links lead through all pages`(_ target: String, _ count: Int) async throws {
        try await withServer { client in
            var next: String? = target
            var identifiers: [Int] = []
            while let page = next {
                let answer = try await client.get(page)
                #expect(answer.status == 200)
                let items = answer.json["items"] ?? answer.json
                #expect(items.elements.count <= 30)
                identifiers += items.elements.compactMap { $0["id"]?.integer }
                next = answer.link("next")
            }
            #expect(identifiers.count == count)
            #expect(Set(identifiers).count == count)
        }
    }

    @Test func `Page links are in GitHub's order and contain the repository's identifier`() async throws {
        try await withServer { client in
            let target = hello + "/issues?state=all&labels=&per_page=20"
            let url = client.server.baseURL + "/repositories/1296269/issues?state=all&labels=&per_page=20&page="
            func link(_ pages: KeyValuePairs<String, Int>) -> String {
                pages.map { "<\(url)\($0.value)>; rel=\"\($0.key)\"" }.joined(separator: ", ")
            }
            #expect(try await client.get(target).headers["link"] == link(["next": 2, "last": 4]))
            #expect(
                try await client.get(target + "&page=2").headers["link"]
                    == link(["prev": 1, "next": 3, "last": 4, "first": 1]))
            #expect(try await client.get(target + "&page=4").headers["link"] == link(["prev": 3, "first": 1]))
            let beyond = try await client.get(target + "&page=9")
            #expect(beyond.text == "[]")
            #expect(beyond.headers["link"] == link(["prev": 4, "first": 1]))
        }
    }

    @Test func `A list of a single page has no links`() async throws {
        try await withServer { client in
            for target in [hello + "/labels", hello + "/milestones", "/users/octocat/repos?per_page=35"] {
                #expect(try await client.get(target).headers["link"] == nil)
            }
            let none = try await client.get("/users/hubot/repos")
            #expect(none.text == "[]")
            #expect(none.headers["link"] == nil)
        }
    }

    @Test(arguments: [
        ("per_page=1", 1), ("per_page=100", 65), ("per_page=1000", 65), ("per_page=0", 30), ("per_page=-1", 30),
        ("per_page=x", 30), ("", 30), ("page=0", 30), ("page=-3", 30), ("page=99999999999999999999", 30),
        ("page=999999999999999999", 0),
    ])
    func `Invalid page numbers and sizes are replaced`(_ query: String, _ count: Int) async throws {
        try await withServer { client in
            let answer = try await client.get(hello + "/issues?state=all&" + query)
            #expect(answer.status == 200)
            #expect(answer.json.elements.count == count)
        }
    }

    @Test(arguments: [("per_page=99", 99), ("per_page=100", 100), ("per_page=101", 100), ("per_page=1000", 100)])
    func `A page has at most a hundred objects`(_ query: String, _ count: Int) async throws {
        try await withServer(.demo(repositories: 1, issues: 120)) { client in
            let first = try await client.get(hello + "/issues?state=all&" + query)
            #expect(first.json.elements.count == count)
            let rest = try await client.get(try #require(first.link("next")))
            #expect(rest.json.elements.count == 120 - count)
            #expect(rest.link("next") == nil)
            let all = (first.json.elements + rest.json.elements).compactMap { $0["number"]?.integer }
            #expect(Set(all) == Set(1...120))
        }
    }

    @Test func `Page links keep the query encoded`() async throws {
        try await withServer { client in
            let answer = try await client.get("/search/issues?q=is%3Aopen+label%3A%22c%2B%2B%22&per_page=1")
            let next = try #require(answer.link("next"))
            #expect(next == "/search/issues?q=is%3Aopen%20label%3A%22c%2B%2B%22&per_page=1&page=2")
            #expect(try await client.get(next).json["items"]?.elements.count == 1)
        }
    }
}
