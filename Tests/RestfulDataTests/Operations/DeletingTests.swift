import RestfulData
import RestfulDataTesting
import Testing

@Model("/albums")
final class Album {
    var identifier: Int?
    @Relationship(inverse: "album", onDelete: .cascade) var tracks: [Track]
    @Relationship(inverse: nil, onDelete: .cascade) var covers: [Track]
    @Relationship(inverse: nil, onDelete: .cascade) var trailer: Track?
    @Relationship(inverse: nil) var favourites: [Track]
}

@Model("/tracks")
final class Track {
    var identifier: Int?
    var album: Album?
    @Relationship(inverse: nil, onDelete: .cascade) var next: Track?
}

/// Local effects of a deletion at the server.
@MainActor @Suite struct DeletingTests {
    @Test func `An acknowledged deletion follows the delete rules in every context`() async throws {
        let service = try Service([Album.self, Track.self], stub: StubTransport { _ in .status(204) })
        let album = try await service.imported(
            Album.self,
            #"""
            {"id": 1, "tracks": [{"id": 1, "next": {"id": 2}}], "covers": [{"id": 3}], "trailer": {"id": 4},
             "favourites": [{"id": 5}]}
            """#)
        let tracks = try service.main.query(Track.self).order { $0.identifier }.fetch()
        #expect(tracks.map(\.identifier) == [1, 2, 3, 4, 5])
        try await service.store.background { context in
            let same = try #require(try context.find(Album.self, 1))
            try await same.delete()
            #expect(try context.query(Track.self).fetch().map(\.identifier) == [5])
        }
        #expect(album.isDeleted && tracks.map(\.isDeleted) == [true, true, true, true, false])
        #expect(try await service.store.contents() == "Track 5\n  identifier = 5\n")
        #expect(service.stub.log == ["DELETE /albums/1"])
    }
}
