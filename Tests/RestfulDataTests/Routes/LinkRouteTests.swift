import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model("/customers")
final class LinkedCustomer {
    var identifier: Int?
    @Attribute("_links.orders.href", access: .readOnly) var ordersLink: String?
    @Attribute(access: .readOnly) var profileURL: URL?
    @Relationship("/:ordersLink", inverse: "customer") var orders: [LinkedOrder]
    @Relationship("/:profileURL", inverse: nil) var profile: LinkedProfile?
}

@Model("/orders")
final class LinkedOrder {
    var identifier: Int?
    var customer: LinkedCustomer?
}

@Model
final class LinkedProfile {
    var identifier: Int?
    var text = ""
}

/// Routes that the server sends in its objects.
@MainActor @Suite struct LinkRouteTests {
    private static let models: [any Model.Type] = [LinkedCustomer.self, LinkedOrder.self, LinkedProfile.self]

    private func customer(_ link: String, in store: Store) async throws -> LinkedCustomer {
        try await store.imported(
            LinkedCustomer.self, #"{"id": 5, "_links": {"orders": {"href": "\#(link)"}}}"#)
    }

    @Test(arguments: [
        ("https://api.example.com/v1/customers/5/orders", "GET /v1/customers/5/orders"),
        ("/v1/customers/5/orders", "GET /v1/customers/5/orders"),
        ("/v1/customers/5/orders{/name}{?page,size}", "GET /v1/customers/5/orders"),
        ("/v1/orders?customer=5{&page}", "GET /v1/orders?customer=5"),
        ("https://api.example.com/other{+path}", "GET /other"),
    ])
    func `A relationship is fetched from its owner's link`(_ link: String, _ line: String) async throws {
        let stub = StubTransport { _ in .json(#"[{"id": 1}, {"id": 2}]"#) }
        let store = try Store(
            .temporary, models: Self.models, api: API("https://api.example.com/v1", transport: stub))
        let customer = try await customer(link, in: store)
        try await customer.$orders.fetch()
        #expect(customer.orders.map(\.identifier) == [1, 2])
        #expect(stub.log == [line])
    }

    @Test func `A query is added to a link with a fragment`() async throws {
        let stub = StubTransport { _ in .json("[]") }
        let service = try Service(Self.models, stub: stub)
        let customer = try await customer("/customers/5/orders#newest", in: service.store)
        try await customer.$orders.fetch(query: ["state": "open"])
        #expect(stub.log == ["GET /customers/5/orders?state=open"])
    }

    @Test func `A to-one relationship is fetched from its owner's link`() async throws {
        let service = try Service(
            Self.models, stub: StubTransport(["GET /people/7/profile": .json(#"{"id": 9, "text": "hello"}"#)]))
        let customer = try await service.imported(
            LinkedCustomer.self, #"{"id": 5, "profile_url": "https://api.example.com/people/7/profile"}"#)
        #expect(try await customer.$profile.fetch()?.text == "hello")
        #expect(customer.profile?.identifier == 9)
    }

    @Test func `A new member is posted to its owner's link`() async throws {
        let service = try Service(
            Self.models, stub: StubTransport(["POST /customers/5/orders": .json(#"{"id": 3}"#, status: 201)]))
        let customer = try await customer("/customers/5/orders{?page}", in: service.store)
        let order = LinkedOrder(in: service.main)
        try await customer.$orders.add(order)
        #expect(order.identifier == 3 && customer.orders.map(\.identifier) == [3])
    }

    @Test(arguments: [
        "https://elsewhere.example.com/orders", "//elsewhere.example.com/orders", "/orders{=page}", "/orders{page",
        "/orders{}", "/orders}", "/orders{{page}}", "http://api.example.com/orders",
    ])
    func `A link to another server or a malformed one is refused before anything is sent`(_ link: String) async throws {
        let service = try Service(Self.models, stub: StubTransport { _ in .json("[]") })
        let customer = try await customer(link, in: service.store)
        await #expect {
            _ = try await customer.$orders.fetch()
        } throws: { error in
            guard case APIError.route(.invalidURL) = error else { return false }
            return true
        }
        #expect(service.stub.log.isEmpty)
    }

    @Test func `A missing link attribute is named in the error`() async throws {
        let service = try Service(Self.models, stub: StubTransport { _ in .json("[]") })
        let customer = try await service.imported(LinkedCustomer.self, #"{"id": 5}"#)
        await #expect {
            _ = try await customer.$orders.fetch()
        } throws: { error in
            "\(error)".contains("ordersLink")
        }
        #expect(service.stub.log.isEmpty)
    }
}
