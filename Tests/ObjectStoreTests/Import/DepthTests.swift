import ObjectStore
import RestfulData
import Testing

/// `import(…, depth:)`: deeper objects are linked by identity and never read in part.
@MainActor
@Suite struct DepthTests {
    private static let body = #"""
        {"id": 1, "title": "a", "assignee": {"login": "ada", "id": 7, "profile": {"id": 3, "bio": "b"}},
         "labels": [{"name": "x", "id": 1}, {"id": 2, "name": "y"}],
         "repository": {"id": 5, "name": "r", "owner": {"id": 8, "login": "bob"}}}
        """#

    @Test(arguments: [
        (
            0,
            """
            issue
              1 title=a state=open
            _pending_link
              issue(1).assignee -> user(7)
              issue(1).labels -> label(1) at 0
              issue(1).labels -> label(2) at 1
              issue(1).repository -> repository(5)
            """
        ),
        (
            1,
            """
            user
              7 login=ada site_admin=0
            repository
              5 name=r stars=0 is_private=0
            issue
              1 title=a state=open repository_id=(5) assignee_id=(7)
            label
              1 name=x
              2 name=y
            issue_labels
              (1) - (1) 0
              (1) - (2) 1
            _pending_link
              repository(5).owner -> user(8)
              user(7).profile -> profile(3)
            """
        ),
    ])
    func `Objects below the import depth become pending links`(_ depth: Int, _ rows: String) async throws {
        let store = try Store(of: World.models)
        let imported = try await store.main.import(Issue.self, from: Array(Self.body.utf8), depth: depth)
        #expect(imported.report.rejectedCount == 0 && imported.report.mismatchedCount == 0)
        try expect(store, holds: rows)
        try await store.main.take(Issue.self, Self.body)
        #expect(imported.objects[0].assignee?.profile?.bio == "b")
        #expect(try Database(store.path).value("SELECT count(*) FROM _pending_link") == "0")
    }

    @Test func `Existing objects below the import depth are linked and not updated`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"{"id": 7, "login": "before"}"#)
        try await store.main.take(Label.self, #"[{"id": 2, "name": "before"}, {"id": 1}]"#)
        let issue = try await store.main.import(Issue.self, from: Array(Self.body.utf8), depth: 0).objects[0]
        #expect(issue.assignee?.login == "before" && issue.labels.map(\.name) == ["", "before"])
        #expect(issue.labels.map(\.identifier) == [1, 2])
    }
}
