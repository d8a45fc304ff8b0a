import FlyingSocks
import Foundation
import Testing

@testable import GitHubServer

@Suite struct ServerTests {
    @Test func `The server records the requests that it received`() async throws {
        try await withServer { client in
            _ = try await client.get(hello + "/labels/good%20first%20issue?x=%20y", ["X-Test": "yes"])
            _ = try await client.send("PATCH", hello + "/issues/1", #"{"state":"closed"}"#)
            let requests = client.server.requests
            #expect(requests[0].method == "GET")
            #expect(requests[0].path == hello + "/labels/good%20first%20issue")
            #expect(requests[0].query == "x=%20y")
            #expect(requests[0].headers["x-test"] == "yes")
            #expect(
                requests.map(\.description) == [
                    "GET /repos/octocat/Hello-World/labels/good%20first%20issue?x=%20y → 200",
                    #"PATCH /repos/octocat/Hello-World/issues/1 {"state":"closed"} → 200"#,
                ])
            client.server.forgetRequests()
            #expect(client.server.requests.isEmpty)
        }
    }

    @Test func `A connection stays open for further requests`() async throws {
        try await withServer { client in
            let connection = try await Connection(to: client.server)
            defer { connection.close() }
            for number in 1...20 {
                let answer = try await connection.send(
                    "GET", "\(hello)/issues/\(number)", headers: Client.headers)
                #expect(answer.json["number"] == JSON.integer(number))
            }
            let etag = try #require(
                try await connection.send("GET", hello, headers: Client.headers).headers["etag"])
            let headers = Client.headers.merging(["If-None-Match": etag]) { $1 }
            #expect(try await connection.send("GET", hello, headers: headers).status == 304)
            #expect(try await connection.send("HEAD", hello, headers: Client.headers).status == 200)
            #expect(try await connection.send("DELETE", hello + "/labels/bug", headers: Client.headers).status == 204)
            #expect(try await connection.send("GET", hello, headers: Client.headers).status == 200)
        }
    }

    @Test func `Concurrent writes are carried out one by one`() async throws {
        try await withServer { client in
            let numbers = try await withThrowingTaskGroup(of: Int?.self) { group in
                for index in 1...40 {
                    group.addTask {
                        let body = #"{"title":"Issue \#(index)"}"#
                        return try await client.send("POST", IssueTests.issues, body).json["number"]?.integer
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(numbers.compactMap(\.self).sorted() == Array(66...105))
            #expect(try await client.get(hello).json["open_issues_count"] == 84)
        }
    }

    @Test func `A big body is accepted`() async throws {
        try await withServer { client in
            let text = String(repeating: "Größe 🐙 ", count: 40_000)
            let created = try await client.send("POST", IssueTests.issues, #"{"title":"Big","body":"\#(text)"}"#)
            #expect(created.status == 201)
            #expect(created.json["body"] == JSON.string(text))
            #expect(try await client.get(IssueTests.issues + "/66").json["body"] == JSON.string(text))
        }
    }

    @Test func `Two servers give equal replies to equal requests`() async throws {
        func transcript() async throws -> [String] {
            let server = GitHubServer()
            try await server.start()
            let client = Client(server: server)
            let answers = [
                try await client.get(hello + "/issues?state=all"),
                try await client.send("POST", IssueTests.issues, #"{"title":"x","labels":["new"]}"#),
                try await client.get("/users/octocat/repos"),
            ]
            await server.stop()
            return answers.map { $0.text.replacing(server.baseURL, with: "") }
        }
        let first = try await transcript()
        #expect(try await transcript() == first)
    }

    @Test func `A stopped server can be started again`() async throws {
        let server = GitHubServer(seed: .empty)
        #expect(server.baseURL.isEmpty)
        for _ in 1...2 {
            try await server.start()
            #expect(try await Client(server: server).get("/users/octocat").status == 200)
            await #expect(throws: GitHubServer.StartError.isRunning) { try await server.start() }
            await server.stop()
            await #expect(throws: SocketError.self) { try await Client(server: server).get("/") }
        }
        await server.stop()
        #expect(server.requests.count == 2)
    }

    @Test func `A port that is in use is reported`() async throws {
        try await withServer { client in
            let port = try #require(client.server.baseURL.split(separator: ":").last.flatMap { UInt16($0) })
            let other = GitHubServer()
            await #expect {
                try await other.start(port: port)
            } throws: { error in
                if case .failed(_, let errno, _)? = error as? SocketError { errno == EADDRINUSE } else { false }
            }
            await other.stop()
        }
    }

    @Test func `An idle connection ends when the server stops`() async throws {
        let server = GitHubServer()
        try await server.start()
        let connection = try await Connection(to: server)
        _ = try await connection.send("GET", "/", headers: Client.headers)
        await server.stop()
        await #expect(throws: SocketError.self) {
            try await connection.send("GET", "/", headers: Client.headers)
        }
        connection.close()
    }

    @Test func `The seed's number of repositories and issues can be chosen`() async throws {
        try await withServer(.demo(repositories: 2, issues: 250)) { client in
            #expect(try await client.get("/users/octocat").json["public_repos"] == 2)
            let answer = try await client.get(IssueTests.issues + "?state=all&per_page=100")
            #expect(answer.link("last")?.hasSuffix("page=3") == true)
            #expect(Set(answer.json.all("title")).count == 100)
        }
    }

    @Test func `The clock is the machine's or a reproducible one`() {
        var clock = ServerClock.system
        #expect(clock.tick() > Timestamp(seconds: 1_767_225_600 - 86_400 * 365))
        clock = .reproducible
        #expect(clock.now.iso8601 == "2026-01-01T00:00:00Z")
        #expect(clock.tick().iso8601 == "2026-01-01T00:00:01Z")
    }
}
