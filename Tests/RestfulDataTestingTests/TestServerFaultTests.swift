import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Everything that goes wrong on demand.
@MainActor @Suite struct TestServerFaultTests {
    private func notebook(
        clock: TestClock? = nil, _ conventions: APIConventions = .default,
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) throws -> (server: TestServer, store: Store) {
        let server = try Notebook.server(conventions, clock: clock)
        return (server, try Store(.temporary, models: Notebook.models, api: API(server, middleware: middleware)))
    }

    private func newNote(in store: Store) -> Notebook.Note {
        let note = Notebook.Note(in: store.main)
        note.title = "New"
        return note
    }

    @Test func `A test server carries out a request whose reply is lost, not a lost request`() async throws {
        let (server, store) = try notebook()
        try server.fail(.lostRequest, .post)
        let note = newNote(in: store)
        #expect(await failure { try await note.create() }?.lost == .connectionLost)
        #expect(server.objects(Notebook.Note.self).count == 3 && server.requests == [])
        try server.fail(.lostReply, .post)
        #expect(await failure { try await note.create() }?.lost == .connectionLost)
        #expect(server.objects(Notebook.Note.self).count == 4 && server.requests == ["POST /notes"])
        #expect(server.pendingFaults == 0)
    }

    @Test func `A planned status replaces the reply at its path, as often as planned`() async throws {
        let (server, store) = try notebook()
        try server.fail(.status(503, headerFields: ["Retry-After": "7"]), at: "/notes/:id", after: 1, times: 2)
        func fetch() async -> Int? {
            await failure { _ = try await Notebook.Note.fetch(key: 1, in: store.main) }?.reply?.status
        }
        _ = try await Notebook.Note.fetchAll(in: store.main)
        #expect(await fetch() == nil)
        #expect(server.pendingFaults == 2)
        #expect(await fetch() == 503)
        #expect(await fetch() == 503)
        #expect(await fetch() == nil)
        try server.fail(.unreachable)
        #expect(
            await failure { _ = try await Notebook.Note.fetch(key: 2, in: store.main) }?.lost == .connectionRefused)
        try server.fail(.status(500), times: 0)
        try server.fail(.status(500))
        server.forgetFaults()
        #expect(server.pendingFaults == 0)
    }

    @Test func `The header fields of a fault are in the same order in each run`() async throws {
        let (server, _) = try notebook()
        let names = (0..<9).map { "X-\($0)" }
        try server.fail(.status(503, headerFields: Dictionary(uniqueKeysWithValues: names.map { ($0, "v") })))
        let reply = try await server.send(try APIRequest(.get, server.baseURL + "/notes"))
        #expect(reply.headerFields.map(\.name.rawName) == names)
    }

    @Test func `A truncated reply is an error and stores nothing`() async throws {
        let (server, store) = try notebook()
        try server.fail(.truncated)
        #expect(await failure { _ = try await Notebook.Note.fetchAll(in: store.main) } != nil)
        #expect(try store.main.query(Notebook.Note.self).fetch() == [])
        #expect(try await Notebook.Note.fetchAll(in: store.main).count == 3)
    }

    @Test func `A request delivered twice is carried out twice`() async throws {
        let (server, store) = try notebook()
        try server.fail(.duplicated, .post)
        try await newNote(in: store).create()
        #expect(
            server.objects(Notebook.Note.self).compactMap { $0["title"]?.string } == ["n1", "n2", "n3", "New", "New"])
    }

    @Test func `A repeated Idempotency-Key gets the first reply again`() async throws {
        let (server, _) = try notebook()
        try server.fail(.duplicated, .post)
        let request = try APIRequest(
            .post, "https://api.example.com/notes", headerFields: [HTTPField.Name("Idempotency-Key")!: "k1"],
            body: .text(#"{"title": "New"}"#, type: "application/json"))
        let first = try await server.send(request)
        let second = try await server.send(request)
        #expect(first.body == second.body && server.objects(Notebook.Note.self).count == 4)
    }

    @Test func `An Idempotency-Key of another request is refused, one of a refused request isn't`() async throws {
        let (server, _) = try notebook()
        try server.require(Notebook.Note.self, "title")
        func status(_ title: String) async throws -> Int {
            let request = try APIRequest(
                .post, "https://api.example.com/notes", headerFields: [HTTPField.Name("Idempotency-Key")!: "k1"],
                body: .text(#"{"title": "\#(title)"}"#, type: "application/json"))
            return try await server.send(request).status.code
        }
        #expect(try await status("") == 422)
        #expect(try await status("New") == 201)
        #expect(try await status("Newer") == 422)
        #expect(try await status("New") == 201)
        #expect(server.objects(Notebook.Note.self).count == 4)
    }

    @Test func `Requests with the same Idempotency-Key at the same time are done once`() async throws {
        let (server, _) = try notebook()
        let request = try APIRequest(
            .post, "https://api.example.com/notes", headerFields: [HTTPField.Name("Idempotency-Key")!: "k1"],
            body: .text(#"{"title": "New"}"#, type: "application/json"))
        let bodies = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<20 { group.addTask { try await server.send(request).body } }
            var bodies: Set<[UInt8]> = []
            for try await body in group { bodies.insert(body) }
            return bodies
        }
        #expect(bodies.count == 1 && server.objects(Notebook.Note.self).count == 4)
    }

    @Test func `A planned reply is overtaken by the next one`() async throws {
        let (server, store) = try notebook()
        try server.fail(.overtaken, at: "/notes/:id")
        let first = Task { @MainActor in try await Notebook.Note.fetch(key: 1, in: store.main).title }
        await server.waitForHeldReplies(1)
        try server.update(Notebook.Note.self, 1, setting: ["title": "changed"])
        #expect(try await Notebook.Note.fetch(key: 2, in: store.main).title == "n2")
        #expect(try await first.value == "n1")
        #expect(server.requests == ["GET /notes/1", "GET /notes/2"] && server.heldReplies == 0)
    }

    @Test func `A reply is overtaken by one that is lost`() async throws {
        let (server, store) = try notebook()
        try server.fail(.overtaken, at: "/notes/1")
        try server.fail(.lostReply, at: "/notes/2")
        let first = Task { @MainActor in try await Notebook.Note.fetch(key: 1, in: store.main).title }
        await server.waitForHeldReplies(1)
        #expect(await failure { _ = try await Notebook.Note.fetch(key: 2, in: store.main) }?.lost == .connectionLost)
        #expect(try await first.value == "n1")
    }

    @Test func `Two overtaken replies don't wait for each other`() async throws {
        let (server, store) = try notebook()
        try server.fail(.overtaken, times: 2)
        let first = Task { @MainActor in try await Notebook.Note.fetch(key: 1, in: store.main).title }
        await server.waitForHeldReplies(1)
        #expect(try await Notebook.Note.fetch(key: 2, in: store.main).title == "n2")
        #expect(try await first.value == "n1")
        #expect(server.pendingFaults == 0 && server.heldReplies == 0)
    }

    @Test func `A random reply isn't held if no other request can overtake it`() async throws {
        let server = try Notebook.server()
        server.fail(oneOf: 1, with: [.overtaken], seed: 1)
        let request = try APIRequest(.get, "https://api.example.com/notes/1")
        for _ in 0..<3 { #expect(try await server.send(request).status == .ok) }
        // A held reply is another request.
        try server.fail(.held)
        let held = Task { try await server.send(request).status }
        await server.waitForHeldReplies(1)
        let overtaken = Task { try await server.send(request).status }
        await server.waitForHeldReplies(2)
        server.release(0)
        #expect(try await held.value == .ok)
        #expect(try await overtaken.value == .ok)
    }

    @Test func `Held replies are released by the test in any order`() async throws {
        let (server, store) = try notebook()
        try server.fail(.held, times: 2)
        let first = Task { @MainActor in try await Notebook.Note.fetch(key: 1, in: store.main).title }
        await server.waitForHeldReplies(1)
        let second = Task { @MainActor in try await Notebook.Note.fetch(key: 2, in: store.main).title }
        await server.waitForHeldReplies(2)
        server.release(1)
        #expect(try await second.value == "n2")
        #expect(server.heldReplies == 1)
        server.release()
        #expect(try await first.value == "n1")
    }

    @Test func `A held reply ends with its task`() async throws {
        let (server, store) = try notebook()
        try server.fail(.held)
        let task = Task { @MainActor in _ = try await Notebook.Note.fetch(key: 1, in: store.main) }
        await server.waitForHeldReplies(1)
        task.cancel()
        let result = await task.result
        #expect(throws: APIError.self) { try result.get() }
        #expect(server.heldReplies == 0)
    }

    @Test func `A request with latency is received when the clock has advanced`() async throws {
        let clock = TestClock()
        let (server, store) = try notebook(clock: clock)
        try server.fail(.latency(.seconds(3)))
        let note = Task { @MainActor in try await Notebook.Note.fetch(key: 1, in: store.main).title }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(clock.sleeperCount == 1 && server.requests == [])
        clock.advance(by: .seconds(1))
        #expect(try await note.value == "n1")
        #expect(server.requests == ["GET /notes/1"])
    }

    @Test func `A request that is still on its way when the server stops is refused`() async throws {
        let clock = TestClock()
        let (server, store) = try notebook(clock: clock)
        try server.fail(.latency(.seconds(3)))
        let note = Task { @MainActor in await failure { try await newNote(in: store).create() }?.lost }
        await clock.waitForSleepers(1)
        server.isDown = true
        clock.advance(by: .seconds(3))
        #expect(await note.value == .connectionRefused)
        #expect(server.requests == [] && server.objects(Notebook.Note.self).count == 3)
    }

    @Test func `A test server goes down after its planned number of writes, and keeps its objects`() async throws {
        let (server, store) = try notebook()
        server.crash(afterWrites: 2)
        try await newNote(in: store).create()
        _ = try await Notebook.Note.fetchAll(in: store.main)
        #expect(await failure { try await newNote(in: store).create() }?.lost == .connectionLost)
        #expect(await failure { _ = try await Notebook.Note.fetchAll(in: store.main) }?.lost == .connectionRefused)
        server.restart()
        #expect(try await Notebook.Note.fetchAll(in: store.main).count == 5)
        try server.fail(.crash, .get)
        #expect(await failure { _ = try await Notebook.Note.fetchAll(in: store.main) }?.lost == .connectionLost)
        #expect(server.isDown)
    }

    @Test func `Equal seeds give equal faults`() async throws {
        func outcomes(_ seed: UInt64) async throws -> [String] {
            let server = try Notebook.server()
            server.fail(oneOf: 3, with: [.lostRequest, .status(503), .lostReply], seed: seed)
            var outcomes: [String] = []
            for _ in 0..<30 {
                do {
                    let request = try APIRequest(.get, "https://api.example.com/notes/1")
                    outcomes.append("\(try await server.send(request).status.code)")
                } catch { outcomes.append("lost") }
            }
            return outcomes
        }
        let first = try await outcomes(7)
        #expect(try await outcomes(7) == first)
        #expect(try await outcomes(8) != first)
        #expect(Set(first) == ["200", "503", "lost"])
    }

    // MARK: Access

    @Test func `A test server requires its token until that is changed`() async throws {
        let (server, store) = try notebook { BearerToken("old") }
        server.requireToken("old")
        #expect(try await Notebook.Note.fetch(key: 1, in: store.main).title == "n1")
        #expect(server.exchanges[0].reply.headerFields[.vary] == "Authorization")
        server.requireToken("new")
        #expect(
            await failure { _ = try await Notebook.Note.fetch(key: 2, in: store.main) }?.reply?.kind == .unauthorized)
        let renewed = try Store(.temporary, models: Notebook.models, api: API(server) { BearerToken("new") })
        #expect(try await Notebook.Note.fetch(key: 2, in: renewed.main).title == "n2")
        server.requireToken(nil)
        #expect(try await Notebook.Note.fetch(key: 2, in: store.main).title == "n2")
    }

    @Test func `A path that needs no token gives one`() async throws {
        let server = try Notebook.server()
        try server.on(.post, "/oauth/token") { _ in .json(#"{"access_token": "new", "token_type": "bearer"}"#) }
        try server.requireToken("new", except: ["/oauth/token"])
        let client = OAuth2Client(
            id: "app", tokenURL: try #require(URL(string: "https://api.example.com/oauth/token")))
        let api = API(server) { OAuth2(.clientCredentials(), client: client, transport: server) }
        let store = try Store(.temporary, models: Notebook.models, api: api)
        #expect(try await Notebook.Note.fetch(key: 1, in: store.main).title == "n1")
        let others = try Store(.temporary, models: Notebook.models, api: API(server))
        #expect(
            await failure { _ = try await Notebook.Note.fetch(key: 1, in: others.main) }?.reply?.kind == .unauthorized)
        server.requireToken("newer")
        let signIn = try APIRequest(.post, "https://api.example.com/oauth/token")
        #expect(try await server.send(signIn).status == .unauthorized)
        #expect(throws: TestServerError.self) { try server.requireToken("new", except: ["/a?b=c"]) }
    }

    @Test func `A forbidden request gets a 403 and isn't carried out`() async throws {
        let (server, store) = try notebook()
        try server.forbid(.delete, "/notes/:id", message: "Only the owner may do that")
        let note = try await Notebook.Note.fetch(key: 1, in: store.main)
        let error = await failure { try await note.delete() }
        #expect(error?.reply?.kind == .forbidden && error?.reply?.message == "Only the owner may do that")
        #expect(server.objects(Notebook.Note.self).count == 3)
    }

    @Test func `A limited test server accepts the planned number of requests per time of the clock`() async throws {
        let clock = TestClock()
        let server = try Notebook.server(clock: clock)
        server.limit(2, per: .seconds(60))
        let request = try APIRequest(.get, "https://api.example.com/notes/1")
        func send() async throws -> [String?] {
            let reply = try await server.send(request)
            let names = ["X-RateLimit-Remaining", "Retry-After"].compactMap { HTTPField.Name($0) }
            return ["\(reply.status.code)"] + names.map { reply.headerFields[$0] }
        }
        #expect(try await send() == ["200", "1", nil])
        clock.advance(by: .seconds(20))
        #expect(try await send() == ["200", "0", nil])
        #expect(try await send() == ["429", "0", "40"])
        clock.advance(by: .seconds(40))
        #expect(try await send() == ["200", "1", nil])
        #expect(server.requests.count == 4)
    }

    @Test func `Extreme numbers of pages, times and seconds are taken as they come`() async throws {
        let clock = TestClock()
        let server = try Notebook.server(clock: clock)
        server.pageSize = 2
        server.limit(3, per: .seconds(Int64.max))
        func status(_ path: String) async throws -> Int {
            try await server.send(try APIRequest(.get, "https://api.example.com" + path)).status.code
        }
        #expect(try await status("/notes?page=\(Int.min)") == 200)
        #expect(try await status("/notes?page=\(Int.max)") == 200)
        clock.advance(by: .seconds(Int64.max))
        #expect(try await status("/notes") == 200)
        #expect(clock.date.timeIntervalSince1970 == 253_402_300_799)
        try server.fail(.unreachable, times: .max)
        try server.fail(.lostReply, times: .max)
        #expect(server.pendingFaults == .max)
    }

    @Test func `A crash that hasn't happened is a pending fault`() async throws {
        let (server, store) = try notebook()
        server.crash(afterWrites: 1)
        #expect(server.pendingFaults == 1)
        _ = await failure { try await newNote(in: store).create() }
        #expect(server.pendingFaults == 0 && server.isDown)
    }

    // MARK: Versions

    @Test(arguments: [ConditionalWrites.entityTags, .weakEntityTags, .modificationDates])
    func `A change of an outdated version is refused`(
        _ conditions: ConditionalWrites
    ) async throws {
        var conventions = APIConventions.default
        conventions.conditionalWrites = conditions
        let (server, store) = try notebook(conventions)
        let note = try await Notebook.Note.fetch(key: 1, in: store.main)
        note.title = "mine"
        try await note.save()
        try server.update(Notebook.Note.self, 1, setting: ["title": "theirs"])
        note.title = "mine again"
        guard case APIError.conflict(let conflict)? = await failure({ try await note.save() }) else {
            Testing.Issue.record("The change of an old version was saved.")
            return
        }
        #expect(conflict.server?.attributes["title"] == .text("theirs"))
        #expect(server.exchanges.contains { $0.reply.status == 412 })
        try await note.fetch()
        try await note.save()
        #expect(server.object(Notebook.Note.self, 1)?["title"] == "mine again")
        try server.update(Notebook.Note.self, 1, setting: ["title": "theirs"])
        #expect(await failure { try await note.delete() } != nil)
        #expect(server.objects(Notebook.Note.self).count == 3)
    }

    @Test func `Conditions of requests are judged as HTTP defines them`() async throws {
        var conventions = APIConventions.default
        conventions.conditionalWrites = .modificationDates
        let (server, _) = try notebook(conventions)
        func send(
            _ method: HTTPRequest.Method, _ name: HTTPField.Name, is condition: String
        ) async throws -> APIResponse {
            let body = RequestBody.text(#"{"title": "B"}"#, type: "application/json")
            let request = try APIRequest(
                method, "https://api.example.com/notes/1", headerFields: [name: condition],
                body: method == .get ? nil : body)
            return try await server.send(request)
        }
        let (early, late) = ("Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(try await send(.get, .ifModifiedSince, is: early).status == .ok)
        #expect(try await send(.get, .ifModifiedSince, is: late).status == .notModified)
        let known = try await send(.get, .ifNoneMatch, is: "*")
        #expect(known.status == .notModified && known.headerFields[.contentType] == nil)
        #expect(known.headerFields[.eTag] != nil && known.headerFields[.lastModified] != nil)
        #expect(try await send(.patch, .ifUnmodifiedSince, is: early).status == .preconditionFailed)
        #expect(try await send(.patch, .ifUnmodifiedSince, is: late).status == .ok)
        #expect(try await send(.patch, .ifUnmodifiedSince, is: "no date").status == .ok)
        server.hasModificationDates = false
        #expect(try await send(.patch, .ifUnmodifiedSince, is: early).status == .ok)
    }

    @Test(arguments: [
        (ConditionalWrites.entityTags, TestServer.EntityTags.versions, [200, 412, 412, 200]),
        (.entityTags, .weakVersions, [412, 412, 412, 200]), (.weakEntityTags, .weakVersions, [200, 200, 412, 200]),
        (.weakEntityTags, .versions, [200, 200, 412, 200]),
    ])
    func `If-Match compares strongly, and weakly for services that do`(
        _ writes: ConditionalWrites, _ kind: TestServer.EntityTags, _ statuses: [Int]
    ) async throws {
        var conventions = APIConventions.default
        conventions.conditionalWrites = writes
        let server = try Notebook.server(conventions)
        server.entityTags = kind
        func send(_ method: HTTPRequest.Method, ifMatch condition: String? = nil) async throws -> APIResponse {
            let body = RequestBody.text(#"{"title": "B"}"#, type: "application/json")
            var request = try APIRequest(
                method, "https://api.example.com/notes/1", body: method == .get ? nil : body)
            request.headerFields[.ifMatch] = condition
            return try await server.send(request)
        }
        for (form, status) in zip(["\"%\"", "W/\"%\"", "\"other\"", "*"], statuses) {
            let tag = try #require(try await send(.get).headerFields[.eTag])
            let text = tag.replacing("W/", with: "").replacing("\"", with: "")
            let reply = try await send(.patch, ifMatch: form.replacing("%", with: text))
            #expect(reply.status.code == status, "\(form)")
        }
    }

    // MARK: Freshness

    @Test func `The age of an answer is measured by the test's clock`() async throws {
        let clock = TestClock()
        let server = try Notebook.server(clock: clock)
        let api = API(server, policy: .ifOlder(than: .seconds(60)))
        let store = try Store(.temporary, models: Notebook.models, api: api)
        _ = try await Notebook.Note.fetchAll(in: store.main)
        clock.advance(by: .seconds(59))
        _ = try await Notebook.Note.fetchAll(in: store.main)
        #expect(server.requests == ["GET /notes"])
        clock.advance(by: .seconds(2))
        _ = try await Notebook.Note.fetchAll(in: store.main)
        #expect(server.requests == ["GET /notes", "GET /notes"])
    }
}
