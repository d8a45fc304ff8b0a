import RestfulData
import RestfulDataTesting
import Testing

/// A queued change of a list is sent as the same change would be at once.
@MainActor @Suite struct OutboxMemberTests {
    @Model("/boards") final class Board {
        var identifier: Int?
        @Relationship("/boards/:id/pins", inverse: "board") var pins: [Pin]
    }

    /// Only boards have routes to it.
    @Model final class Pin {
        var identifier: Int?
        var title = ""
        var board: Board?
    }

    @Model("/albums") final class Album {
        var identifier: Int?
        @Relationship("/albums/:id/photos", inverse: nil) var photos: [Photo]
    }

    @Model("/photos") final class Photo {
        var identifier: Int?
    }

    @Test func `A deletion that is taken back returns the object's pending memberships`() async throws {
        let service = try Service([Album.self, Photo.self], stub: StubTransport { _ in .status(204) })
        let json = #"{"id": 7, "photos": [{"id": 1}]}"#
        let album = try await service.imported(Album.self, json)
        let photo = try await service.imported(Photo.self, #"{"id": 2}"#)
        album.photos = [photo]
        try await service.main.save()
        try await album.delete(.queued)
        try await service.store.outbox.discard(service.store.outbox.entries()[0])
        let back = try await service.imported(Album.self, json)
        #expect(back.photos.map(\.identifier) == [2])
        try await back.save()
        #expect(service.stub.log == [#"PATCH /albums/7 {"photo_ids":[2]}"#])
    }

    @Test func `A list with members that the store lacks isn't sent after a deletion is taken back`() async throws {
        let service = try Service([Album.self, Photo.self], stub: StubTransport { _ in .status(204) })
        _ = try await service.imported(Photo.self, #"{"id": 1}"#)
        let album = try await service.imported(Album.self, #"{"id": 7, "photo_ids": [1, 2]}"#)
        try await album.delete(.queued)
        try await service.store.outbox.discard(service.store.outbox.entries()[0])
        let back = try #require(try service.main.find(Album.self, 7))
        #expect(back.photos.map(\.identifier) == [1])
        let photo = try await service.imported(Photo.self, #"{"id": 3}"#)
        back.photos.append(photo)
        await #expect(throws: APIError.self) { try await back.save() }
        #expect(service.stub.log.isEmpty)
    }

    @Test func `Members return in a fixed order when their removal is discarded`() async throws {
        let service = try Service([Album.self, Photo.self], stub: StubTransport { _ in .status(204) })
        let photos = (1...8).map { #"{"id": \#($0)}"# }.joined(separator: ", ")
        let album = try await service.imported(Album.self, #"{"id": 7, "photos": [\#(photos)]}"#)
        album.photos = []
        try await album.save(.queued)
        try await service.store.outbox.discard(service.store.outbox.entries()[0])
        #expect(album.photos.compactMap(\.identifier) == Array(1...8))
        #expect(album.syncState == .synced)
    }

    @Test(arguments: [true, false])
    func `Discarding a queued membership ends the edit of a list that is also sent whole`(isAdded: Bool) async throws {
        let service = try Service([Album.self, Photo.self], stub: StubTransport { _ in .status(204) })
        let album = try await service.imported(Album.self, #"{"id": 7, "photos": [{"id": 1}]}"#)
        let photo = try await service.imported(Photo.self, #"{"id": 2}"#)
        if isAdded {
            try await album.$photos.add(photo, .queued)
        } else {
            try await album.$photos.delete(album.photos[0], .queued)
        }
        let entry = try #require(try await service.store.outbox.entries().first)
        #expect(entry.action == (isAdded ? .add("photos") : .remove("photos")))
        try await service.store.outbox.discard(entry)
        #expect(album.photos.map(\.identifier) == [1])
        #expect(album.syncState == .synced && service.main.outboxCount == 0)
    }

    @Test func `A list that was never fetched is unknown again when its assignment is discarded`() async throws {
        let service = try Service([Album.self, Photo.self], stub: StubTransport { _ in .status(204) })
        let album = try await service.imported(Album.self, #"{"id": 7}"#)
        let photo = try await service.imported(Photo.self, #"{"id": 1}"#)
        album.photos = [photo]
        try await album.save(.queued)
        try await service.store.outbox.discard(service.store.outbox.entries()[0])
        #expect(album.photos.isEmpty && album.syncState == .synced)
        // The server's album may have other photos, so the list isn't sent.
        album.photos.append(photo)
        await #expect(throws: APIError.self) { try await album.save() }
        #expect(service.stub.log.isEmpty)
    }

    @Test func `The edit of a list ends when the only new member is deleted`() async throws {
        let service = try Service([Album.self, Photo.self], stub: StubTransport { _ in .status(204) })
        let album = try await service.imported(Album.self, #"{"id": 7, "photos": [{"id": 1}]}"#)
        let photo = Photo(in: service.main)
        album.photos.insert(photo, at: 0)
        try await service.main.save()
        try await photo.save(.queued)
        try await service.store.outbox.discard(service.store.outbox.entries()[0])
        #expect(photo.isDeleted && album.photos.map(\.identifier) == [1])
        #expect(album.syncState == .synced)
    }

    @Test func `A known member without a URL of its own is posted to the list, now or later`() async throws {
        var logs: [[String]] = []
        for timing in [WriteTiming.immediate, .queued] {
            let service = try Service([Board.self, Pin.self], stub: StubTransport { _ in .status(204) })
            let board = try await service.imported(Board.self, #"{"id": 7, "pins": []}"#)
            let pin = try await service.imported(Pin.self, #"{"id": 1, "title": "A"}"#)
            try await board.$pins.add(pin, timing)
            await service.store.outbox.drain()
            #expect(board.pins.map(\.identifier) == [1] && pin.board === board)
            #expect(pin.syncState == .synced && service.main.outboxCount == 0)
            logs.append(service.stub.log)
        }
        #expect(logs[0] == [#"POST /boards/7/pins {"pin_ids":[1]}"#])
        #expect(logs[1] == logs[0])
    }

    @Test func `Edits of a new member without a URL of its own join its queued addition`() async throws {
        let service = try Service(
            [Board.self, Pin.self], stub: StubTransport { _ in .json(#"{"id": 1}"#, status: 201) })
        let board = try await service.imported(Board.self, #"{"id": 7, "pins": []}"#)
        let pin = Pin(in: service.main)
        pin.title = "A"
        try await board.$pins.add(pin, .queued)
        pin.title = "B"
        try await pin.save(.queued)
        #expect(await service.store.outbox.drain().sent == 1)
        #expect(service.stub.log == [#"POST /boards/7/pins {"title":"B","board_id":7}"#])
        #expect(pin.identifier == 1 && service.main.outboxCount == 0)
    }

    @Test func `An object that computes all of its URLs is queued without a base URL`() async throws {
        let service = try Service([Beacon.self], stub: StubTransport { _ in .json(#"{"id": 1}"#, status: 201) })
        let beacon = Beacon(in: service.main)
        beacon.text = "A"
        try await beacon.save(.queued)
        #expect(await service.store.outbox.drain().sent == 1)
        #expect(service.stub.log == [#"POST /beacons {"text":"A"}"#])
    }
}

@Model private final class Beacon {
    var identifier: Int?
    var text = ""
}

extension Beacon: CustomURLs {
    func url(to verb: ObjectVerb) -> URLTemplate? { verb == .create ? "/beacons" : "/beacons/:id" }
}
