import RestfulData
import RestfulDataTesting
import Testing

/// A locally added element is the one that the server created from it, whichever answer has it first, and keeps its
/// place.
@MainActor @Suite struct EmbeddedCreationTests {
    private let held = HeldTransport()
    private let store: Store

    init() throws { store = try Store.held(by: held, Shop.models) }

    private static let body = #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "q", "count": 2}]}"#

    private func items(_ order: Order) -> [String] { order.items.map { "\($0.name)\($0.count)" } }

    private func json(_ items: String) -> String {
        let elements = items.split(separator: " ").map { item in
            #"{"name": "\#(item.dropLast())", "count": \#(item.suffix(1))}"#
        }
        return #"{"id": 1, "items": [\#(elements.joined(separator: ", "))]}"#
    }

    private func take(_ items: String) async throws { _ = try await store.imported(Order.self, json(items)) }

    private func sending(at place: Int, isSaved: Bool) async throws -> (Order, Task<APIError?, Never>) {
        let order = try await store.imported(Order.self, Self.body)
        let item = Item(in: store.main)
        item.name = "r"
        order.items.insert(item, at: place)
        if isSaved { try await store.main.save() }
        let sending = Task { await failure { try await order.save() } }
        await held.wait(for: 1)
        return (order, sending)
    }

    private static func places(_ place: Int) -> [String] {
        var places = ["p1", "q2"]
        places.insert("r0", at: place)
        return places
    }

    @Test(arguments: [0, 1, 2], [false, true])
    func `A list fetched during its request has a new element once`(_ place: Int, _ isSaved: Bool) async throws {
        let (order, sending) = try await sending(at: place, isSaved: isSaved)
        let item = order.items[place]
        let expected = Self.places(place)
        try await take(expected.joined(separator: " "))
        #expect(items(order) == expected)
        held.answer(0, .status(204))
        #expect(await sending.value == nil)
        #expect(items(order) == expected && order.items[place] === item && order.unsentProperties == [])
        try await take(expected.joined(separator: " ") + " s3")
        #expect(items(order) == expected + ["s3"] && !store.main.hasChanges)
    }

    @Test(arguments: [false, true], [false, true])
    func `An edited element isn't confused with a new one like its old value`(
        isSaved: Bool, isNamedAgain: Bool
    ) async throws {
        let order = try await store.imported(Order.self, json("p1 q3"))
        let edited = order.items[1]
        edited.count = 2
        let item = Item(in: store.main)
        (item.name, item.count) = ("r", 3)
        order.items.insert(item, at: 1)
        let sending = Task { await failure { try await order.save() } }
        await held.wait(for: 1)
        item.count = 5
        if isSaved { try await store.main.save() }
        if isNamedAgain { try await take("p1 q3") }
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        try await take("p1 r3 q2")
        #expect(items(order) == ["p1", "r5", "q2"] && order.items[2] === edited)
        let again = Task { await failure { try await order.save() } }
        await held.wait(for: 2)
        held.answer(1, .json(json("p1 r5 q2")))
        #expect(await again.value == nil)
        #expect(items(order) == ["p1", "r5", "q2"] && order.unsentProperties == [] && !store.main.hasChanges)
    }

    @Test(arguments: [0, 1, 2], [false, true])
    func `A fetched element whose request fails afterwards exists once`(_ place: Int, _ isSaved: Bool) async throws {
        let (order, sending) = try await sending(at: place, isSaved: isSaved)
        let expected = Self.places(place)
        try await take(expected.joined(separator: " "))
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        #expect(items(order) == expected)
        try await take(expected.joined(separator: " "))
        try await store.main.save()
        #expect(items(order) == expected)
        try await take(expected.joined(separator: " ") + " s3")
        #expect(items(order) == expected + ["s3"])
        let again = Task { await failure { try await order.save() } }
        await held.wait(for: 2)
        held.answer(1, .json(json((expected + ["s3"]).joined(separator: " "))))
        #expect(await again.value == nil)
        let sent = (expected + ["s3"]).map { #"{"name":"\#($0.dropLast())","count":\#($0.suffix(1))}"# }
        #expect(held.log.last == #"PATCH /orders/1 {"items":[\#(sent.joined(separator: ","))]}"#)
        #expect(items(order) == expected + ["s3"] && order.unsentProperties == [] && !store.main.hasChanges)
    }

    @Test(arguments: [false, true])
    func `A default sent last stays an edit of an element that the server has from the request before`(
        isSaved: Bool
    ) async throws {
        let order = try await store.imported(Order.self, Self.body)
        let item = Item(in: store.main)
        (item.name, item.count) = ("r", 2)
        order.items.insert(item, at: 0)
        for (number, count) in [2, 0].enumerated() {
            item.count = count
            if isSaved { try await store.main.save() }
            let sending = Task { await failure { try await order.save() } }
            await held.wait(for: number + 1)
            held.answer(number, .status(500))
            #expect(await sending.value != nil)
        }
        try await take("r2 p1 q2")
        #expect(items(order) == ["r0", "p1", "q2"])
        let again = Task { await failure { try await order.save() } }
        await held.wait(for: 3)
        held.answer(2, .status(204))
        #expect(await again.value == nil)
        #expect(held.log[2].contains(#"{"name":"r","count":0}"#))
        #expect(items(order) == ["r0", "p1", "q2"] && order.unsentProperties == [] && !store.main.hasChanges)
    }

    /// Saves another edit of the order, in another context.
    private func saveElsewhere(answering reply: StubTransport.Reply) async throws {
        let (store, count) = (store, held.log.count)
        let saving = Task {
            try await store.background { context in
                let same = try context.find(Order.self, 1)
                same?.note = "n"
                try await same?.save()
            }
        }
        await held.wait(for: count + 1)
        held.answer(count, reply)
        try await saving.value
    }

    @Test(arguments: [0, 1, 2], [false, true])
    func `An element sent without an answer exists once after another context's reply`(_ place: Int, _ isSaved: Bool)
        async throws
    {
        let (order, sending) = try await sending(at: place, isSaved: isSaved)
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        let expected = Self.places(place)
        try await saveElsewhere(answering: .json(json(expected.joined(separator: " "))))
        #expect(items(order) == expected)
        // From now on, an element added by the server is a new one.
        try await take(expected.joined(separator: " ") + " r0")
        #expect(items(order) == expected + ["r0"])
    }

    @Test func `An element removed after an unanswered request stays removed in another's reply`() async throws {
        let (order, sending) = try await sending(at: 2, isSaved: false)
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        order.items.removeLast()
        try await saveElsewhere(answering: .json(json("p1 q2 r0")))
        #expect(items(order) == ["p1", "q2"])
        #expect(order.unsentProperties == ["items"])
    }

    @Test(arguments: [0, 1, 2], [(false, false), (false, true), (true, true)])
    func `An element fetched after a failed request exists once`(_ place: Int, _ saved: (before: Bool, then: Bool))
        async throws
    {
        let (order, sending) = try await sending(at: place, isSaved: saved.before)
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        if saved.then { try await store.main.save() }
        let expected = Self.places(place)
        try await take(expected.joined(separator: " "))
        #expect(items(order) == expected)
        let again = Task { await failure { try await order.save() } }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        #expect(await again.value == nil)
        #expect(items(order) == expected && order.unsentProperties == [] && !store.main.hasChanges)
    }

    @Test(arguments: [false, true], [0, 1, 2])
    func `Removing an element after an unanswered request is sent`(_ isSaved: Bool, _ savedThen: Int) async throws {
        let (order, sending) = try await sending(at: 0, isSaved: isSaved)
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        if savedThen == 1 { try await store.main.save() }
        order.items.removeFirst()
        if savedThen == 2, isSaved { try await store.main.save() }
        #expect(items(order) == ["p1", "q2"] && order.unsentProperties == ["items"])
        try await take("r0 p1 q2 s3")
        #expect(items(order) == ["p1", "q2", "s3"])
        try await store.main.save()
        try await take("r0 p1 q2 s3")
        #expect(items(order) == ["p1", "q2", "s3"])
        let again = Task { await failure { try await order.save() } }
        await held.wait(for: 2)
        held.answer(1, .json(json("p1 q2 s3")))
        #expect(await again.value == nil)
        #expect(
            held.log.last
                == #"PATCH /orders/1 {"items":[{"name":"p","count":1},{"name":"q","count":2},{"name":"s","count":3}]}"#)
        #expect(items(order) == ["p1", "q2", "s3"] && order.unsentProperties == [] && !store.main.hasChanges)
        try await take("r0 p1")
        #expect(items(order) == ["r0", "p1"])
    }

    @Test(arguments: [false, true], [(false, false), (false, true), (true, true)])
    func `Removing an element that was fetched after an unanswered request is sent`(
        _ isSaved: Bool, _ edits: (within: Bool, then: Bool)
    ) async throws {
        let (order, sending) = try await sending(at: 0, isSaved: isSaved)
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        if edits.within { order.items[1].count = 7 }
        if edits.then { try await store.main.save() }
        try await take("r0 p1 q2")
        if edits.then { try await store.main.save() }
        #expect(order.items.map(\.name) == ["r", "p", "q"])
        order.items.removeFirst()
        try await store.main.save()
        try await take("r0 p1 q2")
        #expect(order.items.map(\.name) == ["p", "q"])
        let again = Task { await failure { try await order.save() } }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        #expect(await again.value == nil)
        let count = edits.within ? 7 : 1
        #expect(
            held.log.last
                == #"PATCH /orders/1 {"items":[{"name":"p","count":\#(count)},{"name":"q","count":2}]}"#)
    }

    @Test(arguments: [false, true]) func `All elements of a long list fetched during its request exist once`(
        _ isSaved: Bool
    ) async throws {
        let order = try await store.imported(Order.self, #"{"id": 1, "items": []}"#)
        let names = (0..<200).map { "n\($0)" }
        order.items = names.map { name in
            let item = Item(in: store.main)
            item.name = name
            return item
        }
        if isSaved { try await store.main.save() }
        let sending = Task { await failure { try await order.save() } }
        await held.wait(for: 1)
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        let items = names.map { #"{"name":"\#($0)","count":0}"# }.joined(separator: ",")
        _ = try await store.imported(Order.self, #"{"id": 1, "items": [\#(items)]}"#)
        #expect(order.items.map(\.name) == names)
    }

    @Model("/tickets") final class Ticket {
        var identifier: Int?
        var files: [Attachment]
    }

    @Model(embedded: true) final class Attachment {
        var name = ""
        var position: Int?
        var isOpen = false
    }

    /// The server gives each element a number.
    @Test(arguments: [false, true]) func `A new element in which the server has set more values exists once`(
        _ isSaved: Bool
    ) async throws {
        let store = try Store.held(by: held, [Ticket.self, Attachment.self])
        let ticket = try await store.imported(
            Ticket.self, #"{"id": 1, "files": [{"name": "a", "position": 1, "is_open": false}]}"#)
        let file = Attachment(in: store.main)
        file.name = "b"
        ticket.files.append(file)
        if isSaved { try await store.main.save() }
        let sending = Task { await failure { try await ticket.save() } }
        await held.wait(for: 1)
        held.answer(0, .status(500))
        #expect(await sending.value != nil)
        let files = [("a", 1, false), ("c", 2, true), ("b", 3, true)]
            .map { #"{"name":"\#($0.0)","position":\#($0.1),"is_open":\#($0.2)}"# }.joined(separator: ",")
        _ = try await store.imported(Ticket.self, #"{"id": 1, "files": [\#(files)]}"#)
        // Others' additions to an unsaved list come last.
        let names = isSaved ? ["a", "c", "b"] : ["a", "b", "c"]
        #expect(ticket.files.map(\.name) == names)
        let again = Task { await failure { try await ticket.save() } }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        #expect(await again.value == nil)
        #expect(ticket.files.map(\.name) == names && ticket.unsentProperties == [])
    }

    private func item(_ text: String) -> Item {
        let item = Item(in: store.main)
        item.name = String(text.dropLast())
        item.count = Int(text.suffix(1)) ?? 0
        return item
    }

    @Test(arguments: [false, true]) func `A fetched element of a removed one isn't confused with a newer one`(
        _ isSaved: Bool
    ) async throws {
        let order = try await store.imported(Order.self, Self.body)
        order.items.remove(at: 0)
        order.items.insert(item("q2"), at: 0)
        let sending = Task { await failure { try await order.save() } }
        await held.wait(for: 1)
        order.items.remove(at: 0)
        let added = item("q2")
        order.items.insert(added, at: 0)
        if isSaved { try await store.main.save() }
        held.answer(0, .json(json("q2 q2")))
        #expect(await sending.value == nil)
        #expect(items(order) == ["q2", "q2"] && order.items[0] === added)
        try await store.main.save()
        #expect(items(order) == ["q2", "q2"] && order.items[0] === added)
    }

    @Test func `The order set during a list's request stays`() async throws {
        let order = try await store.imported(Order.self, Self.body)
        order.items.insert(item("r3"), at: 1)
        let sending = Task { await failure { try await order.save() } }
        await held.wait(for: 1)
        order.items.insert(item("q2"), at: 3)
        order.items.remove(at: 0)
        order.items.insert(item("r2"), at: 1)
        order.items.insert(item("p1"), at: 3)
        try await store.main.save()
        held.answer(0, .json(json("p1 r3 q2")))
        #expect(await sending.value == nil)
        #expect(items(order) == ["r3", "r2", "q2", "p1", "q2"])
        // Others' additions stay behind the element that they were put behind.
        try await take("p1 s4 r3 q2")
        #expect(items(order) == ["r3", "r2", "q2", "p1", "s4", "q2"])
    }

    /// The server has it as it was sent, and answers late, or not at all.
    @Test(arguments: [200, 500], [0, 1, 2]) func `An element edited since it was sent is one with the server's`(
        _ status: Int, _ saves: Int
    ) async throws {
        let order = try await store.imported(Order.self, Self.body)
        order.items.insert(item("r3"), at: 1)
        if saves == 1 { try await store.main.save() }
        let sending = Task { await failure { try await order.save() } }
        await held.wait(for: 1)
        order.items[1].count = 7
        if saves == 2 { try await store.main.save() }
        held.answer(0, status == 200 ? .json(json("p1 r3 q2")) : .status(status))
        _ = await sending.value
        try await take("p1 r3 q2")
        #expect(items(order) == ["p1", "r7", "q2"])
        try await store.main.save()
        try await take("p1 r3 q2")
        #expect(items(order) == ["p1", "r7", "q2"] && order.unsentProperties == ["items"])
        let again = Task { await failure { try await order.save() } }
        await held.wait(for: 2)
        held.answer(1, .json(json("p1 r7 q2")))
        #expect(await again.value == nil)
        #expect(items(order) == ["p1", "r7", "q2"] && order.unsentProperties == [] && !store.main.hasChanges)
    }

    @Test(arguments: [200, 500], [false, true]) func `An element edited, sent and removed stays removed`(
        _ status: Int, _ isSaved: Bool
    ) async throws {
        let order = try await store.imported(Order.self, Self.body)
        order.items[1].count = 5
        let sending = Task { await failure { try await order.save() } }
        await held.wait(for: 1)
        order.items[1].count = 7
        order.items.removeLast()
        if isSaved { try await store.main.save() }
        held.answer(0, status == 200 ? .json(json("p1 q5")) : .status(status))
        _ = await sending.value
        try await take("p1 q5")
        #expect(items(order) == ["p1"])
        try await store.main.save()
        try await take("p1 q5")
        #expect(items(order) == ["p1"] && order.unsentProperties == ["items"])
    }

    // MARK: Values set by the server

    @Model("/carts") final class Cart {
        var identifier: Int?
        @Relationship(inverse: nil) var lines: [Line]
    }

    @Model(embedded: true) final class Line {
        var sku = ""
        @Attribute(access: .readOnly) var price: Int?
    }

    @Test(arguments: [false, true]) func `A removed element stays out whatever the server changes in it`(
        _ isSaved: Bool
    ) async throws {
        let store = try Store.held(by: held, [Cart.self, Line.self])
        func json(_ raise: Int) -> String {
            #"{"id": 1, "lines": [{"sku": "a", "price": \#(1 + raise)}, {"sku": "b", "price": \#(2 + raise)}]}"#
        }
        let cart = try await store.imported(Cart.self, json(0))
        cart.lines.remove(at: 1)
        if isSaved { try await store.main.save() }
        _ = try await store.imported(Cart.self, json(5))
        try await store.main.save()
        #expect(cart.lines.map(\.sku) == ["a"] && cart.lines[0].price == 6 && cart.unsentProperties == ["lines"])
        let sending = Task { await failure { try await cart.save() } }
        await held.wait(for: 1)
        held.answer(0, .json(#"{"id": 1, "lines": [{"sku": "a", "price": 7}]}"#))
        #expect(await sending.value == nil)
        #expect(held.bodies == [#"{"lines":[{"sku":"a"}]}"#])
        #expect(cart.lines.map(\.price) == [7] && cart.unsentProperties == [])
    }
}
