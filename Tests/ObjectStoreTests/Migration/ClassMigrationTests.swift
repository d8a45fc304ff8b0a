import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Models that begin or cease to inherit from another, changed discriminators, and models that begin or cease to be
/// embedded. Their unsent changes would be sent as something else, or never.
@MainActor
@Suite struct ClassMigrationTests {
    enum Apart {
        @Model("/events", discriminator: "type")
        class Event {
            var identifier: Int?
            var type = ""
            var note = ""
        }
        @Model("/pushes") final class PushEvent {
            var identifier: Int?
            var type = ""
            var note = ""
            var size = 0
        }
        static let models: [any Model.Type] = [Event.self, PushEvent.self]
    }

    enum Family {
        @Model("/events", discriminator: "type")
        class Event {
            var identifier: Int?
            var type = ""
            var note = ""
        }
        @Model("/pushes", inherits: Event.self) final class PushEvent: Event {
            var size = 0
        }
        static let models: [any Model.Type] = [Event.self, PushEvent.self]
    }

    enum OtherValue {
        @Model("/events", discriminator: "type")
        class Event {
            var identifier: Int?
            var type = ""
            var note = ""
        }
        @Model("/pushes", inherits: Event.self, as: "push!") final class PushEvent: Event {
            var size = 0
        }
        static let models: [any Model.Type] = [Event.self, PushEvent.self]
    }

    enum MoreValues {
        @Model("/events", discriminator: "kind")
        class Event {
            var identifier: Int?
            @Attribute(renamedFrom: "type") var kind = ""
            var note = ""
        }
        @Model("/pushes", inherits: Event.self, as: "push!", "PushEvent", "push_event")
        final class PushEvent: Event {
            var size = 0
        }
        static let models: [any Model.Type] = [Event.self, PushEvent.self]
    }

    enum OtherDiscriminator {
        @Model("/events", discriminator: "action")
        class Event {
            var identifier: Int?
            var type = ""
            var action: String?
            var note = ""
        }
        @Model("/pushes", inherits: Event.self) final class PushEvent: Event {
            var size = 0
        }
        static let models: [any Model.Type] = [Event.self, PushEvent.self]
    }

    private static let rest =
        "changes that the server has not confirmed: send them first, with the models as they were, or let go of them "
        + "with `Migration.discarding(\"PushEvent\")`"

    private func family(_ edit: @escaping @MainActor (Family.PushEvent) -> Void) async throws -> MigratedFile {
        let file = try MigratedFile()
        try await file.open(Family.models) { store in
            try await store.main.take(
                Family.Event.self,
                #"[{"id": 1, "type": "PushEvent", "note": "a", "size": 3}, {"id": 2, "type": "Fork", "note": "b"}]"#)
            try #require(try store.main.find(Family.Event.self, 2)).note = "of another class"
            edit(try #require(try store.main.find(Family.PushEvent.self, 1)))
            try await store.main.save()
        }
        return file
    }

    @Test func `Pending edits refuse a migration in which a model begins to inherit`() async throws {
        let file = try MigratedFile()
        try await file.open(Apart.models) { store in
            try await store.main.take(Apart.PushEvent.self, #"[{"id": 1, "note": "a"}, {"id": 2}]"#)
            try #require(try store.main.find(Apart.PushEvent.self, 1)).note = "edited"
            try await store.main.save()
        }
        #expect(
            try await file.refusal(Family.models) == [
                "PushEvent inherits from Event now, and 1 object of it has \(Self.rest)"
            ])
        try await file.open(Family.models, [Migration("let go").discarding("PushEvent")])
        let count = try await file.open(Apart.models) { try $0.main.query(Apart.PushEvent.self).count() }
        #expect(count == 0)
    }

    @Test func `A model without pending edits may begin to inherit`() async throws {
        let file = try MigratedFile()
        try await file.open(Apart.models) { store in
            try await store.main.take(Apart.PushEvent.self, #"{"id": 1, "note": "a"}"#)
        }
        try await file.open(Family.models) { store in
            try await store.main.take(Family.Event.self, #"{"id": 1, "type": "PushEvent"}"#)
            #expect(try store.main.query(Family.PushEvent.self).count() == 1)
        }
    }

    @Test func `Pending edits refuse a migration that separates or removes a submodel`() async throws {
        let file = try await family { $0.note = "edited" }
        let reason = "PushEvent does not inherit from Event any more, and 1 object of it has \(Self.rest)"
        #expect(try await file.refusal(Apart.models) == [reason])
        #expect(try await file.refusal([Family.Event.self]) == [reason])
        #expect(
            try await file.refusal([Apart.PushEvent.self]) == [
                "PushEvent is a model of its own now, and 1 object of it has \(Self.rest)"
            ])
        try await file.expect(
            """
            event
              1 type=PushEvent note=edited
              2 type=Fork note=of another class unsent: note
            """, of: [Family.Event.self], [Migration("let go").discarding("PushEvent")])
    }

    @Test func `Discarding a submodel drops pending edits of its own attribute`() async throws {
        let file = try await family { $0.size = 4 }
        #expect(try await file.refusal([Family.Event.self]).count == 2)
        try await file.open([Family.Event.self], [Migration("let go").discarding("PushEvent")])
    }

    @Test func `Pending edits refuse a migration to another discriminator`() async throws {
        let file = try await family { $0.size = 4 }
        let reason = "PushEvent is told by other values of Event's"
        #expect(
            try await file.refusal(OtherValue.models) == [
                "\(reason) \"type\" now, and 1 object of it has \(Self.rest)"
            ])
        #expect(
            try await file.refusal(OtherDiscriminator.models) == [
                "\(reason) \"action\" now, and 1 object of it has \(Self.rest)"
            ])
        let action = Migration("actions").rows(of: OtherDiscriminator.Event.self) { _, new in new.action = new.type }
        try await file.open(OtherDiscriminator.models, [action]) { store in
            let push = try store.main.find(OtherDiscriminator.PushEvent.self, 1)
            #expect(push?.size == 4 && push?.unsentProperties == ["size"])
        }
    }

    @Test func `A migration that adds discriminator values keeps pending edits`() async throws {
        let file = try await family { $0.size = 4 }
        try await file.open(MoreValues.models) { store in
            let push = try store.main.find(MoreValues.PushEvent.self, 1)
            #expect(push?.size == 4 && push?.unsentProperties == ["size"])
        }
    }

    enum Tagged {
        @Model("/events", discriminator: "type")
        class Event {
            var identifier: Int?
            var type = ""
            var note = ""
            @Relationship(inverse: nil) var tags: [Tag]
        }
        @Model("/pushes", inherits: Event.self) final class PushEvent: Event {
            var size = 0
        }
        @Model("/tags") final class Tag {
            var identifier: Int?
        }
        static let models: [any Model.Type] = [Event.self, PushEvent.self, Tag.self]
    }

    @Test func `Discarding a submodel drops its queued writes, memberships and marks of requests, and no others`()
        async throws
    {
        let file = try MigratedFile()
        let rows = try await file.open(Tagged.models) { store in
            let events = try await store.main.take(
                Tagged.Event.self,
                #"""
                [{"id": 1, "type": "PushEvent", "tags": []}, {"id": 2, "type": "Fork", "tags": []},
                 {"id": 3, "type": "PushEvent"}, {"id": 4, "type": "Fork"}]
                """#
            ).objects
            let tags = try await store.main.take(Tagged.Tag.self, #"{"id": 7}"#).objects
            let rows = events.map { "\($0._object.record.row.rawValue)" }
            for event in events[..<2] { (event.note, event.tags) = ("edited", tags) }
            let changes = events[..<2].map { event in
                OutboxChange.queue(.save, QueuedSubject(event._object.record), account: "")
            }
            try await store.main.save(Array(events[..<2]), queueing: changes)
            for event in events[2...] { try await store.main.deleteQueued(event, account: "") }
            return rows
        }
        let database = try Database(file.file.path)
        try database.execute(
            "INSERT INTO _send (source, source_id, relationship, holder) SELECT 'event', _id, '', '' FROM event")
        #expect(try database.rows("SELECT source_id FROM _pair ORDER BY 1").count == 2)
        try await file.open([Tagged.Event.self, Tagged.Tag.self], [Migration("let go").discarding("PushEvent")])
        #expect(
            try database.rows("SELECT source_id, action FROM _outbox ORDER BY number") == [
                [rows[1], "0"], [rows[3], "1"],
            ])
        #expect(try database.rows("SELECT source_id FROM _pair") == [[rows[1]]])
        #expect(try database.rows("SELECT source_id FROM _send") == [[rows[1]]])
    }

    // MARK: Embedded models

    enum Embedded {
        @Model final class Person {
            var identifier: Int?
            var address: Address?
        }
        @Model(embedded: true) final class Address {
            var city = ""
        }
        static let models: [any Model.Type] = [Person.self, Address.self]
    }

    enum Named {
        @Model final class Person {
            var identifier: Int?
            var address: Address?
        }
        @Model final class Address {
            var identifier: Int?
            var city = ""
        }
        static let models: [any Model.Type] = [Person.self, Address.self]
    }

    @Test func `Pending edits refuse a migration that gives an embedded model an identity`() async throws {
        let file = try MigratedFile()
        try await file.open(Embedded.models) { store in
            try await store.main.take(Embedded.Person.self, #"{"id": 1, "address": {"city": "Rome"}}"#)
            try store.main.find(Embedded.Person.self, 1)?.address?.city = "Bonn"
            try await store.main.save()
        }
        let reasons = try await file.refusal(Named.models)
        #expect(reasons.count == 1)
        #expect(
            reasons.first?.hasPrefix("Address is not embedded any more, and 1 object of it has changes") ?? false,
            "\(reasons)")
        try await file.open(Named.models, [Migration("let go").discarding("Address")])
    }

    @Test func `Pending edits refuse a migration that embeds a model`() async throws {
        let file = try MigratedFile()
        try await file.open(Named.models) { store in
            try await store.main.take(Named.Address.self, #"{"id": 1, "city": "Rome"}"#)
            try #require(try store.main.find(Named.Address.self, 1)).city = "Bonn"
            try await store.main.save()
        }
        let reasons = try await file.refusal(Embedded.models)
        #expect(reasons.contains { $0.hasPrefix("Address is embedded now, and 1 object of it has") }, "\(reasons)")
    }
}
