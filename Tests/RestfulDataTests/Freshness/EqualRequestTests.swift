import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Equal requests that are under way at once are one.
@MainActor @Suite struct EqualRequestTests {
    private let held = HeldTransport()
    private let store: Store

    init() throws {
        store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: held))
    }

    @Test func `A burst of equal fetches sends one request`() async throws {
        let post = try await store.main.import(Post.self, from: Array(#"{"id": 5, "title": "Old"}"#.utf8)).objects[0]
        let fetches = (0..<100).map { _ in Task { try await post.fetch() } }
        let lists = (0..<100).map { _ in Task { try await Post.fetchAll(in: store.main).count } }
        await held.wait(for: 2)
        try await store.waitForCallers(200)
        #expect(held.log.sorted() == ["GET /posts", "GET /posts/5"])
        for (index, request) in held.log.enumerated() {
            held.answer(index, .json(request == "GET /posts" ? "[]" : #"{"id": 5, "title": "New"}"#))
        }
        for fetch in fetches { try await fetch.value }
        for list in lists { #expect(try await list.value == 0) }
        #expect(post.title == "New")
    }

    @Test func `A background fetch joins an urgent one, but not the other way round`() async throws {
        func fetch(_ priority: RequestPriority) -> Task<Int, any Error> {
            Task { try await API.withPriority(priority) { try await Post.fetchAll(in: store.main).count } }
        }
        let first = fetch(.background)
        await held.wait(for: 1)
        let urgent = fetch(.urgent)
        await held.wait(for: 2)
        let joins = fetch(.background)
        await giveWay()
        #expect(held.log.count == 2)
        // It joined the one that is as urgent as itself.
        held.answer(0, .json(#"[{"id": 1}]"#))
        for task in [first, joins] { #expect(try await task.value == 1) }
        let late = fetch(.background)
        await giveWay()
        #expect(held.log.count == 2)
        held.answer(1, .json(#"[{"id": 1}, {"id": 2}]"#))
        for task in [urgent, late] { #expect(try await task.value == 2) }
    }

    @Test func `Cancelling some of many waiting requests leaves the others`() async throws {
        let tasks = (0..<60).map { key in
            Task { try await Post.fetchAll(query: ["page": key / 2], in: store.main).count }
        }
        await held.wait(for: 30)
        try await store.waitForCallers(60)
        for index in stride(from: 0, to: 60, by: 2) { tasks[index].cancel() }
        for index in stride(from: 0, to: 60, by: 2) {
            #expect(await failure { _ = try await tasks[index].value } != nil)
        }
        for index in 0..<30 { held.answer(index, .json(#"[{"id": 1}]"#)) }
        for index in stride(from: 1, to: 60, by: 2) { #expect(try await tasks[index].value == 1) }
    }

    @Test func `A shared request is cancelled when its last caller is cancelled`() async throws {
        let tasks = (0..<3).map { _ in Task { try await Post.fetchAll(in: store.main).count } }
        await held.wait(for: 1)
        try await store.waitForCallers(3)
        tasks[0].cancel()
        #expect(await failure { _ = try await tasks[0].value } != nil)
        tasks[1].cancel()
        held.answer(0, .json("[]"))
        #expect(try await tasks[2].value == 0)

        let last = Task { try await Post.fetchAll(in: store.main).count }
        await held.wait(for: 2)
        last.cancel()
        #expect(await failure { _ = try await last.value } != nil)
    }

    @Test func `A fetch doesn't join a request sent before a change at the server`() async throws {
        let post = try await store.main.import(Post.self, from: Array(#"{"id": 5, "title": "Old"}"#.utf8)).objects[0]
        let early = Task { try await Post.fetchAll(in: store.main).map(\.title) }
        await held.wait(for: 1)
        post.title = "New"
        let saving = Task { try await post.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        let late = Task { try await Post.fetchAll(in: store.main).map(\.title) }
        await held.wait(for: 3)
        held.answer(2, .json(#"[{"id": 5, "title": "New"}]"#))
        #expect(try await late.value == ["New"])
        // The save survives an answer that is older.
        held.answer(0, .json(#"[{"id": 5, "title": "Old"}]"#))
        #expect(try await early.value == ["New"] && post.title == "New")
    }

    @Test func `Requests with different header fields aren't shared`() async throws {
        let tasks = ["a", "b"].map { language in
            Task {
                try await API.withHeaders([.acceptLanguage: language]) { try await Post.fetchAll(in: store.main).count }
            }
        }
        await held.wait(for: 2)
        for index in 0..<2 { held.answer(index, .json("[]")) }
        for task in tasks { #expect(try await task.value == 0) }
    }

    // MARK: Requests changed by middleware

    /// Sets a field to a text that may be another for each caller.
    private struct Field: Middleware {
        let name: String
        let value: @Sendable () -> String

        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            var request = request
            if let name = HTTPField.Name(name) { request.headerFields[name] = value() }
            return try await next(request)
        }
    }

    private enum Caller {
        @TaskLocal static var language = ""
    }

    private func store(_ name: String, _ value: @escaping @Sendable () -> String) throws -> Store {
        let api = API("https://api.example.com", transport: held) { Field(name: name, value: value) }
        return try Store(.temporary, models: Blog.models, api: api)
    }

    private func titles(_ language: String, in store: Store) -> Task<[String], any Error> {
        Caller.$language.withValue(language) {
            Task { try await Post.fetchAll(in: store.main).map(\.title) }
        }
    }

    @Test(arguments: ["Accept-Language", "Accept", "User-Agent", "X-Device", "X-API-Version"])
    func `Requests that middleware makes different get separate answers`(_ name: String) async throws {
        let store = try store(name) { Caller.language }
        let first = titles("de", in: store)
        // The request in flight is this one's.
        await held.wait(for: 1)
        let others = (0..<3).map { _ in titles("en", in: store) }
        let same = titles("de", in: store)
        try await store.waitForCallers(5)
        #expect(held.log.count == 1)
        held.answer(0, .json(#"[{"id": 1, "title": "eins"}]"#))
        for task in [first, same] { #expect(try await task.value == ["eins"]) }
        // Those that are equal among themselves share one again.
        await held.wait(for: 2)
        try await store.waitForCallers(3)
        held.answer(1, .json(#"[{"id": 1, "title": "one"}]"#))
        for task in others { #expect(try await task.value == ["one"]) }
        #expect(held.log.count == 2)
    }

    @Test func `Cancelling a caller leaves equal and different requests running`() async throws {
        let store = try store("Accept-Language") { Caller.language }
        let first = titles("de", in: store)
        // The request in flight is this one's.
        await held.wait(for: 1)
        let (same, other) = (titles("de", in: store), titles("en", in: store))
        try await store.waitForCallers(3)
        first.cancel()
        #expect(await failure { _ = try await first.value }?.isCancellation == true)
        held.answer(0, .json(#"[{"id": 1, "title": "eins"}]"#))
        #expect(try await same.value == ["eins"])
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"id": 1, "title": "one"}]"#))
        #expect(try await other.value == ["one"])
    }

    @Test(arguments: ["traceparent", "X-Request-ID", "X-B3-TraceId"])
    func `Requests that differ only in a request ID are shared`(_ name: String) async throws {
        let count = Box(0)
        let store = try store(name) {
            count.value += 1
            return "\(count.value)"
        }
        let tasks = (0..<20).map { _ in titles("", in: store) }
        await held.wait(for: 1)
        try await store.waitForCallers(20)
        held.answer(0, .json(#"[{"id": 1, "title": "one"}]"#))
        for task in tasks { #expect(try await task.value == ["one"]) }
        #expect(held.log.count == 1)
    }

    /// Records whether each request is marked as a probe, and whether its reply is.
    private struct NotingProbes: Middleware {
        let notes: Box<[[Bool]]>

        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            let reply = try await next(request)
            notes.value.append([request.chainState.isProbe, reply.unsent == .probe])
            return reply
        }
    }

    @Test func `Middleware can see that a request only probes the fields to send`() async throws {
        let notes = Box<[[Bool]]>([])
        let api = API("https://api.example.com", transport: held) { NotingProbes(notes: notes) }
        let store = try Store(.temporary, models: Blog.models, api: api)
        let first = titles("", in: store)
        await held.wait(for: 1)
        let others = (0..<3).map { _ in titles("", in: store) }
        try await store.waitForCallers(4)
        held.answer(0, .json(#"[{"id": 1, "title": "one"}]"#))
        for task in [first] + others { #expect(try await task.value == ["one"]) }
        #expect(notes.value.contains([true, true]))
        #expect(notes.value.filter { $0 == [false, false] }.count == 1)
        #expect(notes.value.allSatisfy { $0[0] == $0[1] })
    }

    @Test func `The history has one entry per shared request and marks stored answers`() async throws {
        let history = RequestHistory()
        let api = API("https://api.example.com", policy: .cached, transport: held) { history }
        let store = try Store(.temporary, models: Blog.models, api: api)
        #expect(await failure { _ = try await Post.fetchAll(policy: .offline, in: store.main) } != nil)
        let tasks = (0..<5).map { _ in titles("", in: store) }
        await held.wait(for: 1)
        try await store.waitForCallers(5)
        held.answer(0, .json(#"[{"id": 1, "title": "one"}]"#))
        for task in tasks { #expect(try await task.value == ["one"]) }
        _ = try await Post.fetchAll(in: store.main)
        let entries = history.entries
        #expect(entries.map(\.status) == [nil, 200, nil] && entries.map(\.isFromStore) == [false, false, true])
        #expect(
            entries.map { $0.description.replacing(#/ in \d+ ms/#, with: "") } == [
                "GET https://api.example.com/posts → not sent, and the store has no answer",
                "GET https://api.example.com/posts → 200", "GET https://api.example.com/posts → from the store",
            ])
    }
}
