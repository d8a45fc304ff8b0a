import RestfulData
import RestfulDataTesting
import Testing

/// Embedded objects are sent whole within their owner; a deletion that a rule denies is not sent.
@MainActor @Suite struct EmbeddingTests {
    private func order(_ stub: StubTransport) async throws -> (Service, Order) {
        let service = try Service(Shop.models, stub: stub)
        let order = try await service.imported(
            Order.self,
            #"""
            {"id": 1, "address": {"street": "a", "zip": "1", "country": {"id": 9}, "tags": [{"text": "x"}]},
             "items": [{"name": "p", "count": 1}, {"name": "q", "count": 2}], "payments": [{"id": 3}]}
            """#)
        return (service, order)
    }

    @Test func `An edit of an embedded object sends that object whole and nothing else`() async throws {
        let (service, order) = try await order(StubTransport { _ in .status(204) })
        order.address?.tags[0].text = "y"
        order.items[1].count = 3
        #expect(order.unsentProperties == ["address", "items"])
        try await order.save()
        #expect(
            service.stub.log == [
                #"PATCH /orders/1 {"address":{"street":"a","zip":"1","country_id":9,"tags":[{"text":"y"}]},"#
                    + #""items":[{"name":"p","count":1},{"name":"q","count":3}]}"#
            ])
        #expect(order.unsentProperties.isEmpty && !service.main.hasChanges)
        #expect(order.address?.tags[0].text == "y" && order.items[1].count == 3)
        try await order.save()
        #expect(service.stub.log.count == 1)
    }

    @Test(arguments: [false, true], [false, true])
    func `An embedded object added or removed by its own link is sent with its owner`(
        _ isRead: Bool, _ isSaved: Bool
    ) async throws {
        let (service, order) = try await order(StubTransport { _ in .status(204) })
        let item = Item(in: service.main)
        item.name = "r"
        item.order = order
        try service.main.query(Item.self).where { $0.name == "p" }.first()?.order = nil
        if isRead { #expect(order.items.map(\.name) == ["q", "r"]) }
        if isSaved { try await service.main.save() }
        #expect(order.unsentProperties == ["items"])
        try await order.save()
        #expect(
            service.stub.log == [
                #"PATCH /orders/1 {"items":[{"name":"q","count":2},{"name":"r","count":0}]}"#
            ])
        #expect(order.unsentProperties.isEmpty && !service.main.hasChanges)
        #expect(order.items.map(\.name) == ["q", "r"])
    }

    @Test func `A saved embedded edit is sent later, and the reply replaces it`() async throws {
        let (service, order) = try await order(
            StubTransport { _ in .json(#"{"id": 1, "address": {"street": "c"}, "items": []}"#) })
        let (address, item) = (order.address, order.items[0])
        order.address?.street = "b"
        try await service.main.save()
        #expect(order.unsentProperties == ["address"])
        try await order.save()
        #expect(service.stub.log.count == 1 && order.unsentProperties.isEmpty)
        #expect(
            order.address === address && address?.street == "c" && address?.zip == nil && address?.tags.isEmpty == true)
        #expect(order.items.isEmpty && item.isDeleted)
    }

    @Test func `A creation sends embedded objects and stores them with their owner`() async throws {
        let service = try Service(Shop.models, stub: StubTransport { _ in .json(#"{"id": 7}"#) })
        let order = Order(in: service.main)
        let address = Address(in: service.main)
        address.street = "a"
        let tag = Tag(in: service.main)
        tag.text = "x"
        address.tags = [tag]
        let item = Item(in: service.main)
        item.name = "p"
        order.address = address
        order.items = [item]
        try await order.create()
        #expect(
            service.stub.log == [
                #"POST /orders {"address":{"street":"a","tags":[{"text":"x"}]},"items":[{"name":"p","count":0}]}"#
            ])
        #expect(
            order.identifier == 7 && order.address === address && address.tags[0] === tag && order.items[0] === item)
        #expect(!service.main.hasChanges && order.unsentProperties.isEmpty)
    }

    @Test func `A failed save keeps embedded edits`() async throws {
        let (service, order) = try await order(StubTransport { _ in .status(500) })
        order.address?.street = "b"
        let before = try await service.store.contents()
        #expect(await failure { try await order.save() }?.reply?.kind == .server)
        #expect(try await service.store.contents() == before)
        #expect(order.unsentProperties == ["address"] && order.address?.street == "b")
    }

    @Test func `An embedded list that another context edits during its request keeps the newer edit`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Shop.models)
        let order = try await store.imported(Order.self, #"{"id": 1, "items": [{"name": "p"}, {"name": "q"}]}"#)
        let new = Item(in: store.main)
        new.name = "r"
        order.items = [new] + order.items.dropLast()
        let saving = Task { try await order.save() }
        await held.wait(for: 1)
        try await store.background { context in
            let same = try context.find(Order.self, 1)
            same?.items.first?.name = "s"
            try await context.save()
        }
        held.answer(0, .status(204))
        try await saving.value
        #expect(held.bodies == [#"{"items":[{"name":"r","count":0},{"name":"p"}]}"#])
        #expect(order.items.map(\.name) == ["s", "q"])
        #expect(order.unsentProperties == ["items"] && new.isDeleted && !store.main.hasChanges)
        let again = Task { try await order.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await again.value
        #expect(held.bodies.last == #"{"items":[{"name":"s"},{"name":"q"}]}"#)
        #expect(order.items.map(\.name) == ["s", "q"] && order.unsentProperties.isEmpty)
    }

    @Test(arguments: [
        (#"[{"name": "n"}, {"name": "p", "count": 1}, {"name": "q", "count": 2}]"#, ["n", "p", "q"], [0, 1, 7]),
        (#"[{"name": "q", "count": 2}, {"name": "p", "count": 1}]"#, ["q", "p"], [7, 1]),
        (#"[{"name": "q", "count": 2}]"#, ["q"], [7]),
        (
            #"[{"name": "p", "count": 1}, {"name": "q", "count": 2}, {"name": "q", "count": 2}]"#, ["p", "q", "q"],
            [1, 7, 2]
        ),
        // It is one of several by now, and is found by the values that still agree.
        (#"[{"name": "n"}, {"name": "p", "count": 1}, {"name": "q", "count": 3}]"#, ["n", "p", "q"], [0, 1, 7]),
        // Another value in the same place is that element.
        (#"[{"name": "p", "count": 1}, {"name": "r", "count": 2}]"#, ["p", "r"], [1, 7]),
        // An edited element that is missing is kept.
        (#"[{"name": "p", "count": 1}]"#, ["p", "q"], [1, 7]),
    ])
    func `An edit of an element follows it to another position`(
        _ items: String, _ names: [String], _ counts: [Int]
    ) async throws {
        let (service, order) = try await order(StubTransport { _ in .status(204) })
        let (first, second) = (order.items[0], order.items[1])
        second.count = 7
        _ = try await service.imported(Order.self, "{\"id\": 1, \"items\": \(items)}")
        #expect(order.items.map(\.name) == names && order.items.map(\.count) == counts)
        #expect(second.isDeleted == !counts.contains(7) && (first.isDeleted || first.name == "p"))
    }

    @Test func `A new element exists once if the server took it without an answer`() async throws {
        let isFailing = Box(true)
        let (service, order) = try await order(
            StubTransport { _ in .status(isFailing.value ? 500 : 204) })
        let item = Item(in: service.main)
        item.name = "r"
        order.items.append(item)
        _ = await failure { try await order.save() }
        let body =
            #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "q", "count": 2}, {"name": "r", "count": 0}]}"#
        _ = try await service.imported(Order.self, body)
        #expect(order.items.map(\.name) == ["p", "q", "r"])
        isFailing.value = false
        try await order.save()
        let sent = #"[{"name":"p","count":1},{"name":"q","count":2},{"name":"r","count":0}]"#
        #expect(service.stub.log.last == #"PATCH /orders/1 {"items":"# + sent + "}")
        try await service.main.save()
        #expect(
            order.items.map(\.name) == ["p", "q", "r"] && order.unsentProperties.isEmpty && !service.main.hasChanges)
    }

    /// Edits of embedded objects, in this context and another one, saved while the request is in flight.
    @Test(arguments: [false, true], [false, true])
    func `An embedded edit made during a request stays pending over the sent value`(
        _ isElsewhere: Bool, _ isSavedBefore: Bool
    ) async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Shop.models)
        let body = #"{"id": 1, "address": {"street": "a", "zip": "1"}, "items": [{"name": "p"}, {"name": "q"}]}"#
        let order = try await store.imported(Order.self, body)
        order.address?.street = "b"
        order.items[0].name = "r"
        if isSavedBefore { try await store.main.save() }
        let saving = Task { try await order.save() }
        await held.wait(for: 1)
        if isElsewhere {
            try await store.background { context in
                let same = try context.find(Order.self, 1)
                same?.address?.zip = "2"
                same?.items[1].count = 9
            }
        } else {
            order.address?.zip = "2"
            order.items[1].count = 9
            try await store.main.save()
        }
        held.answer(0, .status(204))
        try await saving.value
        #expect(order.address?.street == "b" && order.address?.zip == "2")
        #expect(order.items.map(\.name) == ["r", "q"] && order.items.map(\.count) == [0, 9])
        #expect(Set(order.unsentProperties) == ["address", "items"])
        let again = Task { try await order.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await again.value
        #expect(
            held.bodies[1] == #"{"address":{"street":"b","zip":"2"},"#
                + #""items":[{"name":"r"},{"name":"q","count":9}]}"#)
        #expect(order.unsentProperties.isEmpty && !store.main.hasChanges)
    }

    @Model("/couriers")
    final class Courier {
        var identifier: Int?
        @Relationship(inverse: nil) var home: Place?
        @Relationship(inverse: nil) var depot: Place?
    }

    @Model(embedded: true)
    final class Place {
        var name = ""
        var floor = 0
        @Relationship(inverse: nil) var country: Country?
    }

    @Test func `The sent value of one embedded object stays with a newer edit of another`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Courier.self, Place.self, Country.self])
        let courier = try await store.imported(
            Courier.self, #"{"id": 1, "home": {"name": "a"}, "depot": {"name": "b"}}"#)
        let country = try await store.imported(Country.self, #"{"id": 9}"#)
        let depot = Place(in: store.main)
        (depot.name, depot.country) = ("c", country)
        courier.depot = depot
        courier.home?.name = "d"
        let saving = Task { try await courier.save() }
        await held.wait(for: 1)
        try await store.background { context in try context.find(Courier.self, 1)?.home?.floor = 3 }
        held.answer(0, .status(204))
        try await saving.value
        #expect(courier.depot === depot && depot.name == "c" && depot.country === country)
        #expect(courier.home?.name == "d" && courier.home?.floor == 3)
        #expect(courier.unsentProperties == ["home"] && !store.main.hasChanges)
    }

    @Model("/ropes")
    final class Rope {
        var identifier: Int?
        @Relationship(inverse: nil) var knot: Knot?
    }

    @Model(embedded: true)
    final class Knot {
        var name = ""
        @Relationship(inverse: nil) var next: Knot?
        @Relationship(inverse: nil) var knots: [Knot]
    }

    @Test func `An object embedded in itself is refused by name`() async throws {
        let service = try Service([Rope.self, Knot.self], stub: StubTransport { _ in .json(#"{"id": 7}"#) })
        let rope = Rope(in: service.main)
        let (a, b) = (Knot(in: service.main), Knot(in: service.main))
        (rope.knot, a.next, b.knots) = (a, b, [a])
        let error = await #expect(throws: APIError.self) { try await rope.create() }
        guard case .unsendable("Knot", _, _)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(service.stub.log == [])
    }

    @Test func `An embedded object can't be sent, fetched or deleted alone`() async throws {
        let (service, order) = try await order(StubTransport { _ in .status(204) })
        let address = try #require(order.address)
        for attempt in [
            await failure { try await address.save() }, await failure { try await address.create() },
            await failure { try await address.delete() },
            await failure { _ = try await Address.fetchAll(in: service.main) },
        ] {
            guard case .store(.embeddedObject("Address"))? = attempt else {
                Testing.Issue.record("\(attempt as Any)")
                continue
            }
        }
        #expect(service.stub.log.isEmpty)
    }

    @Test func `A deletion that a delete rule denies isn't sent`() async throws {
        let (service, order) = try await order(StubTransport { _ in .status(204) })
        let address = order.address
        let denied = await failure { try await order.delete() }
        guard case .store(.deleteDenied("Order", ["identifier": "1"], "payments", 1))? = denied else {
            Testing.Issue.record("\(denied as Any)")
            return
        }
        #expect(service.stub.log.isEmpty && !order.isDeleted)
        try await order.payments[0].delete()
        try await order.delete()
        #expect(service.stub.log == ["DELETE /payments/3", "DELETE /orders/1"])
        #expect(order.isDeleted && address?.isDeleted == true)
    }

    @Test func `An object that the server has deleted is removed despite a delete rule`() async throws {
        let (service, order) = try await order(StubTransport { _ in .status(410) })
        let payment = order.payments[0]
        order.payments = []
        #expect(await failure { try await order.delete() } == nil)
        #expect(order.isDeleted && !payment.isDeleted && payment.order == nil)
        service.main.rollback()
        #expect(payment.order == nil)
    }
}
