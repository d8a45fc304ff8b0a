import RestfulData
import RestfulDataTesting
import Testing

/// Unreadable values are kept, even when the value shown in their place is assigned. A value that can't be sent is
/// refused.
@MainActor @Suite struct UnknownCaseTests {
    enum State: String { case open, closed }

    @Model("/doors")
    final class Door {
        var identifier: Int?
        var state: State = .open
        var former: State?
        var states: [State] = []
        var metadata: [String: String] = [:]
    }

    private func service(_ conventions: APIConventions = .default) throws -> Service {
        try Service([Door.self], conventions: conventions, stub: StubTransport { _ in .status(204) })
    }

    @Test func `An unknown enum value stays when the value read is assigned`() async throws {
        let service = try service()
        let body = #"{"id": 1, "state": "ajar", "former": "gone", "states": ["ajar", "open"]}"#
        let door = try await service.imported(Door.self, body)
        let (state, former, states) = (door.state, door.former, door.states)
        #expect(state == .open && former == nil && states == [.open])
        (door.state, door.former, door.states) = (state, former, states)
        #expect(!door.hasChanges && door.unsentProperties == [])
        door.state = .closed
        door.state = .open
        door.former = .open
        try await door.save()
        #expect(service.stub.log == [#"PATCH /doors/1 {"state":"open","former":"open"}"#])
    }

    @Test func `A dictionary with an empty key is refused in a form`() async throws {
        var conventions = APIConventions.default
        conventions.bodies = .form
        let service = try service(conventions)
        let door = try await service.imported(Door.self, #"{"id": 1, "metadata": {"a": "b"}}"#)
        door.metadata[""] = "c"
        let error = await failure { try await door.save() }
        guard case .unsendable("Door", "metadata", _)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(service.stub.log == [] && door.hasChanges)
        door.metadata[""] = nil
        door.metadata["d"] = "e"
        try await door.save()
        #expect(service.stub.log == ["PATCH /doors/1 metadata%5Ba%5D=b&metadata%5Bd%5D=e"])
    }
}
