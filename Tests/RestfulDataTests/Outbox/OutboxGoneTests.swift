import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// An edit of an object that the server doesn't find has a known outcome: the object is gone.
@MainActor @Suite struct OutboxGoneTests {
    typealias Issue = Tracker.Issue

    private let program: Program
    private var server: OutboxServer { program.server }
    private var outbox: RestfulData.Outbox { program.outbox }

    init() throws { program = try Program() }

    private func edited(_ id: Int = 1) async throws -> Issue {
        server.put("/issues", id, ["id": .number("\(id)"), "title": "old"])
        let issue = try await program.imported(Issue.self, #"{"id": \#(id), "title": "old"}"#)
        issue.title = "A"
        try await issue.save(.queued)
        return issue
    }

    private func discardAll() async throws {
        for entry in try await outbox.entries() { try await outbox.discard(entry) }
    }

    @Test(arguments: [404, 410])
    func `A discarded edit of a deleted object isn't at risk`(status: Int) async throws {
        let issue = try await edited()
        server.remove("/issues", 1, status)
        let report = await outbox.drain()
        #expect(report.rejections.map(\.kind) == [.gone])
        #expect(!program.main.hasUnknownOutcome(issue))
        try await discardAll()
        #expect(issue.title == "old")
        // A listing deletes the objects that the server doesn't have.
        _ = try await Issue.fetchAll(pages: .all(), prune: .delete, in: program.main)
        #expect(issue.isDeleted)
        #expect(server.log.filter { $0.hasPrefix("POST") }.isEmpty)
    }

    @Test func `A 404 or 410 ends the risk of an earlier edit`() async throws {
        let issue = try await edited()
        server.fail(.lostReply)
        await outbox.drain()
        #expect(program.main.hasUnknownOutcome(issue))
        server.remove("/issues", 1, 410)
        #expect(await outbox.drain().rejections.map(\.kind) == [.gone])
        #expect(!program.main.hasUnknownOutcome(issue))
    }

    @Test func `The risk of edits of a deleted object stays ended after restarts`() async throws {
        _ = try await edited()
        server.fail(.lostReply)
        await outbox.drain()
        try program.restart()
        server.remove("/issues", 1, 404)
        await outbox.drain()
        try program.restart()
        let issue = try #require(try program.main.find(Issue.self, 1))
        #expect(!program.main.hasUnknownOutcome(issue))
        #expect(try await outbox.entries().map(\.rejection?.kind) == [.gone])
        try await discardAll()
        _ = try await Issue.fetchAll(pages: .all(), prune: .delete, in: program.main)
        #expect(issue.isDeleted)
    }

    @Test func `An edit of a deleted object is rejected in every context`() async throws {
        let issue = try await edited()
        let other = try program.another()
        let same = try #require(try other.main.find(Issue.self, 1))
        server.remove("/issues", 1, 404)
        await other.outbox.drain()
        for context in [program.main, other.main] {
            let object = context === program.main ? issue : same
            #expect(!context.hasUnknownOutcome(object))
            guard case .rejected(let rejection) = object.syncState else {
                Testing.Issue.record("\(object.syncState)")
                continue
            }
            #expect(rejection.kind == .gone)
        }
    }

    @Test func `Another object's request continues when one object is found deleted`() async throws {
        let issue = try await edited()
        let other = try await edited(2)
        server.remove("/issues", 1, 404)
        let report = await outbox.drain()
        #expect((report.sent, report.rejected) == (1, 1))
        #expect(other.syncState == .synced)
        #expect(!program.main.hasUnknownOutcome(issue))
    }

    @Test func `A save of a deleted object leaves no edit at risk`() async throws {
        let issue = try await edited()
        server.remove("/issues", 1, 404)
        await #expect(throws: APIError.self) { try await issue.save() }
        #expect(!program.main.hasUnknownOutcome(issue))
    }
}
