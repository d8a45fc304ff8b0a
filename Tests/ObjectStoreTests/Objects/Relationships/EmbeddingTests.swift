import ObjectStore
import RestfulData
import Testing

/// `@Model(embedded: true)`: objects that lack an identity, live in their owner, and are replaced with it.
@MainActor
@Suite struct EmbeddingTests {
    private static let models: [any Model.Type] = [
        Customer.self, Address.self, Phone.self, Line.self, Country.self,
    ]
    private static let body = #"""
        {"address": {"street": "a", "zip": "1", "country": {"code": "de"}, "lines": [{"text": "x"}, {"text": "y"}]},
         "id": 1, "phones": [{"number": "1", "kind": "home"}, {"number": "2"}]}
        """#
    private static let rows = """
        customer
          1 name= address_id=(1)
        address
          1 street=a zip=1 country_id=(de)
        phone
          1 number=1 kind=home customer_id=(1) _customer_position=0
          2 number=2 customer_id=(1) _customer_position=1
        line
          1 text=x
          2 text=y
        country
          de name=
        address_lines
          (1) - (1) 0
          (1) - (2) 1
        """

    private func makeCustomer(_ store: Store) async throws -> Customer {
        try await store.main.take(Customer.self, Self.body).objects[0]
    }

    @Test func `An import reads embedded objects with their owner`() async throws {
        let store = try Store(of: Self.models)
        let customer = try await makeCustomer(store)
        try expect(store, holds: Self.rows)
        #expect(customer.address?.street == "a" && customer.address?.lines.map(\.text) == ["x", "y"])
        #expect(customer.phones.map(\.number) == ["1", "2"] && customer.phones[0].customer === customer)
        let report = try await store.main.take(Customer.self, Self.body).report
        #expect(report.inserted == 0 && report.updated == 0 && report.mismatchedCount == 0)
        try expect(store, holds: Self.rows)
    }

    /// The members of customer 1 in a further body, and their resulting values.
    @Test(arguments: [
        (#""name": "x""#, "a 1 de x y | 1 home, 2 -"),
        (#""address": {"street": "b"}"#, "b - - | 1 home, 2 -"),
        (#""address": {"zip": "2", "lines": [{"text": "z"}]}"#, " 2 - z | 1 home, 2 -"),
        (#""address": {"street": "b", "lines": null, "country": "de"}"#, "b - de | 1 home, 2 -"),
        (#""address": null"#, "none | 1 home, 2 -"),
        (#""address": 5"#, "a 1 de x y | 1 home, 2 -"),
        (#""phones": [{"number": "3"}]"#, "a 1 de x y | 3 -"),
        (#""phones": [{"kind": "work"}, null, {"number": "2"}, {"number": "4"}]"#, "a 1 de x y |  work, 2 -, 4 -"),
        (#""phones": [7, {"number": "3"}]"#, "a 1 de x y | 3 -"),
        (#""phones": []"#, "a 1 de x y | "),
        (#""phones": null"#, "a 1 de x y | "),
        (#""phones": {}"#, "a 1 de x y | 1 home, 2 -"),
    ])
    func `An imported body replaces embedded objects as a whole`(_ json: String, _ after: String) async throws {
        let store = try Store(of: Self.models)
        let customer = try await makeCustomer(store)
        let (address, phone) = (customer.address, customer.phones[0])
        try await store.takeElsewhere(Customer.self, "[{\"id\": 1, \(json)}]")
        let phones = customer.phones.map { "\($0.number) \($0.kind ?? "-")" }.joined(separator: ", ")
        let parts = customer.address.map { address in
            ([address.street, address.zip ?? "-", address.country?.code ?? "-"] + address.lines.map(\.text))
                .joined(separator: " ")
        }
        #expect("\(parts ?? "none") | \(phones)" == after)
        // The live objects stay while an element is in their place, and the others leave nothing behind.
        if customer.address != nil { #expect(customer.address === address) }
        if let first = customer.phones.first { #expect(first === phone) }
        #expect(address?.isDeleted == (customer.address == nil))
        let counts = try ["address", "phone", "line"].map {
            try Database(store.path).value("SELECT count(*) FROM \($0)").flatMap { Int($0) } ?? 0
        }
        #expect(counts == [parts == nil ? 0 : 1, customer.phones.count, customer.address?.lines.count ?? 0])
        #expect(try store.check() == [])
    }

    @Test func `Embedded objects are deleted with their owner`() async throws {
        let store = try Store(of: Self.models)
        let customer = try await makeCustomer(store)
        let (address, phone) = (customer.address, customer.phones[0])
        store.main.delete(customer)
        #expect(address?.isDeleted == true && phone.isDeleted)
        store.main.rollback()
        #expect(address?.isDeleted == false && customer.phones.count == 2)
        store.main.delete(customer)
        try await store.main.save()
        try expect(
            store,
            holds: """
                country
                  de name=
                """)
        _ = try await makeCustomer(store)
        let database = try Database(store.path)
        try database.execute("PRAGMA foreign_keys = ON; DELETE FROM customer")
        #expect(try database.value("SELECT count(*) FROM (SELECT 1 FROM address UNION ALL SELECT 1 FROM line)") == "0")
    }

    @Test func `An edit of an embedded object is an edit of the owner's relationship`() async throws {
        let store = try Store(of: Self.models)
        let customer = try await makeCustomer(store)
        customer.address?.lines[0].text = "edited"
        #expect(customer.unsentProperties == ["address"])
        try await store.main.save()
        #expect(customer.unsentProperties == ["address"] && !store.main.hasChanges)
        try await store.takeElsewhere(
            Customer.self, #"[{"id": 1, "name": "new", "address": {"street": "other"}, "phones": []}]"#)
        #expect(customer.name == "new" && customer.phones.isEmpty)
        #expect(customer.address?.street == "other" && customer.address?.lines.map(\.text) == ["edited"])
        customer.phones = []
        #expect(customer.unsentProperties == ["address"])
    }

    @Test func `Embedded objects are created and replaced in a context`() async throws {
        let store = try Store(of: Self.models)
        let customer = Customer(in: store.main)
        customer.identifier = 1
        let address = Address(in: store.main)
        address.street = "a"
        let line = Line(in: store.main)
        line.text = "x"
        address.lines = [line]
        customer.address = address
        let lost = Phone(in: store.main)
        try await store.main.save()
        #expect(lost.isDeleted)
        try expect(
            store,
            holds: """
                customer
                  1 name= address_id=(1) unsent: address, identifier
                address
                  1 street=a unsent: lines, street
                line
                  1 text=x unsent: text
                address_lines
                  (1) - (1) 0
                """)
        let other = Address(in: store.main)
        customer.address = other
        try await store.main.save()
        #expect(address.isDeleted && line.isDeleted && customer.address === other)
        #expect(try Database(store.path).value("SELECT count(*) FROM line") == "0")
    }

    @Test func `An embedded object in two owners is refused until one lets it go`() async throws {
        let store = try Store(of: Self.models)
        let customer = try await makeCustomer(store)
        let other = Customer(in: store.main)
        other.identifier = 2
        other.address = customer.address
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        guard case .sharedObject("Address")? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        customer.address = nil
        try await store.main.save()
        #expect(other.address?.street == "a" && customer.address == nil)
        #expect(try store.check() == [])
    }

    @Test(arguments: [false, true])
    func `An embedded object without an owner is deleted, and a moved one has its new owner`(
        _ isRead: Bool
    ) async throws {
        let store = try Store(of: Self.models)
        let customers = try await store.main.take(
            Customer.self, #"[{"id": 1, "phones": [{"number": "left"}, {"number": "moved"}]}, {"id": 2, "phones": []}]"#
        ).objects
        let phones = try store.main.query(Phone.self).order { $0.number }.fetch()
        if isRead { #expect(customers[0].phones == phones && customers[1].phones.isEmpty) }
        try await leaveAndMove(phones, customers, store)
        #expect(customers.map(\.unsentProperties) == [["phones"], ["phones"]])
    }

    @Test func `Embedded objects can leave and move during a save`() async throws {
        let store = try Store(of: Self.models)
        let customers = try await store.main.take(Customer.self, #"[{"id": 1}, {"id": 2}]"#).objects
        let phones = (0..<2).map { _ in Phone(in: store.main) }
        for phone in phones { phone.customer = customers[0] }
        let saving = Task { try await store.main.save() }
        await Task.yield()
        try await leaveAndMove(phones, customers, store)
        try await saving.value
    }

    @Test func `An embedded object added by its own link is a pending edit of its owner`() async throws {
        let store = try Store(of: Self.models)
        let customer = try await makeCustomer(store)
        let phone = Phone(in: store.main)
        phone.customer = customer
        try await store.main.save()
        #expect(customer.phones.map(\.number) == ["1", "2", ""])
        #expect(customer.unsentProperties == ["phones"])
    }

    private func leaveAndMove(_ phones: [Phone], _ customers: [Customer], _ store: Store) async throws {
        phones[0].customer = nil
        phones[1].customer = customers[1]
        try await store.main.save()
        #expect(phones[0].isDeleted && customers[0].phones.isEmpty && !store.main.hasChanges)
        #expect(customers[1].phones == [phones[1]] && phones[1].customer === customers[1])
        #expect(try store.check() == [])
    }

    @Test func `An embedded model can't be imported alone`() async throws {
        let store = try Store(of: Self.models)
        let error = await #expect(throws: StoreError.self) { _ = try await store.main.take(Address.self, "{}").report }
        guard case .embeddedObject("Address")? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
    }

    // MARK: Refusals

    @Test func `Problems of embedded models are listed`() {
        let error = #expect(throws: StoreError.self) { try Store(of: [Plot.self, Field.self, Tag.self]) }
        guard case .models(let problems)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(problems.contains { $0.hasPrefix("Plot is embedded, so it has no URL of its own") })
        #expect(problems.contains { $0.hasPrefix("Plot is embedded, and no relationship leads to it") })
        #expect(problems.contains { $0.hasPrefix("Field.tags and Tag.fields are many-to-many") })
    }
}
