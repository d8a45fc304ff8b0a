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
}
