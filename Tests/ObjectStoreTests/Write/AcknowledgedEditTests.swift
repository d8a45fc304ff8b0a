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
        request.asked = .now()
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
}
