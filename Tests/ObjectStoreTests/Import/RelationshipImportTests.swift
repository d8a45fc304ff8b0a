import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Relationships on import: the result of each JSON value.
@MainActor
@Suite struct RelationshipImportTests {
    /// The members of issue 1 in a body, the resulting link or list, and the report.
    struct Row: Sendable, CustomTestStringConvertible {
        let json: String
        let after: String
        let mismatched: [String]
        let rejected: [String]
        let pending: Int

        init(_ json: String, _ after: String, mismatched: [String] = [], rejected: [String] = [], pending: Int = 0) {
            self.json = json
            self.after = after
            self.mismatched = mismatched
            self.rejected = rejected
            self.pending = pending
        }

        var testDescription: String { json }
    }

    /// Before each, the issue is assigned to user 1, with labels 1 and 2; user 2 and label 3 are there too.
    private func check(_ row: Row, _ read: (Issue) -> String) async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"[{"id": 1}, {"id": 2}]"#)
        try await store.main.take(Label.self, #"[{"id": 3}]"#)
        let issue = try await store.main.take(
            Issue.self, #"{"id": 1, "assignee": {"id": 1}, "labels": [{"id": 1}, {"id": 2}]}"#
        ).objects[0]
        let report = try await store.main.take(Issue.self, "{\"id\": 1, \(row.json)}").report
        #expect(read(issue) == row.after)
        #expect(report.mismatched.map(\.path) == row.mismatched)
        #expect(report.rejected.map(\.path) == row.rejected)
        #expect(report.pendingLinks == row.pending)
        #expect(try store.check() == [])
    }

    @Test(arguments: [
        Row(#""title": "x""#, "1"),
        Row(#""assignee": null"#, "none"),
        Row(#""assignee_id": null"#, "none"),
        Row(#""assignee": {"id": 2}"#, "2"),
        Row(#""assignee": {"id": 7, "login": "new"}"#, "7"),
        Row(#""assignee": 2"#, "2"),
        Row(#""assignee": "2""#, "2"),
        Row(#""assignee_id": 2"#, "2"),
        Row(#""assignee_id": "2""#, "2"),
        Row(#""assignee": {"id": 2}, "assignee_id": 1"#, "2", mismatched: ["assignee"]),
        Row(#""assignee_id": 1, "assignee": {"id": 2}"#, "2", mismatched: ["assignee"]),
        Row(#""assignee_id": 7"#, "none", pending: 1),
        Row(#""assignee": 7"#, "none", pending: 1),
        Row(#""assignee": []"#, "1", mismatched: ["assignee"]),
        Row(#""assignee": true"#, "1", mismatched: ["assignee"]),
        Row(#""assignee": "octocat""#, "1", mismatched: ["assignee"]),
        Row(#""assignee_id": {}"#, "1", mismatched: ["assignee"]),
        Row(#""assignee": {"login": "nameless"}"#, "1", rejected: ["assignee"]),
        Row(#""assignee": {"id": null}"#, "1", rejected: ["assignee"]),
        Row(#""assignee": {}"#, "1", rejected: ["assignee"]),
    ])
    func `A link is imported from objects, identities and null`(_ row: Row) async throws {
        try await check(row) { $0.assignee.map { "\($0.identifier ?? 0)" } ?? "none" }
    }

    @Test(arguments: [
        Row(#""title": "x""#, "1 2"),
        Row(#""labels": null"#, ""),
        Row(#""labels": []"#, ""),
        Row(#""labels": [{"id": 3}, {"id": 1}]"#, "3 1"),
        Row(#""labels": [{"id": 9, "name": "new"}, {"id": 2}, {"id": 9}]"#, "9 2"),
        Row(#""labels": [3, "1"]"#, "3 1"),
        Row(#""label_ids": [2, 3]"#, "2 3"),
        Row(#""label_ids": null"#, ""),
        Row(#""labels": [null, {"id": 3}, null]"#, "3"),
        Row(#""label_ids": [3, 7]"#, "3", pending: 1),
        Row(#""labels": [7, 8]"#, "", pending: 2),
        Row(#""labels": {"id": 3}"#, "1 2", mismatched: ["labels"]),
        Row(#""labels": 3"#, "1 2", mismatched: ["labels"]),
        Row(#""labels": "bug""#, "1 2", mismatched: ["labels"]),
        Row(#""labels": true"#, "1 2", mismatched: ["labels"]),
        Row(#""labels": [{"name": "nameless"}, {"id": 3}]"#, "1 2 3", rejected: ["labels[0]"]),
        Row(#""labels": [[], {"id": 3}, true]"#, "1 2 3", rejected: ["labels[0]", "labels[2]"]),
    ])
    func `A list is imported from objects and identities`(_ row: Row) async throws {
        try await check(row) { $0.labels.compactMap { $0.identifier.map(String.init) }.joined(separator: " ") }
    }

    @Test func `A pending link is resolved as soon as its target is imported`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(
            Issue.self, #"[{"id": 1, "assignee_id": 7, "label_ids": [1, 2, 3]}, {"id": 2, "assignee": 7}]"#
        ).objects
        #expect(issues[0].assignee == nil && issues[0].labels.isEmpty)
        try expect(
            store,
            holds: """
                issue
                  1 title= state=open
                  2 title= state=open
                _pending_link
                  issue(1).assignee -> user(7)
                  issue(1).labels -> label(1) at 0
                  issue(1).labels -> label(2) at 1
                  issue(1).labels -> label(3) at 2
                  issue(2).assignee -> user(7)
                """)
        // From any import, at the top or nested.
        try await store.takeElsewhere(Repository.self, #"[{"id": 10, "owner": {"id": 7, "login": "late"}}]"#)
        #expect(issues.map { $0.assignee?.login } == ["late", "late"])
        try await store.takeElsewhere(Label.self, #"[{"id": 3}]"#)
        try await store.takeElsewhere(Label.self, #"[{"id": 1}, {"id": 2}]"#)
        #expect(issues[0].labels.map(\.identifier) == [1, 2, 3])
        #expect(try Database(store.path).value("SELECT count(*) FROM _pending_link") == "0")
    }

    @Test func `A later body replaces a pending link`() async throws {
        let store = try Store(of: World.models)
        let issue = try await store.main.take(Issue.self, #"{"id": 1, "assignee_id": 7}"#).objects[0]
        try await store.takeElsewhere(Issue.self, #"[{"id": 1, "assignee": {"id": 8}}]"#)
        try await store.takeElsewhere(User.self, #"[{"id": 7}]"#)
        #expect(issue.assignee?.identifier == 8)
    }

    @Test func `Pending links survive a restart and their source's deletion`() async throws {
        let file = try TemporaryFile()
        var store: Store? = try Store(.file(file.path), models: World.models)
        try await store?.background { context in
            try await context.take(Issue.self, #"[{"id": 1, "assignee_id": 7}, {"id": 2, "assignee_id": 8}]"#)
            if let issue = try context.find(Issue.self, 2) { context.delete(issue) }
        }
        store = nil
        let reopened = try Store(.file(file.path), models: World.models)
        // Gets the local key that issue 2 had.
        let other = try await reopened.main.take(Issue.self, #"{"id": 3}"#).objects[0]
        try await reopened.main.take(User.self, #"[{"id": 7}, {"id": 8}]"#)
        #expect(try reopened.main.find(Issue.self, 1)?.assignee?.identifier == 7)
        #expect(other.assignee == nil)
    }

    @Test func `A part of the identity comes from the containing object`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        let projects = try await store.main.take(
            Project.self,
            """
            [{"tickets": [{"number": 1, "title": "a"}, {"number": 2}], "id": 1},
             {"id": 2, "tickets": [{"number": 1, "title": "b"}, {"title": "none"}]}]
            """)
        #expect(projects.objects.map { $0.tickets.map(\.number) } == [[1, 2], [1]])
        #expect(projects.objects.map { $0.tickets.first?.title } == ["a", "b"])
        #expect(projects.report.rejected.map(\.path) == ["[1].tickets[1]"])
        let alone = try await store.main.take(
            Ticket.self,
            #"[{"number": 1}, {"number": 1, "project": {"id": 2}, "title": "c"}, {"number": 3, "project_id": 1}]"#)
        #expect(alone.objects.map(\.title) == ["c", ""])
        #expect(alone.objects[0] === projects.objects[1].tickets[0])
        #expect(alone.report.rejected.map(\.path) == ["[0]"])
        let count = try Database(store.path).value("SELECT count(*) FROM ticket")
        #expect(count == "4")
    }

    @Test func `An import doesn't overwrite pending edits`() async throws {
        let store = try Store(of: World.models)
        let issue = try await store.main.take(
            Issue.self, #"{"id": 1, "title": "a", "number": 1, "assignee": {"id": 1}, "labels": [{"id": 1}]}"#
        ).objects[0]
        issue.title = "mine"
        issue.assignee = nil
        issue.labels = []
        try await store.main.save()
        try await store.takeElsewhere(
            Issue.self, #"[{"id": 1, "title": "b", "number": 2, "assignee": {"id": 2}, "labels": [{"id": 2}]}]"#)
        #expect(issue.title == "mine" && issue.number == 2 && issue.assignee == nil)
        // The removed label is gone at the server, too, and another one was added.
        #expect(issue.labels.map(\.identifier) == [2])
        try expect(
            store,
            holds: """
                issue
                  1 number=2 title=mine state=open unsent: assignee, title
                issue_labels
                  (1) - (2) 0
                """, of: Issue.self)
    }
}
