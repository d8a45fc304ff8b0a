import Foundation
import RestfulData
import TestSupport
import Testing

/// A program that sends its outbox to a server is killed, and started again until the outbox is empty. Then the server
/// has each change exactly once, and each object's edits came in their order.
///
/// `KILLS` is how many processes are killed; 25 without it. `KILL_FIRST` is the first seed. See `Scripts/kill`.
@Suite struct KilledProgramTests {
    private static let killsOfSeed = 5

    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["KILLS"].flatMap { UInt64($0) } ?? 25
        let first = environment["KILL_FIRST"].flatMap { UInt64($0) } ?? 0
        return (0..<(kills + UInt64(killsOfSeed) - 1) / UInt64(killsOfSeed)).map { first + $0 }
    }()

    @Test(arguments: seeds) func `A killed program loses nothing and sends nothing twice`(_ seed: UInt64) async throws {
        let world = OutboxServer(knowsKeys: KilledOutbox.usesKeys(seed))
        try await withKillingServer(world) { server in
            let outbox = try await KilledOutbox(seed: seed, server)
            while outbox.kills < Self.killsOfSeed {
                try await outbox.queueMore()
                try await outbox.kill()
            }
            let problem = try await outbox.problemAtTheEnd()
            #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(outbox.log.joined(separator: "\n"))")
        }
    }

    /// The first process sends the changes of both. It is killed while its second creation is in flight.
    @Test(arguments: [KillingServer.Moment.arrival(2), .reply(2)], [1, 8])
    func `Of two processes one sends, and the other takes over after it is killed`(
        _ moment: KillingServer.Moment, width: Int
    ) async throws {
        let world = OutboxServer(knowsKeys: true)
        try await withKillingServer(world) { server in
            let file = try TemporaryFile()
            let base = await server.base
            let (first, second) = ("first", "second")
            for run in [first, second] { await server.begin(run) }
            await server.kill(first, at: moment, after: "seen")
            let programs = [first, second].map {
                SendingProgram(path: file.path, base: base, run: $0, usesKeys: true, width: width)
            }
            // The file has its tables before two processes open it.
            try programs[0].open().close()
            async let takingOver = programs[1].end(.takeOver)
            #expect(try await programs[0].end(.queueAndSend) == .signalled(SIGKILL))
            await server.end(first)
            #expect(try await takingOver == .exited(0))
            let bodies = world.objects("/issues").values.compactMap { $0["body"]?.string }
            #expect(bodies.sorted() == ["first 1", "first 2", "first 3", "second 1", "second 2", "second 3"])
            let store = try programs[1].open()
            #expect(store.main.outboxCount == 0)
            let issues = try store.main.query(Tracker.Issue.self).fetch()
            #expect(issues.count == 6)
            #expect(issues.allSatisfy { $0.syncState == .synced && $0.identifier != nil })
            store.close()
        }
    }
}
