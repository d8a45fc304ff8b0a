import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model("/clubs", names: .camelCase, values: ValueFormats(dates: .epochSeconds))
private final class Club {
    var identifier: Int?
    var homeTown = ""
    var foundedAt: Date?
    @Relationship(inverse: "club") var players: [Player]
}

@Model("/players")
private final class Player {
    var identifier: Int?
    var fullName = ""
    var bornAt: Date?
    var club: Club?
}

@Model("/odd", values: ValueFormats(dates: .pattern("")))
private final class Odd {
    var identifier: Int?
    var at: Date?
}

/// Names and formats of one model, in an API with others.
@MainActor @Suite struct ModelStyleTests {
    private static let date = Date(timeIntervalSince1970: 86_400)

    private static func service() throws -> Service {
        try Service([Club.self, Player.self], stub: StubTransport { _ in .status(204) })
    }

    @Test func `Each model is read with its own names and formats`() async throws {
        let service = try Self.service()
        let club = try await service.imported(
            Club.self,
            #"{"id": 1, "homeTown": "Bonn", "foundedAt": 86400, "players": [{"id": 2, "full_name": "Ada", "born_at": "1970-01-02T00:00:00Z"}]}"#
        )
        #expect(club.homeTown == "Bonn" && club.foundedAt == Self.date)
        #expect(club.players.first?.fullName == "Ada" && club.players.first?.bornAt == Self.date)
    }

    @Test func `Each model is sent with its own names and formats`() async throws {
        let service = try Self.service()
        let club = try await service.imported(Club.self, #"{"id": 1}"#)
        let player = try await service.imported(Player.self, #"{"id": 2}"#)
        (club.homeTown, club.foundedAt) = ("Bonn", Self.date)
        (player.fullName, player.bornAt, player.club) = ("Ada", Self.date, club)
        try await club.save()
        try await player.save()
        #expect(
            service.stub.log == [
                #"PATCH /clubs/1 {"homeTown":"Bonn","foundedAt":86400}"#,
                #"PATCH /players/2 {"full_name":"Ada","born_at":"1970-01-02T00:00:00Z","club_id":1}"#,
            ])
    }

    @Test func `An invalid date format of a model is reported when the store opens`() {
        let error = #expect(throws: StoreError.self) { try Service([Odd.self], stub: StubTransport([:])) }
        #expect("\(String(describing: error))".contains("Odd's date format is no use"))
    }
}
