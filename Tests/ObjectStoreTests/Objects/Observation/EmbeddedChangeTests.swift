import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// An embedded object is part of its owner: editing it changes the owner.
@MainActor
@Suite struct EmbeddedChangeTests {
    let store: Store
    let customer: Customer

    init() async throws {
        store = try Store(of: [Customer.self, Address.self, Phone.self, Line.self, Country.self])
        customer = try #require(
            try await store.main.take(
                Customer.self,
                #"{"id": 1, "address": {"street": "s", "lines": [{"text": "a"}]}, "phones": [{"number": "1"}]}"#
            ).objects.first)
    }

    @Test func `An owner has changes while its embedded objects have`() async throws {
        #expect(!customer.hasChanges)
        customer.address?.lines.first?.text = "b"
        #expect(customer.hasChanges && customer.changedProperties.isEmpty)
        customer.address?.lines.first?.text = "a"
        #expect(!customer.hasChanges)
        customer.phones.first?.number = "2"
        #expect(customer.hasChanges)
        try await store.main.save()
        #expect(!customer.hasChanges)
        customer.address?.street = "t"
        customer.rollback()
        #expect(!customer.hasChanges && customer.address?.street == "s")
    }

    @Test func `Observers of an owner's hasChanges are woken by edits of embedded objects`() async throws {
        let tracker = Tracker { customer.hasChanges }
        customer.phones.first?.number = "2"
        #expect(tracker.takeWakings() == 1 && tracker.present)
        customer.phones.first?.number = "3"
        #expect(tracker.takeWakings() == 0)
        try await store.main.save()
        #expect(tracker.takeWakings() == 1 && !tracker.present)
        let phone = Phone(in: store.main)
        phone.customer = customer
        #expect(tracker.takeWakings() == 1 && tracker.present)
        store.main.rollback()
        #expect(tracker.takeWakings() == 1 && !tracker.present)
    }

    @Test func `In a draft, an owner's hasChanges reflects only the draft's edits`() throws {
        customer.address?.street = "mine"
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: customer))
        let tracker = Tracker { form.hasChanges }
        #expect(!tracker.present && form.address?.street == "mine" && customer.hasChanges)
        form.address?.lines.first?.text = "b"
        #expect(tracker.takeWakings() == 1 && tracker.present)
        try draft.save()
        #expect(tracker.takeWakings() == 1 && !tracker.present && customer.address?.lines.first?.text == "b")
    }

    @Test func `Embedded objects that a commit deleted get the stamps of their edits in the order of rows`()
        async throws
    {
        let ids = 2...9
        let bodies = ids.map { "{\"id\": \($0), \"address\": {\"street\": \"s\", \"country\": {\"code\": \"de\"}}}" }
        let customers = try await store.main.take(Customer.self, "[\(bodies.joined(separator: ", "))]").objects
        let addresses = customers.compactMap(\.address)
        for address in addresses { address.street = "t" }
        let others = ids.map { "{\"id\": \($0), \"address\": null}" }
        try await store.takeElsewhere(Customer.self, "[\(others.joined(separator: ", "))]")
        #expect(customers.compactMap { $0.address?.street } == ids.map { _ in "t" })
        let country = try #require(addresses.first?._object.model.property(named: "country")).index
        let stamps = addresses.sorted { $0._object.record.row < $1._object.record.row }
            .compactMap { $0._object.current.edits[country]?.stamp }
        #expect(stamps.count == ids.count && stamps == stamps.sorted())
    }
}
