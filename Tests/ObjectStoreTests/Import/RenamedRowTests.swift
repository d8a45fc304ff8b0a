import ObjectStore
import RestfulData
import TestSupport
import Testing

/// A row with an edited and saved, but unsent identity. The server still names it by the old identity.
@MainActor
@Suite struct RenamedRowTests {
    @Model(identity: "login") final class Member {
        var login: String?
        var name: String?
        @Relationship(inverse: "boss") var staff: [Member]
        @Relationship(inverse: "staff") var boss: Member?
    }

    @Model final class Note {
        var identifier: Int?
        @Relationship(inverse: nil) var owner: Member?
        @Relationship(inverse: nil) var readers: [Member]
        @Relationship(inverse: nil) var ticket: Ticket?
    }

    private static let models: [any Model.Type] = [Member.self, Note.self, Project.self, Ticket.self]

    /// The renaming of ada to bob: by a context that has saved it, by one that hasn't, or by a process that has ended.
    enum Where: CaseIterable { case saved, unsaved, restarted, elsewhere }

    /// A store in which ada was renamed to bob, and the objects to retain for the test.
    private struct World {
        let store: Store
        let ada: Member
        private let file: TemporaryFile

        @MainActor
        init(_ place: Where) async throws {
            file = try TemporaryFile()
            var store = try Store(.file(file.path), models: models)
            var ada = try await store.main.take(Member.self, #"{"login": "ada", "name": "A"}"#).objects[0]
            if place == .elsewhere {
                try await store.background { context in
                    try context.find(Member.self, "ada")?.login = "bob"
                    try await context.save()
                }
            } else {
                ada.login = "bob"
                if place != .unsaved { try await store.main.save() }
            }
            if place == .restarted {
                store.close()
                store = try Store(.file(file.path), models: models)
                ada = try #require(try store.main.find(Member.self, "bob"))
            }
            (self.store, self.ada) = (store, ada)
        }

        @MainActor
        func take<M: Model>(_ type: M.Type, _ json: String) async throws -> M {
            try await store.main.take(type, json).objects[0]
        }

        @MainActor
        func expectOne(_ name: String?, sourceLocation: SourceLocation = #_sourceLocation) throws {
            #expect(try store.main.query(Member.self).count() == 1, sourceLocation: sourceLocation)
            #expect(ada.login == "bob" && ada.name == name, sourceLocation: sourceLocation)
            #expect(ada.unsentProperties == ["login"], sourceLocation: sourceLocation)
        }
    }

    // MARK: By the identity that the server knows

    @Test(arguments: Where.allCases)
    func `An object under the former identity updates the renamed row`(_ place: Where) async throws {
        let world = try await World(place)
        #expect(try await world.take(Member.self, #"[{"login": "ada", "name": "B"}]"#) === world.ada)
        try world.expectOne("B")
        #expect(
            try await world.take(Note.self, #"{"id": 1, "owner": {"login": "ada", "name": "C"}}"#).owner === world.ada)
        try world.expectOne("C")
    }

    @Test(arguments: Where.allCases)
    func `Links and lists that name the former identity lead to the renamed row`(_ place: Where) async throws {
        let world = try await World(place)
        let note = try await world.take(Note.self, #"{"id": 1, "owner": "ada", "readers": ["ada"]}"#)
        #expect(note.owner === world.ada && note.readers.map(\.login) == ["bob"])
        let other = try await world.take(Note.self, #"{"id": 2, "owner_id": "ada", "reader_ids": ["ada"]}"#)
        #expect(other.owner === world.ada && other.readers.map(\.login) == ["bob"])
        try world.expectOne("A")
    }

    @Test(arguments: Where.allCases)
    func `A whole list that names the former identity keeps the renamed member`(_ place: Where) async throws {
        let world = try await World(place)
        let list = #"{"login": "eve", "staff": [{"login": "ada"}, {"login": "dan"}]}"#
        let eve = try await world.take(Member.self, list)
        #expect(eve.staff.map(\.login) == ["bob", "dan"] && world.ada.boss === eve)
        try await world.store.takeElsewhere(Member.self, list)
        #expect(eve.staff.map(\.login) == ["bob", "dan"])
        #expect(try world.store.main.query(Member.self).count() == 3)
    }

    @Test func `Two rows that swapped identities are each found by their former one`() async throws {
        let store = try Store(of: Self.models)
        let members = try await store.main.take(Member.self, #"[{"login": "ada"}, {"login": "bob"}]"#).objects
        members[0].login = "bob"
        members[1].login = "ada"
        try await store.main.save()
        let again = try await store.main.take(
            Member.self, #"[{"login": "ada", "name": "A"}, {"login": "bob", "name": "B"}]"#
        ).objects
        #expect(again[0] === members[0] && again[1] === members[1])
        #expect(members.map(\.name) == ["A", "B"] && members.map(\.login) == ["bob", "ada"])
    }

    @Test func `A row whose identity was restored is found by it alone`() async throws {
        let world = try await World(.saved)
        world.ada.login = "ada"
        try await world.store.main.save()
        #expect(world.ada.unsentProperties == [])
        #expect(try await world.take(Member.self, #"{"login": "ada", "name": "B"}"#) === world.ada)
        #expect(try await world.take(Member.self, #"{"login": "bob", "name": "C"}"#) !== world.ada)
    }

    @Test func `A row renamed twice is found by its first identity alone`() async throws {
        let world = try await World(.saved)
        world.ada.login = "carl"
        try await world.store.main.save()
        #expect(try await world.take(Member.self, #"{"login": "ada"}"#) === world.ada)
        #expect(try await world.take(Member.self, #"{"login": "bob"}"#) !== world.ada)
        #expect(world.ada.login == "carl")
    }

    @Test func `A deleted renamed row isn't found by its former identity`() async throws {
        let world = try await World(.saved)
        world.store.main.delete(world.ada)
        try await world.store.main.save()
        let again = try await world.take(Member.self, #"{"login": "ada"}"#)
        #expect(again !== world.ada && again.login == "ada")
    }

    @Test func `A new object with a row's former identity isn't updated by the server's object`() async throws {
        let world = try await World(.saved)
        let new = Member(in: world.store.main)
        new.login = "ada"
        try await world.store.main.save()
        #expect(try await world.take(Member.self, #"{"login": "ada", "name": "B"}"#) === world.ada)
        #expect(new.name == nil && world.ada.name == "B")
    }

    @Test(arguments: [false, true])
    func `A renamed member removed from a part of a list stays out of the whole list`(_ isRenamedFirst: Bool)
        async throws
    {
        let store = try Store(of: Self.models)
        let members = try await store.main.take(Member.self, #"[{"login": "ada"}, {"login": "eve"}, {"login": "zoe"}]"#)
            .objects
        let note = try await store.main.take(
            Note.self, #"{"id": 1, "readers": ["ada", "eve"], "readers_count": 3}"#
        ).objects[0]
        for isRenaming in [isRenamedFirst, !isRenamedFirst] {
            if isRenaming { members[0].login = "bob" } else { note.readers.removeFirst() }
            try await store.main.save()
        }
        #expect(note.readers.map(\.login) == ["eve"])
        try await store.main.take(Note.self, #"{"id": 1, "readers": ["ada", "eve", "zoe"], "readers_count": 3}"#)
        #expect(note.readers.map(\.login) == ["eve", "zoe"] && note.unsentProperties == ["readers"])
    }

    @Test func `A pending link through a renamed object uses the identity that the server knows`() async throws {
        let (store, ticket, projects) = try await tickets(.saved)
        projects[0].identifier = 9
        try await store.main.save()
        let note = try await store.main.import(
            Note.self, from: Array(#"{"id": 1, "ticket": {"number": 2, "project": {"id": 1}}}"#.utf8), depth: 0
        ).objects[0]
        #expect(note.ticket == nil)
        #expect(try Database(store.path).value("SELECT target_identity FROM _pending_link") == "1/2")
        try await store.main.take(Ticket.self, #"{"number": 2, "project": {"id": 1}}"#)
        #expect(note.ticket?.number == 2 && note.ticket?.project === projects[0] && ticket.project === projects[0])
    }

    // MARK: Identities of several parts

    private func tickets(_ place: Where) async throws -> (store: Store, ticket: Ticket, projects: [Project]) {
        let store = try Store(of: Self.models)
        let projects = try await store.main.take(
            Project.self, #"[{"id": 1, "tickets": [{"number": 1, "title": "A"}]}, {"id": 2}]"#
        ).objects
        return (store, projects[0].tickets[0], projects)
    }

    @Test(arguments: [false, true])
    func `An identity part that is an edited link is matched by the server's value`(_ isSaved: Bool) async throws {
        let (store, ticket, projects) = try await tickets(.saved)
        ticket.project = projects[1]
        if isSaved { try await store.main.save() }
        try await store.main.take(Project.self, #"{"id": 1, "tickets": [{"number": 1, "title": "B"}]}"#)
        try await store.main.take(Ticket.self, #"{"number": 1, "project": {"id": 1}, "title": "C"}"#)
        #expect(ticket.title == "C" && ticket.project === projects[1])
        #expect(try store.main.query(Ticket.self).count() == 1)
        let note = try await store.main.take(Note.self, #"{"id": 1, "ticket": {"number": 1, "project": 1}}"#).objects[0]
        #expect(note.ticket === ticket)
        #expect(projects[0].tickets.isEmpty && projects[1].tickets.map(\.title) == ["C"])
    }

    @Test(arguments: [false, true])
    func `An identity part that is an edited attribute is matched by the server's value`(_ isSaved: Bool) async throws {
        let (store, ticket, projects) = try await tickets(.saved)
        ticket.number = 7
        if isSaved { try await store.main.save() }
        try await store.main.take(Project.self, #"{"id": 1, "tickets": [{"number": 1, "title": "B"}]}"#)
        #expect(ticket.title == "B" && ticket.number == 7 && projects[0].tickets.map(\.number) == [7])
        let note = try await store.main.take(Note.self, #"{"id": 1, "ticket": {"number": 1, "project": 1}}"#).objects[0]
        #expect(note.ticket === ticket)
    }

    @Test func `An identity part that leads to a renamed row is matched by the former identity`() async throws {
        let (store, ticket, projects) = try await tickets(.saved)
        projects[0].identifier = 9
        try await store.main.save()
        try await store.main.take(Ticket.self, #"{"number": 1, "project": {"id": 1}, "title": "C"}"#)
        #expect(ticket.title == "C")
        #expect(try store.main.query(Ticket.self).count() == 1)
        #expect(try store.main.query(Project.self).count() == 2)
    }

    // MARK: The name was taken

    @Test(arguments: [
        #"[{"login": "ada", "name": "B"}, {"login": "bob", "name": "Bob"}]"#,
        #"[{"login": "bob", "name": "Bob"}, {"login": "ada", "name": "B"}]"#,
    ])
    func `Another object with an edited identity is rejected, and reported`(_ body: String) async throws {
        let world = try await World(.saved)
        let report = try await world.store.main.take(Member.self, body).report
        #expect(report.rejected.map(\.reason) == [.claimedIdentity])
        try world.expectOne("B")
        let note = try await world.take(Note.self, #"{"id": 1, "owner": {"login": "bob"}, "readers": ["ada", "bob"]}"#)
        #expect(note.owner == nil && note.readers.map(\.login) == ["bob"])
        #expect(try world.store.check() == [])
        // After the edit is undone, bob can be stored, and the links to it are set.
        world.ada.login = "ada"
        try await world.store.main.save()
        let bob = try await world.take(Member.self, #"{"login": "bob", "name": "Bob"}"#)
        #expect(bob !== world.ada && bob.name == "Bob" && world.ada.name == "B")
        #expect(note.owner === bob && note.readers.map(\.login) == ["ada", "bob"])
    }

    @Test func `A list member whose identity a renamed row claims stays a pending member`() async throws {
        let world = try await World(.saved)
        let eve = try await world.take(Member.self, #"{"login": "eve", "staff": [{"login": "ada"}, {"login": "dan"}]}"#)
        try await world.store.main.take(
            Member.self, #"{"login": "eve", "staff": [{"login": "bob"}, {"login": "dan"}]}"#)
        #expect(eve.staff.map(\.login) == ["dan"] && world.ada.boss == nil)
        world.ada.login = "ada"
        try await world.store.main.save()
        let bob = try await world.take(Member.self, #"{"login": "bob"}"#)
        #expect(eve.staff.map(\.login) == ["bob", "dan"] && bob.boss === eve)
    }
}
