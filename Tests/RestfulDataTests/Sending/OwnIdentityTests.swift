import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// An object that has its identity from the start is not at the server for that.
@MainActor @Suite struct OwnIdentityTests {
    @Model("/things") final class Thing {
        var id = UUID()
        var name = ""
    }

    private func service(_ replies: [StubTransport.Reply] = [.status(204)]) throws -> Service {
        let left = Box(replies)
        return try Service(
            [Thing.self],
            stub: StubTransport { _ in
                let all = left.value
                left.value = all.count > 1 ? Array(all.dropFirst()) : all
                return all[0]
            })
    }

    @Test(arguments: [false, true])
    func `An object is created with its own identity, saved before or not`(_ isSaved: Bool) async throws {
        let service = try service()
        let thing = Thing(in: service.main)
        thing.name = "a"
        let id = thing.id
        if isSaved { try await service.main.save() }
        #expect(thing.unsentProperties == ["id", "name"])
        try await thing.create()
        #expect(service.stub.log == ["POST /things {\"id\":\"\(id.uuidString)\",\"name\":\"a\"}"])
        #expect(thing.id == id && thing.unsentProperties.isEmpty)
        thing.name = "b"
        try await thing.save()
        #expect(service.stub.log.last == "PATCH /things/\(id.uuidString) {\"name\":\"b\"}")
    }

    @Test func `An object with its own identity is created after a failed creation`() async throws {
        let service = try service([.status(500), .status(204)])
        let thing = Thing(in: service.main)
        _ = await failure { try await thing.create() }
        try await service.main.save()
        try await thing.create()
        #expect(service.stub.log.count == 2 && thing.unsentProperties.isEmpty)
    }
}
