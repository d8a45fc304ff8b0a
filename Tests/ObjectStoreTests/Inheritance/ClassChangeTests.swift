import ObjectStore
import RestfulData
import Testing

/// A discriminator that changes.
@MainActor
@Suite struct ClassChangeTests {
    private static let push = #"{"id": 1, "type": "PushEvent", "size": 3, "ref": "main", "note": "a"}"#

    private func live() async throws -> (store: Store, push: PushEvent) {
        let store = try Store(of: Activity.models)
        let push = try #require(try await store.main.take(PushEvent.self, Self.push).objects.first)
        return (store, push)
    }

    @Test func `Queries, lookups and imports give an object of the new class after a class change`() async throws {
        let (store, push) = try await live()
        let fork = try #require(
            try await store.main.take(Event.self, #"{"id": 1, "type": "ForkEvent", "ref": "origin"}"#).objects.first
                as? ForkEvent)
        #expect(fork.source == "origin" && fork.size == 3 && fork.note == "a")
        #expect(try store.main.find(Event.self, 1) === fork)
        #expect(try store.main.find(PushEvent.self, 1) == nil)
        #expect(try store.main.query(Event.self).fetch().map { $0 === fork } == [true])
        #expect(try store.main.query(PushEvent.self).fetch().isEmpty)
        // The old object still reads the same row.
        #expect(push.type == "ForkEvent" && push.note == "a" && push.branch == "main" && !push.isDeleted)
        try await store.takeElsewhere(Event.self, #"{"id": 1, "note": "b", "size": 8}"#)
        #expect(push.note == "b" && fork.note == "b" && push.size == 8 && fork.size == 8)
    }

    @Test func `A class change is seen in every context`() async throws {
        let (store, push) = try await live()
        let names = try await store.background { context in
            let held = try context.query(Event.self).fetch()
            try await store.takeElsewhere(Event.self, #"{"id": 1, "type": "Copy"}"#)
            let now = try context.query(Event.self).fetch()
            return (held + now).map { "\(Swift.type(of: $0 as AnyObject))" }
        }
        #expect(names == ["PushEvent", "ForkEvent"])
        #expect(try store.main.find(ForkEvent.self, 1)?.note == "a")
        #expect(push.type == "Copy")
    }

    @Test func `Objects of the former and the new class share edits`() async throws {
        let (store, push) = try await live()
        push.note = "edited"
        try await store.takeElsewhere(Event.self, #"{"id": 1, "type": "ForkEvent", "note": "served"}"#)
        let fork = try #require(try store.main.find(ForkEvent.self, 1))
        #expect(fork.note == "edited" && fork.changedProperties == ["note"] && push.hasChanges)
        #expect(try store.main.query(Event.self).fetch().map { $0 === fork } == [true])
        fork.note = "again"
        #expect(push.note == "again")
        push.size = 7
        #expect(fork.size == 7)
        try await store.main.save()
        #expect(!push.hasChanges && !fork.hasChanges)
        try expect(
            store,
            holds: """
                event
                  1 type=ForkEvent note=again size=7 branch=main unsent: note, size
                """, of: Event.self)
        push.note = nil
        store.main.rollback()
        #expect(fork.note == "again" && !store.main.hasChanges)
    }

    @Test func `A property that the new class lacks can't be edited, and the save reports it`() async throws {
        let (store, push) = try await live()
        try await store.takeElsewhere(Event.self, #"{"id": 1, "type": "ForkEvent"}"#)
        push.branch = "lost"
        push.coauthors = []
        push.project = nil
        #expect(push.branch == "main" && !push.hasChanges)
        let error = await #expect(throws: StoreError.self) { try await store.main.save() }
        guard case .several(let errors)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        let refused = errors.map { error in
            if case .changedModel(let property, now: "ForkEvent") = error { property } else { "\(error)" }
        }
        #expect(refused == ["branch", "coauthors", "project"])
        try await store.main.save()
        try await store.takeElsewhere(Event.self, Self.push)
        push.branch = "found"
        #expect(push.branch == "found")
    }

    @Test(arguments: [false, true])
    func `A class change drops unsaved edits of properties that the new class lacks, and reports it`(
        inDraft: Bool
    ) async throws {
        let (store, push) = try await live()
        let draft = inDraft ? try store.main.draft() : nil
        let edited = try #require(draft?.object(for: push) ?? push)
        edited.branch = "mine"
        edited.size = 7
        try await store.takeElsewhere(Event.self, #"{"id": 1, "type": "ForkEvent"}"#)
        let error = await #expect(throws: StoreError.self) {
            if let draft { try draft.save() } else { try await store.main.save() }
        }
        guard case .changedModel(property: "branch", now: "ForkEvent")? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        try draft?.save()
        let fork = try #require(try store.main.find(ForkEvent.self, 1))
        #expect(fork.changedProperties == ["size"] && fork.size == 7 && push.branch == "main")
        try await store.main.save()
        #expect(!store.main.hasChanges && fork._object.unsentProperties.map(\.name) == ["size"])
    }

    @Test func `Undo skips edits of properties that the new class lacks`() async throws {
        let (store, push) = try await live()
        let history = store.main.recordUndo()
        history.group { push.branch = "mine" }
        history.group { push.size = 7 }
        try await store.main.save()
        try await store.takeElsewhere(Event.self, #"{"id": 1, "type": "ForkEvent"}"#)
        let fork = try #require(try store.main.find(ForkEvent.self, 1))
        #expect(history.undo() && history.undo())
        #expect(fork.changedProperties == ["size"] && fork.size == 3)
    }

    @Test func `A row that returns to an earlier class is the same object again`() async throws {
        let (store, push) = try await live()
        try await store.takeElsewhere(Event.self, #"{"id": 1, "type": "ForkEvent"}"#)
        let fork = try #require(try store.main.find(ForkEvent.self, 1))
        try await store.takeElsewhere(Event.self, Self.push)
        #expect(try store.main.find(Event.self, 1) === push)
        try await store.takeElsewhere(Event.self, #"{"id": 1, "type": "Copy"}"#)
        #expect(try store.main.find(Event.self, 1) === fork)
        try await store.background { context in
            let event = try #require(try context.find(Event.self, 1))
            context.delete(event)
        }
        #expect(push.isDeleted && fork.isDeleted)
    }

    @Test func `A saved edit of the discriminator changes the class`() async throws {
        let (store, push) = try await live()
        push.type = "ForkEvent"
        #expect(try store.main.find(Event.self, 1) === push)
        try await store.main.save()
        #expect(try store.main.find(Event.self, 1) is ForkEvent)
        let new = PushEvent(in: store.main)
        new.type = "Copy"
        try await store.main.save()
        #expect(try store.main.query(ForkEvent.self).count() == 2)
        #expect(try store.main.query(ForkEvent.self).fetch().count == 2)
    }

    @Test func `Updates of a query leave out a row that becomes another class`() async throws {
        let (store, _) = try await live()
        let updates = store.main.query(PushEvent.self).updates.makeAsyncIterator()
        #expect(try await updates.next()?.count == 1)
        try await store.takeElsewhere(Event.self, #"{"id": 1, "type": "ForkEvent"}"#)
        #expect(try await updates.next()?.isEmpty == true)
    }

    @Test func `Objects of a closed store keep their values after a class change`() async throws {
        let (store, push) = try await live()
        try await store.takeElsewhere(Event.self, #"{"id": 1, "type": "ForkEvent"}"#)
        store.close()
        #expect(push.size == 3 && push.branch == "main" && push.type == "ForkEvent" && push.context == nil)
        #expect(push.project == nil && push.coauthors.isEmpty)
    }
}
