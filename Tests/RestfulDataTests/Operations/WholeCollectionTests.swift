import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

@Model("/bulletins")
final class Bulletin {
    var identifier: Int?
    var text = ""
    @Relationship(inverse: "bulletin", onDelete: .cascade) var marks: [BulletinMark]
}

@Model("/marks")
final class BulletinMark {
    var identifier: Int?
    var bulletin: Bulletin?
}

/// Requests about a whole collection, and questions that the server answers with yes or no.
@MainActor @Suite struct WholeCollectionTests {
    private func service(_ stub: StubTransport) throws -> Service {
        try Service([Bulletin.self, BulletinMark.self], stub: stub)
    }

    @Test func `One DELETE of the collection deletes all objects that the server knows`() async throws {
        let service = try service(StubTransport { _ in .status(204) })
        let known = try await service.imported(Bulletin.self, #"{"id": 1, "marks": [{"id": 3}]}"#)
        let edited = try await service.imported(Bulletin.self, #"{"id": 2}"#)
        edited.text = "mine"
        let saved = try await service.imported(Bulletin.self, #"{"id": 4}"#)
        saved.text = "saved"
        try await service.main.save()
        edited.text = "again"
        let new = Bulletin(in: service.main)
        #expect(try await Bulletin.deleteAll(in: service.main) == 1)
        #expect(known.isDeleted && !edited.isDeleted && !saved.isDeleted && !new.isDeleted)
        #expect(try service.main.query(BulletinMark.self).count() == 0)
        #expect(service.stub.log == ["DELETE /bulletins"])
    }

    @Model("/members", index: "/members/all") final class ClubMember {
        var identifier: Int?
        var isActive = true
    }

    @Test func `A collection is changed at its base URL, and listed at its index`() async throws {
        let stub = StubTransport { request in request.method == .get ? .json("[]") : .status(204) }
        let service = try Service([ClubMember.self], stub: stub)
        _ = try await ClubMember.fetchAll(in: service.main)
        try await ClubMember.updateAll(\.isActive, to: false, in: service.main)
        try await ClubMember.deleteAll(in: service.main)
        #expect(stub.log == ["GET /members/all", #"PATCH /members {"is_active":false}"#, "DELETE /members"])
    }

    @Test func `A refused deletion of a collection deletes nothing`() async throws {
        let service = try service(StubTransport { _ in .json(#"{"message": "no"}"#, status: 403) })
        let known = try await service.imported(Bulletin.self, #"{"id": 1}"#)
        await #expect(throws: APIError.self) { try await Bulletin.deleteAll(in: service.main) }
        #expect(!known.isDeleted)
    }

    @Test func `A DELETE of a part of the collection deletes nothing here`() async throws {
        let service = try service(StubTransport { _ in .status(204) })
        let known = try await service.imported(Bulletin.self, #"{"id": 1}"#)
        let byQuery = try await Bulletin.deleteAll(in: service.main) { $0.query["read"] = true }
        let byBody = try await Bulletin.deleteAll(in: service.main) { $0.body = try .json(["ids": [1]]) }
        let byHeader = try await Bulletin.deleteAll(in: service.main) { $0.headers[.authorization] = "Bearer b" }
        #expect([byQuery, byBody, byHeader] == [0, 0, 0])
        #expect(!known.isDeleted)
        #expect(
            service.stub.log == [
                "DELETE /bulletins?read=true", #"DELETE /bulletins {"ids":[1]}"#, "DELETE /bulletins",
            ])
    }

    @Test func `An object inserted while its collection is deleted stays`() async throws {
        let held = HeldTransport()
        let store = try Store(
            .temporary, models: [Bulletin.self, BulletinMark.self], api: API("https://api.example.com", transport: held)
        )
        _ = try await store.imported(Bulletin.self, #"{"id": 1, "text": "old"}"#)
        _ = try await store.imported(Bulletin.self, #"{"id": 2, "text": "old"}"#)
        let deletion = Task { try await Bulletin.deleteAll(in: store.main) }
        await held.wait(for: 1)
        _ = try await store.imported(Bulletin.self, #"{"id": 2, "text": "new"}"#)
        held.answer(0, .status(204))
        #expect(try await deletion.value == 1)
        #expect(try store.main.query(Bulletin.self).fetch().map(\.identifier) == [2])
    }

    @Test func `A check returns true for a success and false for 404, and stores nothing`() async throws {
        let service = try service(
            StubTransport([
                "GET /user/stars/1": .status(204),
                "GET /user/stars/2": .json(#"{"message": "Not Found"}"#, status: 404),
                "GET /user/stars/3": .json("{}", status: 500),
            ]))
        #expect(try await service.imported(Bulletin.self, #"{"id": 1}"#).check("/user/stars/:id"))
        #expect(try await !service.imported(Bulletin.self, #"{"id": 2}"#).check("/user/stars/:id"))
        let third = try await service.imported(Bulletin.self, #"{"id": 3}"#)
        await #expect(throws: APIError.self) { try await third.check("/user/stars/:id") }
        #expect(try service.main.query(Bulletin.self).count() == 3)
    }
}
