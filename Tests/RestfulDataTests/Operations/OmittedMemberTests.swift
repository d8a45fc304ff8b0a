import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// The meaning of members omitted in a server's whole list: of members whose deletion was requested, of those whose
/// identity includes the list's owner, and of those whose URL does.
@MainActor @Suite(.timeLimit(.minutes(10))) struct OmittedMemberTests {
    @Model("/rooms") final class Room {
        var identifier: Int?
        var messages: [Message]
        var seats: [Seat]
        var cards: [Card]
    }

    /// Of which the URL has the owner, and the identity has not.
    @Model("/rooms/:room_id/messages") final class Message {
        var identifier: Int?
        var text = ""
        var room: Room?
    }

    /// Of which the identity has the owner.
    @Model("/rooms/:room_id/seats", key: "number", identity: "room", "number") final class Seat {
        var room: Room?
        var number: Int?
        var text = ""
    }

    /// Of which one object's URL has the owner.
    @Model("/cards", object: "/rooms/:room_id/cards/:id") final class Card {
        var identifier: Int?
        var text = ""
        var room: Room?
    }

    @Model("/notes") final class Note {
        var identifier: Int?
        var text = ""
    }

    private static let models: [any Model.Type] = [Room.self, Message.self, Seat.self, Card.self, Note.self]

    private let held = HeldTransport()
    private let store: Store

    init() throws { store = try Store.held(by: held, Self.models) }

    private static let room = #"""
        {"id": 1, "messages": [{"id": 1, "text": "A"}, {"id": 2}, {"id": 3}],
         "seats": [{"number": 1, "text": "A"}, {"number": 2}, {"number": 3}], "cards": [{"id": 1, "text": "A"}]}
        """#

    private func room() async throws -> Room { try await store.imported(Room.self, Self.room) }

    /// Does something that sends one request.
    @discardableResult
    private func answering<Value: Sendable>(
        _ reply: StubTransport.Reply, _ body: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        let count = held.log.count
        let task = Task { try await body() }
        await held.wait(for: count + 1)
        held.answer(count, reply)
        return try await task.value
    }

    private func lose(_ deletion: @escaping @MainActor () async throws -> Void, by status: Int = 503) async throws {
        try await answering(.status(status)) { _ = await failure { try await deletion() } }
    }

    private func count<M: Model>(_ type: M.Type) throws -> Int { try store.main.query(type).count() }

    // MARK: Requested deletions

    enum Listing: CaseIterable { case route, owner, pages }

    /// Lists all messages and seats but the first of each.
    ///
    /// - Parameter isNews: whether a listing of several pages may remove the omitted ones, so that they are fetched
    ///   again.
    private func list(
        _ room: Room, by listing: Listing, isNews: (messages: Bool, seats: Bool) = (true, true)
    ) async throws {
        switch listing {
        case .route:
            try await answering(.json(#"[{"id": 2}, {"id": 3}]"#)) { _ = try await room.$messages.fetch() }
            try await answering(.json(#"[{"number": 2}, {"number": 3}]"#)) { _ = try await room.$seats.fetch() }
        case .owner:
            try await answering(
                .json(#"{"id": 1, "messages": [{"id": 2}, {"id": 3}], "seats": [{"number": 2}, {"number": 3}]}"#)
            ) { _ = try await room.fetch() }
        case .pages:
            try await listPages([#"{"id": 2}"#, #"{"id": 3}"#], isTwice: isNews.messages) {
                _ = try await room.$messages.fetch(pages: .all())
            }
            try await listPages([#"{"number": 2}"#, #"{"number": 3}"#], isTwice: isNews.seats) {
                _ = try await room.$seats.fetch(pages: .all())
            }
        }
    }

    /// Two pages with an element each.
    private func listPages(
        _ elements: [String], isTwice: Bool, asking: @escaping @MainActor () async throws -> Void
    ) async throws {
        let count = held.log.count
        let task = Task { try await asking() }
        for index in 0..<(isTwice ? 4 : 2) {
            await held.wait(for: count + index + 1)
            let link = index % 2 == 0 ? #"<?page=2>; rel="next""# : #"<?page=1>; rel="first""#
            held.answer(count + index, .json("[\(elements[index % 2])]", headerFields: [.init("Link")!: link]))
        }
        try await task.value
    }

    @Test(arguments: Listing.allCases) func `A deletion without an answer is done if the whole list lacks the object`(
        _ listing: Listing
    ) async throws {
        let room = try await room()
        let (message, seat) = (room.messages[0], room.seats[0])
        try await lose { try await message.delete() }
        try await lose { try await seat.delete() }
        #expect(!message.isDeleted && !seat.isDeleted)
        try await list(room, by: listing)
        #expect(message.isDeleted && seat.isDeleted)
        #expect(room.messages.map(\.identifier) == [2, 3] && room.seats.map(\.number) == [2, 3])
        #expect(try count(Message.self) == 2 && count(Seat.self) == 2)
        try await store.main.save()
    }

    @Test func `A deletion without an answer isn't done if the list has the object`() async throws {
        let room = try await room()
        let message = room.messages[0]
        try await lose { try await message.delete() }
        try await answering(.json(#"[{"id": 1, "text": "B"}, {"id": 2}]"#)) { _ = try await room.$messages.fetch() }
        #expect(!message.isDeleted && message.text == "B" && room.messages.map(\.identifier) == [1, 2])
        try await answering(.status(204)) { try await message.delete() }
        #expect(message.isDeleted)
    }

    @Test func `A list requested earlier, or a part, doesn't confirm a deletion`() async throws {
        let room = try await room()
        let message = room.messages[0]
        let asking = Task { _ = try await room.$messages.fetch() }
        await held.wait(for: 1)
        try await lose { try await message.delete() }
        held.answer(0, .json(#"[{"id": 2}, {"id": 3}]"#))
        try await asking.value
        #expect(!message.isDeleted)
        let other = room.messages[0]
        try await lose { try await other.delete() }
        try await answering(
            .json(#"[{"id": 3}]"#, headerFields: [.init("Link")!: #"<?page=2>; rel="next""#])
        ) { _ = try await room.$messages.fetch() }
        #expect(!other.isDeleted && room.messages.count == 2)
    }

    @Test(arguments: [204, 503]) func `A list requested during the deletion confirms it`(
        status: Int
    )
        async throws
    {
        let room = try await room()
        let message = room.messages[0]
        let deleting = Task { await failure { try await message.delete() } }
        await held.wait(for: 1)
        let asking = Task { _ = try await room.$messages.fetch() }
        await held.wait(for: 2)
        held.answer(1, .json(#"[{"id": 2}, {"id": 3}]"#))
        try await asking.value
        #expect(message.isDeleted)
        held.answer(0, .status(status))
        #expect((await deleting.value == nil) == (status == 204))
        #expect(try count(Message.self) == 2)
    }

    @Test func `A rejected deletion isn't confirmed by a list without the object`() async throws {
        let room = try await room()
        let message = room.messages[0]
        try await lose({ try await message.delete() }, by: 403)
        try await list(room, by: .route)
        #expect(!message.isDeleted && message.room == nil)
    }

    @Test func `An object in another list of the same body isn't deleted`() async throws {
        let room = try await room()
        let message = room.messages[0]
        try await lose { try await message.delete() }
        let main = store.main
        try await answering(
            .json(#"[{"id": 1, "messages": [{"id": 2}]}, {"id": 2, "messages": [{"id": 1, "text": "B"}]}]"#)
        ) { _ = try await Room.fetchAll(in: main) }
        #expect(!message.isDeleted && message.text == "B" && message.room?.identifier == 2)
    }

    @Test func `Another context's list confirms a deletion`() async throws {
        let room = try await room()
        let message = room.messages[0]
        message.text = "edited before"
        try await lose { try await message.delete() }
        try await answering(.json(#"[{"id": 2}, {"id": 3}]"#)) { [store] in
            try await store.background { context in
                let same = try #require(try context.find(Room.self, 1))
                _ = try await same.$messages.fetch()
            }
        }
        #expect(message.isDeleted && room.messages.map(\.identifier) == [2, 3])
        // An edit made before the deletion was requested is not reported as lost.
        try await store.main.save()
    }

    enum Edit: CaseIterable { case unsaved, saved, unsavedBefore, savedBefore }

    @Test(arguments: Edit.allCases) func `An object edited since its deletion was requested isn't deleted`(_ edit: Edit)
        async throws
    {
        let room = try await room()
        let (message, seat) = (room.messages[0], room.seats[0])
        func change() async throws {
            (message.text, seat.text) = ("B", "B")
            if edit == .saved || edit == .savedBefore { try await store.main.save() }
        }
        let isBefore = edit == .unsavedBefore || edit == .savedBefore
        if isBefore { try await change() }
        try await lose { try await message.delete() }
        try await lose { try await seat.delete() }
        if !isBefore { try await change() }
        try await list(room, by: .route)
        #expect(message.isDeleted == isBefore && seat.isDeleted == isBefore)
        try await store.main.save()
        guard !isBefore else { return }
        #expect(message.text == "B" && message.unsentProperties == ["text"] && message.room == nil)
        // Without the room it would be another seat.
        #expect(seat.text == "B" && seat.room === room && room.seats.map(\.number) == [1, 2, 3])
        try await delete(message, at: "/rooms/1/messages", key: 1)
        try await delete(seat, at: "/rooms/1/seats", key: 1)
    }

    /// Deletes the objects that the server doesn't have.
    private func delete<M: Model>(_ object: M, at collection: String, key: Int) async throws {
        let count = held.log.count
        let deleting = Task { try await object.delete() }
        for (index, reply) in [StubTransport.Reply.status(404), .status(404), .json("[]")].enumerated() {
            await held.wait(for: count + index + 1)
            held.answer(count + index, reply)
        }
        try await deleting.value
        #expect(object.isDeleted)
        #expect(
            held.log.dropFirst(count) == [
                "DELETE \(collection)/\(key)", "GET \(collection)/\(key)", "GET \(collection)",
            ])
    }

    @Test func `The collection of all objects confirms a deletion, on one page or several`() async throws {
        _ = try await store.imported(Note.self, #"[{"id": 1}, {"id": 2}, {"id": 3}]"#)
        let notes = try store.main.query(Note.self).order { $0.identifier }.fetch()
        let main = store.main
        try await lose { try await notes[0].delete() }
        // Other members, and a narrower list, are not affected.
        try await answering(.json(#"[{"id": 2}]"#)) { _ = try await Note.fetchAll(query: ["text": "B"], in: main) }
        #expect(!notes[0].isDeleted)
        try await answering(.json(#"[{"id": 2}]"#)) { _ = try await Note.fetchAll(in: main) }
        #expect(notes.map(\.isDeleted) == [true, false, false])
        try await lose { try await notes[1].delete() }
        let count = held.log.count
        let task = Task { try await Note.fetchAll(pages: .all(), in: main).map(\.identifier) }
        for index in 0..<4 {
            await held.wait(for: count + index + 1)
            let link = index % 2 == 0 ? #"<?page=2>; rel="next""# : #"<?page=1>; rel="first""#
            held.answer(
                count + index, .json(#"[{"id": \#(3 + index % 2)}]"#, headerFields: [.init("Link")!: link]))
        }
        #expect(try await task.value == [3, 4])
        #expect(notes.map(\.isDeleted) == [true, true, false])
    }

    // MARK: Members deleted by others

    @Test(arguments: Listing.allCases)
    func `A member identified by its owner is deleted if the owner's whole list omits it`(
        _ listing: Listing
    ) async throws {
        let room = try await room()
        let seat = room.seats[0]
        try await list(room, by: listing)
        #expect(seat.isDeleted && room.seats.map(\.number) == [2, 3])
        #expect(try count(Seat.self) == 2)
        // A member that has its owner in its URL only may be in another list.
        #expect(try count(Message.self) == 3)
        try await store.main.save()
        try await list(room, by: listing, isNews: (false, false))
        #expect(room.seats.map(\.number) == [2, 3])
    }

    @Test(arguments: Listing.allCases, [false, true])
    func `An omitted member with edits stays, and its save throws 404`(
        _ listing: Listing, isSaved: Bool
    ) async throws {
        let room = try await room()
        let seat = room.seats[0]
        seat.text = "B"
        if isSaved { try await store.main.save() }
        try await list(room, by: listing, isNews: (true, false))
        #expect(!seat.isDeleted && seat.room === room && seat.text == "B" && seat.unsentProperties == ["text"])
        #expect(Set(room.seats.map(\.number)) == [1, 2, 3])
        try await answering(.status(404)) {
            #expect(await failure { try await seat.save() }?.reply?.status == 404)
        }
        #expect(held.log.last == #"PATCH /rooms/1/seats/1 {"text":"B"}"#)
        try await delete(seat, at: "/rooms/1/seats", key: 1)
        #expect(room.seats.map(\.number) == [2, 3])
    }

    @Test func `An omitted member with edits in another context is reported by its next save`() async throws {
        let room = try await room()
        let seat = room.seats[0]
        seat.text = "B"
        try await answering(.json("[]")) { [store] in
            try await store.background { context in
                let same = try #require(try context.find(Room.self, 1))
                _ = try await same.$seats.fetch()
            }
        }
        #expect(seat.isDeleted)
        await #expect(throws: StoreError.self) { try await store.main.save() }
        try await store.main.save()
    }

    @Test func `A member sent or imported during the list's request isn't deleted`() async throws {
        let room = try await room()
        let (first, second) = (room.seats[0], room.seats[1])
        let asking = Task { _ = try await room.$seats.fetch() }
        await held.wait(for: 1)
        first.text = "B"
        let saving = Task { try await first.save() }
        await held.wait(for: 2)
        try await answering(.json(#"{"number": 2, "room_id": 1, "text": "C"}"#)) { _ = try await second.fetch() }
        held.answer(0, .json(#"[{"number": 3}]"#))
        try await asking.value
        held.answer(1, .status(204))
        try await saving.value
        #expect(!first.isDeleted && !second.isDeleted && second.text == "C")
        #expect(Set(room.seats.map(\.number)) == [1, 2, 3])
        try await answering(.json(#"[{"number": 3}]"#)) { _ = try await room.$seats.fetch() }
        #expect(first.isDeleted && second.isDeleted && room.seats.map(\.number) == [3])
    }

    @Test func `A list under other credentials or narrowed by a query deletes nothing`() async throws {
        let room = try await room()
        try await answering(.json("[]")) {
            try await API.withHeaders([.authorization: "other"]) { _ = try await room.$seats.fetch() }
        }
        #expect(room.seats.count == 3)
        try await answering(.json("[]")) { _ = try await room.$seats.fetch(query: ["text": "A"]) }
        #expect(room.seats.count == 3)
    }

    // MARK: The URL of a member that has left

    @Test func `A former member's URL keeps its owner until the server names another`() async throws {
        let room = try await room()
        let (message, other) = (room.messages[0], room.messages[1])
        try await list(room, by: .route)
        #expect(message.room == nil && room.messages.map(\.identifier) == [2, 3])
        message.text = "B"
        try await answering(.status(404)) { _ = await failure { try await message.save() } }
        #expect(held.log.last == #"PATCH /rooms/1/messages/1 {"text":"B"}"#)
        #expect(message.$room.identity == nil)
        try await delete(message, at: "/rooms/1/messages", key: 1)
        try await answering(.json("[]")) { _ = try await room.$messages.fetch() }
        #expect(other.room == nil && !other.isDeleted)
        // The owner is imported again without its list.
        _ = try await store.imported(Room.self, #"{"id": 1}"#)
        #expect(other.room == nil && room.messages.isEmpty)
        let second = try await store.imported(Room.self, #"{"id": 2, "messages": [{"id": 2}]}"#)
        #expect(other.room === second)
        try await answering(.status(204)) { try await other.delete() }
        #expect(held.log.last == "DELETE /rooms/2/messages/2")
    }

    @Test func `A former member's URL follows an edit of its owner`() async throws {
        let room = try await room()
        let message = room.messages[0]
        try await list(room, by: .route)
        message.room = try await store.imported(Room.self, #"{"id": 2}"#)
        message.text = "B"
        try await answering(.status(204)) { try await message.save() }
        #expect(held.log.last == #"PATCH /rooms/2/messages/1 {"text":"B"}"#)
    }

    @Test func `A former member's URL keeps its owner after the owner's body omits it`() async throws {
        let room = try await room()
        let card = room.cards[0]
        _ = try await store.imported(Room.self, #"{"id": 1, "cards": []}"#)
        #expect(card.room == nil)
        try await answering(.status(204)) { try await card.delete() }
        #expect(held.log.last == "DELETE /rooms/1/cards/1")
    }

    @Test func `A former member's URL and the owner's list survive a restart`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try Service(
                Self.models, location: .file(file.path),
                stub: StubTransport { request in request.method == .delete ? .status(503) : .json("[]") })
            let room = try await service.imported(Room.self, Self.room)
            _ = await failure { try await room.messages[0].delete() }
            _ = await failure { try await room.seats[0].delete() }
            _ = try await room.$messages.fetch()
            room.seats[1].text = "B"
            try await service.main.save()
        }
        let service = try Service(
            Self.models, location: .file(file.path),
            stub: StubTransport { request in
                request.method == .get && request.url.path == "/rooms/1/messages"
                    ? .json("[]") : .json("[]", status: 404)
            })
        #expect(try service.main.find(Message.self, 1) == nil)
        let message = try #require(try service.main.find(Message.self, 2))
        #expect(message.room == nil)
        try await message.delete()
        #expect(message.isDeleted)
        #expect(
            service.stub.log == ["DELETE /rooms/1/messages/2", "GET /rooms/1/messages/2", "GET /rooms/1/messages"])
        let room = try #require(try service.main.find(Room.self, 1))
        _ = try await service.imported(Room.self, #"{"id": 1, "seats": [{"number": 3}]}"#)
        // The first's deletion was forgotten with the program, and the list shows it all the same.
        #expect(room.seats.map(\.number) == [2, 3] && room.seats[0].text == "B")
    }
}
