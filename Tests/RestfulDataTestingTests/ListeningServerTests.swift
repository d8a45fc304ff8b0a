import Foundation
import RestfulData
import RestfulDataTesting
import RestfulDataTestingLoopback
import Testing

/// The server on a loopback port.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ListeningServerTests {
    @Test func `A test server answers over HTTP, with links to its port`() async throws {
        let server = try Tracker.server()
        server.pageSize = 1
        let listening = try await server.listen()
        let api = API(listening.baseURL, conventions: server.conventions)
        let store = try Store(.temporary, models: Tracker.models, api: api)
        let repository = try await Tracker.Repository.fetch(key: "octocat/Hello", in: store.main)
        #expect(try await repository.$issues.fetch(pages: .all()).map(\.title) == ["Crash", "Typo"])
        let issue = Tracker.Issue(in: store.main)
        issue.title = "New"
        try await repository.$issues.add(issue)
        #expect(server.objects(Tracker.Issue.self).count == 3 && server.unmatched == [])
        let location = server.exchanges.last?.reply.headerFields[.location]
        #expect(location == "\(listening.baseURL)/repos/octocat/Hello/issues/3")
        await listening.stop()
    }

    @Test func `Several header fields with one name arrive over HTTP`() async throws {
        let server = try Notebook.server()
        let name = try #require(HTTPField.Name("X-Part"))
        for part in ["1", "2"] { server.headerFields.append(HTTPField(name: name, value: part)) }
        let listening = try await server.listen()
        let response = try await API(listening.baseURL).send(.get, "/notes")
        #expect(response.headerFields[values: name].joined(separator: ", ") == "1, 2")
        await listening.stop()
    }

    @Test func `A request without a route or with a lost reply is a 501 or 502 over HTTP`() async throws {
        let server = try Notebook.server()
        let listening = try await server.listen()
        let api = API(listening.baseURL)
        try server.fail(.lostReply, at: "/notes/1")
        func status(_ path: String) async -> Int? {
            await failure { _ = try await api.send(.get, URLTemplate(path)) }?.reply?.status
        }
        #expect(await status("/notes/1") == 502)
        #expect(await status("/nots/1") == 501)
        #expect(await status("/notes/1") == nil)
        await listening.stop()
    }

    @Test func `The platform's client conforms to the rules for transports`() async throws {
        #expect(try await TransportConformance.problems(of: HTTPTransport.standard) == [])
    }

    @Test func `A transport that breaks the rules is reported with its problems`() async throws {
        struct Deaf: Transport {
            func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
                if request.url.query() == "status=500" { throw TransportError(.other("failed"), request) }
                return APIResponse(HTTPResponse(status: .ok), body: [1], to: request)
            }
        }
        let problems = try await TransportConformance.problems(of: Deaf())
        #expect(problems.contains("the status 404 came as 200"))
        #expect(problems.contains { $0.hasPrefix("GET /?status=500 has a reply, and the transport threw") })
        #expect(problems.contains("a body of 65537 bytes came as 1 others"))
        #expect(problems.contains("there was a reply where nobody listens"))
        #expect(problems.contains("a cancelled task got a reply"))
    }
}
