import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A request waits for those in flight that create, delete or rename an object that it names, or share an edited fact
/// with it.
@MainActor @Suite struct WaitingRequestsTests {
    @Model("/badges") final class Badge {
        var identifier: Int?
        var name = ""
        @Relationship("/badges/:id/pins", inverse: "badge") var pins: [Pin]
    }

    @Model("/pins") final class Pin {
        var identifier: Int?
        var badge: Badge?
    }

    @Model("/wearers") final class Wearer {
        var identifier: Int?
        var badge: Badge?
        @Relationship(inverse: "wearer") var locker: Locker?
    }

    @Model("/lockers") final class Locker {
        var identifier: Int?
        var wearer: Wearer?
    }

    @Model("/columns") final class Column {
        var identifier: Int?
        @Relationship(inverse: "column") var cards: [Card]
    }

    @Model("/cards") final class Card {
        var identifier: Int?
        var column: Column?
    }

    private let held = HeldTransport()
    private let store: Store

    init() throws {
        store = try Store.held(
            by: held, [Badge.self, Pin.self, Wearer.self, Locker.self, Column.self, Card.self])
    }

    /// Runs two operations whose requests must not be in flight together.
    private func run(
        _ first: @escaping @MainActor () async throws -> Void, replying reply: StubTransport.Reply,
        then second: @escaping @MainActor () async throws -> Void, replying last: StubTransport.Reply
    ) async throws {
        let one = Task { try await first() }
        await held.wait(for: 1)
        let other = Task { try await second() }
        // The second would be sent now if it didn't wait.
        await giveWay()
        #expect(held.log.count == 1)
        held.answer(0, reply)
        held.answer(1, last)
        try await one.value
        try await other.value
        #expect(held.log.count == 2)
    }

    @Test func `A link to an object whose creation is in flight is sent with the server's identity`() async throws {
        let wearer = try await store.imported(Wearer.self, #"{"id": 1, "badge_id": null}"#)
        let badge = Badge(in: store.main)
        badge.identifier = 5
        wearer.badge = badge
        try await run(
            { try await badge.create() }, replying: .json(#"{"id": 105}"#, status: 201),
            then: { try await wearer.save() },
            replying: .status(204))
        #expect(held.log == [#"POST /badges {"id":5}"#, #"PATCH /wearers/1 {"badge_id":105}"#])
        #expect(wearer.badge === badge && wearer.unsentProperties.isEmpty)
    }

    @Test func `An object without an identity can be linked while it is created`() async throws {
        let wearer = try await store.imported(Wearer.self, #"{"id": 1, "badge_id": null}"#)
        let badge = Badge(in: store.main)
        wearer.badge = badge
        try await run(
            { try await badge.create() }, replying: .json(#"{"id": 7}"#, status: 201),
            then: { try await wearer.save() },
            replying: .status(204))
        #expect(held.log.last == #"PATCH /wearers/1 {"badge_id":7}"#)
    }

    @Test func `An object is created below its parent once the parent is created`() async throws {
        let badge = Badge(in: store.main)
        badge.name = "star"
        let pin = Pin(in: store.main)
        try await run(
            { try await badge.create() }, replying: .json(#"{"id": 7, "name": "star"}"#, status: 201),
            then: { try await badge.$pins.add(pin) }, replying: .json(#"{"id": 1}"#, status: 201))
        #expect(held.log.last?.hasPrefix("POST /badges/7/pins") == true)
        #expect(pin.badge === badge && badge.pins.map(\.identifier) == [1])
    }

    @Test func `A link to an object is sent under the name that it is given meanwhile`() async throws {
        let wearer = try await store.imported(Wearer.self, #"{"id": 1, "badge_id": null}"#)
        let badge = try await store.imported(Badge.self, #"{"id": 5, "name": "star"}"#)
        badge.identifier = 6
        try await store.main.save()
        wearer.badge = badge
        try await run(
            { try await badge.save() }, replying: .json(#"{"id": 6, "name": "star"}"#),
            then: { try await wearer.save() },
            replying: .status(204))
        #expect(held.log == [#"PATCH /badges/5 {"id":6}"#, #"PATCH /wearers/1 {"badge_id":6}"#])
    }

    @Test func `A link to an object whose deletion is in flight is sent as none once it is deleted`() async throws {
        let wearer = try await store.imported(Wearer.self, #"{"id": 1, "badge_id": 4, "badge": {"id": 4}}"#)
        let badge = try await store.imported(Badge.self, #"{"id": 5, "name": "star"}"#)
        wearer.badge = badge
        try await run(
            { try await badge.delete() }, replying: .status(204), then: { try await wearer.save() },
            replying: .status(204))
        #expect(held.log == ["DELETE /badges/5", #"PATCH /wearers/1 {"badge_id":null}"#])
    }

    @Test func `An object is deleted after the requests that name it`() async throws {
        let wearer = try await store.imported(Wearer.self, #"{"id": 1, "badge_id": null}"#)
        let badge = try await store.imported(Badge.self, #"{"id": 5, "name": "star"}"#)
        wearer.badge = badge
        try await run(
            { try await wearer.save() }, replying: .status(204), then: { try await badge.delete() },
            replying: .status(204))
        #expect(held.log == [#"PATCH /wearers/1 {"badge_id":5}"#, "DELETE /badges/5"])
        #expect(wearer.badge == nil && wearer.unsentProperties.isEmpty)
    }

    @Test func `A member's link waits for the list that it left`() async throws {
        let first = try await store.imported(Column.self, #"{"id": 1, "cards": [{"id": 5}, {"id": 6}]}"#)
        let second = try await store.imported(Column.self, #"{"id": 2, "cards": []}"#)
        let card = try #require(first.cards.first)
        first.cards.removeFirst()
        try await run(
            { try await first.save() }, replying: .json(#"{"id": 1, "card_ids": [6]}"#),
            then: {
                card.column = second
                try await card.save()
            }, replying: .status(204))
        #expect(held.log == [#"PATCH /columns/1 {"card_ids":[6]}"#, #"PATCH /cards/5 {"column_id":2}"#])
        #expect(card.column === second && second.cards.map(\.identifier) == [5] && card.unsentProperties.isEmpty)
    }

    @Test func `A one-to-one link waits for its inverse`() async throws {
        let wearer = try await store.imported(Wearer.self, #"{"id": 1, "locker": {"id": 8}}"#)
        let other = try await store.imported(Wearer.self, #"{"id": 2}"#)
        let locker = try #require(wearer.locker)
        wearer.locker = nil
        try await run(
            { try await wearer.save() }, replying: .status(204),
            then: {
                locker.wearer = other
                try await locker.save()
            }, replying: .status(204))
        #expect(held.log == [#"PATCH /wearers/1 {"locker_id":null}"#, #"PATCH /lockers/8 {"wearer_id":2}"#])
        #expect(locker.wearer === other && other.locker === locker && locker.unsentProperties.isEmpty)
    }

    @Test func `A whole list waits for the requests of its members`() async throws {
        let badge = try await store.imported(Badge.self, #"{"id": 5, "name": "star", "pins": [{"id": 1}, {"id": 2}]}"#)
        let other = try await store.imported(Badge.self, #"{"id": 6, "name": "moon", "pins": []}"#)
        let pin = badge.pins[0]
        pin.badge = other
        try await run(
            { try await pin.save() }, replying: .status(204), then: { try await badge.$pins.replaceAll(with: [pin]) },
            replying: .status(204))
        #expect(held.log == [#"PATCH /pins/1 {"badge_id":6}"#, #"PUT /badges/5/pins {"pin_ids":[1]}"#])
        #expect(badge.pins == [pin] && other.pins.isEmpty)
    }

    @Test func `A change of a whole collection waits for a request about one of its objects`() async throws {
        let badge = try await store.imported(Badge.self, #"{"id": 5, "name": "star"}"#)
        badge.name = "moon"
        try await run(
            { try await badge.save() }, replying: .status(204),
            then: { try await Badge.updateAll(\.name, to: "sun", in: store.main) }, replying: .status(204))
        #expect(held.log == [#"PATCH /badges/5 {"name":"moon"}"#, #"PATCH /badges {"name":"sun"}"#])
        #expect(badge.name == "sun" && badge.unsentProperties.isEmpty)
    }

    @Test func `An object is saved after the change of its whole collection in flight`() async throws {
        let badge = try await store.imported(Badge.self, #"{"id": 5, "name": "star"}"#)
        try await run(
            { try await Badge.updateAll(\.name, to: "sun", in: store.main) }, replying: .status(204),
            then: {
                badge.name = "moon"
                try await badge.save()
            }, replying: .status(204))
        #expect(held.log == [#"PATCH /badges {"name":"sun"}"#, #"PATCH /badges/5 {"name":"moon"}"#])
        #expect(badge.name == "moon" && badge.unsentProperties.isEmpty)
    }

    @Test func `A collection is deleted after the requests that name one of its objects`() async throws {
        let wearer = try await store.imported(Wearer.self, #"{"id": 1, "badge_id": null}"#)
        let badge = try await store.imported(Badge.self, #"{"id": 5, "name": "star"}"#)
        wearer.badge = badge
        try await run(
            { try await wearer.save() }, replying: .status(204),
            then: { try await Badge.deleteAll(in: store.main) }, replying: .status(204))
        #expect(held.log == [#"PATCH /wearers/1 {"badge_id":5}"#, "DELETE /badges"])
        #expect(badge.isDeleted && wearer.badge == nil && wearer.unsentProperties.isEmpty)
    }

    @Test func `A save that waits ends when its task is cancelled, and keeps its edits`() async throws {
        let wearer = try await store.imported(Wearer.self, #"{"id": 1, "badge_id": null}"#)
        let badge = Badge(in: store.main)
        wearer.badge = badge
        let creation = Task { try await badge.create() }
        await held.wait(for: 1)
        let saving = Task { await failure { try await wearer.save() } }
        saving.cancel()
        #expect(await saving.value?.isCancellation == true)
        #expect(held.log.count == 1 && wearer.unsentProperties == ["badge"])
        held.answer(0, .json(#"{"id": 7}"#, status: 201))
        try await creation.value
        #expect(wearer.badge?.identifier == 7 && wearer.unsentProperties == ["badge"])
    }

    @Test func `Two members of one list are created at the same time`() async throws {
        let badge = try await store.imported(Badge.self, #"{"id": 5, "name": "star"}"#)
        let (first, second) = (Pin(in: store.main), Pin(in: store.main))
        let tasks = [first, second].map { pin in Task { try await badge.$pins.add(pin) } }
        await held.wait(for: 2)
        held.answer(0, .json(#"{"id": 1}"#, status: 201))
        held.answer(1, .json(#"{"id": 2}"#, status: 201))
        for task in tasks { try await task.value }
        #expect(Set(badge.pins.compactMap(\.identifier)) == [1, 2])
    }
}
