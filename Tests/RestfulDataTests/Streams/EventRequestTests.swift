import Foundation
import RESTTransport
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// The requests of streams, among those of the API.
@MainActor @Suite(.timeLimit(.minutes(10))) struct EventRequestTests {
    private func api(
        _ transport: any Transport, @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) -> API {
        var api = API("https://api.example.com", limits: .unlimited, transport: transport, middleware: middleware)
        api.time = NotedWaits().source
        return api
    }

    private func read(_ stream: EventStream) async throws(APIError) -> [String] {
        var data: [String] = []
        for try await event in stream { data.append(event.data) }
        return data
    }

    @Test func `A refused token is renewed for the first and later connections`() async throws {
        let (logins, used) = (Box(0), Box(0))
        let tokens = StubTransport { _ in
            logins.value += 1
            return .json(#"{"access_token": "token-\#(logins.value)", "token_type": "bearer"}"#)
        }
        // Each token is good for one connection.
        let transport = ScriptedStream { _, request in
            let number = logins.value
            guard request.headerFields[.authorization] == "Bearer token-\(number)", used.value < number else {
                return .reply(401)
            }
            used.value = number
            return number < 3 ? .pieces(["data: \(number)\n\n"]) : .reply(204)
        }
        let client = OAuth2Client(
            id: "app", secret: "s", tokenURL: try #require(URL(string: "https://login.example.com/token")))
        let oauth = OAuth2(.clientCredentials(), client: client, transport: tokens)
        #expect(try await read(api(transport) { oauth }.stream("/events")) == ["1", "2"])
        #expect(transport.requests.count == 5 && logins.value == 3)
    }

    @Test(arguments: [429, 500, 503])
    func `A token server that fails for now ends no stream`(status: Int) async throws {
        let logins = Box(0)
        let tokens = StubTransport { _ in
            logins.value += 1
            if logins.value == 2 { return .status(status) }
            return .json(#"{"access_token": "token-\#(logins.value)", "token_type": "bearer"}"#)
        }
        // The first token is good for one connection.
        let transport = ScriptedStream { number, request in
            if number == 0 { return .pieces(["data: a\n\n"]) }
            return .reply(request.headerFields[.authorization] == "Bearer token-3" ? 204 : 401)
        }
        let client = OAuth2Client(
            id: "app", secret: "s", tokenURL: try #require(URL(string: "https://login.example.com/token")))
        let oauth = OAuth2(.clientCredentials(), client: client, transport: tokens)
        #expect(try await read(api(transport) { oauth }.stream("/events")) == ["a"])
        #expect(logins.value == 3)
    }

    @Test func `A transport that returns whole bodies can stream`() async throws {
        let stub = StubTransport { request in
            request.headerFields[.init("Last-Event-ID")!] == nil
                ? .events("id: 1\ndata: a\n\nid: 2\ndata: b\n\n") : .status(204)
        }
        #expect(try await read(api(stub).stream("/events")) == ["a", "b"])
        #expect(stub.log == ["GET /events", "GET /events"])
    }

    @Test func `A stream's requests and responses are reported`() async throws {
        let api = api(ScriptedStream(.pieces(["data: a\n\n"])))
        let events = api.requests
        let (data, responses) = try await API.responding { () async throws(APIError) in
            try await read(api.stream("/events"))
        }
        #expect(data == ["a"] && responses.map(\.status.code) == [200, 204])
        var kinds: [RequestEvent.Kind] = []
        for await event in events {
            kinds.append(event.kind)
            if kinds.count == 4 { break }
        }
        #expect(kinds == [.started, .ended(status: 200), .started, .ended(status: 204)])
    }

    @Test func `A stream with more than a thousand connections keeps the newest responses`() async throws {
        let transport = ScriptedStream { number, _ in number < 1001 ? .pieces(["data: a\n\n"]) : .reply(204) }
        let api = api(transport)
        let (data, responses) = try await API.responding { () async throws(APIError) in
            try await read(api.stream("/events"))
        }
        #expect(data.count == 1001 && responses.count == 1000)
        #expect(responses.last?.status.code == 204 && responses.dropLast().allSatisfy { $0.status.code == 200 })
    }

    @Test func `A wrong URL, wrong settings or a wrong base URL throw at the first event`() async {
        let stub = StubTransport { _ in .status(204) }
        #expect(
            await failure { _ = try await read(api(stub).stream("/events/:id")) }?.description.contains(":id") == true)
        struct Wrong: Error {}
        let settings: Call.Settings = { _ in throw Wrong() }
        guard case .unencodable = await failure({ _ = try await read(api(stub).stream("/events", with: settings)) })
        else {
            Testing.Issue.record("the settings were taken")
            return
        }
        let base = API("nonsense", transport: stub)
        guard case .store(.api) = await failure({ _ = try await read(base.stream("/events")) }) else {
            Testing.Issue.record("the base URL was taken")
            return
        }
        #expect(stub.log == [] && !"\(base.stream("/events"))".isEmpty)
    }

    @Test func `Descriptions of a stream show no secrets`() {
        var text = ""
        let stream = api(ScriptedStream()).stream("/events", query: ["access_token": "s3cr3t"]) {
            $0.headers[.authorization] = "Bearer s3cr3t"
        }
        dump(stream, to: &text)
        #expect(
            !text.contains("s3cr3t")
                && "\(stream)" == "GET https://api.example.com/events?access_token=REDACTED as a stream")
    }
}
