import RestfulData
import RestfulDataTesting
import Testing

@Model("/publications", discriminator: "type")
class Publication {
    var id: String?
    var type = ""
    var title = ""
}

@Model(inherits: Publication.self)
final class Journal: Publication {
    var volume = 0
}

@Model(inherits: Publication.self, as: "books")
final class PaperBook: Publication {
    var pageCount = 0
}

@Model
final class Shelf {
    var id: String?
    @Relationship(inverse: nil) var publications: [Publication]
    @Relationship(inverse: nil) var latest: Journal?
}

@Model("/shows", discriminator: "kind")
class PlayedShow {
    var id: String?
    var kind = ""
    var place: ShowPlace?
}

@Model(inherits: PlayedShow.self, as: "concert")
final class Concert: PlayedShow {
    var backstage: ShowPlace?
}

@Model(embedded: true)
final class ShowPlace {
    var city = ""
}

/// Models that inherit, in documents of JSON:API: the resource's `type` picks the class.
@MainActor @Suite struct InheritedResourceTests {
    private static let document = """
        {"data": {"type": "shelves", "id": "1", "relationships": {
            "publications": {"data": [{"type": "books", "id": "2"}, {"type": "journals", "id": "3"}]},
            "latest": {"data": {"type": "books", "id": "2"}}}},
         "included": [
            {"type": "books", "id": "2", "attributes": {"title": "A", "page_count": 9}},
            {"type": "journals", "id": "3", "attributes": {"title": "B", "volume": 4}}]}
        """

    @Test func `The type of a JSON:API resource selects the class`() async throws {
        let service = try Service(
            [Publication.self, Journal.self, PaperBook.self, Shelf.self], conventions: .jsonAPI,
            replies: ["GET /shelves/1": .json(Self.document)])
        let fetched = try await Shelf.fetchAllReporting("/shelves/1", in: service.main)
        let shelf = try #require(fetched.objects.first)
        #expect(shelf.publications.map { "\(Swift.type(of: $0 as AnyObject))" } == ["PaperBook", "Journal"])
        #expect((shelf.publications.first as? PaperBook)?.pageCount == 9)
        #expect(shelf.latest == nil)
        #expect(fetched.report.mismatched.map(\.expected) == ["a Journal"])
    }

    @Test func `A new object is sent as a JSON:API resource of its type`() async throws {
        let service = try Service(
            [Publication.self, Journal.self, PaperBook.self, Shelf.self], conventions: .jsonAPI,
            replies: ["POST /publications": .json(#"{"data": {"type": "books", "id": "5", "attributes": {}}}"#)])
        let book = PaperBook(in: service.main)
        book.title = "C"
        try await book.create()
        #expect(
            service.stub.log == [
                #"POST /publications {"data":{"type":"books","attributes":{"title":"C"}}}"#
            ])
        #expect(book.id == "5" && book.type == "books")
        #expect(try service.main.find(PaperBook.self, "5") === book)
    }

    @Test func `Embedded objects are attributes, whichever class declares them`() async throws {
        let service = try Service(
            [PlayedShow.self, Concert.self, ShowPlace.self], conventions: .jsonAPI,
            stub: StubTransport { _ in .status(204) })
        let concert = try await service.imported(
            PlayedShow.self,
            """
            {"data": {"type": "shows", "id": "1", "attributes": {
                "kind": "concert", "place": {"city": "Bonn"}, "backstage": {"city": "Ulm"}}}}
            """)
        #expect(concert.place?.city == "Bonn" && (concert as? Concert)?.backstage?.city == "Ulm")
        concert.place?.city = "Mainz"
        try await concert.save()
        let line = try #require(service.stub.log.first)
        #expect(line.contains(#""attributes":{"place":{"city":"Mainz"}}"#) && !line.contains("relationships"))
    }
}
