import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A list that is stored as its members' links and sent as a list, while the links aren't sent: their unsent values.
@MainActor @Suite struct ListOfLinksTests {
    @Model("/racks") final class Rack {
        var identifier: Int?
        @Relationship(inverse: "rack", sentAs: .identities) var books: [Volume]
    }

    @Model("/volumes") final class Volume {
        var identifier: Int?
        var title = ""
        @Relationship(sentAs: .never) var rack: Rack?
        @Relationship(inverse: "volume") var pages: [Leaf]
    }

    @Model("/racks/:volume.rack_id/leaves") final class Leaf {
        var identifier: Int?
        var text = ""
        var volume: Volume?
    }

    private func service(location: Store.Location = .temporary, status: Int = 204) throws -> Service {
        try Service(
            [Rack.self, Volume.self, Leaf.self], location: location, stub: StubTransport { _ in .status(status) })
    }

    /// Two racks: in the first one are two volumes.
    private func racks(_ service: Service) async throws -> (first: Rack, second: Rack, volumes: [Volume]) {
        let first = try await service.imported(
            Rack.self, #"[{"id": 1, "books": [{"id": 5}, {"id": 6}]}, {"id": 2, "books": []}]"#)
        return (first, try #require(try service.main.find(Rack.self, 2)), first.books)
    }

    private static let volumes = #"[{"id": 5, "rack_id": 1}, {"id": 6, "rack_id": 1}, {"id": 7, "rack_id": null}]"#

    @Test(arguments: [false, true]) func `An answer about a member keeps its edited list`(isSaved: Bool)
        async throws
    {
        let service = try service()
        let (first, second, volumes) = try await racks(service)
        first.books = [volumes[1]]
        second.books = [volumes[0]]
        if isSaved { try await service.main.save() }
        _ = try await service.imported(Volume.self, Self.volumes)
        #expect(first.books.map(\.identifier) == [6] && second.books.map(\.identifier) == [5])
        #expect(first.unsentProperties == ["books"] && second.unsentProperties == ["books"])
        #expect(volumes[0].unsentProperties == [])
        try await first.save()
        try await second.save()
        #expect(service.stub.log == [#"PATCH /racks/1 {"book_ids":[6]}"#, #"PATCH /racks/2 {"book_ids":[5]}"#])
        #expect(!service.main.hasChanges)
        // Now the server has the edit, and its values count.
        _ = try await service.imported(Volume.self, Self.volumes)
        #expect(first.books.map(\.identifier) == [6, 5] && second.books.isEmpty)
        #expect(first.unsentProperties == [] && second.unsentProperties == [])
    }

    @Test func `An answer about a member keeps its edited list after a restart`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try service(location: .file(file.path))
            let (first, _, _) = try await racks(service)
            first.books = []
            try await service.main.save()
        }
        let service = try service(location: .file(file.path))
        let first = try #require(try service.main.find(Rack.self, 1))
        _ = try await service.imported(Volume.self, Self.volumes)
        #expect(first.books.isEmpty && first.unsentProperties == ["books"])
        try await first.save()
        #expect(service.stub.log == [#"PATCH /racks/1 {"book_ids":[]}"#])
        _ = try await service.imported(Volume.self, Self.volumes)
        #expect(first.books.map(\.identifier) == [5, 6])
    }

    @Test(arguments: [false, true]) func `An edit of a member's link is sent by the lists of both owners`(isSaved: Bool)
        async throws
    {
        let service = try service()
        let (first, second, volumes) = try await racks(service)
        volumes[0].rack = second
        if isSaved { try await service.main.save() }
        #expect(first.unsentProperties == ["books"] && second.unsentProperties == ["books"])
        _ = try await service.imported(Volume.self, Self.volumes)
        #expect(volumes[0].rack === second)
        try await second.save()
        try await first.save()
        // An unsaved edit of the list that lost the member is sent with the other list.
        #expect(
            service.stub.log
                == [#"PATCH /racks/2 {"book_ids":[5]}"#] + (isSaved ? [#"PATCH /racks/1 {"book_ids":[6]}"#] : []))
        #expect(first.unsentProperties == [] && second.unsentProperties == [] && volumes[0].rack === second)
    }

    @Test func `One context's list edit survives another context's import of its members`() async throws {
        let service = try service()
        let (first, second, volumes) = try await racks(service)
        second.books = [volumes[0]]
        try await service.store.background { context in
            _ = try await context.import(Volume.self, from: Array(Self.volumes.utf8))
            let other = try #require(try context.find(Rack.self, 2))
            other.books.append(try #require(try context.find(Volume.self, 7)))
            try await context.save()
        }
        try await service.main.save()
        #expect(Set(second.books.map(\.identifier)) == [5, 7] && first.books.map(\.identifier) == [6])
        _ = try await service.imported(Volume.self, Self.volumes)
        #expect(Set(second.books.map(\.identifier)) == [5, 7])
        try await first.save()
        try await second.save()
        #expect(first.unsentProperties == [] && second.unsentProperties == [])
    }

    @Test func `URLs use the server's values while a list edit is pending`() async throws {
        let service = try service()
        let (_, second, volumes) = try await racks(service)
        let leaf = try await service.imported(Leaf.self, #"{"id": 9, "volume_id": 5}"#)
        second.books = [volumes[0]]
        try await service.main.save()
        leaf.text = "x"
        try await leaf.save()
        #expect(service.stub.log == [#"PATCH /racks/1/leaves/9 {"text":"x"}"#])
        try await second.save()
        leaf.text = "y"
        try await leaf.save()
        #expect(service.stub.log.last == #"PATCH /racks/2/leaves/9 {"text":"y"}"#)
    }

    @Test func `A new member is pending with its list`() async throws {
        let service = try service()
        let (_, second, _) = try await racks(service)
        let new = try await service.imported(Volume.self, #"{"id": 7}"#)
        let made = Volume(in: service.main)
        made.identifier = 8
        made.rack = second
        new.rack = second
        try await service.main.save()
        _ = try await service.imported(Volume.self, #"[{"id": 7, "rack_id": null}, {"id": 8, "rack_id": null}]"#)
        #expect(made.rack === second && new.rack === second)
        try await second.save()
        // The import has shown the new volume, so its identity is not pending any more.
        #expect(made.unsentProperties == [] && second.unsentProperties == [])
        _ = try await service.imported(Volume.self, #"[{"id": 7, "rack_id": null}, {"id": 8, "rack_id": null}]"#)
        #expect(made.rack == nil && new.rack == nil)
    }

    @Test func `A failed send leaves both sides of a list edit pending`() async throws {
        let service = try service(status: 500)
        let (first, _, volumes) = try await racks(service)
        first.books = [volumes[1]]
        #expect(await failure { try await first.save() } != nil)
        try await service.main.save()
        _ = try await service.imported(Volume.self, Self.volumes)
        #expect(first.books.map(\.identifier) == [6] && first.unsentProperties == ["books"])
    }

    /// A list's request also sends the removal of its former member, even if the server has meanwhile sent that
    /// member again.
    @Test(arguments: ["null", "2"]) func `A member that left a list is no longer pending once the list is sent`(
        _ rack: String
    ) async throws {
        let service = try service()
        let (first, _, volumes) = try await racks(service)
        first.books = [volumes[1]]
        try await service.main.save()
        _ = try await service.imported(Volume.self, #"{"id": 5, "rack_id": \#(rack)}"#)
        #expect(first.books.map(\.identifier) == [6] && first.unsentProperties == ["books"])
        try await first.save()
        #expect(service.stub.log == [#"PATCH /racks/1 {"book_ids":[6]}"#])
        _ = try await service.imported(Volume.self, #"{"id": 5, "rack_id": 1}"#)
        #expect(first.books.map(\.identifier) == [6, 5] && volumes[0].rack === first)
    }
}
