import RestfulData
import Testing

@testable import ObjectStore

/// The server accepts an edit, and a later edit of the same property stays pending.
@MainActor
@Suite struct AcknowledgedEditTests {
    @Test func `An accepted request ends the conflict of its property with an earlier fetch`() async throws {
        let store = try Store(of: World.models)
        let context = store.main
        let user = try await context.take(User.self, #"{"id": 5, "login": "a", "name": "old"}"#).objects[0]
        let state = user._object
        let name = try #require(state.model.property(named: "name"))
        user.name = "A"
        try await context.save()
        var request = ImportRequest(try context.model(of: User.self))
        request.requestTime = .now()
        _ = try await context.importBody(Array(#"{"id": 5, "login": "a", "name": "theirs"}"#.utf8), request)
        #expect(ServerValues(of: state).contestedNames == ["name"])
        let sent = state.unsentEdits(of: [name])
        user.name = "B"
        try await context.save()
        let confirmation = WriteBatch.Confirmation(
            of: state.record, properties: ["name"], edits: sent, values: [name.index: .text("A")])
        try await store.file.write([], confirming: [confirmation])
        context.mergeWaitingChanges()
        #expect(user.name == "B" && ServerValues(of: state).contestedNames.isEmpty)
    }

    @Test func `A listing from before an accepted list doesn't end a later removal`() async throws {
        let store = try Store(of: [Shelf.self, Book.self, Page.self, Tool.self])
        let context = store.main
        let shelf = try await context.take(Shelf.self, #"{"id": 1, "tools": [{"id": 1}]}"#).objects[0]
        let state = shelf._object
        let tools = try #require(state.model.property(named: "tools"))
        let kept = shelf.tools[0]
        let start = context.operations.startRequest()
        defer { withExtendedLifetime(start) {} }
        let added = try await context.take(Tool.self, #"{"id": 2}"#).objects[0]
        shelf.tools.append(added)
        try await context.save()
        let confirmation = WriteBatch.Confirmation(
            of: state.record, properties: ["tools"], edits: state.unsentEdits(of: [tools]),
            lists: [tools.index: shelf.tools.map(\._object.localID)])
        try await store.file.write([], confirming: [confirmation])
        shelf.tools = [kept]
        try await context.save()
        var listing = WriteBatch.confirmed(memberships: [
            WriteBatch.Membership([kept._object.localID], of: ListOwner(tools.index, of: state.record))
        ])
        listing.isPruning = true
        listing.requestTime = start.stamp
        try await store.file.write([listing])
        try await context.take(Shelf.self, #"{"id": 1, "tools": [{"id": 1}, {"id": 2}]}"#)
        #expect(shelf.tools.map(\.identifier) == [1])
    }

    @Test func `The base of a later edit is the accepted value, also if the object was deleted meanwhile`() async throws
    {
        let store = try Store(of: World.models)
        let context = store.main
        let user = try await context.take(User.self, #"{"id": 5, "login": "a", "name": "old"}"#).objects[0]
        let record = user._object.record
        let name = try #require(user._object.model.property(named: "name"))
        user.name = "A"
        try await context.save()
        let sent = user._object.unsentEdits(of: [name])
        user.name = "B"
        try await context.save()
        try await context.deleteQueued(user, account: "")
        let confirmation = WriteBatch.Confirmation(
            of: record, properties: ["name"], edits: sent, values: [name.index: .text("A")])
        try await store.file.write([], confirming: [confirmation])
        let entry = try #require(try context.queuedWrite(QueuedSubject(record)))
        try await context.changeOutbox([.discard(entry.subject, entry.version)])
        let back = try #require(try context.find(User.self, 5))
        #expect(back.name == "B")
        back.name = "old"
        try await context.save()
        #expect(back.name == "old" && back.unsentProperties == ["name"])
    }
}
