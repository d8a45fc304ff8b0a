import ObjectStore
import RestfulData
import Testing

/// Links to what is not here yet are made by whoever brings it.
@MainActor
@Suite struct PendingLinkTests {
    private func waiting() async throws -> (Store, Issue) {
        let store = try Store(of: World.models)
        let issue = try await store.main.take(Issue.self, #"{"id": 1, "assignee_id": 7, "label_ids": [2, 1]}"#).objects[
            0]
        #expect(issue.assignee == nil)
        return (store, issue)
    }

    private func pending(_ store: Store) throws -> String? {
        try Database(store.path).value("SELECT count(*) FROM _pending_link")
    }

    @Test func `A new object that is saved`() async throws {
        let (store, issue) = try await waiting()
        let user = User(in: store.main)
        user.identifier = 7
        try await store.main.save()
        #expect(issue.assignee === user)
        try await store.background { context in
            for id in [1, 2] { Label(in: context).identifier = id }
        }
        #expect(issue.labels.map(\.identifier) == [2, 1])
        #expect(try pending(store) == "0")
    }

    @Test func `An edit of the identity`() async throws {
        let (store, issue) = try await waiting()
        let user = try await store.main.take(User.self, #"{"id": 6}"#).objects[0]
        user.identifier = 7
        try await store.main.save()
        #expect(issue.assignee === user)
    }

    @Test func `What was edited here is not overruled`() async throws {
        let (store, issue) = try await waiting()
        issue.assignee = try await store.main.take(User.self, #"{"id": 6}"#).objects[0]
        try await store.main.save()
        issue.assignee = nil
        try await store.main.save()
        try await store.main.take(User.self, #"{"id": 7}"#)
        #expect(issue.assignee == nil)
    }

    @Test func `One-to-one leads back`() async throws {
        let store = try Store(of: World.models)
        let profile = try await store.main.take(Profile.self, #"{"id": 1, "user_id": 7}"#).objects[0]
        let user = try await store.main.take(User.self, #"{"id": 7}"#).objects[0]
        #expect(profile.user === user && user.profile === profile)
        #expect(try store.check() == [])
    }

    // MARK: Identities of several parts

    @Test func `A target whose identity leads to what is not here`() async throws {
        let store = try Store(of: [Bug.self, Project.self, Ticket.self])
        let imported = try await store.main.take(
            Bug.self,
            #"""
            {"id": 1, "ticket": {"number": 5, "project_id": 9, "title": "lost"},
             "tickets": [{"number": 6, "project": 9}, {"number": 1}]}
            """#)
        let bug = imported.objects[0]
        // What was said of them is not kept, so it is reported.
        #expect(imported.report.rejected.map(\.path) == ["ticket", "tickets[0]", "tickets[1]"])
        #expect(imported.report.pendingLinks == 2 && bug.ticket == nil)
        try await store.takeElsewhere(Ticket.self, #"{"number": 5, "project": {"id": 8}}"#)
        #expect(bug.ticket == nil)
        try await store.takeElsewhere(Project.self, #"{"id": 9}"#)
        #expect(bug.ticket == nil)
        try await store.takeElsewhere(Ticket.self, #"{"number": 5, "project": 9, "title": "found"}"#)
        #expect(bug.ticket?.title == "found")
        try await store.background { context in
            let ticket = Ticket(in: context)
            ticket.number = 6
            ticket.project = try context.find(Project.self, 9)
        }
        #expect(bug.tickets.map(\.number) == [6])
        #expect(try pending(store) == "0")
    }

    @Test func `A part that the JSON names is not guessed from the container`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        let imported = try await store.main.take(
            Project.self, #"{"id": 1, "tickets": [{"number": 1, "project_id": 99}]}"#)
        #expect(imported.report.rejected.map(\.path) == ["tickets[0]"])
        #expect(imported.objects[0].tickets.isEmpty)
    }

    // MARK: Contradictions

    @Test(arguments: [
        (#""assignee": {"id": 1}, "assignee_id": 1"#, 1, 0), (#""assignee_id": 1, "assignee": {"id": 1}"#, 1, 0),
        (#""assignee": {"id": 1}, "assignee_id": 2"#, 1, 1), (#""assignee_id": 2, "assignee": {"id": 1}"#, 1, 1),
        (#""assignee_id": 9, "assignee": {"id": 1}"#, 1, 1), (#""assignee": {"id": 1}, "assignee_id": 9"#, 1, 1),
        (#""assignee_id": 9, "assignee": {"id": 9}"#, 9, 0), (#""assignee": null, "assignee_id": null"#, 0, 0),
        (#""assignee": null, "assignee_id": 1"#, 0, 1), (#""assignee": {"id": 1}, "assignee_id": null"#, 1, 1),
    ])
    func `The object wins over the identity and a difference is reported`(json: String, id: Int, reported: Int)
        async throws
    {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"[{"id": 1}, {"id": 2}]"#)
        let imported = try await store.main.take(Issue.self, "{\"id\": 1, \(json)}")
        #expect(imported.objects[0].assignee?.identifier ?? 0 == id)
        #expect(imported.report.mismatched.map(\.path) == Array(repeating: "assignee", count: reported))
        #expect(try pending(store) == "0")
    }

    @Test(arguments: [
        (#""labels": [{"id": 1}, {"id": 2}], "label_ids": [2, 1]"#, [1, 2], 0),
        (#""label_ids": [2, 1], "labels": [{"id": 1}, {"id": 2}]"#, [1, 2], 0),
        (#""label_ids": [3], "labels": [{"id": 1}]"#, [1], 1),
        (#""labels": [{"id": 1}], "label_ids": [1, 9]"#, [1], 1),
    ])
    func `The list of objects wins over the identities`(json: String, ids: [Int], reported: Int) async throws {
        let store = try Store(of: World.models)
        let imported = try await store.main.take(Issue.self, "{\"id\": 1, \(json)}")
        #expect(imported.objects[0].labels.compactMap(\.identifier) == ids)
        #expect(imported.report.mismatchedCount == reported)
        #expect(try pending(store) == "0")
    }

    @Test func `A key that an object has twice is named`() async throws {
        let store = try Store(of: World.models)
        let body = #"{"id": 2, "assignee": {"id": 1, "login": "a", "login": "b"}}"#
        let error = await #expect(throws: StoreError.self) { _ = try await store.main.take(Issue.self, body).report }
        guard case .json(let json)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(json.path == "assignee.login")
        #expect("\(json)".contains("assignee.login"))
    }
}
