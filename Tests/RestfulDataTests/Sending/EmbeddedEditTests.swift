import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// An edit of an embedded object or list is a difference: the server's changes apply beneath it, and an element that
/// the server removed stays as long as it has unsent edits.
@MainActor @Suite struct EmbeddedEditTests {
    private static let body = #"""
        {"id": 1, "address": {"street": "a", "zip": "1", "tags": [{"text": "x"}, {"text": "y"}]},
         "items": [{"name": "p", "count": 1}, {"name": "q", "count": 2}]}
        """#

    private func service(_ location: Store.Location = .temporary) throws -> Service {
        try Service(Shop.models, location: location, stub: StubTransport { _ in .status(204) })
    }

    private func order(_ service: Service) async throws -> Order {
        try await service.imported(Order.self, Self.body)
    }

    private func take(_ json: String, _ service: Service) async throws {
        _ = try await service.imported(Order.self, "{\"id\": 1, \(json)}")
    }

    private func items(_ order: Order) -> [String] { order.items.map { "\($0.name)\($0.count)" } }

    // MARK: Removed elements

    @Test(arguments: [false, true]) func `An edited element that the server's list lacks is kept`(
        isSaved: Bool
    ) async throws {
        let service = try service()
        let order = try await order(service)
        let edited = order.items[1]
        edited.count = 7
        if isSaved { try await service.main.save() }
        try await take(#""items": [{"name": "p", "count": 3}, {"name": "s", "count": 4}]"#, service)
        #expect(items(order) == ["p3", "q7", "s4"] && order.items[1] === edited && !edited.isDeleted)
        #expect(order.unsentProperties == ["items"])
        try await take(#""items": [{"name": "p", "count": 3}, {"name": "n", "count": 6}]"#, service)
        #expect(items(order) == ["p3", "q7", "n6"])
        try await order.save()
        #expect(
            service.stub.log == [
                #"PATCH /orders/1 {"items":[{"name":"p","count":3},{"name":"q","count":7},{"name":"n","count":6}]}"#
            ])
        #expect(order.unsentProperties == [] && !service.main.hasChanges && edited.unsentProperties == [])
        try await take(#""items": [{"name": "p", "count": 3}]"#, service)
        #expect(items(order) == ["p3"] && edited.isDeleted)
    }

    @Test func `Edits of embedded objects that the server lacks survive a restart`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try service(.file(file.path))
            let order = try await order(service)
            order.items[1].count = 7
            order.address?.tags[1].text = "z"
            try await service.main.save()
        }
        let service = try service(.file(file.path))
        try await take(
            #""address": {"street": "b", "tags": [{"text": "x"}]}, "items": [{"name": "p", "count": 3}]"#, service)
        let order = try #require(try service.main.find(Order.self, 1))
        #expect(items(order) == ["p3", "q7"])
        #expect(order.address?.street == "b" && order.address?.tags.map(\.text) == ["x", "z"])
        try await order.save()
        #expect(
            service.stub.log == [
                #"PATCH /orders/1 {"address":{"street":"b","tags":[{"text":"x"},{"text":"z"}]},"#
                    + #""items":[{"name":"p","count":3},{"name":"q","count":7}]}"#
            ])
        #expect(order.unsentProperties == [])
        try await take(#""address": {"street": "c"}, "items": []"#, service)
        #expect(order.items.isEmpty && order.address?.street == "c" && order.address?.tags.isEmpty == true)
    }

    @Test(arguments: [false, true], [#""address": null"#, #""address": {"street": "c", "tags": []}"#])
    func `An edit two levels deep is kept with its parents`(isSaved: Bool, _ json: String) async throws {
        let service = try service()
        let order = try await order(service)
        let tag = try #require(order.address?.tags[1])
        tag.text = "z"
        if isSaved { try await service.main.save() }
        try await take(json, service)
        #expect(!tag.isDeleted && tag.text == "z" && order.address?.tags.last === tag)
        #expect(order.unsentProperties == ["address"])
        try await order.save()
        let isGone = json.hasSuffix("null")
        #expect(
            service.stub.log == [
                isGone
                    ? #"PATCH /orders/1 {"address":{"street":"a","zip":"1","tags":[{"text":"x"},{"text":"z"}]}}"#
                    : #"PATCH /orders/1 {"address":{"street":"c","tags":[{"text":"z"}]}}"#
            ])
        #expect(order.unsentProperties == [] && !service.main.hasChanges)
    }

    @Test(arguments: [false, true]) func `An edited embedded object is kept when the server has none`(
        isSaved: Bool
    ) async throws {
        let service = try service()
        let order = try await order(service)
        let address = try #require(order.address)
        address.street = "b"
        if isSaved { try await service.main.save() }
        try await take(#""address": null"#, service)
        #expect(order.address === address && address.street == "b" && address.tags.map(\.text) == ["x", "y"])
        try await order.save()
        #expect(
            service.stub.log == [
                #"PATCH /orders/1 {"address":{"street":"b","zip":"1","tags":[{"text":"x"},{"text":"y"}]}}"#
            ])
        #expect(order.unsentProperties == [] && !service.main.hasChanges)
    }

    @Test func `A rollback drops an embedded object that only an edit has kept`() async throws {
        let service = try service()
        let order = try await order(service)
        let (item, address) = (order.items[1], order.address)
        item.count = 7
        address?.street = "b"
        try await take(#""address": null, "items": [{"name": "p", "count": 1}]"#, service)
        #expect(items(order) == ["p1", "q7"] && order.address === address)
        service.main.rollback()
        #expect(items(order) == ["p1"] && order.address == nil && item.isDeleted && address?.isDeleted == true)
        #expect(!service.main.hasChanges && order.unsentProperties == [])
    }

    @Test func `A removed element, or one of a deleted owner, doesn't return by an edit`() async throws {
        let service = try service()
        let order = try await order(service)
        let (p, q) = (order.items[0], order.items[1])
        q.count = 7
        order.items = [p]
        try await take(#""items": [{"name": "p", "count": 1}]"#, service)
        #expect(order.items.count == 1 && q.isDeleted && !service.main.hasChanges)
        p.count = 8
        try await service.store.background { context in
            if let order = try context.find(Order.self, 1) { context.delete(order) }
            try await context.save()
        }
        #expect(order.isDeleted && p.isDeleted && !service.main.hasChanges)
    }

    @Test func `A reply replaces sent embedded values, also those edited meanwhile`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Shop.models)
        let order = try await store.imported(Order.self, Self.body)
        let (p, q) = (order.items[0], order.items[1])
        (p.count, q.count) = (8, 7)
        let saving = Task { try await order.save() }
        await held.wait(for: 1)
        p.name = "r"
        held.answer(0, .json(#"{"id": 1, "items": [{"name": "s", "count": 5}, {"name": "t", "count": 6}]}"#))
        try await saving.value
        #expect(order.items.contains { $0 === p } && p.name == "r")
        #expect(order.items.allSatisfy { $0.count != 7 } && order.unsentProperties == ["items"])
    }

    @Test func `A list fetched while another edit is in flight keeps the edit`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, Shop.models)
        let order = try await store.imported(Order.self, Self.body)
        let q = order.items[1]
        q.count = 7
        let saving = Task { try await order.save() }
        await held.wait(for: 1)
        _ = try await store.imported(Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}]}"#)
        #expect(items(order) == ["p1", "q7"])
        held.answer(0, .status(500))
        _ = await saving.result
        #expect(items(order) == ["p1", "q7"] && order.items[1] === q && order.unsentProperties == ["items"])
    }

    @Test func `Edits of an embedded object in two contexts are merged`() async throws {
        let service = try service()
        let order = try await order(service)
        let store = service.store
        let q = order.items[1]
        q.count = 7
        try await store.background { context in
            let same = try #require(try context.find(Order.self, 1))
            let other = same.items[1]
            other.name = "z"
            _ = try await context.import(
                Order.self, from: Array(#"{"id": 1, "items": [{"name": "p", "count": 1}]}"#.utf8))
            #expect(same.items.count == 2 && same.items[1] === other)
            try await context.save()
        }
        #expect(items(order) == ["p1", "z7"] && order.items[1] === q)
        try await order.save()
        #expect(service.stub.log.last == #"PATCH /orders/1 {"items":[{"name":"p","count":1},{"name":"z","count":7}]}"#)
        #expect(order.unsentProperties == [] && !service.main.hasChanges)
    }

    // MARK: Unsent edits

    @Test func `The server's new values become the base of saved embedded edits`() async throws {
        let service = try service()
        let order = try await order(service)
        order.address?.street = "b"
        order.items[1].count = 7
        try await service.main.save()
        try await take(
            #""address": {"street": "c", "zip": "2", "tags": [{"text": "w"}]}, "items": [{"name": "n", "count": 0}, {"name": "q", "count": 2}]"#,
            service)
        #expect(order.address?.street == "b" && order.address?.zip == "2" && order.address?.tags.map(\.text) == ["w"])
        #expect(items(order) == ["n0", "q7"])
        try await order.save()
        #expect(
            service.stub.log == [
                #"PATCH /orders/1 {"address":{"street":"b","zip":"2","tags":[{"text":"w"}]},"#
                    + #""items":[{"name":"n","count":0},{"name":"q","count":7}]}"#
            ])
        #expect(order.unsentProperties == [] && order.address?.unsentProperties == [])
    }

    @Test(arguments: [false, true]) func `A saved edit of an embedded list is applied to the server's list`(
        isAddedFirst: Bool
    ) async throws {
        let service = try service()
        let order = try await order(service)
        let new = Item(in: service.main)
        new.name = "r"
        order.items = isAddedFirst ? [new, order.items[1]] : [order.items[1], new]
        try await service.main.save()
        try await take(
            #""items": [{"name": "p", "count": 1}, {"name": "q", "count": 3}, {"name": "s", "count": 4}]"#, service)
        #expect(items(order) == (isAddedFirst ? ["r0", "q3", "s4"] : ["q3", "r0", "s4"]))
        try await take(#""items": [{"name": "p", "count": 1}, {"name": "s", "count": 4}]"#, service)
        #expect(items(order) == ["r0", "s4"])
        #expect(order.unsentProperties == ["items"])
        try await order.save()
        #expect(service.stub.log == [#"PATCH /orders/1 {"items":[{"name":"r","count":0},{"name":"s","count":4}]}"#])
        #expect(order.unsentProperties == [])
    }

    @Test func `An embedded edit that equals the server's list is no longer pending`() async throws {
        let service = try service()
        let order = try await order(service)
        order.items.removeLast()
        try await service.main.save()
        #expect(order.unsentProperties == ["items"])
        try await take(#""items": [{"name": "p", "count": 1}]"#, service)
        #expect(items(order) == ["p1"] && order.unsentProperties == [])
    }

    @Test func `A newly assigned embedded object isn't merged with the server's`() async throws {
        let service = try service()
        let order = try await order(service)
        let address = Address(in: service.main)
        address.street = "n"
        order.address = address
        try await service.main.save()
        try await take(#""address": {"street": "a", "zip": "2"}"#, service)
        #expect(order.address === address && address.zip == nil)
        try await order.save()
        #expect(service.stub.log == [#"PATCH /orders/1 {"address":{"street":"n","tags":[]}}"#])
    }

    @Test func `An embedded object that the server restores is the base of the pending edit`() async throws {
        let service = try service()
        let order = try await order(service)
        order.address?.street = "b"
        try await service.main.save()
        try await take(#""address": null"#, service)
        try await take(#""address": {"street": "c", "zip": "2", "tags": []}"#, service)
        #expect(order.address?.street == "b" && order.address?.zip == "2" && order.address?.tags.isEmpty == true)
        try await order.save()
        #expect(service.stub.log == [#"PATCH /orders/1 {"address":{"street":"b","zip":"2","tags":[]}}"#])
    }

    @Test(arguments: [204, 504, 422], [false, true])
    func `An embedded value set back after a send is sent unless the server's value is known`(
        status: Int, isElement: Bool
    ) async throws {
        let answers = Box([status])
        let service = try Service(
            Shop.models,
            stub: StubTransport { _ in .status(answers.value.isEmpty ? 204 : answers.value.removeFirst()) })
        let order = try await service.imported(
            Order.self, #"{"id": 1, "address": {"street": "a"}, "items": [{"name": "p", "count": 1}]}"#)
        let (address, item) = (try #require(order.address), order.items[0])
        func edit(_ street: String, _ count: Int) {
            if isElement { item.count = count } else { address.street = street }
        }
        edit("b", 9)
        #expect((await failure { try await order.save() } != nil) == (status != 204))
        edit("a", 1)
        #expect(order.unsentProperties == (status == 422 ? [] : [isElement ? "items" : "address"]))
        try await order.save()
        #expect(service.stub.log.count == (status == 422 ? 1 : 2))
        // It is known now.
        edit("c", 7)
        edit("a", 1)
        #expect(order.unsentProperties == [] && !service.main.hasChanges)
    }
}
