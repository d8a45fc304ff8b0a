import Foundation
import RestfulData
import TestSupport
import Testing

/// Rules of the outbox that once were broken.
@MainActor @Suite struct OutboxEdgeCaseTests {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo
    typealias Label = Tracker.Label

    private let program: Program
    private var server: OutboxServer { program.server }
    private var outbox: RestfulData.Outbox { program.outbox }
    private let token = Box<String?>(nil)

    init() throws {
        let token = token
        program = try Program { token.value }
    }

    private func issue(_ title: String) -> Issue {
        let issue = Issue(in: program.main)
        issue.title = title
        return issue
    }

    /// An issue that the server has.
    private func known(_ id: Int = 1, _ title: String = "old") async throws -> Issue {
        server.put("/issues", id, ["id": .number("\(id)"), "title": .string(title)])
        return try await program.imported(Issue.self, #"{"id": \#(id), "title": "\#(title)"}"#)
    }

    private func edited(_ id: Int = 1, to title: String = "A") async throws -> Issue {
        let issue = try await known(id)
        issue.title = title
        try await issue.save(.queued)
        return issue
    }

    private func database() throws -> Database { try Database(program.store.path) }

    // MARK: Sent values

    @Test func `A submodel's DELETE is sent to its own URL`() async throws {
        let store = try Store(
            .temporary, models: [Activity.self, PushActivity.self, StarActivity.self, Commit.self, Reader.self],
            api: API("https://api.example.com", transport: server))
        let reader = try await store.imported(Reader.self, #"{"id": 5, "stars": [{"id": 1, "type": "StarActivity"}]}"#)
        let push = try await store.imported(Activity.self, #"{"id": 2, "type": "push"}"#)
        let star = try #require(reader.stars.first)
        star.reader = reader
        try await store.main.save()
        try await star.delete(.queued)
        try await push.delete(.queued)
        let entries = try await store.outbox.entries()
        #expect(
            entries.map(\.request) == [
                "DELETE https://api.example.com/readers/5/stars/1", "DELETE https://api.example.com/events/2",
            ])
        #expect(entries.map(\.model) == ["StarActivity", "PushActivity"])
        server.fail(.status(204), .status(204))
        let report = await store.outbox.drain()
        #expect(report.sent == 2)
        #expect(Set(server.log) == ["DELETE /readers/5/stars/1", "DELETE /events/2"])
    }

    @Test(arguments: [true, false])
    func `A new object that is saved and added to a list has one entry`(isAddedFirst: Bool) async throws {
        let repo = try await program.imported(Repo.self, #"{"id": 3, "name": "R"}"#)
        let issue = issue("A")
        if isAddedFirst {
            try await repo.$issues.add(issue, .queued)
            issue.title = "B"
            try await issue.save(.queued)
        } else {
            try await issue.save(.queued)
            issue.title = "B"
            try await repo.$issues.add(issue, .queued)
        }
        #expect(try await outbox.entries().map(\.action) == [.add("issues")])
        #expect(program.main.outboxCount == 1)
        let report = await outbox.drain()
        #expect(report.sent == 1)
        #expect(server.log == [#"POST /repos/3/issues {"title":"B","repo_id":3}"#])
        #expect(issue.syncState == .synced)
    }

    @Test func `An edit of a new member follows its repeated creation after a lost reply`() async throws {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        let program = try Program(OutboxServer(knowsKeys: true), conventions: conventions)
        let repo = try await program.imported(Repo.self, #"{"id": 3, "name": "R"}"#)
        let issue = Issue(in: program.main)
        issue.title = "A"
        try await repo.$issues.add(issue, .queued)
        program.server.fail(.lostReply)
        await program.outbox.drain()
        issue.title = "B"
        try await issue.save(.queued)
        #expect(program.main.outboxCount == 1)
        await program.outbox.drain()
        let creation = #"POST /repos/3/issues {"title":"A","repo_id":3}"#
        #expect(program.server.log == [creation, creation, #"PATCH /issues/101 {"title":"B"}"#])
        #expect(issue.syncState == .synced)
    }

    @Test func `Discarding a new object's addition deletes the object, and a known one stays`() async throws {
        let repo = try await program.imported(Repo.self, #"{"id": 3, "name": "R"}"#)
        let issue = issue("A")
        try await repo.$issues.add(issue, .queued)
        try await outbox.discard(outbox.entries()[0])
        #expect(issue.isDeleted)
        #expect(repo.issues.isEmpty)
        #expect(try program.find(Issue.self).isEmpty)
        #expect(program.main.outboxCount == 0)
        // The server has it already.
        let known = try await known()
        try await repo.$issues.add(known, .queued)
        try await outbox.discard(outbox.entries()[0])
        #expect(!known.isDeleted && repo.issues.isEmpty)
    }

    @Test func `Discarding a queued removal ends the edit of the member's link`() async throws {
        let repo = try await program.imported(
            Repo.self, #"{"id": 3, "name": "R", "issues": [{"id": 1, "title": "old"}]}"#)
        let issue = repo.issues[0]
        try await repo.$issues.delete(issue, .queued)
        #expect(try await outbox.entries().map(\.action) == [.remove("issues")])
        try await outbox.discard(outbox.entries()[0])
        #expect(repo.issues == [issue] && issue.syncState == .synced)
        // Another client moves the issue.
        let other = try await program.imported(Repo.self, #"{"id": 4, "issues": [{"id": 1, "title": "old"}]}"#)
        #expect(issue.repo === other && repo.issues.isEmpty)
    }

    @Test func `Discarding a queued removal keeps a later move of the member`() async throws {
        let repo = try await program.imported(
            Repo.self, #"{"id": 3, "name": "R", "issues": [{"id": 1, "title": "old"}]}"#)
        let other = try await program.imported(Repo.self, #"{"id": 4, "name": "S"}"#)
        let issue = repo.issues[0]
        try await repo.$issues.delete(issue, .queued)
        issue.repo = other
        try await issue.save(.queued)
        let removal = try #require(try await outbox.entries().first { $0.action == .remove("issues") })
        try await outbox.discard(removal)
        #expect(issue.repo === other && repo.issues.isEmpty)
        #expect(try await outbox.entries().map(\.action) == [.update])
    }

    @Test(arguments: [true, false])
    func `Discarding the edit of a link returns it to an object that comes later`(comesFirst: Bool) async throws {
        let issue = try await program.imported(Issue.self, #"{"id": 1, "title": "old", "repo_id": 3}"#)
        issue.repo = try await program.imported(Repo.self, #"{"id": 4, "name": "S"}"#)
        try await issue.save(.queued)
        let json = #"{"id": 3, "name": "R"}"#
        if comesFirst { _ = try await program.imported(Repo.self, json) }
        try await outbox.discard(outbox.entries()[0])
        #expect(issue.syncState == .synced)
        let repo = try await program.imported(Repo.self, json)
        #expect(issue.repo === repo)
    }

    @Test func `An object with a queued deletion doesn't return in replies to other changes`() async throws {
        let repo = try await program.imported(
            Repo.self, #"{"id": 3, "name": "R", "issues": [{"id": 1, "title": "one"}, {"id": 2, "title": "two"}]}"#)
        let issue = try #require(repo.issues.first { $0.identifier == 1 })
        try await issue.delete(.queued)
        repo.name = "S"
        try await repo.save(.queued)
        server.fail("/issues/1", .status(503))
        server.fail(
            "/repos/3",
            .status(
                200,
                body: #"{"id": 3, "name": "S", "issues": [{"id": 1, "title": "one"}, {"id": 2, "title": "deux"}]}"#))
        let report = await outbox.drain()
        #expect((report.sent, report.waiting) == (1, 1))
        #expect(repo.issues.map(\.title) == ["deux"])
        #expect(try program.find(Issue.self).map(\.identifier) == [2])
        try program.restart()
        #expect(try program.find(Issue.self).map(\.identifier) == [2])
        server.put("/issues", 1, ["id": 1, "title": "one"])
        await program.outbox.drain()
        #expect(server.log.last == "DELETE /issues/1")
        #expect(program.main.outboxCount == 0)
    }

    @Test func `An unnamed provider signs requests that a named account has queued`() async throws {
        let api = API("https://api.example.com", transport: server) {
            APIKey("k3y", in: .header("X-API-Key"))
            BearerToken("t", account: "anna")
        }
        let store = try Store(.temporary, models: Tracker.models, api: api)
        let issue = Issue(in: store.main)
        issue.title = "A"
        try await issue.save(.queued)
        #expect(try await store.outbox.entries().map(\.account) == ["anna"])
        let keys = Box<[String?]>([])
        server.whenArriving { request in
            keys.value.append(request.headerFields[.init("X-API-Key")!])
        }
        let report = await store.outbox.drain()
        #expect(report.sent == 1)
        #expect(server.accounts == ["Bearer t"])
        #expect(keys.value == ["k3y"])
    }

    // MARK: Runs

    @Test func `A cancelled run ends at once while another one sends`() async throws {
        let issue = try await edited()
        let (arrival, arrived) = AsyncStream.makeStream(of: Void.self)
        let (release, released) = AsyncStream.makeStream(of: Void.self)
        server.whenArriving { _ in
            arrived.finish()
            for await _ in release {}
        }
        let outbox = outbox
        let first = Task { await outbox.drain() }
        for await _ in arrival {}
        let second = Task { await outbox.drain() }
        await giveWay()
        second.cancel()
        let cancelled = await second.value
        #expect((cancelled.sent, cancelled.waiting, cancelled.isBusy) == (0, 1, false))
        // So does one that has no time.
        let late = await outbox.drain(deadline: .zero)
        #expect((late.sent, late.waiting) == (0, 1))
        released.finish()
        #expect(await first.value.sent == 1)
        #expect(server.log == [#"PATCH /issues/1 {"title":"A"}"#])
        #expect(issue.syncState == .synced)
    }

    @Test func `A deadline cancels requests in flight, and their entries wait`() async throws {
        let issue = try await edited()
        let isHeld = Box(true)
        server.whenArriving { _ in if isHeld.value { await untilCancelled() } }
        let report = await outbox.drain(deadline: .milliseconds(20))
        #expect((report.sent, report.waiting, report.rejected) == (0, 1, 0))
        #expect(issue.title == "A")
        guard case .waiting = issue.syncState else { return #expect(Bool(false), "\(issue.syncState)") }
        isHeld.value = false
        #expect(await outbox.drain().sent == 1)
        #expect(issue.syncState == .synced)
    }

    @Test func `A cancelled run leaves the sending to other processes`() async throws {
        _ = try await edited()
        let (arrival, arrived) = AsyncStream.makeStream(of: Void.self)
        server.whenArriving { _ in
            arrived.finish()
            await untilCancelled()
        }
        let outbox = outbox
        let run = Task { await outbox.drain() }
        for await _ in arrival {}
        #expect(try database().rows("SELECT name FROM _lease").count == 1)
        run.cancel()
        #expect(await run.value.sent == 0)
        #expect(try database().rows("SELECT name FROM _lease").isEmpty)
    }

    @Test func `A request that middleware cancels is sent again later, and the run goes on`() async throws {
        let isCancelled = Box(true)
        let api = API("https://api.example.com", transport: server) {
            BearerToken(account: "anna") { _ in
                if isCancelled.value {
                    isCancelled.value = false
                    throw CancellationError()
                }
                return "t"
            }
        }
        let store = try Store(.temporary, models: Tracker.models, api: api)
        store.outbox.width = 1
        for title in ["A", "B"] {
            let issue = Issue(in: store.main)
            issue.title = title
            try await issue.save(.queued)
        }
        let report = await store.outbox.drain()
        #expect((report.sent, report.waiting) == (1, 1))
        #expect(server.log == [#"POST /issues {"title":"B"}"#])
        #expect(report.problem?.isCancellation == true)
        #expect(await store.outbox.drain().sent == 1)
    }

    @Test func `A run that can send nothing writes nothing`() async throws {
        token.value = "anna"
        try program.restart()
        _ = try await edited()
        _ = try await edited(2)
        server.fail("/issues/1", .status(422))
        server.fail("/issues/2", .status(503))
        await outbox.drain()
        // One entry is rejected now, another one is another account's, and a third one needs an object.
        token.value = "ben"
        try program.restart()
        let child = Issue(in: program.main)
        child.title = "child"
        child.repo = Repo(in: program.main)
        try await child.save(.queued)
        server.forgetLog()
        let before = StoreFiles(program.store)
        let report = await outbox.drain()
        #expect((report.sent, report.waiting, report.rejected) == (0, 2, 1))
        #expect(server.log.isEmpty)
        #expect(StoreFiles(program.store) == before)
    }

    @Test func `A started outbox takes no settings from the calls around its start`() async throws {
        _ = try await edited()
        let conditions = Box<[String?]>([])
        server.whenArriving { request in conditions.value.append(request.headerFields[.ifMatch]) }
        await API.withHeaders([.ifMatch: "\"v7\""]) { outbox.start() }
        for await entries in outbox.updates where entries.isEmpty { break }
        outbox.stop()
        #expect(conditions.value == [nil])
    }

    @Test func `An entry that waits for an object is sent once a call creates the object`() async throws {
        let repo = Repo(in: program.main)
        repo.name = "R"
        let issue = issue("A")
        issue.repo = repo
        try await issue.save(.queued)
        outbox.start()
        var updates = outbox.updates.makeAsyncIterator()
        let waiting = await updates.next()
        guard case .blocked = waiting?.first?.state else { return #expect(Bool(false), "\(waiting ?? [])") }
        #expect(await outbox.drain().sent == 0)
        try await repo.create()
        while let entries = await updates.next(), !entries.isEmpty {}
        #expect(server.log == [#"POST /repos {"name":"R"}"#, #"POST /issues {"title":"A","repo_id":101}"#])
        outbox.stop()
    }

    // MARK: Unreadable entries

    @Test func `An unreadable queued deletion is rejected and can be discarded`() async throws {
        let issue = try await known()
        try await issue.delete(.queued)
        _ = try database().rows("UPDATE _outbox SET object = 'no JSON'")
        let report = await outbox.drain()
        #expect((report.sent, report.rejected) == (0, 1))
        #expect(report.rejections.map(\.kind) == [.unsendable])
        #expect(server.log.isEmpty)
        let entry = try #require(try await outbox.entries().first)
        #expect(entry.rejection?.kind == .unsendable)
        try await outbox.discard(entry)
        #expect(program.main.outboxCount == 0)
        // The object comes back with a fetch.
        #expect(try await Issue.fetchAll(in: program.main).map(\.identifier) == [1])
    }

    @Test func `Updates of the outbox continue after a read error`() async throws {
        _ = try await edited()
        var updates = outbox.updates.makeAsyncIterator()
        #expect(await updates.next()?.count == 1)
        let database = try database()
        _ = try database.rows("ALTER TABLE _outbox RENAME TO hidden")
        await #expect(throws: StoreError.self) { try await outbox.entries() }
        await giveWay()
        _ = try database.rows("ALTER TABLE hidden RENAME TO _outbox")
        _ = try await edited(2)
        while let entries = await updates.next(), entries.count < 2 {}
        #expect(await outbox.drain().sent == 2)
        while let entries = await updates.next(), !entries.isEmpty {}
    }

    @Test func `No entry has an impossible number`() async throws {
        _ = try await edited()
        for number in [Int64.min, -1, 0, .max] { #expect(try await outbox.entry(number) == nil) }
    }

    // MARK: Updates

    @Test func `A slow reader of the outbox's updates gets only the newest entries`() async throws {
        var updates = outbox.updates.makeAsyncIterator()
        for id in 1...3 { _ = try await edited(id) }
        await giveWay()
        #expect(await updates.next()?.count == 3)
    }

    @Test func `Updates of the outbox end when the store is closed`() async throws {
        var updates = outbox.updates.makeAsyncIterator()
        #expect(await updates.next()?.isEmpty == true)
        let reading = Task { [outbox] in for await _ in outbox.updates {} }
        await giveWay()
        program.store.close()
        await reading.value
        #expect(await updates.next() == nil)
    }

    // MARK: The clock

    @Test func `25 The order of entries and their waits don't depend on the clock`() async throws {
        let clock = SetBackClock()
        outbox.time = clock.source
        outbox.width = 1
        _ = try await edited(2, to: "first")
        // As if the clock had been an hour ahead.
        _ = try database().rows("UPDATE _outbox SET since = since + 3600")
        _ = try await edited(1, to: "second")
        let entries = try await outbox.entries()
        #expect(entries.map(\.id) == entries.map(\.id).sorted())
        #expect(entries[0].since > entries[1].since)
        server.fail("/issues/2", .status(503))
        server.whenArriving { _ in clock.setBack() }
        outbox.start()
        for await entries in outbox.updates where entries.isEmpty { break }
        outbox.stop()
        #expect(
            server.log == [
                #"PATCH /issues/2 {"title":"first"}"#, #"PATCH /issues/1 {"title":"second"}"#,
                #"PATCH /issues/2 {"title":"first"}"#,
            ])
        #expect(clock.sleeps.allSatisfy { $0 <= .seconds(1) }, "\(clock.sleeps)")
    }

    @Test func `Requests that fail together for lack of a connection count as one failure`() async throws {
        let clock = SetBackClock()
        let program = try Program(limits: .unlimited)
        program.outbox.time = clock.source
        for title in ["A", "B", "C"] {
            let issue = Issue(in: program.main)
            issue.title = title
            try await issue.save(.queued)
        }
        program.server.fail(.unreachable, .unreachable, .unreachable)
        program.outbox.start()
        for await entries in program.outbox.updates where entries.isEmpty { break }
        program.outbox.stop()
        #expect(clock.sleeps.first == .milliseconds(500), "\(clock.sleeps)")
    }
}

/// A clock that advances with each sleep, and whose date can be set back.
private final class SetBackClock: Sendable {
    private let state = Box<(elapsed: Duration, date: Int, sleeps: [Duration])>((.zero, 1_800_000_000, []))

    var sleeps: [Duration] { state.value.sleeps }

    func setBack() { state.value.date -= 3600 }

    var source: TimeSource {
        let state = state
        return TimeSource(
            elapsed: { state.value.elapsed },
            localTime: { state.value.date + Int(state.value.elapsed.components.seconds) },
            sleep: { duration in
                try Task.checkCancellation()
                state.value = (state.value.elapsed + duration, state.value.date, state.value.sleeps + [duration])
            }, fraction: { 0.5 })
    }
}
