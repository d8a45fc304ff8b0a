import ObjectStore
import RestfulData
import Testing

/// Which class an object is.
@MainActor
@Suite struct DiscriminatorTests {
    @Test(arguments: [
        (#"{"id": 1, "type": "PushEvent", "size": 3}"#, "PushEvent"),
        (#"{"size": 3, "type": "PushEvent", "id": 1}"#, "PushEvent"),
        (#"{"id": 1, "type": "push_event"}"#, "PushEvent"),
        (#"{"id": 1, "type": "push_events"}"#, "PushEvent"),
        (#"{"id": 1, "type": "push-event"}"#, "PushEvent"),
        (#"{"id": 1, "type": "pushEvents"}"#, "PushEvent"),
        (#"{"id": 1, "type": "\u0050ushEvent"}"#, "PushEvent"),
        (#"{"id": 1, "Type": "PushEvent"}"#, "PushEvent"),
        (#"{"id": 1, "type": "ForkEvent"}"#, "ForkEvent"),
        (#"{"id": 1, "type": "Copy"}"#, "ForkEvent"),
        (#"{"id": 1, "type": "fork_event"}"#, "Event"),
        (#"{"id": 1, "type": "WatchEvent", "size": 3}"#, "Event"),
        (#"{"id": 1, "type": "pushevent"}"#, "Event"),
        (#"{"id": 1, "type": ""}"#, "Event"),
        (#"{"id": 1, "type": null}"#, "Event"),
        (#"{"id": 1, "type": 7}"#, "Event"),
        (#"{"id": 1, "type": {"name": "PushEvent"}}"#, "Event"),
        (#"{"id": 1, "type": ["PushEvent"]}"#, "Event"),
        (#"{"id": 1, "payload": {"type": "PushEvent"}}"#, "Event"),
        (#"{"id": 1}"#, "Event"),
    ])
    func `The discriminator in a payload chooses the class`(_ json: String, _ name: String) async throws {
        let store = try Store(of: Activity.models)
        let event = try #require(try await store.main.take(Event.self, json).objects.first)
        #expect("\(Swift.type(of: event as AnyObject))" == name)
        #expect(try await store.eventClasses() == [1: name])
        #expect(try store.main.find(PushEvent.self, 1) === (name == "PushEvent" ? event : nil))
        #expect(try store.main.find(Event.self, 1) === event)
        #expect(try store.main.query(Event.self).count() == 1)
        #expect(try store.main.query(ForkEvent.self).count() == (name == "ForkEvent" ? 1 : 0))
    }

    @Test(arguments: [
        (#"{"id": 1, "meta": {"kind": "person"}, "is_admin": true}"#, "Person"),
        (#"{"meta": {"since": 2, "kind": "organization"}, "id": 1}"#, "Organization"),
        (#"{"id": 1, "meta": {"kind": "robot"}}"#, "Account"),
        (#"{"id": 1, "meta": {"kind": "ghost"}}"#, "Account"),
        (#"{"id": 1, "meta": "person"}"#, "Account"),
        (#"{"id": 1, "meta": {}}"#, "Account"),
    ])
    func `A nested enum as discriminator chooses the class`(_ json: String, _ name: String) async throws {
        let store = try Store(of: Activity.models)
        let account = try #require(try await store.main.take(Account.self, json).objects.first)
        #expect("\(Swift.type(of: account as AnyObject))" == name)
    }

    @Test func `Each class reads its own keys of a payload`() async throws {
        let store = try Store(of: Activity.models)
        let json = """
            [{"id": 1, "type": "PushEvent", "size": 3, "ref": "main", "note": "a", "project_id": 5},
             {"id": 2, "type": "ForkEvent", "size": 4, "ref": "origin", "project_id": 5},
             {"id": 3, "size": 5, "ref": "none"}]
            """
        let events = try await store.main.take(Event.self, json).objects
        let push = try #require(events[0] as? PushEvent)
        let fork = try #require(events[1] as? ForkEvent)
        #expect(push.size == 3 && push.branch == "main" && push.note == "a" && push.identifier == 1)
        #expect(fork.size == 4 && fork.source == "origin" && fork.type == "ForkEvent")
        try expect(
            store,
            holds: """
                event
                  1 type=PushEvent note=a size=3 branch=main
                  2 type=ForkEvent size=4 source=origin
                  3 type= size=0
                _pending_link
                  event(1).project -> codebase(5)
                """, of: Event.self)
    }

    @Test func `A payload without the discriminator keeps the class of the row`() async throws {
        let store = try Store(of: Activity.models)
        try await store.main.take(Event.self, #"{"id": 1, "type": "PushEvent", "size": 3}"#)
        let report = try await store.main.take(Event.self, #"[{"size": 4, "id": 1}, {"id": 2, "size": 5}]"#).report
        #expect(report.updated == 1 && report.inserted == 1)
        #expect(try store.main.find(PushEvent.self, 1)?.size == 4)
        #expect(try await store.eventClasses() == [1: "PushEvent", 2: "Event"])
    }

    @Test func `A payload without the discriminator gets the requested submodel`() async throws {
        let store = try Store(of: Activity.models)
        let push = try #require(try await store.main.take(PushEvent.self, #"{"id": 1, "size": 3}"#).objects.first)
        #expect(push.size == 3 && push.type == "PushEvent")
        // A row that was met before anybody knew.
        try await store.main.take(Event.self, #"{"id": 2}"#)
        try await store.main.take(PushEvent.self, #"{"id": 2, "size": 5}"#)
        #expect(try store.main.find(PushEvent.self, 2)?.size == 5)
        // A body that lacks a discriminator leaves each class as it is.
        try await store.main.take(Event.self, #"[{"id": 1, "note": "x"}, {"id": 2, "note": "y"}]"#)
        #expect(try await store.eventClasses() == [1: "PushEvent", 2: "PushEvent"])
    }

    @Test func `An object of another class than requested is stored and reported`() async throws {
        let store = try Store(of: Activity.models)
        let imported = try await store.main.take(
            PushEvent.self, #"[{"id": 1, "size": 3}, {"id": 2, "type": "Copy", "size": 4}]"#)
        #expect(imported.objects.map(\.identifier) == [1])
        #expect(imported.report.rejected.map(\.description) == ["[1]: a ForkEvent where a PushEvent was expected"])
        #expect(try store.main.find(ForkEvent.self, 2)?.size == 4)
    }

    @Test func `New objects set the discriminator of their class`() async throws {
        let store = try Store(of: Activity.models)
        let fork = ForkEvent(in: store.main)
        let person = Person(in: store.main)
        let event = Event(in: store.main)
        #expect(fork.type == "ForkEvent" && person.kind == .person && event.type == "")
        #expect(fork.size == 0 && person.changedProperties == ["kind"] && event.changedProperties == [])
        fork.size = 2
        person.isAdmin = true
        try await store.main.save()
        #expect(fork.unsentProperties == ["type", "size"])
        let seen = try await store.background { context in
            (
                try context.query(ForkEvent.self).fetch().map(\.size),
                try context.query(Person.self).where { $0.isAdmin == true }.count(),
                try context.query(Event.self).count()
            )
        }
        #expect(seen == ([2], 1, 2))
        #expect(try store.main.query(Event.self).fetch().contains { $0 === fork })
    }

    @Test func `Queries of a submodel use inherited and own properties`() async throws {
        let store = try Store(of: Activity.models)
        let json = """
            [{"id": 1, "type": "PushEvent", "size": 3, "actor": {"id": 9}}, {"id": 2, "type": "push_event", "size": 1},
             {"id": 3, "type": "ForkEvent", "size": 2}, {"id": 4, "type": "WatchEvent", "size": 7}]
            """
        try await store.main.take(Event.self, json)
        let pushes = store.main.query(PushEvent.self)
        let actor = try #require(try store.main.find(Account.self, 9))
        #expect(try pushes.order { $0.size }.fetch().map(\.identifier) == [2, 1])
        #expect(try pushes.order(by: { $0.identifier }, .descending).fetch().map(\.identifier) == [2, 1])
        #expect(try pushes.where { $0.size > 1 && $0.type == "PushEvent" }.fetch().map(\.identifier) == [1])
        #expect(try pushes.where { $0.actor == actor }.fetch().map(\.identifier) == [1])
        #expect(try pushes.where { $0.branch == nil }.count() == 2)
        #expect(try store.main.query(ForkEvent.self).where { $0.size < 7 }.fetch().map(\.identifier) == [3])
        #expect(try store.main.query(Event.self).where { $0.type != "ForkEvent" }.count() == 3)
        // Unsaved edits and new objects count too.
        try #require(try store.main.find(PushEvent.self, 2)).size = 9
        let new = PushEvent(in: store.main)
        new.size = 5
        #expect(try pushes.order { $0.size }.fetch().map(\.size) == [3, 5, 9])
        #expect(try pushes.where { $0.size > 4 }.count() == 2)
        let rows = try pushes.order { $0.size }.select { ($0.size * 2, $0.actor.identifier) }.fetch()
        #expect(rows.map(\.0) == [6, 10, 18] && rows.map(\.1) == [9, nil, nil])
        #expect(try pushes.order { $0.size }.select { $0.size }.fetch() == [3, 5, 9])
        #expect(try pushes.grouped { $0.size / 4 }.counts().map(\.count) == [1, 1, 1])
        #expect(try pushes.limit(1, offset: 1).fetch().count == 1)
        #expect(try store.main.query(Event.self).count() == 5)
    }

    @Test func `A renamed row is matched by the server's identity, and keeps its class`() async throws {
        let store = try Store(of: Activity.models)
        let push = try await store.main.take(PushEvent.self, #"{"id": 1, "type": "PushEvent", "size": 3}"#).objects[0]
        push.identifier = 5
        try await store.main.save()
        try await store.main.take(Event.self, #"[{"id": 1, "size": 4, "ref": "main"}, {"id": 2, "type": "ForkEvent"}]"#)
        #expect(push.identifier == 5 && push.size == 4 && push.branch == "main")
        #expect(try await store.eventClasses() == [5: "PushEvent", 2: "ForkEvent"])
        #expect(try store.main.find(Event.self, 5) === push)
    }
}
