import ObjectStore
import RestfulData
import Testing

@testable import ObjectStore

/// A lookup of a live object needs only memory, and has the same result as the file.
@MainActor
@Suite struct LookupTests {
    private func logins(_ context: ObjectContext) throws -> [String?] {
        try (1...5).map { try context.find(User.self, $0)?.login }
    }

    @Test func `Lookups find objects by their edited identities`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let body = #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}, {"id": 3, "login": "c"}]"#
        let users = try await context.take(User.self, body).objects
        for _ in 0..<3 { #expect(try logins(context) == ["a", "b", "c", nil, nil]) }
        users[0].identifier = 4
        #expect(try logins(context) == [nil, "b", "c", "a", nil])
        #expect(try context.find(User.self, 4) === users[0])
        context.rollback()
        #expect(try logins(context) == ["a", "b", "c", nil, nil])
        users[0].identifier = 4
        try await context.save()
        #expect(try logins(context) == [nil, "b", "c", "a", nil])
        (users[1].identifier, users[2].identifier) = (3, 2)
        try await context.save()
        #expect(try logins(context) == [nil, "c", "b", "a", nil])
        try await store.background { context in
            try context.find(User.self, 4)?.identifier = 1
            try await context.save()
        }
        #expect(try logins(context) == ["a", "c", "b", nil, nil])
        #expect(try context.find(User.self, 1) === users[0])
    }

    @Test func `Lookups follow deletions, rollbacks and new objects`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let users = try await context.take(User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]"#).objects
        #expect(try logins(context) == ["a", "b", nil, nil, nil])
        context.delete(users[0])
        #expect(try logins(context) == [nil, "b", nil, nil, nil])
        context.rollback()
        #expect(try logins(context) == ["a", "b", nil, nil, nil])
        context.delete(users[0])
        try await context.save()
        #expect(try logins(context) == [nil, "b", nil, nil, nil])
        let new = User(in: context)
        (new.identifier, new.login) = (1, "new")
        #expect(try logins(context) == ["new", "b", nil, nil, nil])
        // The row that comes is the new object's.
        _ = try await context.take(User.self, #"[{"id": 1, "login": "c"}, {"id": 5, "login": "e"}]"#).objects
        #expect(try logins(context) == ["new", "b", nil, nil, "e"])
        #expect(try context.find(User.self, 1) === new)
        store.close()
        #expect(throws: StoreError.self) { try context.find(User.self, 2) }
    }

    @Test func `A lookup uses an edited identity part until it is rolled back`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        let context = store.main
        let projects = try await context.take(
            Project.self, #"[{"id": 1, "tickets": [{"number": 1}, {"number": 2}]}, {"id": 2}]"#
        ).objects
        let ticket = projects[0].tickets[0]
        func found() throws -> [Bool] {
            try projects.map { project in
                let found = try context.find(Ticket.self, project, 1)
                let query = context.query(Ticket.self).where { $0.number == 1 && $0.project == project }
                #expect(try query.fetch().map { $0 === found } == (found == nil ? [] : [true]))
                #expect(try query.count() == (found == nil ? 0 : 1))
                return found === ticket
            }
        }
        let edits: [() -> Void] = [
            { ticket.project = projects[1] }, { projects[1].tickets.append(ticket) },
            { projects[0].tickets.removeFirst() },
        ]
        for (index, edit) in edits.enumerated() {
            #expect(try found() == [true, false])
            edit()
            #expect(try found() == [false, index < 2], "\(index)")
            context.rollback()
        }
        #expect(try found() == [true, false])
        ticket.project = projects[1]
        try await context.save()
        #expect(try found() == [false, true])
        // An object can take the identity that another one has freed, and is found by it.
        let new = Ticket(in: context)
        (new.project, new.number) = (projects[0], 1)
        #expect(try context.find(Ticket.self, projects[0], 1) === new)
        ticket.number = 3
        new.project = projects[1]
        #expect(try context.find(Ticket.self, projects[1], 1) === new)
        #expect(try context.find(Ticket.self, projects[1], 3) === ticket)
        #expect(try context.find(Ticket.self, projects[0], 1) == nil)
    }
}
