import RestfulData
import Testing

@testable import ObjectStore

/// Two rows turn out to be one object and are unified: the duplicate's values become the survivor's.
@MainActor
@Suite struct UnifyingTests {
    /// Imports the server's values of an object that was just created.
    private func confirm(
        _ object: some Model, as body: String, sent: [String] = [], in store: Store
    ) async throws {
        let state = object._object
        let record = state.record
        let edits = state.unsentEdits(of: state.model.properties.filter { sent.contains($0.name) })
        defer { store.main.mergeWaitingChanges() }
        _ = try await store.file.importBody(
            Array(body.utf8), ImportRequest(of: record),
            confirming: [WriteBatch.Confirmation(of: record, properties: sent, edits: edits)])
    }

    @Test func `Unifying two rows runs no delete rule`() async throws {
        let store = try Store(of: [Shelf.self, Book.self, Page.self, Tool.self])
        let context = store.main
        try await context.take(Book.self, #"{"id": 5}"#)
        try await context.take(Shelf.self, #"{"id": 6}"#)
        let pages = try await context.take(Page.self, #"[{"id": 1}]"#).objects
        let tools = try await context.take(Tool.self, #"[{"id": 1}, {"id": 2}, {"id": 3}]"#).objects
        let book = Book(in: context)
        (book.pages, book.tools, book.cover) = (pages, [tools[0]], tools[1])
        let shelf = Shelf(in: context)
        (shelf.books, shelf.tools, shelf.keeper) = ([book], [tools[2]], tools[0])
        try await context.save()
        try await confirm(book, as: #"{"id": 5}"#, in: store)
        try await confirm(shelf, as: #"{"id": 6}"#, in: store)
        let known = try #require(try context.find(Book.self, 5))
        let other = try #require(try context.find(Shelf.self, 6))
        #expect(known.pages.map(\.identifier) == [1] && known.tools.map(\.identifier) == [1])
        #expect(known.cover === tools[1] && other.keeper === tools[0])
        #expect(other.books.map(\.identifier) == [5] && other.tools.map(\.identifier) == [3])
        #expect(
            try Database(store.path).rows("SELECT count(*) FROM tool UNION ALL SELECT count(*) FROM page") == [
                ["3"], ["1"],
            ])
        #expect(try store.check() == [])
    }

    @Test func `A singular resource belongs to the row that its owner became during the request`() async throws {
        let store = try Store(of: [Lodger.self, Lodging.self])
        let context = store.main
        let known = try await context.take(Lodger.self, #"{"id": 5}"#).objects[0]
        let lodger = Lodger(in: context)
        try await context.save()
        var request = ImportRequest(try context.model(of: Lodging.self))
        request.container = lodger._object.record
        try await confirm(lodger, as: #"{"id": 5}"#, in: store)
        _ = try await context.importBody(Array(#"{"text": "a"}"#.utf8), request)
        #expect(known.lodging?.text == "a")
        #expect(try store.check() == [])
    }

    @Test func `A singular resource is refused if its owner was deleted during the request`() async throws {
        let store = try Store(of: [Lodger.self, Lodging.self])
        let context = store.main
        let lodger = try await context.take(Lodger.self, #"{"id": 5}"#).objects[0]
        var request = ImportRequest(try context.model(of: Lodging.self))
        request.container = lodger._object.record
        context.delete(lodger)
        try await context.save()
        let error = await failure { _ = try await context.importBody(Array(#"{"text": "a"}"#.utf8), request) }
        #expect(error == "\(StoreError.deletedObject(model: "Lodger"))")
    }

    @Test func `A unified row has the sent values and keeps pending edits`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let known = try await context.take(
            User.self, #"{"id": 5, "login": "old", "name": "Old", "score": 1, "site_admin": true}"#
        ).objects[0]
        known.score = 2
        try await context.save()
        let user = User(in: context)
        (user.login, user.name, user.score, user.siteAdmin) = ("new", nil, 3, false)
        try await context.save()
        try await confirm(user, as: #"{"id": 5}"#, sent: ["login", "name", "score", "siteAdmin"], in: store)
        let row = try Database(store.path).rows("SELECT login, name, score, site_admin, count(*) FROM user")
        #expect(row == [["new", nil, "2.0", "0", "1"]])
    }

    @Test func `A unified row keeps the duplicate's pending values and memberships`() async throws {
        let store = try Store(of: [Bug.self, Project.self, Ticket.self])
        let context = store.main
        try await context.take(Project.self, #"{"id": 9, "tickets": [{"number": 1, "title": "theirs"}]}"#)
        let bug = try await context.take(Bug.self, #"{"id": 1}"#).objects[0]
        let project = Project(in: context)
        let ticket = Ticket(in: context)
        (ticket.number, ticket.title, ticket.project) = (1, "mine", project)
        bug.tickets = [ticket]
        bug.ticket = ticket
        try await context.save()
        try await confirm(project, as: #"{"id": 9}"#, in: store)
        let rows = try Database(store.path).rows(
            """
            SELECT title, _unsent LIKE '%title%', (SELECT count(*) FROM project),
                (SELECT count(*) FROM bug JOIN bug_tickets ON source_id = bug._id
                    WHERE target_id = ticket._id AND ticket_id = ticket._id)
            FROM ticket
            """)
        #expect(rows == [["mine", "1", "1", "1"]])
        #expect(try store.check() == [])
    }

    @Test func `A unified list has the members of both rows and the pending memberships`() async throws {
        let store = try Store(of: [Shelf.self, Book.self, Page.self, Tool.self])
        let shelves = try await store.main.take(
            Shelf.self, #"[{"id": 1, "tools": [{"id": 1}]}, {"id": 2, "tools": [{"id": 1}, {"id": 2}]}]"#
        ).objects
        let tool = try await store.main.take(Tool.self, #"{"id": 3}"#).objects[0]
        shelves[0].tools = [tool]
        try await store.main.save()
        let records = shelves.map(\._object.record)
        try await store.file.write { writer -> (Void, ChangeSet) in
            var progress = WriteProgress(after: ChangeSet(writer.schema))
            try writer.unify(records[0], with: records[1].row, &progress)
            return ((), progress.changes)
        }
        // The duplicate's edit removes the first tool and adds the third. The second one follows the server.
        let rows = try Database(store.path).rows(
            "SELECT identifier FROM shelf_tools JOIN tool ON target_id = tool._id ORDER BY position")
        #expect(rows == [["2"], ["3"]])
        #expect(try store.check() == [])
    }

    @Test func `A failed transaction doesn't unify rows`() async throws {
        struct Failure: Error {}
        let store = try Store(of: World.models)
        let users = try await store.main.take(User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]"#).objects
        let records = users.map(\._object.record)
        await #expect(throws: StoreError.self) {
            try await store.file.write { writer -> (Void, ChangeSet) in
                var progress = WriteProgress(after: ChangeSet(writer.schema))
                try writer.unify(records[0], with: records[1].row, &progress)
                throw Failure()
            }
        }
        users[0].name = "A"
        users[1].name = "B"
        try await store.main.save()
        #expect(
            try Database(store.path).rows("SELECT login, name FROM user ORDER BY login") == [["a", "A"], ["b", "B"]])
    }

    @Test func `A send mark of a duplicate moves to the survivor`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]"#).objects
        let records = users.map(\._object.record)
        users[0].name = "A"
        try await store.main.save()
        try await store.file.write { writer -> (Void, ChangeSet) in
            try writer.mark([SentFact(.row, of: records[0])])
            var progress = WriteProgress(after: ChangeSet(writer.schema))
            try writer.unify(records[0], with: records[1].row, &progress)
            return ((), progress.changes)
        }
        let rows = try Database(store.path).rows("SELECT source, source_id FROM _send")
        #expect(rows == [["user", "\(records[1].row.rawValue)"]])
    }

    @Test func `Renamed rows within a duplicate are found within the survivor`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        let projects = try await store.main.take(
            Project.self, #"[{"id": 1, "tickets": [{"number": 1, "title": "A"}]}, {"id": 2}]"#
        ).objects
        let ticket = projects[0].tickets[0]
        ticket.number = 7
        try await store.main.save()
        let records = projects.map(\._object.record)
        try await store.file.write { writer -> (Void, ChangeSet) in
            var progress = WriteProgress(after: ChangeSet(writer.schema))
            try writer.unify(records[0], with: records[1].row, &progress)
            return ((), progress.changes)
        }
        try await store.main.take(Project.self, #"{"id": 2, "tickets": [{"number": 1, "title": "B"}]}"#)
        #expect(ticket.title == "B" && ticket.number == 7 && ticket.project?.identifier == 2)
        #expect(try store.main.query(Ticket.self).count() == 1)
    }

    @Test func `A unified row doesn't mix its link to one of several models with the duplicate's`() async throws {
        let store = try Store(of: ChoiceMigrationTests.Two.models)
        try await store.main.take(ChoiceMigrationTests.Two.Post.self, #"{"id": 1}"#)
        // The first notice's link waits for its event.
        let notices = try await store.main.take(
            ChoiceMigrationTests.Two.Notice.self,
            #"""
            [{"id": 1, "subject_type": "event", "subject_id": 50}, {"id": 2, "subject_type": "post", "subject_id": 1}]
            """#
        ).objects
        let records = notices.map(\._object.record)
        try await store.file.write { writer -> (Void, ChangeSet) in
            var progress = WriteProgress(after: ChangeSet(writer.schema))
            try writer.unify(records[1], with: records[0].row, &progress)
            return ((), progress.changes)
        }
        let event = try await store.main.take(ChoiceMigrationTests.Two.Event.self, #"{"id": 50}"#).objects[0]
        #expect(notices[0].subject?.model === event)
    }
}

@Model("/lodgers")
private final class Lodger {
    var identifier: Int?
    @Relationship(inverse: "lodger") var lodging: Lodging?
}

@Model("/lodgers/:lodger/lodging", identity: "lodger", singular: true)
private final class Lodging {
    var lodger: Lodger?
    var text = ""
}
