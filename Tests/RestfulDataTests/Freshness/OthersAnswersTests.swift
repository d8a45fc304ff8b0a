import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Answers to another user, about something else, or of another time.
@MainActor @Suite(.timeLimit(.minutes(10))) struct OthersAnswersTests {
    @Model("/users") final class User {
        var identifier: Int?
        var name = ""
        @Relationship("/users/:id/profile", inverse: "user", owns: true) var profile: Profile?
        @Relationship("/users/:id/notes", inverse: nil, owns: true) var notes: [Note]
    }

    @Model("/profiles") final class Profile {
        var identifier: Int?
        var bio = ""
        var user: User?
    }

    @Model("/notes") final class Note {
        var identifier: Int?
    }

    @Model("/posts") final class Post {
        var identifier: Int?
        @Relationship("/posts/:id/tags", inverse: nil) var tags: [Tag]
    }

    @Model("/tags") final class Tag {
        var identifier: Int?
    }

    @Model("/issues", changes: "/issues?project_key=:project_key&since=:updated_at") final class Issue {
        var identifier: Int?
        var updatedAt: Date?
    }

    @Model("/events", changes: .token("/events", at: "nextSyncToken", parameter: "syncToken")) final class Event {
        var identifier: Int?
        var title = ""
        var state = ""
    }

    private static let models: [any Model.Type] = [
        User.self, Profile.self, Note.self, Post.self, Tag.self, Issue.self, Event.self,
    ]

    // MARK: Something else

    @Test func `An object inserted after a restart doesn't enter an older stored answer`() async throws {
        let file = try TemporaryFile()
        let stub = StubTransport { request throws(TransportError) in
            switch request.line {
            case "GET /search": .json(#"[{"id": 1}, {"id": 2}, {"id": 3}]"#)
            case "DELETE /users/3": .status(204)
            default: .json("{\"id\": \(request.url.lastPathComponent)}")
            }
        }
        func service() throws -> Service {
            try Service(Self.models, location: .file(URL(filePath: file.path)), stub: stub)
        }
        do {
            let service = try service()
            let users = try await User.fetchAll("/search", in: service.main)
            _ = try await User.fetch(key: 3, in: service.main)
            try await users[2].delete()
        }
        let service = try service()
        #expect(try await User.fetch(key: 9, in: service.main).identifier == 9)
        let searched = try await User.fetchAll("/search", policy: .cached, in: service.main)
        #expect(searched.map(\.identifier) == [1, 2])
        await #expect(throws: APIError.self) {
            _ = try await User.fetch(key: 3, policy: .offline, in: service.main).identifier
        }
    }

    @Test func `Feeds with different secret parameters are distinguished`() async throws {
        let stub = StubTransport { _ in .json(#"[{"id": 1, "updated_at": "2026-11-23T10:00:00Z"}]"#) }
        let service = try Service(Self.models, stub: stub)
        for project in ["ABC", "XYZ", "ABC"] {
            try await Issue.fetchChanges(["project_key": project], in: service.main)
        }
        #expect(
            stub.log == [
                "GET /issues?project_key=ABC", "GET /issues?project_key=XYZ",
                "GET /issues?project_key=ABC&since=2026-11-23T10%3A00%3A00Z",
            ])
        _ = try await User.fetchAll(query: ["api_key": "s3cret"], in: service.main)
        #expect(User.completeness(query: ["api_key": "s3cret"], in: service.main).extent == .whole)
        #expect(User.completeness(query: ["api_key": "other"], in: service.main).extent == .never)
        let queries = try service.main.knownListings().compactMap(\.query)
        #expect(queries.contains("?api_key=REDACTED") && queries.allSatisfy { !$0.contains("#") }, "\(queries)")
    }

    // MARK: Another user

    @Test func `A request with another API's token isn't shared`() async throws {
        let (file, held) = (try TemporaryFile(), HeldTransport())
        func store(_ token: String) throws -> Store {
            let api = API("https://api.example.com", transport: held) { BearerToken(token) }
            return try Store(.file(URL(filePath: file.path)), models: Self.models, api: api)
        }
        let stores = try [store("a"), store("b")]
        let asking = stores.map { store in
            Task { try await User.fetch("/me", in: store.main).name }
        }
        await held.wait(for: 2)
        #expect(held.log == ["GET /me", "GET /me"])
        for index in 0..<2 { held.answer(index, .json(#"{"id": 1, "name": "n"}"#)) }
        for task in asking { #expect(try await task.value == "n") }
    }

    /// How many requests are sent for the same question, each after a restart with this middleware.
    private func requests(_ middleware: (any Middleware)...) async throws -> Int {
        let (file, stub) = (try TemporaryFile(), StubTransport { _ in .json(#"{"id": 1, "name": "n"}"#) })
        for middleware in middleware {
            let api = API("https://api.example.com", transport: stub) { middleware }
            let store = try Store(.file(URL(filePath: file.path)), models: Self.models, api: api)
            _ = try await User.fetch("/me", policy: .cached, in: store.main)
        }
        return stub.log.count
    }

    @Test func `A named account keeps its answers when its token changes`() async throws {
        #expect(try await requests(BearerToken("a", account: "me"), BearerToken("b", account: "me")) == 1)
        #expect(try await requests(BearerToken("a", account: "me"), BearerToken("a", account: "you")) == 2)
        #expect(try await requests(BearerToken("a"), BearerToken("b")) == 2)
        #expect(
            try await requests(
                DigestAuthentication(user: "me", password: "a"), DigestAuthentication(user: "me", password: "a")) == 1)
    }

    @Test func `An answer to a request with an API key in its query belongs to that key`() async throws {
        func key(_ text: String) -> APIKey { APIKey(text, in: .query("plain")) }
        #expect(try await requests(key("one"), key("one")) == 1)
        #expect(try await requests(key("one"), key("two")) == 2)
    }

    @Test func `A request under a new account joins none of the former account's`()
        async throws
    {
        let held = HeldTransport()
        let api = API("https://api.example.com", transport: held) {
            Retry()
            BearerToken { rejected in rejected == nil ? "a" : "b" }
        }
        let store = try Store(.temporary, models: Self.models, api: api)
        let first = Task { try await User.fetch("/me", in: store.main).name }
        await held.wait(for: 1)
        let other = Task { try await User.fetch(key: 7, in: store.main).name }
        await held.wait(for: 2)
        held.answer(1, .status(401))
        await held.wait(for: 3)
        held.answer(2, .json(#"{"id": 7, "name": "seven"}"#))
        #expect(try await other.value == "seven")
        let second = (0..<3).map { _ in Task { try await User.fetch("/me", in: store.main).identifier } }
        try await store.waitForCallers(4)
        held.answer(0, .json(#"{"id": 1, "name": "a"}"#))
        #expect(try await first.value == "a")
        // One of them asks again, and the others join its request.
        await held.wait(for: 4)
        try await store.waitForCallers(3)
        held.answer(3, .json(#"{"id": 2, "name": "b"}"#))
        for task in second { #expect(try await task.value == 2) }
        #expect(held.log == ["GET /me", "GET /users/7", "GET /users/7", "GET /me"])
        #expect(held.tokens == ["Bearer a", "Bearer a", "Bearer b", "Bearer b"])
    }

    @Test func `An unreachable server doesn't give a new account the former account's answer`()
        async throws
    {
        let (token, isAway) = (Box("a"), Box(false))
        let gate = Box<[CheckedContinuation<Void, Never>]>([])
        let stub = StubTransport { request throws(TransportError) in
            guard isAway.value else { return .json(#"{"id": 1, "name": "a"}"#, headerFields: [.eTag: "\"e\""]) }
            await withCheckedContinuation { gate.value.append($0) }
            throw TransportError(.connectionRefused, request)
        }
        let api = API("https://api.example.com", transport: stub) { Account(token: token) }
        let store = try Store(.temporary, models: Self.models, api: api)
        _ = try await User.fetch("/me", in: store.main)
        isAway.value = true
        let fetch = { @MainActor in
            Task { try await User.fetch("/me", policy: .revalidate.orStored, in: store.main).name }
        }
        let first = fetch()
        while gate.value.isEmpty { await Task.yield() }
        token.value = "b"
        let second = fetch()
        await giveWay()
        gate.value.removeFirst().resume()
        #expect(try await first.value == "a")
        let opening = Task {
            while gate.value.isEmpty { await Task.yield() }
            gate.value.removeFirst().resume()
        }
        await #expect(throws: APIError.self) { try await second.value }
        opening.cancel()
    }

    @Test(arguments: [false, true]) func `A failed login of the former account doesn't fail the new account's request`(
        _ isCancelled: Bool
    )
        async throws
    {
        let account = Box("a")
        let gate = Box<CheckedContinuation<Void, Never>?>(nil)
        let stub = StubTransport { _ in .json(#"{"id": 2, "name": "b"}"#) }
        let api = API("https://api.example.com", transport: stub) {
            BearerToken { _ in
                guard account.value == "a" else { return account.value }
                await withCheckedContinuation { gate.value = $0 }
                if isCancelled { throw CancellationError() }
                throw StubError()
            }
        }
        let store = try Store(.temporary, models: Self.models, api: api)
        let first = Task { try await User.fetch("/me", in: store.main).name }
        while gate.value == nil { await Task.yield() }
        account.value = "b"
        let second = Task { try await User.fetch("/me", in: store.main).name }
        await giveWay()
        gate.value?.resume()
        await #expect(throws: APIError.self) { try await first.value }
        #expect(try await second.value == "b")
    }

    @Test func `Requests that wait for a token refresh share one answer`() async throws {
        let held = HeldTransport()
        let api = API("https://api.example.com", transport: held) {
            Retry()
            BearerToken { rejected in rejected == nil ? "a" : "b" }
        }
        let store = try Store(.temporary, models: Self.models, api: api)
        let asking = (0..<20).map { _ in Task { try await User.fetch("/me", in: store.main).name } }
        await held.wait(for: 1)
        await giveWay()
        held.answer(0, .status(401))
        await held.wait(for: 2)
        held.answer(1, .json(#"{"id": 1, "name": "n"}"#))
        for task in asking { #expect(try await task.value == "n") }
        #expect(held.tokens == ["Bearer a", "Bearer b"])
    }

    private struct StubError: Error {}

    /// The requesting user, as in an app that lets its user change.
    private struct Account: Middleware {
        let token: Box<String>

        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            var request = request
            request.headerFields[.authorization] = "Bearer \(token.value)"
            return try await next(request)
        }
    }

    /// Counts the replies that have arrived, which is noted within.
    private struct Counting: Middleware {
        let arrived: Box<Int>

        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            let reply = try await next(request)
            arrived.value += 1
            return reply
        }
    }

    @Test func `A list narrowed by a header field deletes and unlinks nothing`()
        async throws
    {
        let stub = StubTransport { _ in .json("[]") }
        let service = try Service(Self.models, stub: stub)
        let user = try await service.imported(User.self, #"{"id": 1, "notes": [{"id": 5}]}"#)
        let tenant = HTTPField.Name("X-Tenant")!
        try await API.withHeaders([tenant: "b"]) {
            _ = try await user.$notes.fetch()
            _ = try await User.fetchAll(in: service.main)
        }
        #expect(user.notes.map(\.identifier) == [5])
        try await API.withHeaders([tenant: "b"]) { _ = try await user.$notes.fetch(pages: .all()) }
        #expect(user.notes.map(\.identifier) == [5])
        #expect(User.completeness(in: service.main).extent == .never)
        _ = try await user.$notes.fetch()
        let note = try service.main.find(Note.self, 5)
        #expect(user.notes.isEmpty && note == nil)
    }

    // MARK: Another time

    @Test(arguments: [#"{"id": 5, "title": "new", "state": "closed"}"#, #"{"id": 5, "deleted": true}"#])
    func `A change feed doesn't advance past an answer that couldn't be applied`(_ item: String) async throws {
        let held = HeldTransport()
        var conventions = APIConventions.default
        conventions.envelopes = .lists("items")
        conventions.tombstones = ["deleted"]
        let api = API("https://api.example.com", conventions: conventions, transport: held)
        let store = try Store(.temporary, models: Self.models, api: api)
        let event = try await store.imported(Event.self, #"{"id": 5, "title": "old", "state": "open"}"#)
        func changes(_ number: Int, _ items: String, _ token: String) async throws {
            let asking = Task { _ = try await Event.fetchChanges(in: store.main) }
            await held.wait(for: number)
            held.answer(number - 1, .json("{\"items\": [\(items)], \"nextSyncToken\": \"\(token)\"}"))
            try await asking.value
        }
        try await changes(1, "", "a")
        let asking = Task { _ = try await Event.fetchChanges(in: store.main) }
        await held.wait(for: 2)
        event.title = "new"
        let saving = Task { try await event.save() }
        await held.wait(for: 3)
        held.answer(2, .status(204))
        try await saving.value
        held.answer(1, .json("{\"items\": [\(item)], \"nextSyncToken\": \"b\"}"))
        try await asking.value
        #expect(event.title == "new" && !event.isDeleted)
        try await changes(4, item, "b")
        #expect(event.isDeleted || event.state == "closed")
        try await changes(5, "", "c")
        #expect(held.queries == [nil, "syncToken=a", nil, "syncToken=a", "syncToken=b"])
    }

    @Test func `A list changed by another answer isn't confirmed by the first one's 304`() async throws {
        let stub = StubTransport { request throws(TransportError) in
            if request.line == "GET /posts/1/tags" { return .json(#"[{"id": 1}]"#) }
            if request.headerFields[.ifNoneMatch] != nil { return .status(304) }
            return .json(#"{"id": 1, "tags": [{"id": 1}, {"id": 2}]}"#, headerFields: [.eTag: "\"e1\""])
        }
        let service = try Service(Self.models, stub: stub)
        let post = try await Post.fetch(key: 1, in: service.main)
        _ = try await post.$tags.fetch()
        #expect(post.tags.map(\.identifier) == [1])
        try await post.fetch()
        #expect(post.tags.map(\.identifier) == [1, 2])
    }

    @Test func `A to-one fetch keeps the partner of a pending link edit`() async throws {
        let replies = Box<[StubTransport.Reply]>([.status(204), .json(#"{"id": 9}"#)])
        let stub = StubTransport { _ in replies.value.removeFirst() }
        let service = try Service(Self.models, stub: stub)
        let user = try await service.imported(User.self, #"{"id": 1, "profile": {"id": 4, "bio": "b"}}"#)
        let profile = try #require(user.profile)
        profile.bio = "mine"
        try await service.main.save()
        _ = try await user.$profile.fetch()
        #expect(user.profile == nil && !profile.isDeleted && profile.unsentProperties == ["bio"])
        let other = try await service.imported(User.self, #"{"id": 2}"#)
        let ninth = try await service.imported(Profile.self, #"{"id": 9, "user": {"id": 3}}"#)
        ninth.user = other
        try await service.main.save()
        _ = try await user.$profile.fetch()
        #expect(ninth.user === other && other.profile === ninth && ninth.unsentProperties == ["user"])
    }

    @Test func `A page fetched ahead has the time of its own answer`() async throws {
        let clock = Box(1_000_000.0)
        let next = [HTTPField.Name("Link")!: "<https://api.example.com/users?page=2>; rel=\"next\""] as HTTPFields
        let arrived = Box(0)
        let stub = StubTransport { request throws(TransportError) in
            request.line == "GET /users"
                ? .json(#"[{"id": 1}]"#, headerFields: next) : .json(#"[{"id": 2}]"#)
        }
        var api = API("https://api.example.com", transport: stub) { Counting(arrived: arrived) }
        api.now = { clock.value }
        let store = try Store(.temporary, models: Self.models, api: api)
        let pages = User.pages("/users", in: store.main).makeAsyncIterator()
        _ = try await pages.next()
        await until { arrived.value == 2 }
        // Its time is noted once it is through all middleware.
        try await store.waitForCallers(0)
        clock.value += 3600
        let page = try #require(try await pages.next())
        #expect(page.fetchedAt == Date(timeIntervalSince1970: 1_000_000))
        #expect(page.objects[0].fetchedAt == Date(timeIntervalSince1970: 1_000_000))
    }

    // MARK: Another user

    @Test func `Two accounts revalidate their stale answers to one question at the same time`() async throws {
        let file = try TemporaryFile()
        defer { withExtendedLifetime(file) {} }
        let (held, clock) = (HeldTransport(), Box(1_000_000.0))
        let stores = try ["a", "b"].map { token in
            var api = API("https://api.example.com", policy: .cacheControl, transport: held) { BearerToken(token) }
            api.now = { clock.value }
            return try Store(.file(URL(filePath: file.path)), models: Self.models, api: api)
        }
        let fields: HTTPFields = [.cacheControl: "max-age=60, stale-while-revalidate=600", .eTag: "\"e1\""]
        let reply = StubTransport.Reply.json(#"[{"id": 1}]"#, headerFields: fields)
        for (index, store) in stores.enumerated() {
            held.answer(index, reply)
            _ = try await User.fetchAll(in: store.main)
        }
        clock.value += 61
        for store in stores {
            #expect(try await User.fetchAllReporting(in: store.main).source == .store)
        }
        await held.wait(for: 4)
        #expect(Set(held.tokens.suffix(2)) == ["Bearer a", "Bearer b"])
        for index in 2..<4 { held.answer(index, reply) }
        for store in stores { try await store.waitForCallers(0) }
    }
}
