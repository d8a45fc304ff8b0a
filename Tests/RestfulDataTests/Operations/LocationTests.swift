import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// The key of a created object is read from its `Location`, at the place of the key in the model's URL.
@MainActor @Suite struct LocationTests {
    @Model("/Products", object: "/Products(:id)") final class Product {
        var identifier: Int?
        var name = ""
    }

    @Model("/files", object: "/files/:id.json") final class File {
        var identifier: String?
        var name = ""
    }

    @Model("/things", object: "/things/:id/details") final class Thing {
        var identifier: Int?
        var name = ""
    }

    @Model("/notes", object: "/note?id=:id&full=1") final class Note {
        var identifier: Int?
        var name = ""
    }

    @Model("/twins", object: "/twins/:id/of/:id") final class Twin {
        var identifier: Int?
        var name = ""
    }

    @Model("/shops") final class Shop {
        var identifier: Int?
        var wares: [Ware]
    }

    @Model("/shops/:shop_id/wares", object: "/shops(:shop_id)/wares(:id)") final class Ware {
        var identifier: Int?
        var name = ""
        var shop: Shop?
    }

    @Model("/writers", identity: "url") final class Writer {
        var url: URL?
        var name = ""
    }

    private static let models: [any Model.Type] = [
        Product.self, File.self, Thing.self, Note.self, Twin.self, Shop.self, Ware.self, Writer.self,
    ]

    private func service(_ location: String) throws -> Service {
        try Service(
            Self.models, emptyReplies: [],
            stub: StubTransport { request in
                request.method == .post ? .status(201, headerFields: [.location: location]) : .status(204)
            })
    }

    /// A created object's identity, and the URL at which it is saved.
    private func created<M: Model>(
        _ make: (ObjectContext) -> M, at location: String, naming name: (M) -> Void
    ) async throws -> (object: M, error: APIError?, line: String?) {
        let service = try service(location)
        let object = make(service.main)
        let error = await failure { try await object.create() }
        if error == nil {
            name(object)
            try await object.save()
        }
        return (object, error, service.stub.log.dropFirst().last)
    }

    @Test(arguments: [
        ("/Products(5)", true), ("https://api.example.com/Products(5)", true), ("http://internal/Products(5)/", true),
        ("/Products/5", true), ("/Products()", false), ("/Products(5", false), ("/Products(5)/Parts", false),
        ("/Products(x)", false), ("/Things(5)", false),
    ]) func `A Location with parentheses gives the key of a matching URL template`(location: String, isCreated: Bool)
        async throws
    {
        let (product, error, line) = try await created({ Product(in: $0) }, at: location, naming: { $0.name = "B" })
        #expect((error == nil) == isCreated && product.identifier == (isCreated ? 5 : nil))
        #expect(line == (isCreated ? #"PATCH /Products(5) {"name":"B"}"# : nil))
    }

    @Test(arguments: [
        ("/files/a%2Fb.json", "a/b"), ("/files/x.json", "x"), ("/files/x", "x"), ("/files/x.txt", "x.txt"),
    ])
    func `A Location's key ends where the URL template goes on`(location: String, key: String) async throws {
        let (file, error, _) = try await created({ File(in: $0) }, at: location, naming: { $0.name = "B" })
        #expect(error == nil && file.identifier == key)
    }

    @Test func `A Location is matched with further segments, a query and repeated keys`() async throws {
        let (thing, _, line) = try await created({ Thing(in: $0) }, at: "/things/5/details", naming: { $0.name = "B" })
        #expect(thing.identifier == 5 && line == #"PATCH /things/5/details {"name":"B"}"#)
        let (note, _, _) = try await created({ Note(in: $0) }, at: "/note?id=6&full=1", naming: { $0.name = "B" })
        #expect(note.identifier == 6)
        let (twin, _, _) = try await created({ Twin(in: $0) }, at: "/twins/12/of/12", naming: { $0.name = "B" })
        #expect(twin.identifier == 12)
        let (other, error, _) = try await created({ Twin(in: $0) }, at: "/twins/12/of/13", naming: { $0.name = "B" })
        #expect(other.identifier == nil && error != nil)
    }

    @Test func `A Location is itself the key of an object identified by its URL`() async throws {
        let (writer, _, line) = try await created({ Writer(in: $0) }, at: "/writers/3/", naming: { $0.name = "B" })
        #expect(writer.url?.absoluteString == "https://api.example.com/writers/3/")
        #expect(line == #"PATCH /writers/3/ {"name":"B"}"#)
        let (other, error, _) = try await created({ Writer(in: $0) }, at: "/jobs/3", naming: { $0.name = "B" })
        #expect(other.url == nil && error != nil)
    }

    @Test(arguments: [false, true]) func `A Location's other values must be the owner's`(isAdded: Bool) async throws {
        let service = try service("/shops(3)/wares(5)")
        let shop = try await service.imported(Shop.self, #"{"id": 3}"#)
        let ware = Ware(in: service.main)
        if isAdded {
            try await shop.$wares.add(ware)
        } else {
            ware.shop = shop
            try await ware.create()
        }
        #expect(ware.identifier == 5 && ware.shop === shop && shop.wares.count == 1)
        let other = Ware(in: service.main)
        let elsewhere = try await service.imported(Shop.self, #"{"id": 4}"#)
        #expect(await failure { try await elsewhere.$wares.add(other) } != nil)
        #expect(other.identifier == nil)
    }

    @Test func `A Location in a save's reply isn't read as a key`() async throws {
        let stub = StubTransport { _ in .status(202, headerFields: [.location: "/things/5/details/status"]) }
        let service = try Service(Self.models, stub: stub)
        let thing = try await service.imported(Thing.self, #"{"id": 5}"#)
        thing.name = "B"
        let (_, report) = try await API.reporting { try await thing.save() }
        #expect(report.isComplete && thing.identifier == 5 && thing.changedProperties.isEmpty)
    }
}
