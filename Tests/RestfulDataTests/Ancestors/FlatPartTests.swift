import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/customers")
private final class Customer {
    var identifier: Int?
    var name = ""
    @Relationship(json: .root) var address: Place?
}

@Model(embedded: true)
private final class Place {
    var street: String?
    var city: String?
    @Attribute("geo.lat") var latitude: Double?
}

@Model("/odd")
private final class Unfit {
    var identifier: Int?
    @Relationship(json: .root) var other: Customer?
}

/// An embedded object with its keys among those of its owner.
@MainActor @Suite struct FlatPartTests {
    private static func service(_ reply: StubTransport.Reply = .status(204)) throws -> Service {
        try Service([Customer.self, Place.self], stub: StubTransport { _ in reply })
    }

    private static let ada = #"{"id": 1, "name": "Ada", "street": "Ring 1", "city": "Bonn", "geo": {"lat": 50.7}}"#

    @Test func `An embedded object is read from its owner's flat keys`() async throws {
        let service = try Self.service()
        let ada = try await service.imported(Customer.self, Self.ada)
        let address = try #require(ada.address)
        #expect(address.street == "Ring 1" && address.city == "Bonn" && address.latitude == 50.7)
        _ = try await service.imported(Customer.self, #"{"id": 1, "city": "Ulm"}"#)
        #expect(ada.address === address && address.city == "Ulm" && address.street == "Ring 1")
    }

    @Test func `A reply without any flat key keeps the embedded object, or creates none`() async throws {
        let service = try Self.service()
        let ada = try await service.imported(Customer.self, Self.ada)
        _ = try await service.imported(Customer.self, #"{"id": 1, "name": "Eve"}"#)
        let eve = try await service.imported(Customer.self, #"{"id": 2, "name": "Eve"}"#)
        #expect(ada.address?.city == "Bonn" && eve.address == nil)
    }

    @Test func `An embedded object with flat keys is sent under them`() async throws {
        let service = try Self.service()
        let ada = try await service.imported(Customer.self, Self.ada)
        ada.address?.city = "Ulm"
        try await ada.save()
        #expect(service.stub.log == [#"PATCH /customers/1 {"street":"Ring 1","city":"Ulm","geo":{"lat":50.7}}"#])
        #expect(!ada.hasChanges && ada.unsentProperties.isEmpty)
    }

    @Test func `A new embedded object with flat keys is sent with its owner's creation`() async throws {
        let service = try Self.service(.json(#"{"id": 9, "name": "Eve", "street": null, "city": "ULM"}"#, status: 201))
        let eve = Customer(in: service.main)
        eve.name = "Eve"
        let address = Place(in: service.main)
        address.city = "Ulm"
        eve.address = address
        try await eve.create()
        #expect(service.stub.log == [#"POST /customers {"name":"Eve","city":"Ulm"}"#])
        #expect(eve.address?.city == "ULM")
    }

    @Test func `A JSON Patch leaves the other members of the server's inner object alone`() async throws {
        let service = try Service(
            [Customer.self, Place.self], saveMethod: .jsonPatch, stub: StubTransport { _ in .status(204) })
        let ada = try await service.imported(Customer.self, Self.ada)
        ada.address?.latitude = 51.5
        try await ada.save()
        let line = try #require(service.stub.log.first)
        #expect(line.contains(#"{"op":"add","path":"/geo/lat","value":51.5}"#) && !line.contains(#""path":"/geo""#))
    }

    @Test func `Removing an embedded object with flat keys sends null for each`() async throws {
        let service = try Self.service()
        let ada = try await service.imported(Customer.self, Self.ada)
        ada.address = nil
        try await ada.save()
        #expect(service.stub.log == [#"PATCH /customers/1 {"street":null,"city":null,"geo":{"lat":null}}"#])
    }

    @Test func `An unsaved edit of an embedded object with flat keys survives a fetch`() async throws {
        let service = try Self.service()
        let ada = try await service.imported(Customer.self, Self.ada)
        ada.address?.city = "Ulm"
        _ = try await service.imported(Customer.self, #"{"id": 1, "street": "Ring 2", "city": "Berlin"}"#)
        #expect(ada.address?.city == "Ulm" && ada.address?.street == "Ring 2")
    }

    @Test func `An embedded object with flat keys is read from, and sent with, a resource's attributes`() async throws {
        let service = try Service(
            [Customer.self, Place.self], conventions: .jsonAPI, stub: StubTransport { _ in .status(204) })
        let attributes = #"{"name": "Ada", "street": "Ring 1", "city": "Bonn", "geo": {"lat": 50.7}}"#
        let ada = try await service.imported(
            Customer.self, #"{"data": {"type": "customers", "id": "1", "attributes": \#(attributes)}}"#)
        let address = try #require(ada.address)
        #expect(address.street == "Ring 1" && address.city == "Bonn" && address.latitude == 50.7)
        address.city = "Ulm"
        try await ada.save()
        let sent = #""attributes":{"street":"Ring 1","city":"Ulm","geo":{"lat":50.7}}"#
        #expect(service.stub.log == [#"PATCH /customers/1 {"data":{"type":"customers","id":"1",\#(sent)}}"#])
    }

    @Test func `An embedded object with flat keys survives a restart`() async throws {
        let file = try TemporaryFile()
        let models: [any Model.Type] = [Customer.self, Place.self]
        do {
            let store = try Store(.file(URL(filePath: file.path)), models: models)
            _ = try await store.main.import(Customer.self, from: Data(Self.ada.utf8))
        }
        let store = try Store(.file(URL(filePath: file.path)), models: models)
        #expect(try store.main.query(Customer.self).fetch().first?.address?.city == "Bonn")
    }

    @Test func `Only one embedded object can have flat keys`() {
        let error = #expect(throws: StoreError.self) {
            try Service([Unfit.self, Customer.self, Place.self], stub: StubTransport([:]))
        }
        #expect("\(String(describing: error))".contains("one embedded object"))
    }
}
