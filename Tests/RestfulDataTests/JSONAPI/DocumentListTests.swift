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
}
