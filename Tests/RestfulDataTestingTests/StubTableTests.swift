import RestfulData
import RestfulDataTesting
import Testing

/// Stubs with matchers and several replies.
@MainActor @Suite struct StubTableTests {
    /// - Parameter line: a path, or a method and a path.
    private func send(
        _ stub: StubTransport, _ line: String, body: String? = nil, headerFields: HTTPFields = [:]
    ) async throws -> String {
        let parts = line.split(separator: " ").map(String.init)
        let method = parts.count > 1 ? HTTPRequest.Method(parts[0]) ?? .get : .get
        let request = try APIRequest(
            method, "https://api.example.com" + parts[parts.count - 1], headerFields: headerFields,
            body: body.map { .text($0, type: "application/json") })
        let response = try await stub.send(request)
        return "\(response.status.code) \(String(decoding: response.body, as: UTF8.self))"
    }

    @Test func `A stub's replies are given in order, once each`() async throws {
        let stub = StubTransport([
            .on(.get, "/notes/:id", replies: .status(503), .json("1")), .on(.get, "/notes", replies: .json("[]")),
        ])
        #expect(stub.unusedStubs == ["GET /notes/:id", "GET /notes"])
        #expect(try await send(stub, "/notes/7") == "503 ")
        #expect(stub.unusedStubs == ["GET /notes/:id (1 more)", "GET /notes"])
        #expect(try await send(stub, "/notes/8?full=1") == "200 1")
        let error = await failure { _ = try await self.send(stub, "/notes/7") } as? TransportError
        #expect(
            error?.reason
                == .other(
                    "the stub's replies to GET /notes/:id are used up, and GET /notes/7 came once more; give it another "
                        + "reply, or `.always`"))
        #expect(stub.requests.count == 3 && stub.unusedStubs == ["GET /notes"])
    }

    @Test func `A stub with a permanent last reply counts as used after its first one`() async throws {
        let stub = StubTransport([.on(.get, "/notes", replies: .status(500), .json("[]")).always])
        #expect(stub.unusedStubs == ["GET /notes"])
        var replies: [String] = []
        for _ in 0..<4 { replies.append(try await send(stub, "/notes")) }
        #expect(replies == ["500 ", "200 []", "200 []", "200 []"] && stub.unusedStubs == [])
    }

    @Test func `A stub answers only requests with its query, header fields and body`() async throws {
        let stub = StubTransport([
            .on(.get, "/notes", query: ["state": "open", "q": "a b"], replies: .json("query")).always,
            .on(.get, "/notes", headerFields: [.ifNoneMatch: "\"a\""], replies: .status(304)).always,
            .on(.post, "/notes", body: ["title": "A", "tags": ["x"]], replies: .json("body")).always,
            .on(.get, "/notes", replies: .json("all")).always,
        ])
        #expect(try await send(stub, "/notes?q=a%20b&page=2&state=open") == "200 query")
        #expect(try await send(stub, "/notes?state=open") == "200 all")
        #expect(try await send(stub, "/notes", headerFields: [.ifNoneMatch: "\"a\""]) == "304 ")
        #expect(try await send(stub, "POST /notes", body: #"{ "tags": ["x"], "title": "A" }"#) == "200 body")
        let error = await failure { _ = try await self.send(stub, "POST /notes", body: #"{"title": "B"}"#) }
        #expect(
            (error as? TransportError)?.reason
                == .other(
                    #"the stub has no reply to POST /notes {"title": "B"}; it has GET /notes, GET /notes, POST /notes, GET /notes"#
                ))
        #expect(stub.unusedStubs == [])
    }

    @Test func `A reply keeps the content type that it is given`() {
        let fields: HTTPFields = [.contentType: "application/vnd.api+json"]
        #expect(StubTransport.Reply.json("{}").headerFields[.contentType] == "application/json")
        #expect(StubTransport.Reply.json("{}", headerFields: fields).headerFields == fields)
        #expect(StubTransport.Reply.events("", headerFields: fields).headerFields == fields)
    }

    @Test func `Parameters in a stub's path are required`() async throws {
        let stub = StubTransport([
            .on(.get, "/notes?page=2&q=a%20b", replies: .json("second")).always,
            .on(.get, "/notes", replies: .json("first")).always,
        ])
        #expect(try await send(stub, "/notes") == "200 first")
        #expect(try await send(stub, "/notes?page=3&q=a%20b") == "200 first")
        #expect(try await send(stub, "/notes?q=a%20b&page=2") == "200 second")
    }

    @Test func `A stub's reply is delayed by the clock`() async throws {
        let clock = TestClock()
        let stub = StubTransport(clock: clock, [.on(.get, "/notes", replies: .json("[]").delayed(by: .seconds(2)))])
        let reply = Task { @MainActor in try await send(stub, "/notes") }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(try await reply.value == "200 []")
    }

    @Test func `A delayed reply of a stub without a clock is an error instead of an endless wait`() async throws {
        let reply = StubTransport.Reply.json("[]").delayed(by: .seconds(2))
        for stub in [StubTransport([.on(.get, "/notes", replies: reply)]), StubTransport(["GET /notes": reply])] {
            let error = await failure { _ = try await self.send(stub, "/notes") } as? TransportError
            #expect(
                error?.reason
                    == .other(
                        "the stub's reply to GET /notes is delayed, and the stub has no clock to move; give it one: "
                            + "StubTransport(clock: clock, [.on(…)])"))
        }
    }

    @Test func `A stub with a malformed path, or an empty table, answers nothing`() async throws {
        let stub = StubTransport([.on(.get, "notes", replies: .json("[]"))])
        await #expect(throws: TransportError.self) { try await self.send(stub, "/notes") }
        #expect(stub.unusedStubs == ["GET notes"])
        let none = StubTransport([StubTransport.Stub]())
        let error = await failure { _ = try await self.send(none, "/notes") } as? TransportError
        #expect(error?.reason == .other("the stub has no reply to GET /notes; it has none at all"))
    }

    @Test func `A stub table lists the lines that were never requested`() async throws {
        let stub = StubTransport(["GET /notes": .json("[]"), "GET /notes?page=2": .json("[]")])
        _ = try await send(stub, "/notes")
        #expect(stub.unusedStubs == ["GET /notes?page=2"])
        let closure = StubTransport { _ in .json("[]") }
        #expect(closure.unusedStubs == [])
    }
}
