import Foundation
import RestfulData
import TestSupport
import Testing

/// A new object of a list is moved elsewhere while its creation has an unknown outcome.
@MainActor @Suite struct OutboxMoveTests {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo

    private let program: Program
    private var server: OutboxServer { program.server }

    init() throws {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = true
        program = try Program(OutboxServer(knowsKeys: true), conventions: conventions, limits: .unlimited, width: 1)
    }

    private func repo(_ id: Int) async throws -> Repo {
        server.put("/repos", id, ["id": .number("\(id)"), "name": .string("repo \(id)")])
        return try await program.imported(Repo.self, #"{"id": \#(id), "name": "repo \#(id)"}"#)
    }

    /// Moves the issue when a request arrives, and drains until all is sent.
    @Test(arguments: [true, false], [[OutboxServer.Fault.lostReply], [.status(503)], []])
    func `A move to a known object during a creation by a list is sent after it`(
        _ isDuring: Bool, _ faults: [OutboxServer.Fault]
    ) async throws {
        try await move(to: try await repo(2), isDuring: isDuring, after: faults)
    }

    @Test(arguments: [true, false], [[OutboxServer.Fault.lostReply], [.status(503)], []])
    func `A move to a new object during a creation by a list is sent after it`(
        _ isDuring: Bool, _ faults: [OutboxServer.Fault]
    ) async throws {
        let repo = Repo(in: program.main)
        repo.name = "new"
        try await move(to: repo, isDuring: isDuring, after: faults)
    }

    private func move(to second: Repo, isDuring: Bool, after faults: [OutboxServer.Fault]) async throws {
        let first = try await repo(1)
        let issue = Issue(in: program.main)
        issue.title = "A"
        try await first.$issues.add(issue, .queued)
        for fault in faults { server.fail("/repos/1/issues", fault) }
        if isDuring {
            server.whenArriving { @MainActor [server] _ in
                server.whenArriving(nil)
                issue.repo = second
                if !second.isKnownToServer { try? await second.save(.queued) }
                try? await issue.save(.queued)
            }
        }
        await program.outbox.drain()
        if !isDuring {
            issue.repo = second
            if !second.isKnownToServer { try await second.save(.queued) }
            try await issue.save(.queued)
        }
        for _ in 0..<4 { await program.outbox.drain() }
        #expect(issue.repo === second)
        #expect(server.objects("/issues").values.map { $0["repo_id"]?.integer } == [second.identifier], "\(server.log)")
        #expect(issue.syncState == .synced)
    }
}
