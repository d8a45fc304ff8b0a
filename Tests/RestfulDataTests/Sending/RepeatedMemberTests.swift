import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// The server has an object in a list twice, of which the store has it once: the list is never sent without the other
/// place, and nothing is dropped silently.
@MainActor @Suite struct RepeatedMemberTests {
    @Model("/playlists") final class Playlist {
        var identifier: Int?
        var name = ""
        @Relationship("/playlists/:id/tracks", inverse: "playlists") var tracks: [Track]
        @Relationship(inverse: "intro") var introduced: [Track]
        var notes: [Note]
        @Relationship(inverse: nil, merges: true) var seen: [Track]
    }

    @Model("/tracks") final class Track {
        var identifier: Int?
        var title = ""
        @Relationship(sentAs: .never) var playlists: [Playlist]
        var intro: Playlist?
    }

    @Model(embedded: true) final class Note {
        var text = ""
        @Relationship(inverse: nil) var mentions: [Track]
    }

    private func service(
        at location: Store.Location = .temporary, answering reply: StubTransport.Reply = .status(204)
    ) async throws -> Service {
        let service = try Service(
            [Playlist.self, Track.self, Note.self], location: location, stub: StubTransport { _ in reply })
        for id in 1...3 { _ = try await service.imported(Track.self, "{\"id\": \(id)}") }
        return service
    }

    private func playlist(_ tracks: String, _ service: Service) async throws -> Playlist {
        try await service.imported(Playlist.self, #"{"id": 7, "name": "A", \#(tracks)}"#)
    }

    private func track(_ id: Int, _ service: Service) throws -> Track {
        try #require(try service.main.find(Track.self, id))
    }

    private func ids(_ tracks: [Track]) -> [Int?] { tracks.map(\.identifier) }

    private func expectRefusal(of playlist: Playlist, _ list: String = "tracks") async {
        let error = await failure { try await playlist.save() }
        guard case .repeatedMember("Playlist", list)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(error?.description.contains("Playlist.\(list)") == true)
    }

    // MARK: Sending

    private nonisolated static let repeated = [
        #""track_ids": [1, 2, 1]"#, #""tracks": [{"id": 1}, {"id": 2}, {"id": 1}]"#,
        #""tracks": [{"id": 1}, {"id": 2}], "track_ids": [1, 2, 1]"#,
        #""track_ids": [1, 2, 1], "tracks": [{"id": 1}, {"id": 2}]"#, #""track_ids": [1, 1, 2, 2]"#,
        #""tracks": [1, {"id": 2}, "1"]"#,
    ]

    @Test(arguments: repeated)
    func `A list with a repeated member is left out of PUT and PATCH`(
        _ tracks: String
    ) async throws {
        let service = try await service()
        let playlist = try await playlist(tracks, service)
        #expect(ids(playlist.tracks) == [1, 2] && playlist.$tracks.repeatsMember && !playlist.$tracks.isPartial)
        playlist.name = "B"
        try await playlist.save(using: .put)
        playlist.name = "C"
        try await playlist.save()
        #expect(
            service.stub.log == [
                #"PUT /playlists/7 {"id":7,"name":"B"}"#, #"PATCH /playlists/7 {"name":"C"}"#,
            ])
    }

    @Test(arguments: [false, true])
    func `An edit of a list with a repeated member is refused until it comes without one`(
        _ isSaved: Bool
    ) async throws {
        let service = try await service()
        let playlist = try await playlist(#""track_ids": [1, 2, 1]"#, service)
        playlist.tracks.append(try track(3, service))
        if isSaved { try await service.main.save() }
        await expectRefusal(of: playlist)
        #expect(service.stub.log.isEmpty && ids(playlist.tracks) == [1, 2, 3])
        #expect(playlist.unsentProperties == ["tracks"])
        _ = try await self.playlist(#""track_ids": [2, 1, 2]"#, service)
        await expectRefusal(of: playlist)
        _ = try await self.playlist(#""track_ids": [2, 1]"#, service)
        // Once saved, an addition at the end doesn't depend on the order of the others.
        #expect(!playlist.$tracks.repeatsMember && ids(playlist.tracks) == (isSaved ? [2, 1, 3] : [1, 2, 3]))
        try await playlist.save()
        #expect(
            service.stub.log == [
                isSaved
                    ? #"PATCH /playlists/7 {"track_ids":[2,1,3]}"# : #"PATCH /playlists/7 {"track_ids":[1,2,3]}"#
            ])
        #expect(playlist.unsentProperties.isEmpty && !service.main.hasChanges)
    }

    @Test(arguments: [false, true])
    func `A pending edit is refused once the list comes with a repeated member`(_ isSaved: Bool) async throws {
        let service = try await service()
        let playlist = try await playlist(#""track_ids": [1]"#, service)
        playlist.tracks.append(try track(3, service))
        if isSaved { try await service.main.save() }
        _ = try await self.playlist(#""track_ids": [1, 2, 1]"#, service)
        await expectRefusal(of: playlist)
        #expect(Set(ids(playlist.tracks)) == [1, 2, 3] && service.stub.log.isEmpty)
        _ = try await self.playlist(#""track_ids": [1, 2]"#, service)
        try await playlist.save()
        let sent = playlist.$tracks.identities.compactMap(\.text).joined(separator: ",")
        #expect(service.stub.log == ["PATCH /playlists/7 {\"track_ids\":[\(sent)]}"] && playlist.tracks.count == 3)
    }

    @Test func `Assigning a list with a repeated member is refused too`()
        async throws
    {
        let service = try await service()
        let playlist = try await playlist(#""track_ids": [1, 2, 1]"#, service)
        playlist.tracks = playlist.tracks.reversed()
        await expectRefusal(of: playlist)
        playlist.tracks = []
        await expectRefusal(of: playlist)
        await #expect(throws: APIError.self) { try await playlist.save(using: .put) }
        playlist.rollback()
        playlist.name = "B"
        try await playlist.save()
        #expect(service.stub.log == [#"PATCH /playlists/7 {"name":"B"}"#])
    }

    @Test func `A repeated member is known after a restart`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try await service(at: .file(file.path))
            let playlist = try await playlist(#""track_ids": [1, 2, 1]"#, service)
            playlist.tracks.append(try track(3, service))
            try await service.main.save()
        }
        let copy = try file.copy()
        let service = try await service(at: .file(copy.path))
        let playlist = try #require(try service.main.find(Playlist.self, 7))
        #expect(playlist.$tracks.repeatsMember)
        await expectRefusal(of: playlist)
        _ = try await self.playlist(#""track_ids": [1, 2]"#, service)
        try await playlist.save()
        #expect(service.stub.log == [#"PATCH /playlists/7 {"track_ids":[1,2,3]}"#])
    }

    @Test func `An unknown repeated member takes its first place once imported`() async throws {
        let service = try await service()
        let playlist = try await playlist(#""track_ids": [8, 9, 1, 8]"#, service)
        #expect(playlist.$tracks.repeatsMember)
        #expect(playlist.$tracks.identities.map(\.text) == ["8", "9", "1"])
        for id in [9, 8] { _ = try await service.imported(Track.self, "{\"id\": \(id)}") }
        #expect(ids(playlist.tracks) == [8, 9, 1])
        playlist.name = "B"
        try await playlist.save(using: .put)
        #expect(service.stub.log == [#"PUT /playlists/7 {"id":7,"name":"B"}"#])
    }

    @Test func `A one-to-many list with a repeated member is refused, and a member's link is sent`() async throws {
        let service = try await service()
        let playlist = try await playlist(#""introduced_ids": [1, 2, 1]"#, service)
        #expect(playlist.$introduced.repeatsMember && ids(playlist.introduced) == [1, 2])
        let third = try track(3, service)
        playlist.introduced.append(third)
        await expectRefusal(of: playlist, "introduced")
        try await third.save()
        #expect(service.stub.log == [#"PATCH /tracks/3 {"intro_id":7}"#])
        #expect(playlist.unsentProperties.isEmpty && ids(playlist.introduced) == [1, 2, 3])
    }

    @Test func `An embedded object whose list has a repeated member isn't sent`() async throws {
        let service = try await service()
        let playlist = try await playlist(#""notes": [{"text": "a", "mention_ids": [1, 1]}]"#, service)
        playlist.notes[0].text = "b"
        guard case .repeatedMember("Note", "mentions")? = await failure({ try await playlist.save() }) else {
            Testing.Issue.record("sent: \(service.stub.log)")
            return
        }
    }

    @Test func `An edit of the unsent other side is an edit of the list with a repeated member`() async throws {
        let service = try await service()
        let playlist = try await playlist(#""track_ids": [1, 2, 1]"#, service)
        try track(3, service).playlists.append(playlist)
        #expect(playlist.unsentProperties == ["tracks"])
        await expectRefusal(of: playlist)
    }

    @Test func `A draft's edit of a list with a repeated member is refused and can be rolled back`() async throws {
        let service = try await service()
        let playlist = try await playlist(#""track_ids": [1, 2, 1]"#, service)
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: playlist))
        #expect(form.$tracks.repeatsMember)
        form.tracks.removeLast()
        guard case .repeatedMember? = await failure({ try await form.save() }) else {
            Testing.Issue.record("sent: \(service.stub.log)")
            return
        }
        draft.rollback()
        form.name = "B"
        try await form.save()
        #expect(service.stub.log == [#"PATCH /playlists/7 {"name":"B"}"#] && ids(playlist.tracks) == [1, 2])
    }

    @Test func `A part with a repeated member leaves a whole list whole and repeated`()
        async throws
    {
        let service = try await service()
        let playlist = try await playlist(#""track_ids": [1, 2]"#, service)
        _ = try await self.playlist(#""tracks": [{"id": 1}, {"id": 1}], "tracks_count": 3"#, service)
        #expect(playlist.$tracks.repeatsMember && !playlist.$tracks.isPartial)
        _ = try await self.playlist(#""tracks": [{"id": 1}, {"id": 3}, {"id": 1}], "tracks_count": 9"#, service)
        #expect(playlist.$tracks.isPartial && ids(playlist.tracks) == [1, 2, 3])
        _ = try await self.playlist(#""track_ids": [1]"#, service)
        #expect(!playlist.$tracks.isPartial && !playlist.$tracks.repeatsMember)
    }

    @Test func `A unified object's list has a repeated member if a duplicate's had`() async throws {
        let service = try await service()
        let draft = Playlist(in: service.main)
        try await service.main.save()
        _ = try await playlist(#""track_ids": [1, 2, 1]"#, service)
        draft.identifier = 7
        try? await service.main.save()
        #expect(try #require(try service.main.find(Playlist.self, 7)).$tracks.repeatsMember)
    }

    // MARK: Replies

    @Test func `A save's reply decides whether a list has repeated members`() async throws {
        for (reply, isRepeated) in [
            (#"{"id": 7, "track_ids": [2, 1, 2]}"#, true), (#"{"id": 7, "track_ids": [2, 1]}"#, false),
        ] {
            let service = try await service(answering: .json(reply))
            let playlist = try await playlist(#""track_ids": [1, 2]"#, service)
            playlist.tracks.reverse()
            try await playlist.save()
            #expect(ids(playlist.tracks) == [2, 1] && playlist.$tracks.repeatsMember == isRepeated)
        }
    }

    @Test(arguments: [true, false])
    func `An older answer doesn't change a newer one's repeated members`(_ isRepeated: Bool)
        async throws
    {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Playlist.self, Track.self, Note.self])
        for id in 1...3 { _ = try await store.imported(Track.self, "{\"id\": \(id)}") }
        let playlist = try await store.imported(Playlist.self, #"{"id": 7, "track_ids": []}"#)
        let first = Task { _ = try await playlist.$tracks.fetch() }
        await held.wait(for: 1)
        let second = Task { _ = try await playlist.$tracks.fetch(query: ["per_page": 50]) }
        await held.wait(for: 2)
        let answers = [#"[{"id": 1}, {"id": 2}, {"id": 1}]"#, #"[{"id": 1}, {"id": 2}]"#]
        held.answer(1, .json(answers[isRepeated ? 0 : 1]))
        try await second.value
        held.answer(0, .json(answers[isRepeated ? 1 : 0]))
        try await first.value
        #expect(playlist.$tracks.repeatsMember == isRepeated && ids(playlist.tracks) == [1, 2])
    }

    @Test func `A list acknowledged since an answer was requested has no repeated member`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Playlist.self, Track.self, Note.self])
        for id in 1...3 { _ = try await store.imported(Track.self, "{\"id\": \(id)}") }
        let playlist = try await store.imported(Playlist.self, #"{"id": 7, "track_ids": [1, 2]}"#)
        let asking = Task { _ = try await playlist.$tracks.fetch() }
        await held.wait(for: 1)
        playlist.tracks.reverse()
        let saving = Task { try await playlist.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await saving.value
        held.answer(0, .json(#"[{"id": 1}, {"id": 2}, {"id": 1}]"#))
        try await asking.value
        #expect(!playlist.$tracks.repeatsMember && ids(playlist.tracks) == [2, 1])
    }

    @Test(
        arguments: [
            (.status(204), 2, true), (.status(204), 3, false), (.json(#"[{"id": 1}, {"id": 2}]"#), 2, false),
            (.json(#"[{"id": 1}, {"id": 2}, {"id": 2}]"#), 2, true),
        ] as [(StubTransport.Reply, Int, Bool)])
    func `Adding a known member can repeat it, as the reply shows`(
        _ reply: StubTransport.Reply, _ id: Int, _ isRepeated: Bool
    ) async throws {
        let service = try await service(answering: reply)
        let playlist = try await playlist(#""track_ids": [1, 2]"#, service)
        try await playlist.$tracks.add(try track(id, service))
        #expect(service.stub.log == [#"POST /playlists/7/tracks {"track_ids":[\#(id)]}"#])
        #expect(
            playlist.$tracks.repeatsMember == isRepeated && ids(playlist.tracks) == (id == 3 ? [1, 2, 3] : [1, 2]))
    }

    @Test func `Membership requests of a list with a repeated member change that member only`() async throws {
        let service = try await service()
        let playlist = try await playlist(#""track_ids": [1, 2, 1]"#, service)
        try await playlist.$tracks.add(try track(3, service))
        try await playlist.$tracks.delete(try track(1, service))
        #expect(
            service.stub.log == [
                #"POST /playlists/7/tracks {"track_ids":[3]}"#, "DELETE /playlists/7/tracks/1",
            ])
        #expect(ids(playlist.tracks) == [2, 3] && playlist.$tracks.repeatsMember && playlist.unsentProperties.isEmpty)
    }

    // MARK: Reports

    @Test func `A list with a repeated member is reported once, with its path`() async throws {
        let service = try await service()
        let imported = try await service.main.import(
            Playlist.self,
            from: Array(#"[{"id": 6, "track_ids": [1, 2]}, {"id": 7, "track_ids": [1, 2, 1, 2], "seen": [1, 1]}]"#.utf8)
        )
        #expect(imported.report.repeatedLists == ["[1].tracks", "[1].seen"] && imported.report.repeatedListCount == 2)
        #expect(imported.report.isComplete)
        #expect(
            imported.report.description
                == "2 inserted, 0 updated, 0 unchanged, 2 lists with a member twice ([1].tracks; [1].seen)")
    }

    @Test func `Repeated members are reported to the API's handler unless the caller collects`() async throws {
        let heard = Box<[String]>([])
        let reports = ReplyReports.silent.telling { report, request in
            heard.value.append("\(request.method) \(report.repeatedLists)")
        }
        let stub = StubTransport { request in
            .json(
                request.url.path().hasSuffix("tracks")
                    ? #"[{"id": 1}, {"id": 1}]"# : #"{"id": 7, "track_ids": [1, 2, 1]}"#)
        }
        let store = try Store(
            .temporary, models: [Playlist.self, Track.self, Note.self],
            api: API("https://api.example.com", reports: reports, transport: stub))
        let playlist = try await Playlist.fetch(key: 7, in: store.main)
        try await playlist.$tracks.fetch()
        #expect(heard.value == [#"GET ["tracks"]"#, #"GET ["the body"]"#])
    }

    // MARK: Locally set lists

    @Test func `An assignment with a repeated member is refused and reported by the next save`() async throws {
        let service = try await service()
        let playlist = try await playlist(#""track_ids": [2]"#, service)
        let (one, two) = (try track(1, service), try track(2, service))
        playlist.name = "B"
        playlist.tracks = [one, two, one]
        #expect(ids(playlist.tracks) == [2])
        for expected in [true, false] {
            let error = await failure { try await playlist.save() }
            if case .store(.repeatedMember("Playlist", "tracks"))? = error {
                #expect(expected && error?.description.contains("Playlist.tracks") == true)
            } else {
                #expect(error == nil && !expected)
            }
        }
        #expect(service.stub.log == [#"PATCH /playlists/7 {"name":"B"}"#])
    }

    @Test(arguments: [3, 40])
    func `Appending a member that the list has is refused and reported`(_ count: Int)
        async throws
    {
        let service = try await service()
        let ids = (1...count).map { "{\"id\": \($0)}" }.joined(separator: ",")
        let playlist = try await playlist("\"tracks\": [\(ids)]", service)
        let last = try #require(playlist.tracks.last)
        playlist.tracks.append(playlist.tracks[0])
        playlist.tracks.insert(last, at: 0)
        #expect(playlist.tracks.map(\.identifier) == Array(1...count) && !playlist.hasChanges)
        await #expect(throws: StoreError.self) { try await service.main.save() }
        try await service.main.save()
        playlist.tracks.insert(playlist.tracks.removeLast(), at: 0)
        #expect(playlist.tracks.first === last && playlist.unsentProperties == ["tracks"])
    }

    @Test func `Lists of new objects, links, parts and drafts refuse repeated members`() async throws {
        let service = try await service()
        let one = try track(1, service)
        let new = Playlist(in: service.main)
        new.tracks = [one, one]
        #expect(new.tracks.isEmpty)
        await expectNotMade("tracks") { try await new.create() }
        new.introduced = [one, one]
        #expect(new.introduced.isEmpty && one.intro == nil)
        await expectNotMade("introduced") { try await new.create() }
        let note = Note(in: service.main)
        new.notes = [note, note]
        await expectNotMade("notes") { try await new.create() }
        let playlist = try await playlist(#""track_ids": [2]"#, service)
        let draft = try service.main.draft()
        let form = try #require(draft.object(for: playlist))
        form.tracks.append(form.tracks[0])
        #expect(throws: StoreError.self) { try draft.save() }
        #expect(ids(playlist.tracks) == [2] && service.stub.log.isEmpty)
    }

    private func expectNotMade(_ list: String, _ body: () async throws -> Void) async {
        let error = await failure(body)
        guard case .store(.repeatedMember("Playlist", list))? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
    }
}
