import Foundation
import RESTTransport
import TestSupport
import Testing

@testable import ObjectStore
@testable import RestfulData

/// The deletion of an object whose creation has an unknown outcome waits until that is known, and then deletes the
/// server's object.
@MainActor @Suite struct OutboxUndecidedDeletionTests {
    typealias Issue = Tracker.Issue
    typealias Repo = Tracker.Repo
    typealias Label = Tracker.Label

    private let program: Program
    private var server: OutboxServer { program.server }
    private var outbox: RestfulData.Outbox { program.outbox }

    init() throws { program = try Self.program(usesKeys: true) }

    private static func program(
        usesKeys: Bool = false, repeats: Bool = false, token: @escaping @Sendable () -> String? = { nil }
    ) throws -> Program {
        var conventions = APIConventions.default
        conventions.usesIdempotencyKeys = usesKeys
        if repeats { conventions.unknownCreations = .repeat }
        return try Program(OutboxServer(knowsKeys: usesKeys), conventions: conventions, width: 1, token: token)
    }

    private func issue(_ title: String, in program: Program) -> Issue {
        let issue = Issue(in: program.main)
        issue.title = title
        return issue
    }

    /// A queued issue that the server has created, and the reply was lost.
    private func lost(_ title: String = "A", in program: Program? = nil) async throws -> Issue {
        let program = program ?? self.program
        let issue = issue(title, in: program)
        try await issue.save(.queued)
        program.server.fail(.lostReply)
        await program.outbox.drain()
        program.server.forgetLog()
        return issue
    }

    private func find(_ program: Program? = nil) throws -> [Issue] { try (program ?? self.program).find(Issue.self) }

    // MARK: With an idempotency key

    @Test func `29 A deletion repeats an unanswered creation with its key and deletes its object`() async throws {
        let issue = try await lost()
        issue.title = "B"
        try await issue.save(.queued)
        try await issue.delete(.queued)
        #expect(issue.isDeleted)
        #expect(try find().isEmpty)
        #expect(program.main.outboxCount == 1)
        #expect(try await outbox.entries().map(\.request) == ["POST https://api.example.com/issues"])
        let report = await outbox.drain()
        #expect(server.log == [#"POST /issues {"title":"A"}"#, "DELETE /issues/101"])
        #expect((report.sent, report.waiting, report.rejected) == (1, 0, 0))
        #expect(server.objects("/issues").isEmpty)
        #expect(program.main.outboxCount == 0)
    }

    @Test func `A deletion after a lost reply survives restarts before and after the creation is known`() async throws {
        try await lost().delete(.queued)
        try program.restart()
        #expect(try find().isEmpty)
        server.fail("/issues/101", .unreachable)
        await outbox.drain()
        #expect(server.log == [#"POST /issues {"title":"A"}"#])
        try program.restart()
        #expect(try await outbox.entries().map(\.request) == ["DELETE https://api.example.com/issues/101"])
        await outbox.drain()
        #expect(server.log == [#"POST /issues {"title":"A"}"#, "DELETE /issues/101"])
        #expect(Set(server.keys.compactMap(\.self)).count == 1)
        #expect(server.objects("/issues").isEmpty)
        #expect(program.main.outboxCount == 0)
    }

    @Test(arguments: ["POST", "DELETE"])
    func `An interrupted deletion of an unanswered creation continues after a restart`(_ method: String) async throws {
        try await lost().delete(.queued)
        let program = program
        let hasEnded = Box(false)
        server.whenArriving { request in
            guard request.method.rawValue == method, !hasEnded.value else { return }
            hasEnded.value = true
            await Self.restart(program)
        }
        await outbox.drain()
        server.whenArriving(nil)
        #expect(hasEnded.value)
        await outbox.drain()
        #expect(server.objects("/issues").isEmpty)
        #expect(program.main.outboxCount == 0)
        #expect(try find().isEmpty)
    }

    private static func restart(_ program: Program) {
        program.server.isOffline = true
        do { try program.restart() } catch { Testing.Issue.record(error) }
        program.server.isOffline = false
    }

    @Test func `A deletion settles its unanswered creation while other requests run`() async throws {
        let issue = try await lost()
        server.put("/issues", 1, ["id": 1, "title": "old"])
        let other = try await program.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        other.title = "new"
        try await other.save(.queued)
        try await issue.delete(.queued)
        let program = program
        server.whenArriving { request in
            if request.method == .post { await Self.edit(1, to: "newer", in: program) }
        }
        outbox.width = 8
        await outbox.drain()
        server.whenArriving(nil)
        await outbox.drain()
        #expect(server.objects("/issues").mapValues { $0["title"]?.string } == [1: "newer"])
        #expect(other.syncState == .synced)
        #expect(program.main.outboxCount == 0)
    }

    private static func edit(_ id: Int, to title: String, in program: Program) async {
        do {
            let issue = try program.main.find(Issue.self, id)
            issue?.title = title
            try await issue?.save(.queued)
        } catch { Testing.Issue.record(error) }
    }

    @Test func `A listed object of an unanswered creation is deleted by the queued deletion`() async throws {
        try await lost().delete(.queued)
        let fetched = try await Issue.fetchAll(in: program.main)
        #expect(fetched.map(\.identifier) == [101])
        await outbox.drain()
        #expect(fetched[0].isDeleted)
        #expect(try find().isEmpty)
        #expect(server.objects("/issues").isEmpty)
        #expect(try await Issue.fetchAll(in: program.main).isEmpty)
    }

    @Test func `An object identified for its deletion doesn't return in lists`() async throws {
        try await lost().delete(.queued)
        server.fail("/issues/101", .status(503))
        await outbox.drain()
        #expect(program.main.outboxCount == 1)
        #expect(try await Issue.fetchAll(in: program.main).isEmpty)
    }

    @Test func `Another context can delete an object with an unanswered creation`() async throws {
        let issue = try await lost()
        let other = try program.another()
        let same = try #require(try other.main.query(Issue.self).fetch().first)
        try await same.delete(.queued)
        await program.store.file.deliver(on: MainActor.shared)
        #expect(issue.isDeleted)
        await outbox.drain()
        #expect(server.log == [#"POST /issues {"title":"A"}"#, "DELETE /issues/101"])
        #expect(server.objects("/issues").isEmpty)
        #expect(other.main.outboxCount == 0)
    }

    @Test func `A deletion ends if the repeated creation is found invalid`() async throws {
        let issue = issue("A", in: program)
        try await issue.save(.queued)
        server.fail(.status(503), .status(422, body: #"{"errors": {"title": ["is taken"]}}"#))
        await outbox.drain()
        try await issue.delete(.queued)
        server.forgetLog()
        let report = await outbox.drain()
        #expect((report.sent, report.rejected) == (1, 0))
        #expect(server.log == [#"POST /issues {"title":"A"}"#])
        #expect(program.main.outboxCount == 0)
    }

    @Test func `An object found invalid after a lost reply is deleted without a request`() async throws {
        let issue = issue("A", in: program)
        try await issue.save(.queued)
        server.fail(.status(503), .status(422, body: #"{"errors": {"title": ["is taken"]}}"#))
        await outbox.drain()
        await outbox.drain()
        server.forgetLog()
        try await issue.delete(.queued)
        #expect(program.main.outboxCount == 0)
        await outbox.drain()
        #expect(server.log.isEmpty)
    }

    @Test func `A new member with an unanswered creation by a list is deleted`() async throws {
        server.put("/repos", 3, ["id": 3, "name": "R"])
        let repo = try await program.imported(Repo.self, #"{"id": 3, "name": "R"}"#)
        let issue = issue("A", in: program)
        try await repo.$issues.add(issue, .queued)
        server.fail(.lostReply)
        await outbox.drain()
        try await issue.delete(.queued)
        #expect(repo.issues.isEmpty)
        #expect(try await outbox.entries().map(\.action) == [.delete])
        server.forgetLog()
        await outbox.drain()
        #expect(server.log == [#"POST /repos/3/issues {"title":"A","repo_id":3}"#, "DELETE /issues/101"])
        #expect(server.objects("/issues").isEmpty)
    }

    @Test func `A deletion belongs to the account that sent the creation`() async throws {
        let token = Box<String?>("anna")
        let program = try Self.program(usesKeys: true) { token.value }
        let issue = try await lost(in: program)
        token.value = "ben"
        try await issue.delete(.queued)
        #expect(try await program.outbox.entries().map(\.account) == ["anna"])
    }

    // MARK: Taking it back

    @Test(arguments: [false, true])
    func `Discarding the deletion of an unanswered creation restores the object and its creation`(isRestarted: Bool)
        async throws
    {
        let issue = try await lost()
        issue.body = "later"
        try await issue.save(.queued)
        try await issue.delete(.queued)
        if isRestarted { try program.restart() }
        #expect(try await outbox.discard(outbox.entries()[0]))
        let back = try #require(try find().first)
        #expect((back.title, back.body) == ("A", "later"))
        #expect(!back.isKnownToServer)
        #expect(try await outbox.entries().map(\.action) == [.create])
        await outbox.drain()
        #expect(
            server.log == [#"POST /issues {"title":"A"}"#, #"PATCH /issues/101 {"body":"later"}"#])
        #expect(server.objects("/issues").count == 1)
        #expect(back.syncState == .synced)
    }

    @Test func `Discarding a new member's deletion restores it and its list's entry`() async throws {
        server.put("/repos", 3, ["id": 3, "name": "R"])
        let repo = try await program.imported(Repo.self, #"{"id": 3, "name": "R"}"#)
        let issue = issue("A", in: program)
        try await repo.$issues.add(issue, .queued)
        server.fail(.lostReply)
        await outbox.drain()
        try await issue.delete(.queued)
        try await outbox.discard(outbox.entries()[0])
        #expect(try await outbox.entries().map(\.action) == [.add("issues")])
        await outbox.drain()
        #expect(Set(server.keys.compactMap(\.self)).count == 1)
        #expect(server.objects("/issues").count == 1)
        #expect(repo.issues.map(\.identifier) == [101])
    }

    @Test func `Discarding a deletion with a known identity restores the object under it`() async throws {
        let issue = try await lost()
        issue.body = "later"
        try await issue.save(.queued)
        try await issue.delete(.queued)
        server.fail("/issues/101", .status(403))
        await outbox.drain()
        try await outbox.discard(outbox.entries()[0])
        let back = try #require(try find().first)
        #expect(back.identifier == 101)
        #expect(try await outbox.entries().map(\.action) == [.update])
        server.forgetLog()
        await outbox.drain()
        #expect(server.log == [#"PATCH /issues/101 {"body":"later"}"#])
        #expect(back.syncState == .synced)
        #expect(!program.main.hasUnknownOutcome(back))
    }

    // MARK: Without a key

    @Test func `If creations may be repeated, a deletion repeats the sent body`() async throws {
        let program = try Self.program(repeats: true)
        let issue = try await lost(in: program)
        issue.title = "B"
        try await issue.save(.queued)
        try await issue.delete(.queued)
        try program.restart()
        await program.outbox.drain()
        #expect(program.server.log == [#"POST /issues {"title":"A"}"#, "DELETE /issues/102"])
        #expect(program.main.outboxCount == 0)
    }

    @Test func `A deletion of an unanswered creation without a key waits for a decision`() async throws {
        let program = try Self.program()
        try await lost(in: program).delete(.queued)
        let report = await program.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.undecided])
        #expect(program.server.log.isEmpty)
        try program.restart()
        #expect(try find(program).isEmpty)
        #expect(await program.outbox.drain().rejected == 1)
        #expect(program.server.log.isEmpty)
    }

    @Test func `Retrying a deletion by decision repeats the creation`() async throws {
        let program = try Self.program()
        try await lost(in: program).delete(.queued)
        await program.outbox.drain()
        try await program.outbox.retry(program.outbox.entries()[0])
        try program.restart()
        await program.outbox.drain()
        #expect(program.server.log == [#"POST /issues {"title":"A"}"#, "DELETE /issues/102"])
        #expect(program.main.outboxCount == 0)
    }

    @Test func `A decision to repeat a creation for its deletion covers one request`() async throws {
        let program = try Self.program()
        try await lost(in: program).delete(.queued)
        await program.outbox.drain()
        try await program.outbox.retry(program.outbox.entries()[0])
        program.server.fail(.lostReply)
        await program.outbox.drain()
        let report = await program.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.undecided])
        #expect(program.server.log.count == 1)
    }

    @Test func `Discarding a deletion leaves the object's creation undecided`() async throws {
        let program = try Self.program()
        try await lost(in: program).delete(.queued)
        await program.outbox.drain()
        try await program.outbox.discard(program.outbox.entries()[0])
        let back = try #require(try find(program).first)
        #expect(program.main.hasUnknownOutcome(back))
        let report = await program.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.undecided])
        #expect(program.server.log.isEmpty)
        try await program.outbox.discard(program.outbox.entries()[0])
        #expect(try find(program).isEmpty)
        #expect(program.main.outboxCount == 0)
    }

    @Test func `A failed immediate creation is deleted through the outbox after a decision`() async throws {
        let issue = issue("A", in: program)
        server.fail(.lostReply)
        await #expect(throws: APIError.self) { try await issue.create() }
        try await issue.delete(.queued)
        #expect(issue.isDeleted)
        let report = await outbox.drain()
        // The request's key is unknown.
        #expect(report.rejections.map(\.kind) == [.undecided])
        try await outbox.discard(outbox.entries()[0])
        #expect(try find().map(\.title) == ["A"])
    }

    // MARK: Requests in flight

    @Test(arguments: [false, true])
    func `A queued deletion waits for the creation in flight`(isLost: Bool) async throws {
        let issue = issue("A", in: program)
        try await issue.save(.queued)
        let program = program
        let deletions = Box<[Task<Void, any Error>]>([])
        server.whenArriving { request in
            guard request.method == .post, deletions.value.isEmpty else { return }
            let deletion = Task { @MainActor in try await Self.delete(in: program) }
            deletions.value.append(deletion)
        }
        if isLost { server.fail(.lostReply) }
        await outbox.drain()
        for deletion in deletions.value { try await deletion.value }
        #expect(issue.isDeleted)
        await outbox.drain()
        #expect(server.log.filter { $0.hasPrefix("POST") }.count == (isLost ? 2 : 1))
        #expect(server.objects("/issues").isEmpty)
        #expect(program.main.outboxCount == 0)
    }

    private static func delete(in program: Program) async throws {
        try await #require(try program.find(Issue.self).first).delete(.queued)
    }

    /// As another process, which waits for no turn of this one.
    private static func deleteElsewhere(in program: Program) async {
        do {
            let issue = try #require(try program.find(Issue.self).first)
            try await program.main.deleteQueued(issue, account: "")
        } catch { Testing.Issue.record(error) }
    }

    @Test(arguments: [false, true])
    func `A creation's reply identifies an object that another process has deleted`(isLost: Bool) async throws {
        let issue = issue("A", in: program)
        try await issue.save(.queued)
        let program = program
        let isDeleted = Box(false)
        server.whenArriving { request in
            guard request.method == .post, !isDeleted.value else { return }
            isDeleted.value = true
            await Self.deleteElsewhere(in: program)
        }
        if isLost { server.fail(.lostReply) }
        await outbox.drain()
        await outbox.drain()
        #expect(server.log.filter { $0.hasPrefix("POST") }.count == (isLost ? 2 : 1))
        #expect(server.log.last == "DELETE /issues/101")
        #expect(server.objects("/issues").isEmpty)
        #expect(program.main.outboxCount == 0)
        #expect(try find().isEmpty)
    }

    @Test func `A reply without the identity of a deleted object is rejected with the missing key`() async throws {
        let issue = try await lost()
        let record = issue._object.record
        try await issue.delete(.queued)
        var request = ImportRequest(of: record)
        (request.isCreation, request.isConfirmation) = (true, true)
        let creation = request
        let error = await #expect(throws: StoreError.self) {
            _ = try await outbox.file.importBody(Array(#"{"title": "A"}"#.utf8), creation)
        }
        guard case .rejected(let report)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(report.rejected.map(\.reason) == [.noIdentity(missing: "id")])
        #expect(try await outbox.entries().count == 1)
    }

    @Test func `A deletion waits while another process has the creation in flight`() async throws {
        try await lost().delete(.queued)
        try program.restart()
        _ = try Database(program.store.path).rows("UPDATE _send SET holder = '\(getppid())--1'")
        try program.restart()
        let report = await outbox.drain()
        #expect((report.sent, report.waiting, report.rejected) == (0, 1, 0))
        #expect(server.log.isEmpty)
        _ = try Database(program.store.path).rows("UPDATE _send SET holder = '\(Int32.max)--1'")
        try program.restart()
        #expect(await outbox.drain().sent == 1)
        #expect(server.objects("/issues").isEmpty)
    }

    @Test func `A deletion of an unanswered creation is sent under later models' names`() async throws {
        try await lost().delete(.queued)
        try await program.restart(as: RenamedTracker.models) { store in
            let entries = try await store.outbox.entries()
            #expect(entries.map(\.model) == ["Ticket"])
        }
        try await program.restart(as: RenamedTracker.models) { store in
            await store.outbox.drain()
            #expect(store.main.outboxCount == 0)
        }
        #expect(server.log == [#"POST /issues {"title":"A"}"#, "DELETE /issues/101"])
        #expect(try find().isEmpty)
    }

    @Test func `Discarding a deletion under later models' names restores the object and its creation`() async throws {
        try await lost().delete(.queued)
        try await program.restart(as: RenamedTracker.models) { store in
            try await store.outbox.discard(store.outbox.entries()[0])
            let tickets = try store.main.query(RenamedTracker.Ticket.self).fetch()
            #expect(tickets.map(\.name) == ["A"])
        }
        await outbox.drain()
        #expect(server.log == [#"POST /issues {"title":"A"}"#])
        #expect(server.objects("/issues").count == 1)
        #expect(try find().map(\.identifier) == [101])
    }
}

/// The same of models with a natural key.
@MainActor @Suite struct OutboxUndecidedNaturalDeletionTests {
    typealias Ticket = OutboxNaturalKeyTests.Ticket

    private let server = OutboxServer()
    private let store: Store

    init() throws {
        store = try Store(.temporary, models: [Ticket.self], api: API("https://api.example.com", transport: server))
    }

    private func deleted(isDone: Bool = true) async throws {
        let ticket = Ticket(in: store.main)
        (ticket.code, ticket.title) = ("A7", "old")
        try await ticket.save(.queued)
        server.fail(.lostReply)
        await store.outbox.drain()
        if !isDone { server.put("/tickets", 101, nil) }
        try await ticket.delete(.queued)
        server.forgetLog()
    }

    @Test func `A deletion finds the object by its natural key and deletes it`() async throws {
        try await deleted()
        let request = try #require(try await store.outbox.entries().first?.request)
        #expect(request.hasPrefix("GET https://api.example.com/tickets?code="))
        await store.outbox.drain()
        #expect(server.log == ["GET /tickets", "DELETE /tickets/101"])
        #expect(server.objects("/tickets").isEmpty)
        #expect(try store.main.query(Ticket.self).count() == 0)
        #expect(store.main.outboxCount == 0)
    }

    @Test func `A deletion counts as done if the lookup finds no object`() async throws {
        try await deleted(isDone: false)
        let report = await store.outbox.drain()
        #expect((report.sent, report.waiting, report.rejected) == (1, 0, 0))
        #expect(server.log == ["GET /tickets"])
        #expect(store.main.outboxCount == 0)
    }

    @Test func `A deletion waits for a decision if the lookup finds several objects`() async throws {
        try await deleted()
        server.put("/tickets", 55, ["id": 55, "code": "A7", "title": "old"])
        #expect(await store.outbox.drain().rejections.map(\.kind) == [.undecided])
        #expect(server.log == ["GET /tickets"])
        #expect(server.objects("/tickets").count == 2)
        // Tried again, it looks again.
        server.put("/tickets", 55, nil)
        try await store.outbox.retry(store.outbox.entries()[0])
        await store.outbox.drain()
        #expect(server.log == ["GET /tickets", "GET /tickets", "DELETE /tickets/101"])
        #expect(store.main.outboxCount == 0)
    }

    @Test func `A failed lookup for a deletion is repeated`() async throws {
        try await deleted()
        server.fail(.unreachable)
        #expect(await store.outbox.drain().waiting == 1)
        await store.outbox.drain()
        #expect(server.objects("/tickets").isEmpty)
    }
}
