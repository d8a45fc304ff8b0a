import FlyingSocks
import TestSupport
import Testing

@testable import GitHubServer

@Suite struct FaultTests {
    @Test func `The fault of a 502 is answered as often as set`() async throws {
        try await withServer { client async throws in
            client.server.inject(.badGateway, times: 2)
            for status in [502, 502, 200] { #expect(try await client.get(hello).status == status) }
            #expect(client.server.requests.map(\.status) == [502, 502, 200])
        }
    }

    @Test func `A dropped request is not carried out`() async throws {
        try await withServer { client async throws in
            client.server.inject(.dropRequest)
            await #expect(throws: SocketError.self) {
                try await client.send("POST", IssueTests.issues, #"{"title":"Lost"}"#)
            }
            #expect(client.server.requests[0].status == nil)
            #expect(try await client.get(hello).json["open_issues_count"] == 44)
        }
    }

    @Test func `A dropped reply is to a request that was carried out`() async throws {
        try await withServer { client async throws in
            client.server.inject(.dropReply)
            await #expect(throws: SocketError.self) {
                try await client.send("POST", IssueTests.issues, #"{"title":"Kept"}"#)
            }
            #expect(try await client.get(hello).json["open_issues_count"] == 45)
        }
    }

    @Test func `A truncated reply ends the connection before its end`() async throws {
        try await withServer { client async throws in
            client.server.inject(.truncateReply)
            await #expect(throws: SocketError.self) { try await client.get(hello) }
            #expect(try await client.get(hello).status == 200)
        }
    }

    @Test func `A delayed reply comes after its delay`() async throws {
        try await withServer { client async throws in
            client.server.inject(.delay(.milliseconds(30)))
            let start = ContinuousClock.now
            #expect(try await client.get(hello).status == 200)
            #expect(ContinuousClock.now - start >= .milliseconds(30))
        }
    }

    @Test func `A delayed reply does not keep the server from stopping`() async throws {
        let server = GitHubServer()
        try await server.start()
        server.inject(.delay(.seconds(3_000)))
        let answer = Task { try await Client(server: server).get(hello) }
        while server.requests.isEmpty { await Task.yield() }
        await server.stop()
        await #expect(throws: SocketError.self) { try await answer.value }
    }

    @Test func `A fault waits for a request with its method and path`() async throws {
        try await withServer { client in
            client.server.inject(.reply(status: 500), method: "PATCH")
            client.server.inject(.reply(status: 503, headers: ["Retry-After": "7"], body: "later"), path: "/users/")
            #expect(try await client.get(hello).status == 200)
            let user = try await client.get("/users/octocat")
            #expect(user.status == 503)
            #expect(user.headers["retry-after"] == "7")
            #expect(user.text == "later")
            #expect(try await client.send("PATCH", hello, "{}").status == 500)
            #expect(try await client.send("PATCH", hello, "{}").status == 200)
        }
    }

    @Test func `The fault of a limit is answered as GitHub does`() async throws {
        try await withServer { client in
            client.server.inject(.rateLimited(reset: 1_767_229_200))
            client.server.inject(.secondaryRateLimited(retryAfter: 60))
            let first = try await client.get(hello)
            #expect(first.status == 403)
            #expect(first.headers["x-ratelimit-remaining"] == "0")
            #expect(first.headers["x-ratelimit-reset"] == "1767229200")
            #expect(first.json["message"]?.string?.hasPrefix("API rate limit exceeded") == true)
            let second = try await client.get(hello)
            #expect(second.status == 403)
            #expect(second.headers["retry-after"] == "60")
            client.server.inject(.badGateway)
            client.server.clearFaults()
            #expect(try await client.get(hello).status == 200)
        }
    }

    @Test func `A limited server refuses more requests until its next window`() async throws {
        try await withServer { client in
            client.server.limit(to: 2, every: .seconds(86_400))
            var statuses: [Int] = []
            for _ in 1...3 {
                let answer = try await client.get(hello)
                statuses.append(answer.status)
                #expect(answer.headers["x-ratelimit-limit"] == "2")
                #expect(answer.headers["x-ratelimit-remaining"] == "\(max(0, 2 - statuses.count))")
            }
            #expect(statuses == [200, 200, 403])
            #expect(try await client.get("/rate_limit").status == 200)
            #expect(try await client.get("/search/issues?q=is:issue").status == 200)
            client.server.limit(to: 2, every: .milliseconds(50))
            try await until { try await client.get(hello).status == 200 }
        }
    }
}
