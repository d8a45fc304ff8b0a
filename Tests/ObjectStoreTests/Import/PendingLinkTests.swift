import ObjectStore
import RestfulData
import Testing

/// Links to missing objects are set once these are stored.
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

    @Test func `Saving a new object resolves the pending links to its identity`() async throws {
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

    @Test func `Saving an edited identity resolves the pending links to it`() async throws {
        let (store, issue) = try await waiting()
        let user = try await store.main.take(User.self, #"{"id": 6}"#).objects[0]
        user.identifier = 7
        try await store.main.save()
        #expect(issue.assignee === user)
    }

    @Test func `An edited link isn't overwritten by the pending link that it replaced`() async throws {
        let (store, issue) = try await waiting()
        issue.assignee = try await store.main.take(User.self, #"{"id": 6}"#).objects[0]
        try await store.main.save()
        issue.assignee = nil
        try await store.main.save()
        try await store.main.take(User.self, #"{"id": 7}"#)
        #expect(issue.assignee == nil)
    }

    @Test func `A pending one-to-one link sets both sides when its target is imported`() async throws {
        let store = try Store(of: World.models)
        let profile = try await store.main.take(Profile.self, #"{"id": 1, "user_id": 7}"#).objects[0]
        let user = try await store.main.take(User.self, #"{"id": 7}"#).objects[0]
        #expect(profile.user === user && user.profile === profile)
        #expect(try store.check() == [])
    }

    // MARK: Identities of several parts

    @Test func `A nested object whose identity has an unknown link is rejected and linked later`() async throws {
        let store = try Store(of: [Bug.self, Project.self, Ticket.self])
        let imported = try await store.main.take(
            Bug.self,
            #"""
            {"id": 1, "ticket": {"number": 5, "project_id": 9, "title": "lost"},
             "tickets": [{"number": 6, "project": 9}, {"number": 1}]}
            """#)
        let bug = imported.objects[0]
        // Values of a rejected object are not kept, so it is reported.
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

    @Test func `An identity part in the JSON isn't replaced by the container's`() async throws {
        let store = try Store(of: [Project.self, Ticket.self])
        let imported = try await store.main.take(
            Project.self, #"{"id": 1, "tickets": [{"number": 1, "project_id": 99}]}"#)
        #expect(imported.report.rejected.map(\.path) == ["tickets[0]"])
        #expect(imported.objects[0].tickets.isEmpty)
    }

    // MARK: Members with other links

    @Model final class Story {
        var identifier: Int?
        @Relationship(inverse: "story") var notes: [Note]
    }

    @Model final class Note {
        var identifier: Int?
        var story: Story?
    }

    @Model final class Shelf {
        var identifier: Int?
        @Relationship(inverse: nil) var stories: [Story]
        @Relationship(inverse: nil) var notes: [Note]
    }

    /// Its pages are known by their numbers within it, and these by their books.
    @Model final class Reader {
        var identifier: Int?
        @Relationship(inverse: "reader") var leaves: [Leaf]
        @Relationship(inverse: "keeper") var kept: Leaf?
    }

    @Model(identity: "project", "number") final class Leaf {
        var number: Int?
        var project: Project?
        var reader: Reader?
        var keeper: Reader?
    }

    @Model final class Film {
        var identifier: Int?
        @Relationship(inverse: "films") var players: [Player]
    }

    @Model final class Player {
        var identifier: Int?
        var films: [Film]
    }

    @Model final class Studio {
        var identifier: Int?
        @Relationship(inverse: nil) var films: [Film]
        @Relationship(inverse: nil) var players: [Player]
    }

    private static let readers: [any Model.Type] = [Reader.self, Leaf.self, Project.self, Ticket.self]
    private static let stories: [any Model.Type] = [Story.self, Note.self, Shelf.self]

    @Test func `A member that names another owner waits for that owner, known or not`() async throws {
        let store = try Store(of: Self.stories)
        let first = try await store.main.take(Story.self, #"{"id": 1, "note_ids": [7, 8]}"#).objects[0]
        let imported = try await store.main.take(
            Note.self, #"[{"id": 7, "story_id": 9}, {"id": 8, "story_id": null}]"#)
        let note = imported.objects[0]
        #expect(note.story == nil && imported.objects[1].story == nil && first.notes.isEmpty)
        #expect(try pending(store) == "1")
        try await store.takeElsewhere(Story.self, #"{"id": 9}"#)
        #expect(note.story?.identifier == 9 && note.story?.notes.first === note && first.notes.isEmpty)
        #expect(try pending(store) == "0")
    }

    @Test func `The later of a list of identities and a member's own link in a body wins`() async throws {
        for isNoteLast in [true, false] {
            let store = try Store(of: Self.stories)
            let parts = [#""stories": [{"id": 1, "note_ids": [7]}]"#, #""notes": [{"id": 7, "story_id": 9}]"#]
            let body = (isNoteLast ? parts : parts.reversed()).joined(separator: ", ")
            let shelf = try await store.main.take(Shelf.self, "{\"id\": 1, \(body)}").objects[0]
            try await store.takeElsewhere(Story.self, #"{"id": 9}"#)
            #expect(shelf.notes.map(\.story?.identifier) == [isNoteLast ? 9 : 1], "note last: \(isNoteLast)")
            #expect(shelf.stories[0].notes.count == (isNoteLast ? 0 : 1))
            #expect(try pending(store) == "0")
        }
    }

    @Test(arguments: [
        ("", [1], "0"), (#", "film_ids": [1]"#, [1], "0"), (#", "film_ids": []"#, [], "0"),
        (#", "film_ids": null"#, [], "0"), (#", "film_ids": [9]"#, [], "1"), (#", "film_ids": [9, 1]"#, [1], "1"),
    ])
    func `A member whose own list omits the owner isn't in the owner's list`(said: String, films: [Int], left: String)
        async throws
    {
        let store = try Store(of: [Film.self, Player.self])
        let film = try await store.main.take(Film.self, #"{"id": 1, "player_ids": [6, 7]}"#).objects[0]
        let player = try await store.main.take(Player.self, "{\"id\": 7\(said)}").objects[0]
        #expect(player.films.map(\.identifier) == films && film.players.map(\.identifier) == films.map { _ in 7 })
        #expect(try pending(store) == (left == "1" ? "2" : "1"))
        // The other player has no list of films.
        try await store.takeElsewhere(Player.self, #"{"id": 6}"#)
        #expect(film.players.map(\.identifier) == [6] + films.map { _ in 7 })
        #expect(try pending(store) == left && store.check() == [])
    }

    @Test func `The later of two many-to-many lists in a body wins`() async throws {
        for isFilmLast in [true, false] {
            let store = try Store(of: [Film.self, Player.self, Studio.self])
            try await store.main.take(Film.self, #"{"id": 1, "player_ids": [7]}"#)
            let parts = [
                #""players": [{"id": 7, "film_ids": []}]"#, #""films": [{"id": 1, "player_ids": [7]}]"#,
            ]
            let body = (isFilmLast ? parts : parts.reversed()).joined(separator: ", ")
            let studio = try await store.main.take(Studio.self, "{\"id\": 1, \(body)}").objects[0]
            #expect(studio.players[0].films == (isFilmLast ? studio.films : []), "film last: \(isFilmLast)")
            #expect(try pending(store) == "0" && store.check() == [])
        }
    }

    @Test func `A member with a composite identity that names another owner leaves the list`() async throws {
        let store = try Store(of: Self.readers)
        let first = try await store.main.take(
            Reader.self, #"{"id": 1, "leaves": [{"number": 7, "project_id": 3}, {"number": 8, "project_id": 3}]}"#
        ).objects[0]
        try await store.main.take(Project.self, #"{"id": 3}"#)
        let leaves = try await store.main.take(
            Leaf.self,
            #"[{"number": 7, "project_id": 3, "reader_id": 9}, {"number": 8, "project_id": 3, "reader_id": null}]"#
        ).objects
        #expect(first.leaves.isEmpty && leaves.allSatisfy { $0.reader == nil })
        try await store.takeElsewhere(Reader.self, #"{"id": 9}"#)
        #expect(leaves.map(\.reader?.identifier) == [9, nil] && first.leaves.isEmpty)
        #expect(try pending(store) == "0")
    }

    @Test func `A one-to-one target that names another owner leaves the link`() async throws {
        let store = try Store(of: Self.readers)
        try await store.main.take(Project.self, #"{"id": 3}"#)
        let reader = try await store.main.take(
            Reader.self, #"{"id": 1, "kept": {"number": 7, "project_id": 4}}"#
        ).objects[0]
        try await store.main.take(Project.self, #"{"id": 4}"#)
        let leaf = try await store.main.take(
            Leaf.self, #"{"number": 7, "project_id": 4, "keeper_id": 9}"#
        ).objects[0]
        #expect(reader.kept == nil && leaf.keeper == nil)
        try await store.takeElsewhere(Reader.self, #"{"id": 9}"#)
        #expect(reader.kept == nil && leaf.keeper?.identifier == 9 && leaf.keeper?.kept === leaf)
        #expect(try store.check() == [])
    }

    // MARK: Contradictions

    @Test(arguments: [
        (#""assignee": {"id": 1}, "assignee_id": 1"#, 1, 0), (#""assignee_id": 1, "assignee": {"id": 1}"#, 1, 0),
        (#""assignee": {"id": 1}, "assignee_id": 2"#, 1, 1), (#""assignee_id": 2, "assignee": {"id": 1}"#, 1, 1),
        (#""assignee_id": 9, "assignee": {"id": 1}"#, 1, 1), (#""assignee": {"id": 1}, "assignee_id": 9"#, 1, 1),
        (#""assignee_id": 9, "assignee": {"id": 9}"#, 9, 0), (#""assignee": null, "assignee_id": null"#, 0, 0),
        (#""assignee": null, "assignee_id": 1"#, 0, 1), (#""assignee": {"id": 1}, "assignee_id": null"#, 1, 1),
    ])
    func `A nested object wins over the identity, and a difference is reported`(json: String, id: Int, reported: Int)
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
    func `A list of nested objects wins over a list of identities`(json: String, ids: [Int], reported: Int) async throws
    {
        let store = try Store(of: World.models)
        let imported = try await store.main.take(Issue.self, "{\"id\": 1, \(json)}")
        #expect(imported.objects[0].labels.compactMap(\.identifier) == ids)
        #expect(imported.report.mismatchedCount == reported)
        #expect(try pending(store) == "0")
    }

    @Test func `A duplicate key is named in the error`() async throws {
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
