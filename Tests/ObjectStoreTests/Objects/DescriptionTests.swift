import Foundation
import RestfulData
import Testing

@testable import ObjectStore

/// The output of `print` and `dump` for objects, contexts, stores and queries: one line, free of secrets.
@MainActor
@Suite struct DescriptionTests {
    @Model("/tracks") final class Track {
        enum Kind: String { case song, talk }

        var identifier: Int?
        var kind: Kind = .song
        var notes = ""
        var description = ""
        var title = ""
        var seconds: Int?
        var link: URL?
        @Attribute(access: .writeOnly) var password: String?
        var accessToken: String?
        var album: Album?
        @Relationship(inverse: nil) var tags: [Mark]
        @Relationship(inverse: nil) var part: Part?
    }

    @Model("/albums", identity: "slug") final class Album {
        var slug: String?
        var fullName = ""
        var tracks: [Track]
    }

    @Model("/marks") final class Mark {
        var identifier: Int?
        var token: String?
        var text: String?
    }

    @Model(identity: "album", "number") final class Seat {
        @Relationship(inverse: nil) var album: Album?
        var number: Int?
    }

    /// Has a description, and a `debugDescription`, of its own.
    @Model("/owns") final class Own: CustomStringConvertible {
        var identifier: Int?
        var description: String { "my own words" }
    }

    @Model("/debugged") final class Debugged {
        var identifier: Int?
        var debugDescription: String { "my own words for debuggers" }
        var customMirror: Mirror { Mirror(self, children: ["mine": 1]) }
    }

    @Model(embedded: true) final class Part {
        var name = ""
    }

    @Model(identity: "url") final class Site {
        @Attribute("url") var url: URL?
    }

    private static let models: [any Model.Type] = [
        Track.self, Album.self, Mark.self, Seat.self, Own.self, Debugged.self, Part.self,
    ]

    private static let body = #"""
        {"id": 102, "title": "Crash", "notes": "n", "description": "d", "link": "https://example.com/a?token=abc",
         "access_token": "topsecret", "album": {"slug": "hits", "full_name": "Hits"},
         "tags": [{"id": 1, "text": "one"}, {"id": 2}]}
        """#

    private func makeStore() async throws -> (store: Store, track: Track) {
        let store = try Store(of: Self.models)
        return (store, try #require(try await store.main.take(Track.self, Self.body).objects.first))
    }

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    @Test func `An object's description has its model, identity, title and unsent properties`() async throws {
        let (store, track) = try await makeStore()
        #expect("\(track)" == #"Track 102 "Crash""#)
        track.title = "Crash when offline"
        #expect("\(track)" == #"Track 102 "Crash when offline" (unsent: title)"#)
        try await store.main.save()
        #expect("\(track)" == #"Track 102 "Crash when offline" (unsent: title)"#)
        track.seconds = 3
        #expect("\(track)" == #"Track 102 "Crash when offline" (unsent: title, seconds)"#)
        #expect(String(reflecting: track) == "\(track)" && String(describing: track) == "\(track)")
        let read = try await store.background { context in
            try #require(try context.find(Track.self, 102)).debugDescription
        }
        #expect(read == #"Track 102 "Crash when offline" (unsent: title)"#, "what is not saved is not there")
    }

    @Test func `A description lists exactly the unsentProperties`() async throws {
        let (store, track) = try await makeStore()
        let edits: [() -> Void] = [
            { track.title = "x" }, { track.album = nil }, { track.tags = [] }, { track.title = "Crash" },
        ]
        for edit in edits {
            edit()
            let unsent = track.unsentProperties
            #expect("\(track)".hasSuffix(unsent.isEmpty ? "\"" : " (unsent: \(unsent.joined(separator: ", ")))"))
        }
        try await store.main.save()
        #expect("\(track)".hasSuffix("(unsent: \(track.unsentProperties.joined(separator: ", ")))"))
    }

    @Test func `Descriptions mark new and deleted objects`() async throws {
        let (store, track) = try await makeStore()
        let new = Track(in: store.main)
        #expect("\(new)" == "new Track")
        new.title = "Fresh"
        #expect("\(new)" == #"new Track "Fresh" (unsent: title)"#)
        try await store.main.save()
        #expect("\(new)" == #"new Track "Fresh" (unsent: title)"#, "the server has not named it")
        store.main.delete(track)
        #expect("\(track)" == #"Track 102 "Crash" (deleted)"#)
        let part = Part(in: store.main)
        part.name = "wheel"
        #expect("\(part)" == #"new Part "wheel" (unsent: name)"#)
    }

    @Test func `A description's title is the best text attribute, and never a secret`() async throws {
        let (store, track) = try await makeStore()
        #expect("\(try #require(track.album))" == #"Album hits "Hits""#)
        #expect("\(track.tags)" == #"[Mark 1 "one", Mark 2]"#)
        let mark = Mark(in: store.main)
        mark.token = "topsecret"
        #expect("\(mark)" == "new Mark (unsent: token)")
        mark.text = "ghp_0123456789"
        #expect(!"\(mark)".contains("ghp_"))
    }

    @Test func `A long title is shortened to one line`() async throws {
        let (_, track) = try await makeStore()
        track.title = "a\nb\"c\u{202E}" + String(repeating: "x", count: 100)
        let words = "\(track)"
        #expect(!words.contains("\n") && words.hasPrefix("Track 102 \"a b'c x") && words.contains("…\" (unsent"))
        #expect(words.count < 80)
    }

    @Test func `A description of a composite identity has its known parts`() async throws {
        let (store, _) = try await makeStore()
        let seat = try #require(
            try await store.main.take(Seat.self, #"{"number": 5, "album": {"slug": "hits"}}"#).objects.first)
        _ = seat.album
        #expect("\(seat)" == "Seat hits/5")
    }

    @Test func `A description of an identity omits secrets`() async throws {
        let sites = try Store(of: [Site.self])
        let url = "https://ada:pw@example.com/a?token=abc"
        let site = try await sites.main.take(Site.self, "{\"url\": \"\(url)\"}").objects[0]
        #expect("\(site)" == "Site https://example.com/a?token=REDACTED")
        let (store, _) = try await makeStore()
        let album = try await store.main.take(Album.self, #"{"slug": "ghp_abc"}"#).objects[0]
        #expect("\(album)" == "Album REDACTED")
    }

    @Test func `A class's own description is used`() throws {
        let store = try Store(of: Self.models)
        let (own, debugged) = (Own(in: store.main), Debugged(in: store.main))
        #expect("\(own)" == "my own words")
        #expect(String(reflecting: own) == "new Own")
        #expect("\(debugged)" == "my own words for debuggers")
        #expect(dumped(debugged).contains("mine: 1"))
    }

    @Test func `An object's dump has its attributes and relationships without secrets`() async throws {
        let (_, track) = try await makeStore()
        _ = (track.album, track.tags)
        #expect(
            dumped(track) == #"""
                ▿ Track 102 "Crash" #0
                  - identifier: 102
                  - kind: "song"
                  - notes: "n"
                  - description: "d"
                  - title: "Crash"
                  - seconds: nil
                  - link: "https://example.com/a?token=REDACTED"
                  - album: Album hits "Hits"
                  ▿ tags: 2 elements
                    - Mark 1 "one"
                    - Mark 2
                  - part: nil

                """#)
        let text = dumped(track)
        #expect(!text.contains("topsecret") && !text.contains("abc") && !text.contains("password"))
    }

    @Test func `A dump reads no file and marks relationships that aren't loaded`() async throws {
        let (store, _) = try await makeStore()
        let text = try await store.background { context -> String in
            let track = try #require(try context.find(Track.self, 102))
            var text = ""
            dump(track, to: &text)
            return text
        }
        #expect(text.contains("- album: Album, not loaded\n") && text.contains("- tags: not loaded\n"))
    }

    @Test func `A description neither merges commits nor observes properties`() async throws {
        let (store, track) = try await makeStore()
        await endStep(store)
        #expect(whileMainIsBusy(store) { context in try context.find(Track.self, 102)?.title = "Elsewhere" })
        #expect("\(track)" == #"Track 102 "Crash" (unsent: title)"# && track.title == "Crash")
        #expect(store.main.reader?.isReading == false)
        store.main.catchUp()
        #expect(track.title == "Elsewhere")
        let tracker = Tracker { "\(track)" }
        track.notes = "edited"
        #expect(tracker.takeWakings() == 0)
    }

    @Test func `A description may be read on any thread`() async throws {
        final class Loan: @unchecked Sendable {
            // The objects are otherwise unused meanwhile.
            var values: [Any] = []
        }
        let (store, track) = try await makeStore()
        track.title = "Edited"
        let loan = Loan()
        loan.values = [track, store.main, store, store.main.query(Track.self), try store.main.draft()]
        let words = await Task { @concurrent in loan.values.map { "\($0) \(String(reflecting: $0))" } }.value
        #expect(words[0].hasPrefix(#"Track 102 "Edited" (unsent: title)"#))
    }

    @Test func `Contexts, drafts and stores have one-line descriptions`() async throws {
        let (store, track) = try await makeStore()
        let path = store.path
        let draft = try store.main.draft()
        #expect("\(store.main)" == "ObjectContext of \(path) (main actor, 0 unsaved)")
        track.title = "Edited"
        #expect("\(store.main)" == "ObjectContext of \(path) (main actor, 1 unsaved)")
        #expect("\(draft)" == "Draft of \(path) (draft, 0 unsaved)")
        draft.object(for: track)?.notes = "x"
        #expect("\(draft)" == "Draft of \(path) (draft, 1 unsaved)")
        #expect("\(store)" == "Store \(path) (Track, Album, Mark, Seat, Own, Debugged, Part)")
        #expect("\(store.context(on: MainActor.shared))".hasPrefix("ActorContext: ObjectContext of \(path)"))
        let history = store.main.recordUndo()
        history.group("x") { track.title = "y" }
        #expect("\(history)" == "UndoHistory (1 to undo, 0 to redo)")
        store.close()
        #expect("\(store)".hasSuffix("; closed)"))
        #expect("\(store.main)" == "ObjectContext of \(path) (main actor, store closed, 1 unsaved)")
    }

    @Test func `Descriptions of queries and live results omit the values of conditions`() async throws {
        let (store, track) = try await makeStore()
        let query = store.main.query(Track.self).where { $0.title != "hidden" }.order(by: { $0.title }).limit(20)
        #expect("\(query)" == "ObjectQuery<Track> (conditions, 1 order, limit 20)")
        #expect("\(store.main.query(Track.self))" == "ObjectQuery<Track>")
        let live = try query.live()
        #expect("\(live)" == "LiveResults<Track> (1 object)" && dumped(live).contains("Track 102"))
        #expect("\(try query.liveCount())" == "LiveValue<Track> (1)")
        let sections = try store.main.query(Track.self).liveSections(by: { $0.kind })
        #expect("\(sections)" == "LiveSections<Track, Kind> (1 object in 1 section)")
        #expect("\(try #require(sections.first))" == "LiveSection song (1 object)")
        let changes = live.changes.makeAsyncIterator()
        let change = try #require(try await changes.next())
        #expect("\(change)" == "LiveChange<Track> (1 object, 1 inserted)")
        #expect("\(try await store.main.take(Mark.self, #"{"id": 9}"#))".hasPrefix("Imported<Mark> (1 object: "))
        _ = track
    }
}
