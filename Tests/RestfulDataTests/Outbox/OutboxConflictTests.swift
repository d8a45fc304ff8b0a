import Foundation
import RestfulData
import TestSupport
import Testing

/// Changes carry the version that they were made on, and conflicts are resolved by policy.
@MainActor @Suite struct OutboxConflictTests {
    @Model("/notes") final class Note {
        var identifier: Int?
        var title = ""
        var body: String?
    }

    /// Brings its validator in an attribute.
    @Model("/notes", conditionalWrites: .attribute("version")) final class TaggedNote {
        var identifier: Int?
        var title = ""
        var version: String?
    }

    /// Is sent whole.
    @Model("/notes", saveMethod: .put) final class WholeNote {
        var identifier: Int?
        var title = ""
        var body: String?
    }

    /// Its own policy beats the API's.
    @Model("/notes", conditionalWrites: .entityTags, conflicts: .serverWins) final class StrictNote {
        var identifier: Int?
        var title = ""
    }

    private let server: VersionedServer
    private let file: TemporaryFile

    init() throws { (server, file) = (try VersionedServer(), try TemporaryFile()) }

    private func open(
        _ policy: ConflictPolicy = .ask, _ writes: ConditionalWrites = .entityTags, models: [any Model.Type]? = nil
    ) throws -> Store {
        var conventions = APIConventions.default
        (conventions.conditionalWrites, conventions.conflicts) = (writes, policy)
        return try Store(
            .file(file.path), models: models ?? [Note.self],
            api: API("https://api.example.com", conventions: conventions, transport: server))
    }

    /// A note that was fetched from its own URL, as its first version.
    private func fetched(_ store: Store, title: String = "old", body: String = "text") async throws -> Note {
        try server.put(1, ["title": .string(title), "body": .string(body)])
        let note = try await Note.fetch(key: 1, in: store.main)
        server.forgetLog()
        return note
    }

    /// A note with a queued edit that conflicts with another client's change.
    private func conflicting(
        _ store: Store, mine: String = "mine", theirs: [String: JSONValue] = ["title": "theirs"]
    ) async throws -> Note {
        let note = try await fetched(store)
        note.title = mine
        try await note.save(.queued)
        try server.put(1, theirs)
        return note
    }

    // MARK: Validators

    @Test func `2 A second edit is sent with the validator of the first one's reply`() async throws {
        let store = try open()
        let note = try await fetched(store)
        note.title = "A"
        try await note.save(.queued)
        await store.outbox.drain()
        note.title = "B"
        try await note.save(.queued)
        await store.outbox.drain()
        #expect(
            server.log == [
                #"PATCH /notes/1 if "1" {"title":"A"} 200"#, #"PATCH /notes/1 if "2" {"title":"B"} 200"#,
            ])
    }

    @Test func `2 An edit made during a request is sent with the validator of its reply`() async throws {
        let store = try open()
        let note = try await fetched(store)
        note.title = "A"
        try await note.save(.queued)
        server.whenArriving { @MainActor [server] _ in
            server.whenArriving(nil)
            note.title = "B"
            try? await note.save(.queued)
        }
        await store.outbox.drain()
        #expect(
            server.log == [
                #"PATCH /notes/1 if "1" {"title":"A"} 200"#, #"PATCH /notes/1 if "2" {"title":"B"} 200"#,
            ])
        #expect(note.syncState == .synced)
    }

    @Test func `Validators survive a restart`() async throws {
        var store = try open()
        let note = try await fetched(store)
        note.title = "A"
        try await note.save(.queued)
        store.close()
        store = try open()
        await store.outbox.drain()
        #expect(server.log == [#"PATCH /notes/1 if "1" {"title":"A"} 200"#])
    }

    @Test func `A creation's reply has the validator for the next edit and deletion`() async throws {
        let store = try open()
        let note = Note(in: store.main)
        note.title = "new"
        try await note.create()
        note.title = "newer"
        try await note.save()
        try await note.delete()
        #expect(
            server.log.dropFirst() == [
                #"PATCH /notes/1 if "1" {"title":"newer"} 200"#, #"DELETE /notes/1 if "2" 204"#,
            ])
    }

    @Test func `A queued deletion is sent with the validator known when it was queued`() async throws {
        let store = try open()
        try await fetched(store).delete(.queued)
        await store.outbox.drain()
        #expect(server.log == [#"DELETE /notes/1 if "1" 204"#])
    }

    @Test func `Writes carry no condition unless one is declared`() async throws {
        let store = try open(.ask, .never)
        let note = try await fetched(store)
        note.title = "A"
        try await note.save()
        #expect(server.log == [#"PATCH /notes/1 {"title":"A"} 200"#])
    }

    @Test func `A weak entity tag isn't used as a condition`() async throws {
        server.isWeak = true
        let store = try open()
        let note = try await fetched(store)
        note.title = "A"
        try await note.save()
        #expect(server.log == [#"PATCH /notes/1 {"title":"A"} 200"#])
    }

    @Test func `A fetch without a validator discards the known one`() async throws {
        let store = try open()
        let note = try await fetched(store)
        try server.put(1, ["body": "theirs"])
        server.isWeak = true
        try await note.fetch()
        note.title = "A"
        try await note.save()
        #expect(server.log.last == #"PATCH /notes/1 {"title":"A"} 200"#)
    }

    @Test func `The modification date is used as a condition if that is declared`() async throws {
        let store = try open(.ask, .modificationDates)
        let note = try await fetched(store)
        note.title = "A"
        try await note.save()
        #expect(server.log == [#"PATCH /notes/1 if Fri, 15 Jan 2027 09:00:01 GMT {"title":"A"} 200"#])
    }

    @Test func `An attribute is used as a condition if that is declared`() async throws {
        let store = try open(models: [TaggedNote.self])
        try server.put(1, ["title": "old"])
        let json = #"{"id": 1, "title": "old", "version": "1"}"#
        let note = try await store.imported(TaggedNote.self, json)
        note.title = "A"
        try await note.save()
        #expect(server.log == [#"PATCH /notes/1 if "1" {"title":"A"} 200"#])
    }

    @Test func `A call's own condition replaces the known validator`() async throws {
        let store = try open()
        let note = try await fetched(store)
        note.title = "A"
        try await note.save { $0.headers[.ifMatch] = "*" }
        #expect(server.log == [#"PATCH /notes/1 if * {"title":"A"} 200"#])
    }

    @Test func `A refetched object's newer validator is used`() async throws {
        let store = try open()
        let note = try await fetched(store)
        try server.put(1, ["body": "theirs"])
        try await note.fetch()
        note.title = "A"
        try await note.save()
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"title":"A"} 200"#)
    }

    @Test func `An immediate save with a conflict throws it with its three versions`() async throws {
        let store = try open(.localWins)
        let note = try await fetched(store)
        try server.put(1, ["title": "theirs"])
        note.title = "mine"
        do {
            try await note.save()
            Testing.Issue.record("no conflict")
        } catch APIError.conflict(let conflict) {
            #expect(conflict.base[Note.properties.title] == "old")
            #expect(conflict.local[Note.properties.title] == "mine")
            #expect(conflict.server?[Note.properties.title] == "theirs")
        }
        #expect(note.title == "mine")
    }

    // MARK: Policies

    @Test func `An entry with a conflict waits for a decision and is retried over the server's version`() async throws {
        let store = try open()
        let note = try await conflicting(store)
        let report = await store.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.conflict])
        guard case .rejected(let rejection) = note.syncState else { return #expect(Bool(false), "\(note.syncState)") }
        #expect(rejection.status == 412)
        #expect(note.title == "mine")
        // Tried again, the edit is made on the server's version.
        let entry = try #require(try await store.outbox.entries().first)
        try await store.outbox.retry(entry)
        await store.outbox.drain()
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"title":"mine"} 200"#)
        #expect(note.syncState == .synced)
    }

    @Test func `Discarding an entry with a conflict restores the server's version`() async throws {
        let store = try open()
        let note = try await conflicting(store)
        await store.outbox.drain()
        try await store.outbox.discard(try #require(try await store.outbox.entries().first))
        #expect(note.title == "theirs")
        #expect(note.syncState == .synced)
    }

    @Test func `With serverWins, a conflict reverts the sent edits`() async throws {
        let store = try open(.serverWins)
        let note = try await conflicting(store)
        let report = await store.outbox.drain()
        #expect((report.sent, report.takenBack, report.rejected, report.waiting) == (0, 1, 0, 0))
        #expect(note.title == "theirs")
        #expect(note.syncState == .synced)
        #expect(server.text(1, "title") == "theirs")
    }

    @Test func `With serverWins, an edit made during the conflicting request is sent`() async throws {
        let store = try open(.serverWins)
        let note = try await conflicting(store)
        server.whenArriving { @MainActor [server] _ in
            server.whenArriving(nil)
            note.body = "newer"
            try? await note.save(.queued)
        }
        await store.outbox.drain()
        #expect(note.title == "theirs")
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"body":"newer"} 200"#)
        #expect(note.syncState == .synced)
    }

    @Test func `With localWins, a conflict sends the edits over the server's version`() async throws {
        let store = try open(.localWins)
        let note = try await conflicting(store, theirs: ["title": "theirs", "body": "new"])
        let report = await store.outbox.drain()
        #expect((report.sent, report.takenBack, report.rejected) == (1, 0, 0))
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"title":"mine"} 200"#)
        #expect((note.title, note.body) == ("mine", "new"))
    }

    @Test func `With byProperty, changes of different properties are both kept`() async throws {
        let store = try open(.byProperty(otherwise: .ask))
        let note = try await conflicting(store, theirs: ["body": "theirs"])
        let report = await store.outbox.drain()
        #expect((report.sent, report.rejected) == (1, 0))
        #expect((note.title, note.body) == ("mine", "theirs"))
        #expect(server.text(1, "title") == "mine")
        #expect(server.text(1, "body") == "theirs")
    }

    @Test func `With byProperty, the other policy decides about properties that both sides changed`() async throws {
        let store = try open(.byProperty(otherwise: .serverWins))
        let note = try await fetched(store)
        (note.title, note.body) = ("mine", "mine")
        try await note.save(.queued)
        try server.put(1, ["title": "theirs"])
        await store.outbox.drain()
        #expect((note.title, note.body) == ("theirs", "mine"))
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"body":"mine"} 200"#)
    }

    @Test func `With byProperty, equal changes on both sides are no conflict`() async throws {
        let store = try open(.byProperty(otherwise: .ask))
        let note = try await conflicting(store, mine: "same", theirs: ["title": "same"])
        let report = await store.outbox.drain()
        #expect(report.rejected == 0)
        #expect(note.syncState == .synced)
    }

    @Test func `A closure resolves a conflict by merging the versions`() async throws {
        let store = try open(
            .decide { versions in
                guard versions.contested == ["title"], !versions.isDeletion else { return .ask }
                var merged = versions.local
                let texts = [versions.base, versions.local, versions.server].compactMap { $0[Note.properties.title] }
                merged[Note.properties.title] = texts.joined(separator: "+")
                return .merged(merged)
            })
        let note = try await conflicting(store)
        await store.outbox.drain()
        #expect(note.title == "old+mine+theirs")
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"title":"old+mine+theirs"} 200"#)
        #expect(note.syncState == .synced)
    }

    @Test(arguments: [ConflictResolution.ask, .server, .local])
    func `A closure resolves a conflict by choosing a side`(_ resolution: ConflictResolution) async throws {
        let store = try open(.decide { _ in resolution })
        let note = try await conflicting(store)
        let report = await store.outbox.drain()
        #expect(report.rejected == (resolution == .ask ? 1 : 0))
        #expect(note.title == (resolution == .server ? "theirs" : "mine"))
        #expect(server.text(1, "title") == (resolution == .local ? "mine" : "theirs"))
    }

    @Test func `A model's conflict policy comes before the API's`() async throws {
        let store = try open(.localWins, .never, models: [StrictNote.self])
        try server.put(1, ["title": "old"])
        let note = try await StrictNote.fetch(key: 1, in: store.main)
        note.title = "mine"
        try await note.save(.queued)
        try server.put(1, ["title": "theirs"])
        await store.outbox.drain()
        #expect(note.title == "theirs")
    }

    @Test func `An edit with only an outdated validator is sent again at once`() async throws {
        let store = try open()
        let note = try await conflicting(store, theirs: ["title": "old"])
        let report = await store.outbox.drain()
        #expect((report.sent, report.rejected) == (1, 0))
        #expect(note.syncState == .synced)
        #expect(server.text(1, "title") == "mine")
    }

    @Test func `A change that is refused repeatedly is rejected`() async throws {
        let store = try open(.localWins)
        let note = try await conflicting(store)
        server.refuse(412, 412, 412, 412)
        let report = await store.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.conflict])
        #expect(server.log.filter { $0.hasPrefix("PATCH") }.count <= 4)
        #expect(note.title == "mine")
    }

    @Test func `A 409 about the known version is rejected at once`() async throws {
        let store = try open(.localWins)
        let note = try await fetched(store)
        note.title = "mine"
        try await note.save(.queued)
        server.refuse(409)
        let report = await store.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.conflict])
        #expect(server.log.map { $0.prefix(5) } == ["PATCH", "GET /"])
    }

    @Test func `A conflict about a deleted object is rejected as gone`() async throws {
        let store = try open(.localWins)
        let note = try await fetched(store)
        note.title = "mine"
        try await note.save(.queued)
        server.refuse(412)
        server.whenArriving { [server] request in if request.method == .get { server.remove(1) } }
        let report = await store.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.gone])
        #expect(note.title == "mine")
    }

    // MARK: Deletions

    private func deleted(_ store: Store) async throws -> OutboxReport {
        try await fetched(store).delete(.queued)
        try server.put(1, ["title": "theirs"])
        return await store.outbox.drain()
    }

    @Test func `A deletion with a conflict waits for a decision`() async throws {
        let store = try open()
        #expect(try await deleted(store).rejections.map(\.kind) == [.conflict])
        #expect(try store.main.query(Note.self).fetch().isEmpty)
        #expect(server.has(1))
    }

    @Test func `With serverWins, a deletion with a conflict restores the object`() async throws {
        let store = try open(.serverWins)
        #expect(try await deleted(store).takenBack == 1)
        let note = try #require(try store.main.query(Note.self).fetch().first)
        #expect(note.title == "theirs")
        #expect(store.main.outboxCount == 0)
        note.title = "mine"
        try await note.save()
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"title":"mine"} 200"#)
    }

    @Test func `With localWins, a deletion is sent with the server version's validator`() async throws {
        let store = try open(.localWins)
        #expect(try await deleted(store).sent == 1)
        #expect(server.log.last == #"DELETE /notes/1 if "2" 204"#)
        #expect(!server.has(1))
    }

    @Test func `With byProperty, a deletion of an object that the server changed is contested`() async throws {
        let store = try open(.byProperty(otherwise: .serverWins))
        #expect(try await deleted(store).takenBack == 1)
        #expect(try store.main.query(Note.self).fetch().map(\.title) == ["theirs"])
    }

    @Test func `A rejected deletion is sent over the server's version when retried`() async throws {
        let store = try open()
        _ = try await deleted(store)
        let entry = try #require(try await store.outbox.entries().first)
        try await store.outbox.retry(entry)
        #expect(await store.outbox.drain().sent == 1)
        #expect(server.log.last == #"DELETE /notes/1 if "2" 204"#)
    }

    @Test func `A deletion's conflict is resolved if the server's object contains others`() async throws {
        let store = try open(.localWins)
        try await fetched(store).delete(.queued)
        try server.put(1, ["title": "theirs", "author": ["name": "Ada"]])
        #expect(await store.outbox.drain().sent == 1)
        #expect(!server.has(1))
    }

    @Test func `A deletion conditional on an attribute is sent with the server's value of it`() async throws {
        let store = try open(.localWins, models: [TaggedNote.self])
        try server.put(1, ["title": "old"])
        let note = try await TaggedNote.fetch(key: 1, in: store.main)
        try await note.delete(.queued)
        try server.put(1, ["title": "theirs"])
        #expect(await store.outbox.drain().sent == 1)
        #expect(server.log.last == #"DELETE /notes/1 if "2" 204"#)
    }

    @Test func `A deletion's conflict about a deleted object counts as done`() async throws {
        let store = try open(.ask)
        try await fetched(store).delete(.queued)
        server.refuse(412)
        server.whenArriving { [server] request in if request.method == .get { server.remove(1) } }
        try server.put(2, ["title": "other"])
        let report = await store.outbox.drain()
        #expect((report.sent, report.rejected) == (1, 0))
    }

    // MARK: Values fetched before the request

    @Test(arguments: [true, false])
    func `A fetched change of an edited property is a conflict`(_ isList: Bool) async throws {
        let store = try open()
        let note = try await conflicting(store)
        if isList {
            _ = try await store.imported(Note.self, #"{"id": 1, "title": "theirs", "body": "text"}"#)
        } else {
            try await note.fetch()
        }
        server.forgetLog()
        let report = await store.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.conflict])
        #expect(report.rejections.first?.message.contains("title") == true)
        #expect(server.log.map { $0.prefix(3) } == ["GET"])
        #expect(server.text(1, "title") == "theirs")
        #expect(note.title == "mine")
        try await note.save(.queued)
        await store.outbox.drain()
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"title":"mine"} 200"#)
        #expect(note.syncState == .synced)
    }

    @Test func `A fetched change of an edited property is resolved by the policy`() async throws {
        let store = try open(.serverWins)
        let note = try await conflicting(store)
        try await note.fetch()
        #expect(note.title == "mine")
        #expect(await store.outbox.drain().takenBack == 1)
        #expect(note.title == "theirs")
    }

    @Test func `A conflict with a fetched change survives a restart`() async throws {
        var store = try open()
        try await conflicting(store).fetch()
        store.close()
        store = try open(.serverWins)
        #expect(await store.outbox.drain().takenBack == 1)
    }

    @Test func `A fetched change of another property is no conflict`() async throws {
        let store = try open()
        let note = try await conflicting(store, theirs: ["body": "theirs"])
        try await note.fetch()
        let report = await store.outbox.drain()
        #expect((report.sent, report.rejected) == (1, 0))
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"title":"mine"} 200"#)
    }

    @Test func `Without conditions the newest edit overwrites a fetched change`() async throws {
        let store = try open(.serverWins, .never)
        let note = try await conflicting(store)
        try await note.fetch()
        #expect(await store.outbox.drain().sent == 1)
        #expect(server.text(1, "title") == "mine")
    }

    // MARK: Lost replies

    @Test(arguments: [ConflictPolicy.ask, .serverWins])
    func `A change whose reply was lost has no conflict with itself`(_ policy: ConflictPolicy) async throws {
        let store = try open(policy)
        let note = try await fetched(store)
        note.title = "A"
        try await note.save(.queued)
        server.loseReply()
        await store.outbox.drain()
        let report = await store.outbox.drain()
        #expect((report.rejected, report.takenBack, report.waiting) == (0, 0, 0))
        #expect(note.title == "A")
        #expect(note.syncState == .synced)
    }

    @Test(arguments: [ConflictPolicy.ask, .serverWins])
    func `An edit after a lost reply has no conflict with the earlier edit`(_ policy: ConflictPolicy) async throws {
        let store = try open(policy)
        let note = try await fetched(store)
        note.title = "A"
        try await note.save(.queued)
        server.loseReply()
        await store.outbox.drain()
        note.title = "B"
        try await note.save(.queued)
        await store.outbox.drain()
        #expect(server.text(1, "title") == "B")
        #expect(note.syncState == .synced)
    }

    // MARK: Compared values

    @Test func `A 409 about a partly known object is rejected at once`() async throws {
        let store = try open(.serverWins, .never)
        try server.put(1, ["title": "old", "body": "text"])
        let note = try await store.imported(Note.self, #"{"id": 1, "title": "old"}"#)
        note.title = "taken"
        try await note.save(.queued)
        server.refuse(409)
        let report = await store.outbox.drain()
        #expect(report.rejections.map(\.kind) == [.conflict])
        #expect(note.title == "taken")
    }

    @Test func `With byProperty, sending a whole object contests only edited properties`() async throws {
        let store = try open(.byProperty(otherwise: .ask), models: [WholeNote.self])
        try server.put(1, ["title": "old", "body": "text"])
        let note = try await WholeNote.fetch(key: 1, in: store.main)
        note.title = "mine"
        try await note.save(.queued)
        try server.put(1, ["body": "theirs"])
        let report = await store.outbox.drain()
        #expect((report.sent, report.rejected) == (1, 0))
        #expect(server.text(1, "title") == "mine")
        #expect(server.text(1, "body") == "theirs")
    }

    @Test func `A closure can return to the version that was edited`() async throws {
        let store = try open(.decide { .merged($0.base) })
        let note = try await conflicting(store)
        await store.outbox.drain()
        #expect(note.title == "old")
        #expect(server.log.last == #"PATCH /notes/1 if "2" {"title":"old"} 200"#)
    }
}
