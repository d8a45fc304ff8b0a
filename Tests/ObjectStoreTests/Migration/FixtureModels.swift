import Foundation
import RestfulData
import Testing

@testable import ObjectStore

/// The models of the fixtures: every kind of attribute and of relationship, links that wait, unsent changes.
@MainActor
enum FixtureModels {
    struct Point: Codable, Sendable, Equatable {
        var x = 0
        var y = 0
    }

    @Model final class Album {
        enum State: String { case draft, published }

        var identifier: Int?
        var title = ""
        var state: State = .draft
        var isPublic = false
        var small: Int8?
        var large: UInt64?
        var rating: Double?
        var price: Decimal?
        var releasedAt: Date?
        var cover: Data?
        var homepage: URL?
        var token: UUID?
        var place: Point?
        var words: [String] = []
        var artist: Artist?
        @Relationship(owns: true) var tracks: [Track]
        var genres: [Genre]
        @Relationship(inverse: nil) var similar: [Album]
    }

    @Model final class Artist {
        var identifier: String?
        var albums: [Album]
    }

    @Model(identity: "album", "number") final class Track {
        var number: Int?
        var title: String?
        var album: Album?
    }

    @Model(identity: "name") final class Genre {
        var name: String?
        var albums: [Album]
    }

    static let models: [any Model.Type] = [Album.self, Artist.self, Track.self, Genre.self]

    static func fill(_ store: Store) async throws {
        try await store.main.take(
            Album.self,
            #"""
            [{"id": 1, "title": "It's", "state": "published", "is_public": true, "small": -128,
              "large": 18446744073709551615, "rating": 4, "price": "12.50", "released_at": "2020-01-01T00:00:00.5Z",
              "cover": "AP8=", "homepage": "https://a.example/x?y=1", "token": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
              "place": {"x": 1, "y": 2}, "words": ["a", "b"], "artist": {"id": "ada"},
              "tracks": [{"number": 2, "title": "two"}, {"number": 1}],
              "genres": [{"name": "rock"}, {"name": "jazz"}], "similar_ids": [2, 99]},
             {"id": 2, "state": "unheard of", "artist_id": "bob", "genres": [{"name": "jazz"}]},
             {"id": 3, "rating": 3, "artist": {"id": "ada"}}]
            """#)
        let album = try #require(try store.main.find(Album.self, 3))
        album.title = "mine"
        album.rating = nil
        album.artist = nil
        try await store.main.save()
    }

    static let dump = """
        album
          1 title=It's state=published is_public=1 small=-128 large=-1 rating=4.0 price=12.50 \
        released_at=1577836800.5 cover= homepage=https://a.example/x?y=1 token=E621E1F8-C36C-495A-93FC-0C247A3E6E5F \
        place={"x": 1, "y": 2} words=["a", "b"] artist_id=(ada)
          2 title= state=unheard of is_public=0 words=[]
          3 title=mine state=draft is_public=0 words=[] unsent: artist, rating, title
        artist
          ada
        track
          1/1 album_id=(1) _album_position=1
          1/2 title=two album_id=(1) _album_position=0
        genre
          jazz
          rock
        album_genres
          (1) - (jazz) 1 -
          (1) - (rock) 0 -
          (2) - (jazz) 0 -
        album_similar
          (1) - (2) 0
        _pending_link
          album(1).similar -> album(99) at 1
          album(2).artist -> artist(bob)
        """

    static func check(_ store: Store) throws {
        let album = try #require(try store.main.find(Album.self, 1))
        #expect(album.title == "It's" && album.state == .published && album.isPublic && album.small == -128)
        #expect(album.large == .max && album.rating == 4 && album.price == Decimal(string: "12.50"))
        #expect(album.releasedAt == Date(timeIntervalSince1970: 1_577_836_800.5) && album.cover == Data([0, 255]))
        #expect(album.homepage == URL(string: "https://a.example/x?y=1"))
        #expect(album.token == UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(album.place == Point(x: 1, y: 2) && album.words == ["a", "b"])
        #expect(album.artist?.identifier == "ada" && album.tracks.map(\.number) == [2, 1])
        #expect(album.genres.map(\.name) == ["rock", "jazz"])
        let mine = try #require(try store.main.find(Album.self, 3))
        #expect(Set(mine.unsentProperties) == ["title", "rating", "artist"])
    }
}

/// Later versions of the fixtures' models.
@MainActor
enum LaterModels {
    @Model(renamedFrom: "Album") final class Record {
        var identifier: String?
        @Attribute(renamedFrom: "title") var name = ""
        var state: String?
        var isPublic = 0
        var small = 5
        var large: UInt64?
        var rating: Int?
        var price: Double?
        var homepage: String?
        @Relationship(renamedFrom: "artist") var artists: [Artist]
        var tracks: [Track]
        var genres: [Genre]
        @Relationship(inverse: nil, renamedFrom: "similar") var likes: [Record]
        var stars = 3
    }

    @Model final class Artist {
        var identifier: String?
        @Relationship(renamedFrom: "albums") var records: [Record]
    }

    @Model(identity: "record", "number") final class Track {
        var number: Int?
        var title: String?
        @Relationship(renamedFrom: "album") var record: Record?
    }

    @Model(identity: "name") final class Genre {
        var name: String?
        @Relationship(renamedFrom: "albums") var records: [Record]
    }

    static let models: [any Model.Type] = [Record.self, Artist.self, Track.self, Genre.self]

    static let dump = """
        record
          1 name=It's state=published is_public=1 small=-128 large=-1 rating=4 price=12.5 \
        homepage=https://a.example/x?y=1 stars=3
          2 name= state=unheard of is_public=0 small=5 stars=3
          3 name=mine state=draft is_public=0 small=5 stars=3 unsent: artists, name, rating
        artist
          ada
        track
          1/1 record_id=(1) _record_position=1
          1/2 title=two record_id=(1) _record_position=0
        genre
          jazz
          rock
        record_artists
          (1) - (ada) 0 -
        record_genres
          (1) - (jazz) 1 -
          (1) - (rock) 0 -
          (2) - (jazz) 0 -
        record_likes
          (1) - (2) 0
        _pending_link
          record(1).likes -> record(99) at 1
          record(2).artists -> artist(bob)
        """
}
