import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// An object that the server has created may come by other ways before the reply to its creation.
@MainActor @Suite struct PushedCreationTests {
    @Model("/halls") final class Hall {
        var identifier: Int?
        @Relationship(inverse: "hall", onDelete: .cascade) var notes: [HallNote]
    }

    @Model("/halls/:hall_id/notes", object: "/notes/:id") final class HallNote {
        var identifier: Int?
        var uid = ""
        var text = ""
        var hall: Hall?
    }

    private let held = HeldTransport()
    private let store: Store
    private let body = #"{"id": 8, "uid": "m01", "text": "hello", "hall_id": 1}"#

    init() throws { store = try Store.held(by: held, [Hall.self, HallNote.self]) }

    private func shown(_ hall: Hall) throws -> [String] {
        let notes = try store.main.query(HallNote.self).order { $0.uid }.fetch()
        #expect(Set(notes.map(ObjectIdentifier.init)) == Set(hall.notes.map(ObjectIdentifier.init)))
        return notes.map { "\($0.identifier ?? 0) \($0.uid)" }
    }

    /// The new object is unified with the pushed one, and the listing was requested when there were two.
    @Test(arguments: [false, true], [false, true])
    func `A listing doesn't delete an object that was unified meanwhile`(
        isSaved: Bool, isListedFirst: Bool
    ) async throws {
        let hall = try await store.imported(Hall.self, #"{"id": 1}"#)
        let note = HallNote(in: store.main)
        (note.uid, note.text, note.hall) = ("m01", "hello", hall)
        if isSaved { try await store.main.save() }
        let sent = Task { try await hall.$notes.add(note) }
        await held.wait(for: 1)
        _ = try await store.imported(HallNote.self, body)
        #expect(try shown(hall) == ["0 m01", "8 m01"])
        let listed = Task { _ = try await hall.$notes.fetch(pages: .all(), prune: .delete) }
        await held.wait(for: 2)
        let page = #"[\#(body), {"id": 7, "uid": "x01", "text": "t", "hall_id": 1}]"#
        if isListedFirst {
            held.answer(1, .json(page))
            try await listed.value
            #expect(try shown(hall) == ["0 m01", "8 m01", "7 x01"] || shown(hall) == ["8 m01", "0 m01", "7 x01"])
        }
        held.answer(0, .json(body, status: 201))
        try await sent.value
        if !isListedFirst {
            held.answer(1, .json(page))
            try await listed.value
        }
        #expect(try shown(hall) == ["8 m01", "7 x01"])
        #expect(try store.main.query(Hall.self).fetch().count == 1)
    }

    /// A second listing is requested, as the first of two pages no longer has the new object.
    @Test(arguments: [false, true])
    func `A listing of several pages doesn't delete an object unified between them`(isSaved: Bool) async throws {
        let hall = try await store.imported(Hall.self, #"{"id": 1}"#)
        let note = HallNote(in: store.main)
        (note.uid, note.text, note.hall) = ("m01", "hello", hall)
        if isSaved { try await store.main.save() }
        let sent = Task { try await hall.$notes.add(note) }
        await held.wait(for: 1)
        _ = try await store.imported(HallNote.self, body)
        let listed = Task { _ = try await hall.$notes.fetch(pages: .all(), prune: .delete) }
        await held.wait(for: 2)
        var fields = HTTPFields()
        fields[try #require(HTTPField.Name("link"))] = #"<https://api.example.com/halls/1/notes?page=2>; rel="next""#
        for listing in 0..<2 {
            held.answer(2 * listing + 1, .json("[\(body)]", headerFields: fields))
            if listing == 0 {
                await held.wait(for: 3)
                held.answer(0, .json(body, status: 201))
                try await sent.value
            }
            held.answer(2 * listing + 2, .json(#"[{"id": 7, "uid": "x01", "text": "t", "hall_id": 1}]"#))
        }
        try await listed.value
        #expect(try shown(hall) == ["8 m01", "7 x01"])
    }
}
