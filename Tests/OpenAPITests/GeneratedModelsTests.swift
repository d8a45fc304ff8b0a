import Foundation
import OpenAPIFiles
import RestfulData
import RestfulDataOpenAPI
import RestfulDataTesting
import Testing

/// The models generated from the fixtures, compared with their descriptions.
@Suite @MainActor struct GeneratedModelsTests {
    private static let chirp: [any Model.Type] = [
        Account.self, Status.self, MediaAttachment.self, Tag.self, AccountField.self, PreviewCard.self,
        StatusReactions.self, PreviewCardAuthor.self,
    ]
    private static let till: [any Model.Type] = [
        Customer.self, CustomerBalanceTransaction.self, Charge.self, Invoice.self, Address.self, Shipping.self,
        Card.self, Refund.self, Outcome.self, LineItem.self,
    ]

    private func store(
        _ models: [any Model.Type], _ bodies: APIConventions.BodyFormat = .json,
        _ stub: StubTransport = StubTransport { _ in .status(404) }
    ) throws -> Store {
        var conventions = APIConventions.default
        conventions.bodies = bodies
        return try Store(
            .temporary, models: models, api: API("https://api.example", conventions: conventions, transport: stub))
    }

    @Test func `Models generated from a description have no differences from it`() throws {
        let chirp = try store(Self.chirp).check(against: DescriptionReadingTests.fixture("chirp.yaml"))
        #expect(chirp.differences.map(\.description) == [])
        #expect(chirp.covered.count == 9)
        let till = try store(Self.till, .form).check(against: DescriptionReadingTests.fixture("till.json"))
        #expect(till.differences.map(\.description) == [])
        #expect(till.covered.count == 12)
    }

    @Test func `A service that takes forms is a difference for an API that sends JSON`() throws {
        let till = try store(Self.till).check(against: DescriptionReadingTests.fixture("till.json"))
        #expect(till.differences.map(\.model) == ["Customer", "CustomerBalanceTransaction", "Charge"])
        #expect(
            till.differences.first?.description
                == "Customer (POST /v1/customers): customer.create() sends JSON, and the "
                + "service takes forms: write bodies = .form in the API's conventions")
    }

    @Test func `Models generated for a service like Mastodon's fetch and save its objects`() async throws {
        let stub = StubTransport([
            "GET /api/v1/statuses/7": .json(
                """
                {"id": "7", "content": "<p>Hi</p>", "visibility": "private", "sensitive": true,
                 "account": {"id": "1", "username": "ada", "fields": [{"name": "Web", "value": "ada.example"}]},
                 "tags": [{"name": "swift"}], "card": {"title": "Ada", "authors": [{"name": "Bob"}]},
                 "media_attachments": [], "reblog": null, "reactions": {"+1": 2}}
                """),
            "GET /api/v1/accounts/1/statuses": .json(#"[{"id": "7"}, {"id": "8", "content": "More"}]"#),
            "PUT /api/v1/statuses/7": .json(#"{"id": "7", "text": "Hello"}"#),
            "POST /api/v1/statuses/7/favourite": .json(#"{"id": "7"}"#),
        ])
        let store = try store(Self.chirp, .json, stub)
        let status = try await Status.fetch(key: "7", in: store.main)
        #expect(status.visibility == .private)
        #expect(status.account?.fields.map(\.value) == ["ada.example"])
        #expect(status.card?.authors.map(\.name) == ["Bob"])
        #expect(status.reactions?.plus1 == 2)
        let account = try #require(status.account)
        #expect(try await account.$statuses.fetch().map(\.identifier) == ["7", "8"])
        try await status.send(.post, "/api/v1/statuses/:id/favourite")
        status.text = "Hello"
        try await status.save()
        #expect(stub.log.last?.hasPrefix("PUT /api/v1/statuses/7") == true)
    }

    @Test func `Models generated for a service like Stripe's fetch and save its objects`() async throws {
        let stub = StubTransport([
            "GET /v1/customers": .json(
                """
                {"object": "list", "has_more": false, "url": "/v1/customers", "data": [
                  {"id": "cus_1", "created": 1767225600, "name": "Ada", "shipping": {"name": "A", "address": {"line1": "1"}},
                   "sources": {"object": "list", "data": [{"id": "card_1", "last4": "4242"}], "has_more": false}}]}
                """),
            "POST /v1/customers/cus_1": .json(#"{"id": "cus_1", "name": "Ada L."}"#),
            "GET /v1/customers/cus_1/balance_transactions": .json(
                #"{"object": "list", "data": [{"id": "txn_1", "amount": -500, "customer": "cus_1"}], "has_more": false}"#
            ),
            "GET /v1/charges/ch_1": .json(#"{"id": "ch_1", "amount": 500, "customer": "cus_1"}"#),
        ])
        let store = try store(Self.till, .form, stub)
        let customers = try await Customer.fetchAll(in: store.main)
        let customer = try #require(customers.first)
        #expect(customer.created == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(customer.shipping?.address?.line1 == "1")
        #expect(customer.sources.map(\.last4) == ["4242"])
        #expect(try await customer.$balanceTransactions.fetch().map(\.amount) == [-500])
        let charge = try await Charge.fetch(key: "ch_1", in: store.main)
        #expect(charge.customer === customer)
        customer.name = "Ada L."
        try await customer.save()
        #expect(stub.log.last?.hasPrefix("POST /v1/customers/cus_1") == true)
    }
}
