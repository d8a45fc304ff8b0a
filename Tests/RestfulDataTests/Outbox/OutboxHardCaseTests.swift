import Foundation
import Observation
import RestfulData
import TestSupport
import Testing

/// Cases that outboxes of other libraries get wrong, by their numbers in the article about the outbox.
@MainActor @Suite struct OutboxHardCaseTests {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo
    typealias Label = Tracker.Label

    private let program: Program
    private let token = Box<String?>(nil)
    private var server: OutboxServer { program.server }
    private var outbox: RestfulData.Outbox { program.outbox }

    init() throws {
        let token = token
        program = try Program { token.value }
    }

    private func issue(_ title: String, in program: Program? = nil) -> Issue {
        let issue = Issue(in: (program ?? self.program).main)
        issue.title = title
        return issue
    }

    /// An issue that the server has.
    private func known(_ id: Int = 1, _ title: String = "old") async throws -> Issue {
        server.put("/issues", id, ["id": .number("\(id)"), "title": .string(title)])
        return try await program.imported(Issue.self, #"{"id": \#(id), "title": "\#(title)"}"#)
    }

    private func stored() throws -> [Issue] { try program.find(Issue.self) }

    @Test func `1 An edit during a request is sent once, after it`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        let program = program
        server.whenArriving { [server] request in
            guard server.log.count == 1 else { return }
            await Self.edit(in: program, to: "B")
        }
        await outbox.drain()
        #expect(server.log == [#"PATCH /issues/1 {"title":"A"}"#, #"PATCH /issues/1 {"title":"B"}"#])
        #expect(issue.title == "B")
        #expect(issue.syncState == .synced)
    }

    private static func edit(in program: Program, to title: String, _ identifier: Int = 1) async {
        do {
            let issue = try #require(try program.main.find(Issue.self, identifier))
            issue.title = title
            try await issue.save(.queued)
        } catch { Testing.Issue.record(error) }
    }

    @Test func `3 An edit of an object whose creation wasn't sent is part of the creation`() async throws {
        let issue = issue("A")
        try await issue.save(.queued)
        issue.title = "B"
        try await issue.save(.queued)
        await outbox.drain()
        #expect(server.log == [#"POST /issues {"title":"B"}"#])
    }

    @Test func `4 A creation with a lost reply and an idempotency key leaves one object`() async throws {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        let program = try Program(OutboxServer(knowsKeys: true), conventions: conventions)
        let issue = issue("A", in: program)
        try await issue.save(.queued)
        program.server.fail(.lostReply)
        await program.outbox.drain()
        try program.restart()
        await program.outbox.drain()
        #expect(program.server.objects("/issues").count == 1)
        #expect(Set(program.server.keys).count == 1)
        #expect(program.server.keys.count == 2)
        let stored = try program.find(Issue.self)
        #expect(stored.map(\.identifier) == [101])
        #expect(stored[0].syncState == .synced)
    }

    @Test func `4 A creation with a lost reply and no idempotency key waits for a decision`() async throws {
        let issue = issue("A")
        try await issue.save(.queued)
        server.fail(.lostReply)
        await outbox.drain()
        await outbox.drain()
        #expect(server.log.count == 1)
        guard case .rejected(let rejection) = issue.syncState else { return #expect(Bool(false), "\(issue.syncState)") }
        #expect(rejection.kind == .undecided)
        try await outbox.retry(outbox.entries()[0])
        await outbox.drain()
        #expect(server.log.count == 2)
        #expect(issue.syncState == .synced)
    }

    @Test func `5 After an unknown outcome the first body is repeated, and the edit follows`() async throws {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        let program = try Program(OutboxServer(knowsKeys: true), conventions: conventions)
        let issue = issue("A", in: program)
        try await issue.save(.queued)
        program.server.fail(.lostReply)
        await program.outbox.drain()
        issue.title = "B"
        try await issue.save(.queued)
        await program.outbox.drain()
        #expect(
            program.server.log == [
                #"POST /issues {"title":"A"}"#, #"POST /issues {"title":"A"}"#, #"PATCH /issues/101 {"title":"B"}"#,
            ])
        #expect(issue.syncState == .synced)
        #expect(issue.title == "B")
    }

    @Test func `A corrected creation has its own idempotency key and body`() async throws {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        let program = try Program(OutboxServer(knowsKeys: true), conventions: conventions)
        let issue = issue("A", in: program)
        try await issue.save(.queued)
        program.server.fail(.status(422, body: #"{"errors": {"title": ["is taken"]}}"#))
        await program.outbox.drain()
        issue.title = "B"
        try await issue.save(.queued)
        await program.outbox.drain()
        #expect(program.server.log == [#"POST /issues {"title":"A"}"#, #"POST /issues {"title":"B"}"#])
        #expect(Set(program.server.keys).count == 2)
        #expect(issue.syncState == .synced)
    }

    @Test func `A creation that found no connection includes later edits`() async throws {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        let program = try Program(OutboxServer(knowsKeys: true), conventions: conventions)
        let issue = issue("A", in: program)
        try await issue.save(.queued)
        program.server.fail(.unreachable)
        await program.outbox.drain()
        issue.title = "B"
        try await issue.save(.queued)
        await program.outbox.drain()
        #expect(program.server.log == [#"POST /issues {"title":"B"}"#])
    }

    @Test func `An outbox that is stopped and started again continues to send`() async throws {
        for _ in 0..<20 {
            outbox.start()
            outbox.stop()
        }
        outbox.start()
        try await issue("A").save(.queued)
        for await entries in outbox.updates where entries.isEmpty { break }
        #expect(server.log.count == 1)
        outbox.stop()
    }

    @Test func `A member added and removed during the addition's request is not a member`() async throws {
        let issue = try await known()
        let label = try await program.imported(Label.self, #"{"id": 7, "name": "bug"}"#)
        server.put("/labels", 7, ["id": 7, "name": "bug"])
        try await issue.$labels.add(label, .queued)
        let program = program
        server.whenArriving { [server] _ in
            if server.log.count == 1 { await Self.removeLabel(in: program) }
        }
        await outbox.drain()
        #expect(server.members("/issues/1/labels").isEmpty)
        #expect(issue.labels.isEmpty)
        #expect(program.main.outboxCount == 0)
    }

    private static func removeLabel(in program: Program) async {
        do {
            let issue = try #require(try program.main.find(Issue.self, 1))
            let label = try #require(try program.main.find(Label.self, 7))
            try await issue.$labels.delete(label, .queued)
        } catch { Testing.Issue.record(error) }
    }

    @Test func `6 An interrupted request is found once, with an unknown outcome`() async throws {
        let issue = issue("A")
        try await issue.save(.queued)
        let program = program
        server.whenArriving { _ in await Self.restart(program) }
        await outbox.drain()
        server.whenArriving(nil)
        #expect(program.main.outboxCount == 1)
        await program.outbox.drain()
        #expect(server.log.count == 1)
        let entry = try await program.outbox.entries()[0]
        guard case .rejected(let rejection) = entry.state else { return #expect(Bool(false), "\(entry)") }
        #expect(rejection.kind == .undecided)
    }

    private static func restart(_ program: Program) async {
        do { try program.restart() } catch { Testing.Issue.record(error) }
    }

    @Test func `7 Two concurrent runs send one request`() async throws {
        let issue = issue("A")
        try await issue.save(.queued)
        async let first = outbox.drain()
        async let second = outbox.drain()
        _ = await (first, second)
        #expect(server.log.count == 1)
    }

    @Test func `8 A child is sent with the identity that its parent got before a restart`() async throws {
        let repo = Repo(in: program.main)
        repo.name = "R"
        let issue = issue("A")
        try await repo.save(.queued)
        try await repo.$issues.add(issue, .queued)
        server.fail("/repos", .status(201, body: #"{"id": 55, "name": "R"}"#))
        server.fail("/repos/55/issues", .unreachable)
        await outbox.drain()
        #expect(server.log.count == 1)
        try program.restart()
        await program.outbox.drain()
        #expect(server.log.last == #"POST /repos/55/issues {"title":"A","repo_id":55}"#)
    }

    @Test func `9 A parent that was queued after its child is sent first`() async throws {
        let issue = issue("A")
        try await issue.save(.queued)
        let repo = Repo(in: program.main)
        repo.name = "R"
        try await repo.save(.queued)
        issue.repo = repo
        try await issue.save(.queued)
        await outbox.drain()
        #expect(server.log == [#"POST /repos {"name":"R"}"#, #"POST /issues {"title":"A","repo_id":101}"#])
    }

    @Test func `9 Two new objects that link to each other are created, and the link follows`() async throws {
        let (first, second) = (issue("A"), issue("B"))
        (first.duplicate, second.duplicate) = (second, first)
        try await first.save(.queued)
        try await second.save(.queued)
        let report = await outbox.drain()
        #expect(report.waiting == 0)
        #expect(
            server.log == [
                #"POST /issues {"title":"A"}"#, #"POST /issues {"title":"B","duplicate_id":101}"#,
                #"PATCH /issues/101 {"duplicate_id":102}"#,
            ])
        #expect(first.syncState == .synced)
    }

    @Test func `11 A rejected entry blocks only the entries that need it`() async throws {
        let repo = Repo(in: program.main)
        repo.name = "R"
        let (child, other) = (issue("child"), issue("other"))
        child.repo = repo
        try await repo.save(.queued)
        try await child.save(.queued)
        try await other.save(.queued)
        server.fail("/repos", .status(422, body: #"{"errors": {"name": ["is taken"]}}"#))
        let report = await outbox.drain()
        #expect((report.sent, report.waiting, report.rejected) == (1, 1, 1))
        #expect(other.syncState == .synced)
        let entries = try await outbox.entries()
        guard entries.count == 2, case .blocked(let reason) = entries[1].state else {
            return #expect(Bool(false), "\(entries)")
        }
        #expect(reason.contains("Repo"))
        repo.name = "S"
        try await repo.save(.queued)
        await outbox.drain()
        #expect(child.repo?.identifier == repo.identifier)
        #expect(child.syncState == .synced)
    }

    @Test func `12 An entry is retried after a 503`() async throws {
        let clock = OutboxClock()
        outbox.time = clock.source
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        server.fail(.status(503), .status(503), .unreachable)
        outbox.start()
        for await entries in outbox.updates where entries.isEmpty { break }
        #expect(server.log.count == 3)
        #expect(clock.sleeps.count >= 3)
        outbox.stop()
    }

    @Test func `14 A list fetched before the run reverts no edit`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        _ = try await Issue.fetchAll(in: program.main)
        #expect(issue.title == "A")
        server.forgetLog()
        await outbox.drain()
        #expect(server.log == [#"PATCH /issues/1 {"title":"A"}"#])
    }

    @Test func `15 An object with a queued deletion doesn't return in a page`() async throws {
        let issue = try await known()
        _ = try await known(2, "two")
        try await issue.delete(.queued)
        let page = try await Issue.fetchAll(in: program.main)
        #expect(page.map(\.identifier) == [2])
        try program.restart()
        let again = try await Issue.fetchAll(in: program.main)
        #expect(again.map(\.identifier) == [2])
        await program.outbox.drain()
        #expect(server.log.last == "DELETE /issues/1")
        #expect(Set(server.objects("/issues").keys) == [2])
    }

    @Test func `16 A deletion is sent before the creation of another object with its identity`() async throws {
        let old = try await known(5)
        try await old.delete(.queued)
        let new = issue("new")
        new.identifier = 5
        try await new.save(.queued)
        _ = try await Issue.fetchAll(in: program.main)
        #expect(new.title == "new")
        server.forgetLog()
        await outbox.drain()
        #expect(server.log == ["DELETE /issues/5", #"POST /issues {"id":5,"title":"new"}"#])
        #expect(program.main.outboxCount == 0)
    }

    @Test func `17 An edit of a deleted object is rejected and creates nothing`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        server.put("/issues", 1, nil)
        let report = await outbox.drain()
        #expect(report.rejections.map(\.kind) == [.gone])
        #expect(server.objects("/issues").isEmpty)
        try await outbox.discard(outbox.entries()[0])
        #expect(program.main.outboxCount == 0)
    }

    @Test func `18 A 401 holds all entries until there are credentials`() async throws {
        for title in ["A", "B"] { try await issue(title).save(.queued) }
        server.fail(.status(401), .status(401))
        let report = await outbox.drain()
        #expect((report.sent, report.rejected, report.waiting) == (0, 0, 2))
        await outbox.drain()
        #expect(server.objects("/issues").count == 2)
    }

    @Test func `19 One account's entries aren't sent with another's credentials`() async throws {
        token.value = "anna"
        try program.restart()
        try await issue("A").save(.queued)
        token.value = "ben"
        try program.restart()
        try await issue("B").save(.queued)
        let report = await outbox.drain()
        #expect((report.sent, report.waiting) == (1, 1))
        #expect(server.accounts == ["Bearer ben"])
        token.value = "anna"
        try program.restart()
        await outbox.drain()
        #expect(server.accounts == ["Bearer ben", "Bearer anna"])
        #expect(program.main.outboxCount == 0)
    }

    @Test func `21 An edit of one object during another's request is sent with its own request`() async throws {
        let (first, second) = (try await known(1), try await known(2, "two"))
        first.title = "A"
        try await first.save(.queued)
        second.title = "B"
        try await second.save(.queued)
        let program = program
        server.whenArriving { request in
            if request.url.path == "/issues/1" { await Self.edit(in: program, to: "C", 2) }
        }
        await outbox.drain()
        #expect(server.log.filter { $0.hasPrefix("PATCH /issues/1") } == [#"PATCH /issues/1 {"title":"A"}"#])
        #expect(server.objects("/issues")[2]?["title"]?.string == "C")
        #expect(program.main.outboxCount == 0)
    }

    @Test func `24 Pruning keeps objects with queued changes`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        let new = self.issue("new")
        try await new.save(.queued)
        server.put("/issues", 1, nil)
        _ = try await Issue.fetchAll(pages: .all(), prune: .delete, in: program.main)
        #expect(Set(try stored().map(\.title)) == ["A", "new"])
        let report = await outbox.drain()
        #expect((report.sent, report.rejected) == (1, 1))
    }

    @Test func `A draft queues its edits`() async throws {
        let issue = try await known()
        let draft = try program.main.draft()
        let copy = try #require(draft.object(for: issue))
        copy.title = "A"
        try await copy.save(.queued)
        #expect(issue.title == "A")
        #expect(program.main.outboxCount == 1)
        await outbox.drain()
        #expect(server.log == [#"PATCH /issues/1 {"title":"A"}"#])
        #expect(issue.syncState == .synced)
        #expect(!copy.hasChanges)
    }

    @Test func `The sync state and the outbox count are observable`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        let changes = Box(0)
        func observe() {
            withObservationTracking {
                _ = (issue.syncState, program.main.outboxCount)
            } onChange: {
                changes.value += 1
            }
        }
        observe()
        await outbox.drain()
        #expect(changes.value == 1)
        #expect(issue.syncState == .synced)
        observe()
        issue.title = "B"
        try await issue.save(.queued)
        #expect(changes.value == 2)
    }

    @Test func `A correction made during the refused request is sent after it`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        let program = program
        server.whenArriving { [server] _ in
            if server.log.count == 1 { await Self.edit(in: program, to: "B") }
        }
        server.fail("/issues/1", .status(422, body: #"{"errors": {"title": ["is taken"]}}"#))
        let report = await outbox.drain()
        #expect((report.sent, report.waiting, report.rejected) == (1, 0, 0))
        #expect(server.log.last == #"PATCH /issues/1 {"title":"B"}"#)
        #expect(issue.syncState == .synced)
    }

    private struct Signer: AuthenticationProvider {
        let user: Box<String>
        var account: String? { user.value }

        func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
            var request = request
            request.headerFields[.authorization] = "Bearer \(user.value)"
            return request
        }
    }

    @Test func `19 An account that signs in during a run sends none of the former account's entries`() async throws {
        let user = Box("anna")
        let server = server
        let api = API("https://api.example.com", transport: server) { Signer(user: user) }
        let store = try Store(.temporary, models: Tracker.models, api: api)
        store.outbox.width = 1
        for title in ["A", "B"] {
            let issue = Issue(in: store.main)
            issue.title = title
            try await issue.save(.queued)
        }
        server.whenArriving { _ in user.value = "ben" }
        let report = await store.outbox.drain()
        #expect((report.sent, report.waiting) == (1, 1))
        #expect(server.accounts == ["Bearer anna"])
        user.value = "anna"
        await store.outbox.drain()
        #expect(server.accounts == ["Bearer anna", "Bearer anna"])
    }

    @Test func `A started outbox doesn't keep the store's file open`() async throws {
        weak var file: StoreFile?
        do {
            let store = try Store(
                .temporary, models: Tracker.models, api: API("https://api.example.com", transport: server))
            file = store.file
            store.outbox.start()
            let issue = Issue(in: store.main)
            issue.title = "A"
            try await issue.save(.queued)
            for await entries in store.outbox.updates where entries.isEmpty { break }
        }
        // The runner and the stream end on other threads.
        await until { file == nil }
    }

    @Test func `A stopped outbox finishes its request`() async throws {
        let issue = try await known()
        issue.title = "A"
        try await issue.save(.queued)
        let outbox = outbox
        server.whenArriving { _ in outbox.stop() }
        outbox.start()
        for await entries in outbox.updates where entries.isEmpty { break }
        #expect(server.log == [#"PATCH /issues/1 {"title":"A"}"#])
        server.whenArriving(nil)
        issue.title = "B"
        try await issue.save(.queued)
        #expect(program.main.outboxCount == 1)
    }

    @Test func `22 A creation's object listed before its reply exists once`() async throws {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        let program = try Program(OutboxServer(knowsKeys: true), conventions: conventions)
        let issue = issue("A", in: program)
        try await issue.save(.queued)
        program.server.fail(.lostReply)
        await program.outbox.drain()
        _ = try await Issue.fetchAll(in: program.main)
        await program.outbox.drain()
        #expect(try program.find(Issue.self).map(\.identifier) == [101])
        #expect(issue.identifier == 101)
        #expect(program.main.outboxCount == 0)
    }

    @Test func `23 The server's identity replaces a new object's own`() async throws {
        let repo = Repo(in: program.main)
        (repo.identifier, repo.name) = (7, "R")
        let issue = issue("A")
        issue.repo = repo
        try await repo.save(.queued)
        try await issue.save(.queued)
        await outbox.drain()
        #expect(repo.identifier == 101)
        #expect(server.objects("/issues").values.first?["repo_id"]?.integer == 101)
        #expect(program.main.outboxCount == 0)
    }

    @Test func `26 An object saved twice concurrently has one entry`() async throws {
        let issue = issue("A")
        let tasks = (0..<2).map { _ in Task { try await issue.save(.queued) } }
        for task in tasks { try await task.value }
        #expect(program.main.outboxCount == 1)
    }

    @Test func `27 A spent rate limit holds the whole outbox for the time that the server says`() async throws {
        let clock = OutboxClock()
        let program = try Program(limits: .unlimited)
        let (server, outbox) = (program.server, program.outbox)
        outbox.time = clock.source
        for number in 0..<50 { try await issue("\(number)", in: program).save(.queued) }
        server.fail(.status(429, [.retryAfter: "30"]))
        outbox.start()
        for await entries in outbox.updates where entries.isEmpty { break }
        #expect(clock.sleeps.contains { $0 >= .seconds(30) }, "\(clock.sleeps)")
        // The requests in flight together with the rejected one, and then each once.
        #expect(server.log.count == 51)
        outbox.stop()
    }
}

/// A clock that advances only with each sleep.
private final class OutboxClock: Sendable {
    private let state = Box<(now: Duration, sleeps: [Duration])>((.zero, []))

    var sleeps: [Duration] { state.value.sleeps }

    var source: TimeSource {
        let state = state
        return TimeSource(
            elapsed: { state.value.now }, localTime: { 1_000_000 },
            sleep: { duration in
                try Task.checkCancellation()
                state.value = (state.value.now + duration, state.value.sleeps + [duration])
            }, fraction: { 0.5 })
    }
}
