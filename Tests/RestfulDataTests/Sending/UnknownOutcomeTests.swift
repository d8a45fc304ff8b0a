import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Requests that had no answer when the program ended may have reached the server: the next process that opens the file
/// knows that.
@MainActor @Suite struct UnknownOutcomeTests {
    @Model("/members", key: "login", identity: "login") final class Member {
        var login: String?
        var name: String?
    }

    private let file: Box<TemporaryFile>
    private static let models: [any Model.Type] = Shop.models + [Member.self]

    init() throws { file = try Box(TemporaryFile()) }

    /// A service as it is after a restart.
    private func service(answering status: Int) throws -> Service {
        file.value = try file.value.copy()
        return try Service(Self.models, location: .file(file.value.path), stub: StubTransport { _ in .status(status) })
    }

    /// Edits an object, sends the edit in vain, and ends.
    ///
    /// - Parameter isSavedBefore: whether the edit is in the file when it is sent; else it is saved afterwards.
    private func send<M: Model>(
        _ type: M.Type, _ json: String, answering statuses: Int..., isSavedBefore: Bool = true,
        _ edit: (M) -> Void
    ) async throws {
        let answers = Box(statuses)
        let service = try Service(
            Self.models, location: .file(file.value.path),
            stub: StubTransport { _ in .status(answers.value.removeFirst()) })
        let object = try await service.imported(type, json)
        edit(object)
        if isSavedBefore { try await service.main.save() }
        for _ in statuses { _ = await failure { try await object.save() } }
        try await service.main.save()
        #expect(service.stub.log.count == statuses.count)
    }

    private func all(_ service: Service) throws -> [String] {
        try service.main.query(Member.self).order { $0.login }.fetch().map { "\($0.login ?? "") \($0.name ?? "")" }
    }

    @Test(arguments: [false, true]) func `After a restart, an element sent without an answer exists once`(
        isSavedBefore: Bool
    ) async throws {
        try await send(
            Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}]}"#, answering: 500,
            isSavedBefore: isSavedBefore
        ) { order in
            guard let context = order.context else { return }
            let item = Item(in: context)
            item.name = "r"
            order.items.append(item)
        }
        let service = try service(answering: 204)
        let body =
            #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "q", "count": 2}, {"name": "r", "count": 0}]}"#
        let order = try await service.imported(Order.self, body)
        #expect(order.items.map(\.name) == ["p", "q", "r"])
        try await order.save()
        #expect(
            service.stub.log == [
                #"PATCH /orders/1 {"items":[{"name":"p","count":1},{"name":"q","count":2},{"name":"r","count":0}]}"#
            ])
        #expect(order.unsentProperties.isEmpty)
    }

    /// The server has made a row of it before the program ends, and a fetch has shown that.
    @Test(arguments: [false, true])
    func `After a restart, an element fetched since its unanswered request exists once`(isEdited: Bool) async throws {
        do {
            let (service, order, item) = try await orderWithNewItem()
            _ = await failure { try await order.save() }
            if isEdited { item.count = 7 }
            _ = try await service.imported(
                Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "r", "count": 3}]}"#)
            #expect(order.items.map(\.count) == [1, isEdited ? 7 : 3])
            try await service.main.save()
        }
        let service = try self.service(answering: 204)
        let order = try await service.imported(
            Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "r", "count": 3}]}"#)
        #expect(order.items.map { "\($0.name)\($0.count)" } == ["p1", isEdited ? "r7" : "r3"])
    }

    /// An order to which an item was added, where no send has an answer.
    private func orderWithNewItem() async throws -> (service: Service, order: Order, item: Item) {
        let service = try self.service(answering: 500)
        let order = try await service.imported(Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}]}"#)
        let item = Item(in: service.main)
        (item.name, item.count) = ("r", 3)
        order.items.append(item)
        return (service, order, item)
    }

    @Test(arguments: [3, 5, 7], [false, true])
    func `After a restart, an element sent with several values exists once`(_ count: Int, isSavedBefore: Bool)
        async throws
    {
        let (service, order, item) = try await orderWithNewItem()
        for next in [5, 7, 9] {
            if isSavedBefore { try await service.main.save() }
            _ = await failure { try await order.save() }
            item.count = next
        }
        try await service.main.save()
        #expect(service.stub.log.count == 3)
        let again = try self.service(answering: 204)
        let body = #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "r", "count": \#(count)}]}"#
        let same = try await again.imported(Order.self, body)
        #expect(same.items.map(\.count) == [1, 9])
        try await same.save()
        #expect(again.stub.log.last?.hasSuffix(#"{"items":[{"name":"p","count":1},{"name":"r","count":9}]}"#) == true)
        _ = try await again.imported(
            Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "r", "count": 9}]}"#)
        #expect(same.items.map(\.count) == [1, 9] && same.unsentProperties.isEmpty)
    }

    @Test func `After a restart, an element saved and sent twice with edits exists once`() async throws {
        let (service, order, item) = try await orderWithNewItem()
        for next in [3, 5] {
            item.count = next
            try await service.main.save()
            _ = await failure { try await order.save() }
        }
        let again = try self.service(answering: 204)
        let same = try await again.imported(
            Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "r", "count": 5}]}"#)
        #expect(same.items.map(\.count) == [1, 5])
    }

    @Test(arguments: [false, true], [false, true])
    func `After a restart, an element sent without an answer and edited exists once`(
        isSavedBefore: Bool, isSavedAgain: Bool
    ) async throws {
        try await send(
            Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}]}"#, answering: 500,
            isSavedBefore: isSavedBefore
        ) { order in
            guard let context = order.context else { return }
            let item = Item(in: context)
            item.name = "r"
            order.items.append(item)
        }
        let service = try service(answering: 204)
        let item = try #require(try service.main.find(Order.self, 1)?.items.last)
        for name in ["s", "t"] {
            item.name = name
            if isSavedAgain { try await service.main.save() }
        }
        let order = try await service.imported(
            Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "r", "count": 0}]}"#)
        #expect(order.items.map(\.name) == ["p", "t"])
        try await order.save()
        #expect(
            service.stub.log == [#"PATCH /orders/1 {"items":[{"name":"p","count":1},{"name":"t","count":0}]}"#])
        #expect(order.unsentProperties.isEmpty)
    }

    @Test func `After a restart, an element saved before the sending process exists once`() async throws {
        do {
            let service = try service(answering: 500)
            let order = try await service.imported(
                Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "q", "count": 2}]}"#)
            let item = Item(in: service.main)
            (item.name, item.count) = ("r", 3)
            order.items.append(item)
            try await service.main.save()
            service.store.close()
        }
        let lost = try service(answering: 500)
        let sent = try #require(try lost.main.find(Order.self, 1))
        sent.items.removeFirst()
        _ = await failure { try await sent.save() }
        sent.items[0].count = 4
        try await lost.main.save()
        let service = try service(answering: 204)
        let order = try #require(try service.main.find(Order.self, 1))
        order.items[1].count = 2
        try await service.main.save()
        _ = try await service.imported(
            Order.self, #"{"id": 1, "items": [{"name": "q", "count": 2}, {"name": "r", "count": 3}]}"#)
        #expect(order.items.map { "\($0.name)\($0.count)" } == ["q4", "r2"])
        try await order.save()
        #expect(
            service.stub.log == [#"PATCH /orders/1 {"items":[{"name":"q","count":4},{"name":"r","count":2}]}"#])
    }

    @Test(arguments: [false, true]) func `After a restart, a row under the unanswered new identity is the renamed row`(
        isSavedBefore: Bool
    ) async throws {
        try await send(Member.self, #"{"login": "ada"}"#, answering: 503, isSavedBefore: isSavedBefore) {
            $0.login = "bob"
        }
        let service = try service(answering: 204)
        _ = try await service.imported(Member.self, #"{"login": "bob", "name": "C"}"#)
        #expect(try all(service) == ["bob C"])
        #expect(try service.main.find(Member.self, "bob")?.unsentProperties == [])
    }

    @Test func `After a restart, a row under a rejected identity is another object`() async throws {
        try await send(Member.self, #"{"login": "ada"}"#, answering: 422) { $0.login = "bob" }
        let service = try service(answering: 204)
        _ = try await service.main.import(
            Member.self, from: Array(#"[{"login": "bob", "name": "C"}, {"login": "eve"}]"#.utf8))
        #expect(try all(service) == ["bob ", "eve "])
        #expect(try service.main.find(Member.self, "bob")?.unsentProperties == ["login"])
    }

    @Test func `A rejection doesn't end the risk of an earlier unanswered request`() async throws {
        try await send(Member.self, #"{"login": "ada"}"#, answering: 503, 422) { $0.login = "bob" }
        let service = try service(answering: 204)
        _ = try await service.imported(Member.self, #"{"login": "bob", "name": "C"}"#)
        #expect(try all(service) == ["bob C"])
    }

    @Test func `An answer with the former identity ends the risk of a rename`() async throws {
        try await send(Member.self, #"{"login": "ada"}"#, answering: 503) { $0.login = "bob" }
        let service = try service(answering: 204)
        _ = try await service.imported(Member.self, #"{"login": "ada", "name": "B"}"#)
        _ = try await service.main.import(Member.self, from: Array(#"[{"login": "bob", "name": "C"}]"#.utf8))
        #expect(try all(service) == ["bob B"])
    }

    @Test func `After a restart, a value set back from an unanswered save is sent`() async throws {
        try await send(Member.self, #"{"login": "ada", "name": "A"}"#, answering: 500) { $0.name = "B" }
        do {
            let service = try service(answering: 204)
            let ada = try #require(try service.main.find(Member.self, "ada"))
            ada.name = "A"
            try await service.main.save()
            #expect(ada.unsentProperties == ["name"])
            try await ada.save()
            #expect(service.stub.log == [#"PATCH /members/ada {"name":"A"}"#])
            ada.name = "C"
            try await service.main.save()
        }
        let service = try service(answering: 204)
        let ada = try #require(try service.main.find(Member.self, "ada"))
        ada.name = "A"
        try await service.main.save()
        #expect(ada.unsentProperties == [] && !service.main.hasChanges)
    }

    @Test func `After a restart, removing an element sent without an answer is sent`() async throws {
        try await send(
            Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}]}"#, answering: 500
        ) { order in
            guard let context = order.context else { return }
            order.items.append(Item(in: context))
        }
        let service = try service(answering: 204)
        let order = try #require(try service.main.find(Order.self, 1))
        order.items.removeLast()
        try await service.main.save()
        _ = try await service.imported(
            Order.self, #"{"id": 1, "items": [{"name": "p", "count": 1}, {"name": "", "count": 0}]}"#)
        try await order.save()
        #expect(service.stub.log == [#"PATCH /orders/1 {"items":[{"name":"p","count":1}]}"#])
    }

    // MARK: Lists

    @Model("/docs") final class Doc {
        var identifier: Int?
        @Relationship("/docs/:id/topics", inverse: "docs") var topics: [Topic]
    }

    @Model("/topics") final class Topic {
        var identifier: Int?
        @Relationship("/topics/:id/docs", inverse: "topics", sentAs: .never) var docs: [Doc]
    }

    /// An added or removed member is set back, on either side, while it is unknown whether the server has it.
    @Test(
        arguments: [(false, false), (false, true), (true, false), (true, true)],
        [(false, false), (false, true), (true, true)])
    func `A member set back after an unanswered request keeps the last decision`(
        _ edit: (isAdded: Bool, isByOtherSide: Bool), _ saved: (before: Bool, then: Bool)
    ) async throws {
        let (isAdded, isByOtherSide) = edit
        let isFailing = Box(true)
        let service = try Service(
            [Doc.self, Topic.self], stub: StubTransport { _ in .status(isFailing.value ? 500 : 204) })
        let (before, after) = isAdded ? ("[11]", "[11, 13]") : ("[11, 13]", "[11]")
        let doc = try await service.imported(Doc.self, "{\"id\": 1, \"topics\": \(before)}")
        _ = try await service.imported(Topic.self, #"{"id": 11}"#)
        let topic = try await service.imported(Topic.self, #"{"id": 13}"#)
        func set(_ isMember: Bool) {
            switch (isByOtherSide, isMember) {
            case (false, true): doc.topics.append(topic)
            case (false, false): doc.topics.removeAll { $0 === topic }
            case (true, true): topic.docs.append(doc)
            case (true, false): topic.docs = []
            }
        }
        func topics() -> [Int?] { doc.topics.map(\.identifier) }
        let wanted: [Int?] = isAdded ? [11] : [11, 13]
        set(isAdded)
        if saved.before { try await service.main.save() }
        _ = await failure { try await doc.save() }
        set(!isAdded)
        if saved.then { try await service.main.save() }
        #expect(topics() == wanted && doc.unsentProperties == ["topics"])
        _ = try await service.imported(Doc.self, "{\"id\": 1, \"topics\": \(after)}")
        #expect(topics() == wanted && topic.docs.isEmpty == isAdded)
        isFailing.value = false
        try await doc.save()
        #expect(service.stub.log.last == #"PATCH /docs/1 {"topic_ids":[\#(isAdded ? "11" : "11,13")]}"#)
        try await service.main.save()
        #expect(topics() == wanted && doc.unsentProperties == [] && !service.main.hasChanges)
        _ = try await service.imported(Doc.self, "{\"id\": 1, \"topics\": \(after)}")
        #expect(topics() == (isAdded ? [11, 13] : [11]))
    }
}
