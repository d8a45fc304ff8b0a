import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Lists in JSON:API documents.
@MainActor @Suite struct DocumentListTests {
    @Test(arguments: [("[]", 0), (#"[{"type": "clips", "id": "1"}]"#, 1)])
    func `A list is fetched by the key path of a document's data`(_ data: String, _ count: Int) async throws {
        let service = try Service(
            [Clip.self], conventions: .jsonAPI, stub: StubTransport { _ in .json(#"{"data": \#(data)}"#) })
        let clips = try await Clip.fetchAll("/clips", at: "data", in: service.main)
        #expect(clips.count == count)
    }

    @Model("/bulletins", changes: "/bulletins?since=:revision") final class Bulletin {
        var identifier: Int?
        var title = ""
        var revision: Int?
        @Relationship(inverse: nil) var channel: Channel?
        @Relationship(inverse: nil) var previous: Bulletin?
    }

    @Model("/channels") final class Channel {
        var identifier: Int?
    }

    @Test func `A feed of changes may have objects of a model with fewer properties`() async throws {
        let body = """
            {"data": [{"type": "bulletins", "id": "1", "attributes": {"revision": 3}}, {"type": "channels", "id": "9"}]}
            """
        let service = try Service(
            [Bulletin.self, Channel.self], conventions: .jsonAPI, stub: StubTransport { _ in .json(body) })
        let changes = try await Bulletin.fetchChanges(in: service.main)
        #expect(changes.objects.map(\.revision) == [3])
        #expect(try service.main.find(Channel.self, 9) != nil)
    }

    @Test func `Included objects don't advance a feed of changes`() async throws {
        let body = """
            {"data": [{"type": "bulletins", "id": "1", "attributes": {"revision": 3},
              "relationships": {"previous": {"data": {"type": "bulletins", "id": "2"}}}}],
             "included": [{"type": "bulletins", "id": "2", "attributes": {"revision": 9}}]}
            """
        let service = try Service(
            [Bulletin.self, Channel.self], conventions: .jsonAPI, stub: StubTransport { _ in .json(body) })
        for _ in 0..<2 { try await Bulletin.fetchChanges(in: service.main) }
        #expect(service.stub.log == ["GET /bulletins", "GET /bulletins?since=3"])
    }

    @Test func `The event of a deletion deletes no included objects`() async throws {
        let service = try Service(
            [Bulletin.self, Channel.self], conventions: .jsonAPI, stub: StubTransport { _ in .status(204) })
        let list = #"{"data": [{"type": "bulletins", "id": "1"}, {"type": "bulletins", "id": "2"}]}"#
        _ = try await service.main.import(Bulletin.self, from: Data(list.utf8))
        let event = #"{"data": {"type": "bulletins", "id": "1"}, "included": [{"type": "bulletins", "id": "2"}]}"#
        _ = try await service.main.import(
            Bulletin.self, from: Data(event.utf8), ifNewer: \.revision, areDeleted: true)
        #expect(try service.main.query(Bulletin.self).fetch().map(\.identifier) == [2])
    }
}
