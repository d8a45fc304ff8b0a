import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Guarantees of the file about queued writes: several processes, other versions of the models, a full disk.
@MainActor @Suite struct OutboxFileTests {
    typealias Issue = Tracker.Issue

    private let file: TemporaryFile
    private let server = OutboxServer()

    init() throws { file = try TemporaryFile() }

    private func open(_ models: [any Model.Type] = Tracker.models, _ file: TemporaryFile? = nil) throws -> Store {
        try Store(
            .file((file ?? self.file).path), models: models, api: API("https://api.example.com", transport: server))
    }

    private func issue(_ title: String, in store: Store) async throws -> Issue {
        let issue = Issue(in: store.main)
        issue.title = title
        try await issue.save(.queued)
        return issue
    }

    @Test func `10 One process sends, and another takes over when it has ended`() async throws {
        let store = try open()
        let issue = try await issue("A", in: store)
        _ = try Database(file.path).rows("INSERT INTO _lease VALUES ('outbox', '\(getppid())--1')")
        let busy = await store.outbox.drain()
        #expect(busy.isBusy)
        #expect((busy.sent, busy.waiting) == (0, 1))
        #expect(server.log.isEmpty)
        // No process has this number.
        _ = try Database(file.path).rows("UPDATE _lease SET holder = '\(Int32.max)--1'")
        let report = await store.outbox.drain()
        #expect(report.sent == 1)
        #expect(issue.identifier == 101)
    }

    @Test func `10 A running process's request doesn't count as lost`() async throws {
        let store = try open()
        let issue = try await issue("A", in: store)
        _ = try Database(file.path).rows(
            "INSERT INTO _send VALUES ('issue', \(issue._object.record.row.rawValue), '', '\(getppid())--1', NULL)")
        let report = await store.outbox.drain()
        #expect((report.sent, report.waiting, report.rejected) == (0, 1, 0))
        #expect(server.log.isEmpty)
    }

    @Test func `13 A change and its entry are written in one transaction`() async throws {
        let store = try open()
        let issue = Issue(in: store.main)
        issue.title = "A"
        _ = try Database(file.path).rows(
            "CREATE TRIGGER refuse BEFORE INSERT ON _outbox BEGIN SELECT RAISE(ABORT, 'full'); END")
        await #expect(throws: APIError.self) { try await issue.save(.queued) }
        #expect(issue.hasChanges)
        #expect(issue.isInserted)
        #expect(try Database(file.path).rows("SELECT 1 FROM issue").isEmpty)
        _ = try Database(file.path).rows("DROP TRIGGER refuse")
        try await issue.save(.queued)
        #expect(!issue.hasChanges)
        #expect(store.main.outboxCount == 1)
    }

    @Test func `13 A deletion that can't be queued keeps the object`() async throws {
        let store = try open()
        let issue = try await store.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        _ = try Database(file.path).rows(
            "CREATE TRIGGER refuse BEFORE INSERT ON _outbox BEGIN SELECT RAISE(ABORT, 'full'); END")
        await #expect(throws: APIError.self) { try await issue.delete(.queued) }
        #expect(!issue.isDeleted)
        #expect(try store.main.query(Issue.self).fetch() == [issue])
    }

    @Test func `A deletion that can't be queued keeps the object's unsaved edits`() async throws {
        let store = try open()
        let issue = try await store.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        issue.title = "new"
        _ = try Database(file.path).rows(
            "CREATE TRIGGER refuse BEFORE INSERT ON _outbox BEGIN SELECT RAISE(ABORT, 'full'); END")
        await #expect(throws: APIError.self) { try await issue.delete(.queued) }
        #expect(!issue.isDeleted && issue.title == "new" && issue.changedProperties == ["title"])
    }

    enum Later {
        @Model("/issues", renamedFrom: "Issue") final class Ticket {
            var identifier: Int?
            @Attribute(renamedFrom: "title") var name: String?
            var body: String?
            @Relationship("/issues/:id/labels", inverse: nil, sentAs: .never, renamedFrom: "labels") var tags: [Tag]
        }

        @Model("/labels", renamedFrom: "Label") final class Tag {
            var identifier: Int?
            var name: String?
        }

        static let models: [any Model.Type] = [Ticket.self, Tag.self]
    }

    @Test func `20 Entries are sent under the names of later models`() async throws {
        let old = try open()
        server.put("/issues", 1, ["id": 1, "title": "old"])
        server.put("/issues", 2, ["id": 2, "title": "two"])
        let edited = try await old.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        let deleted = try await old.imported(Issue.self, #"{"id": 2, "title": "two"}"#)
        let label = try await old.imported(Tracker.Label.self, #"{"id": 7, "name": "bug"}"#)
        edited.title = "A"
        try await edited.save(.queued)
        try await edited.$labels.add(label, .queued)
        try await deleted.delete(.queued)
        let copy = try file.copy()
        let new = try open(Later.models, copy)
        defer { withExtendedLifetime(copy) {} }
        let entries = try await new.outbox.entries()
        #expect(entries.map(\.action) == [.update, .add("tags"), .delete])
        await new.outbox.drain()
        #expect(
            Set(server.log) == [
                #"PATCH /issues/1 {"name":"A"}"#, #"POST /issues/1/labels {"tag_ids":[7]}"#, "DELETE /issues/2",
            ])
        #expect(new.main.outboxCount == 0)
    }

    @Test func `20 A queued member stays in its renamed list after a fetch`() async throws {
        let old = try open()
        server.put("/issues", 1, ["id": 1, "title": "old"])
        let issue = try await old.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        let label = try await old.imported(Tracker.Label.self, #"{"id": 7, "name": "bug"}"#)
        try await issue.$labels.add(label, .queued)
        let copy = try file.copy()
        let new = try open(Later.models, copy)
        defer { withExtendedLifetime(copy) {} }
        let ticket = try #require(try new.main.find(Later.Ticket.self, 1))
        try await ticket.$tags.fetch()
        #expect(ticket.tags.map(\.identifier) == [7])
        await new.outbox.drain()
        #expect(server.log == ["GET /issues/1/labels", #"POST /issues/1/labels {"tag_ids":[7]}"#])
        #expect(new.main.outboxCount == 0)
    }

    @Test func `20 A discarded deletion restores the object under its new names`() async throws {
        let old = try open()
        let deleted = try await old.imported(Issue.self, #"{"id": 2, "title": "two"}"#)
        try await deleted.delete(.queued)
        let copy = try file.copy()
        let new = try open(Later.models, copy)
        defer { withExtendedLifetime(copy) {} }
        try await new.outbox.discard(new.outbox.entries()[0])
        #expect(try new.main.query(Later.Ticket.self).fetch().map(\.name) == ["two"])
    }

    enum WithoutLabels {
        @Model("/issues") final class Issue {
            var identifier: Int?
            var title: String?
        }
    }

    @Test func `12 Removing a list with queued additions is refused on opening`() async throws {
        let old = try open()
        let issue = try await old.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        let label = try await old.imported(Tracker.Label.self, #"{"id": 7, "name": "bug"}"#)
        try await issue.$labels.add(label, .queued)
        let copy = try file.copy()
        #expect {
            try open([WithoutLabels.Issue.self], copy)
        } throws: { error in
            "\(error)".contains("labels")
        }
    }

    @Test func `28 A reply that a full disk can't store is kept, and the request isn't repeated`() async throws {
        let store = try open()
        let issue = try await issue("A", in: store)
        let text = String(repeating: "long ", count: 200_000)
        server.fail("/issues", .status(201, body: #"{"id": 55, "title": "A", "body": "\#(text)"}"#))
        let pages = try await store.file.write { writer in
            let pages = try writer.connection.integer("PRAGMA page_count")
            try writer.connection.execute("PRAGMA max_page_count = \(pages + 2)")
            return (pages, ChangeSet(writer.schema))
        }
        let first = await store.outbox.drain()
        #expect((first.sent, first.waiting, first.rejected) == (0, 1, 0))
        #expect(server.log.count == 1)
        try await store.file.write { writer in
            try writer.connection.execute("PRAGMA max_page_count = \(pages + 100_000)")
            return ((), ChangeSet(writer.schema))
        }
        await store.outbox.drain()
        #expect(server.log.count == 1)
        #expect(issue.identifier == 55)
        #expect(store.main.outboxCount == 0)
    }

    @Test func `An addition queued after an unstored creation waits for the list's own request`() async throws {
        let store = try open()
        server.put("/issues", 1, ["id": 1, "title": "old"])
        let issue = try await store.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        let label = Tracker.Label(in: store.main)
        label.name = "bug"
        _ = try Database(file.path).rows(
            "CREATE TRIGGER refuse BEFORE INSERT ON label BEGIN SELECT RAISE(ABORT, 'full'); END")
        await #expect(throws: APIError.self) { try await label.create() }
        _ = try Database(file.path).rows("DROP TRIGGER refuse")
        try await issue.$labels.add(label, .queued)
        server.fail("/issues/1/labels", .unreachable)
        let report = await store.outbox.drain()
        #expect((report.sent, report.waiting, report.rejected) == (0, 1, 0))
        #expect(label.identifier == 101)
        await store.outbox.drain()
        #expect(server.log == [#"POST /labels {"name":"bug"}"#, #"POST /issues/1/labels {"label_ids":[101]}"#])
        #expect(store.main.outboxCount == 0)
    }
}
