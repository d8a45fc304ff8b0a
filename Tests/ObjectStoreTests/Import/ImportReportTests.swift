import ObjectStore
import RestfulData
import Testing

@Model
private final class Letter {
    var identifier: Int?
    @Relationship(inverse: nil) var sender: Correspondent?
    @Relationship(inverse: nil) var recipient: User?
}

@Model(identity: "mail")
private final class Correspondent {
    var mail: String?
}

@MainActor
@Suite struct ImportReportTests {
    @Test func `Numbers count rows once`() async throws {
        let store = try Store(of: World.models)
        let body = #"""
            [{"id": 1, "assignee": {"id": 1, "login": "a"}, "labels": [{"id": 1}, {"id": 2}]},
             {"id": 2, "assignee": {"id": 1, "login": "a"}, "labels": [{"id": 2}]}]
            """#
        let first = try await store.main.take(Issue.self, body).report
        #expect([first.inserted, first.updated, first.unchanged, first.unlinked] == [5, 0, 0, 0])
        let again = try await store.main.take(Issue.self, body).report
        #expect([again.inserted, again.updated, again.unchanged, again.unlinked] == [0, 0, 5, 0])
        let changed = try await store.main.take(
            Issue.self, #"[{"id": 1, "title": "x", "labels": [{"id": 2}, {"id": 3}]}, {"id": 2}]"#
        ).report
        #expect([changed.inserted, changed.updated, changed.unchanged, changed.unlinked] == [1, 1, 2, 1])
    }

    @Test func `A row is counted as updated once when a list or a null is new to it`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(Issue.self, #"{"id": 1, "title": "a"}"#)
        let database = try Database(store.path)
        let before = try database.value("SELECT ifnull(_said_lists, 0) FROM issue")
        for (body, updated) in [
            (#""labels": []"#, 1), (#""labels": []"#, 0), (#""title": null"#, 1), (#""title": "a""#, 1),
        ] {
            let report = try await store.main.take(Issue.self, #"{"id": 1, \#(body)}"#).report
            #expect(report.updated == updated && report.unchanged == 1 - updated, "\(body)")
        }
        #expect(try database.value("SELECT _said_lists FROM issue") != before)
    }

    @Test func `The last of several mentions of an object in one body wins`() async throws {
        let store = try Store(of: World.models)
        let imported = try await store.main.take(
            Issue.self,
            #"""
            [{"id": 1, "title": "a", "assignee": {"id": 1, "login": "a", "name": "n"}}, {"id": 2, "assignee": {"id": 1, "login": "b"}},
             {"id": 1, "title": "b"}, {"id": 3, "assignee": {"id": 1, "login": "a", "name": "n"}}]
            """#)
        #expect(imported.objects.map(\.identifier) == [1, 2, 1, 3])
        #expect(imported.objects[0] === imported.objects[2] && imported.objects[0].title == "b")
        #expect(imported.objects[0].assignee?.login == "a")
        #expect(imported.report.inserted == 4)
        try await store.main.take(
            Issue.self,
            #"[{"id": 1, "assignee": {"id": 1, "login": "x"}}, {"id": 2, "assignee": {"id": 1, "login": "y"}}]"#)
        #expect(imported.objects[0].assignee?.login == "y")
    }

    @Test(arguments: [
        #""recipient": "ada@example.com""#, #""recipient_id": "ada@example.com""#,
        #""sender": {"mail": "ada@example.com"}, "sender_id": "eve@example.com""#,
        #""sender_id": "eve@example.com", "sender": null"#,
        #""sender_id": null, "sender": {"mail": "ada@example.com"}"#,
    ])
    func `The summary of a report for logs has no identities`(_ members: String) async throws {
        let store = try Store(of: [Letter.self, Correspondent.self] + World.models)
        let report = try await store.main.take(Letter.self, "{\"id\": 1, \(members)}").report
        #expect(report.mismatchedCount == 1)
        #expect(!report.summaryOfLeftOut.contains("example"), "\(report.summaryOfLeftOut)")
    }

    @Test func `A rejected element doesn't affect the other elements`() async throws {
        let store = try Store(of: World.models)
        let body =
            #"[{"id": 1}, null, 5, "x", [], {"login": "nameless"}, {"id": "x"}, {"id": 2, "login": 7, "score": {}}]"#
        let imported = try await store.main.take(User.self, body)
        #expect(imported.objects.map(\.identifier) == [1, 2])
        #expect(imported.report.rejected.map(\.path) == ["[1]", "[2]", "[3]", "[4]", "[5]", "[6]"])
        #expect(imported.report.rejectedCount == 6)
        #expect(Set(imported.report.mismatched.map(\.path)) == ["[6].id", "[7].score"])
    }

    @Test func `An all-or-nothing import with a rejected element writes nothing`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"{"id": 1, "login": "a"}"#)
        let before = try store.dump()
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.main.take(User.self, #"[{"id": 1, "login": "b"}, {"id": 2}, 5]"#, isAllOrNothing: true)
        }
        guard case .rejected(let report)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(report.rejected.map(\.path) == ["[2]"])
        #expect(try store.dump() == before)
        #expect(try store.main.find(User.self, 1)?.login == "a")
        try await store.main.take(User.self, #"[{"id": 1, "login": "b"}, {"id": 2}]"#, isAllOrNothing: true)
        #expect(try store.main.query(User.self).count() == 2)
    }

    @Test(arguments: [
        "", " ", "{", "[{\"id\": 1}", "[{\"id\": 1}]]", "<html></html>", "{\"id\": 1, \"login\": \"\u{1}\"}",
        "{\"id\": 1, \"login\": \"a\", \"login\": \"b\"}", "{\"id\": 01}", "[{\"id\": 1},]",
    ])
    func `A body that isn't JSON throws and writes nothing`(_ body: String) async throws {
        let store = try Store(of: World.models)
        let error = await #expect(throws: StoreError.self) { _ = try await store.main.take(User.self, body) }
        guard case .json? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(try store.dump() == "")
        try await store.main.take(User.self, #"{"id": 1}"#)
    }

    @Test func `Objects in an envelope are imported`() async throws {
        let store = try Store(of: World.models)
        let imported = try await store.main.take(
            User.self, #"{"total": 2, "data": {"items": [{"id": 1}, {"login": "x"}]}}"#, at: "data.items")
        #expect(imported.objects.map(\.identifier) == [1])
        #expect(imported.report.rejected.map(\.path) == ["data.items[1]"])
        #expect(try await store.main.take(User.self, #"{"id": 1}"#, at: "data").report.rejectedCount == 1)
    }

    @Test func `A hostile number of rejections is counted and not kept`() async throws {
        let store = try Store(of: World.models)
        let body = "[" + Array(repeating: #"{"id": {}}"#, count: 1_000).joined(separator: ",") + "]"
        let report = try await store.main.take(User.self, body).report
        #expect(report.rejectedCount == 1_000 && report.mismatchedCount == 1_000)
        #expect(report.rejected.count == ImportReport.listLimit && report.mismatched.count == ImportReport.listLimit)
    }
}
