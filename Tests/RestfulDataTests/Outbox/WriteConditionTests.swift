import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Changes of an object by other requests than its own also renew or remove its validator.
@MainActor @Suite struct WriteConditionTests {
    @Model("/boards") final class Board {
        var identifier: Int?
        @Relationship(inverse: "board") var notes: [PinnedNote]
    }

    @Model("/notes") final class PinnedNote {
        var identifier: Int?
        var title = ""
        var board: Board?
    }

    private let server: VersionedServer
    private let store: Store

    init() throws {
        var conventions = APIConventions.default
        conventions.conditionalWrites = .entityTags
        server = try VersionedServer()
        store = try Store(
            .temporary, models: [Board.self, PinnedNote.self],
            api: API("https://api.example.com", conventions: conventions, transport: server))
    }

    private func fetched() async throws -> PinnedNote {
        try server.put(1, ["title": "old"])
        let note = try await PinnedNote.fetch(key: 1, in: store.main)
        server.forgetLog()
        return note
    }

    @Test func `The reply to a member's addition has the member's validator`() async throws {
        let note = try await fetched()
        let board = try await store.imported(Board.self, #"{"id": 7}"#)
        try await board.$notes.add(note)
        note.title = "A"
        try await note.save()
        #expect(
            server.log == [
                #"PATCH /notes/1 if "1" {"board_id":7} 200"#, #"PATCH /notes/1 if "2" {"title":"A"} 200"#,
            ])
    }

    @Test func `A member's addition is refused if the server has another version of the member`() async throws {
        let note = try await fetched()
        let board = try await store.imported(Board.self, #"{"id": 7}"#)
        try server.put(1, ["title": "theirs"])
        let error = await failure { try await board.$notes.add(note) }
        guard case .conflict(let conflict)? = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(conflict.reply.status == 412)
        #expect(note.board == nil && board.notes.isEmpty && note.title == "old")
        #expect(server.log.first == #"PATCH /notes/1 if "1" {"board_id":7} 412"#)
    }

    @Test func `An action discards the validator`() async throws {
        let note = try await fetched()
        try await note.send(.post, "/notes/:id/archive", body: ["state": "archived"])
        note.title = "A"
        try await note.save()
        #expect(server.log.last == #"PATCH /notes/1 {"title":"A"} 200"#)
        note.title = "B"
        try await note.save()
        #expect(server.log.last == #"PATCH /notes/1 if "3" {"title":"B"} 200"#)
    }

    @Test(arguments: ["", #"{"state": "queued"}"#])
    func `A 202 to a save discards the validator, since its own is that of a status report`(_ body: String) async throws
    {
        var conventions = APIConventions.default
        conventions.conditionalWrites = .entityTags
        let stub = StubTransport { request in
            guard request.method == .patch else {
                return .json(#"{"id": 1, "title": "old"}"#, headerFields: [.eTag: #""1""#])
            }
            let fields: HTTPFields = [.eTag: #""status""#, .contentType: "application/json"]
            return StubTransport.Reply(status: 202, headerFields: fields, body: Array(body.utf8))
        }
        let store = try Store(
            .temporary, models: [Board.self, PinnedNote.self],
            api: API("https://api.example.com", conventions: conventions, transport: stub))
        let note = try await PinnedNote.fetch(key: 1, in: store.main)
        for title in ["A", "B"] {
            note.title = title
            try await note.save()
        }
        #expect(stub.requests.map { $0.headerFields[.ifMatch] } == [nil, #""1""#, nil])
    }

    @Test func `A GET about an object keeps the validator`() async throws {
        let note = try await fetched()
        try await note.send(.get, "/notes/:id/preview")
        note.title = "A"
        try await note.save()
        #expect(server.log.last == #"PATCH /notes/1 if "1" {"title":"A"} 200"#)
    }

    @Test func `Server snapshots of a new object have the defaults`() {
        let note = PinnedNote(in: store.main)
        note.title = "new"
        #expect(note.snapshot(.server).title == "")
        #expect(note.snapshot(.server).board == nil)
        #expect(note.snapshot(.inFlight).title == "")
    }
}
