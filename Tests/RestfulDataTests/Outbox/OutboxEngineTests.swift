import TestSupport
import Testing

@testable import RestfulData

/// When the outbox sends, seen from within: runs that end no waits, unlike `drain()`.
@MainActor @Suite struct OutboxEngineTests {
    typealias Issue = Tracker.Issue

    private let program: Program
    private var server: OutboxServer { program.server }
    private var outbox: RestfulData.Outbox { program.outbox }

    init() throws { program = try Program() }

    private func edited(to title: String = "A") async throws -> Issue {
        server.put("/issues", 1, ["id": 1, "title": "old"])
        let issue = try await program.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        issue.title = title
        try await issue.save(.queued)
        return issue
    }

    private func run() async -> OutboxReport { await OutboxDrain(outbox.file, outbox.engine).run() }

    @Test func `A new entry doesn't wait as its object's discarded one did`() async throws {
        outbox.time = TimeSource(elapsed: { .zero }, localTime: { 1 }, sleep: { _ in }, fraction: { 1 })
        let issue = try await edited()
        server.fail("/issues/1", .status(503))
        #expect(await run().sent == 0)
        // The same entry waits.
        #expect(await run().sent == 0)
        try await outbox.discard(outbox.entries()[0])
        issue.title = "B"
        try await issue.save(.queued)
        #expect(await run().sent == 1)
        #expect(server.log == [#"PATCH /issues/1 {"title":"A"}"#, #"PATCH /issues/1 {"title":"B"}"#])
    }

    @Test func `A run that ends before its turn leaves it known that an entry waits for an object`() async throws {
        let child = Issue(in: program.main)
        child.title = "child"
        child.repo = Tracker.Repo(in: program.main)
        try await child.save(.queued)
        #expect(await run().waiting == 1)
        let gate = outbox.file.shared { OutboxGate() }
        #expect(await gate.enter())
        let cancelled = Task { await run() }
        await giveWay()
        cancelled.cancel()
        _ = await cancelled.value
        #expect(outbox.engine.read(\.hasBlocked))
        gate.leave()
    }

    @Test func `A run that can't write the file doesn't report another process`() async throws {
        let issue = try await edited()
        let database = try Database(program.store.path)
        _ = try database.rows("ALTER TABLE _lease RENAME TO hidden")
        let report = await run()
        #expect((report.sent, report.waiting, report.isBusy) == (0, 1, false))
        #expect(report.nextAttempt != nil)
        #expect(issue.syncState != .sending)
        _ = try database.rows("ALTER TABLE hidden RENAME TO _lease")
        #expect(await run().sent == 1)
    }

    @Test func `Stopping wakes the runner that it ends, and not the next one`() {
        var state = OutboxEngine.State(time: .system)
        let first = state.start()
        let stopped = state.stop()
        let second = state.start()
        #expect(first != nil && second != nil)
        #expect(stopped === first)
        #expect(stopped !== second)
    }

    @Test func `A runner that was stopped before it was kept doesn't replace the next one`() throws {
        var state = OutboxEngine.State(time: .system)
        let first = state.start()
        _ = state.stop()
        let second = state.start()
        let runner: Task<Void, Never> = Task {}
        let late: Task<Void, Never> = Task {}
        state.keep(runner, of: try #require(second))
        state.keep(late, of: try #require(first))
        let kept = state.runner
        #expect(kept == runner)
    }

    @Test func `Two threads that begin to watch the file leave one watch`() async throws {
        let engine = OutboxEngine(time: .system)
        let count = Box(0)
        engine.watch(outbox.file)
        engine.keep(OutboxWatch(outbox.file) { _ in count.value += 1 })
        _ = try await edited()
        #expect(count.value == 0)
        #expect(engine.read(\.newEntryCount) > 0)
    }

    @Model("/chores") final class Chore {
        var identifier: Int?
        @Relationship(inverse: nil, sentAs: .key("name")) var room: Room?
    }

    @Model("/rooms") final class Room {
        var identifier: Int?
        var name: String?
    }

    @Test func `A commit wakes an outbox whose entry waits for a value of another object`() async throws {
        let store = try Store(
            .temporary, models: [Chore.self, Room.self], api: API("https://api.example.com", transport: server))
        let chore = Chore(in: store.main)
        chore.room = Room(in: store.main)
        try await chore.save(.queued)
        let report = await OutboxDrain(store.outbox.file, store.outbox.engine).run()
        #expect((report.sent, report.waiting, report.rejected) == (0, 1, 0))
        #expect(server.log.isEmpty)
        #expect(store.outbox.engine.read(\.hasBlocked))
    }
}
