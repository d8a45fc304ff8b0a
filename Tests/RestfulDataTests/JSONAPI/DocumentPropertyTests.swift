import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Random graphs through JSON:API documents, in both directions, compared with a writer that shares nothing with the
/// library.
@MainActor @Suite struct DocumentPropertyTests {
    @Test(arguments: 0..<60)
    func `A random document is imported as its graph`(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let graph = RandomGraph(using: &generator)
        let store = try Store(.temporary, models: Newsroom.models, conventions: .jsonAPI)
        let document = try graph.document(using: &generator)
        try await store.main.import(Newsroom.Article.self, from: document)
        #expect(try RandomGraph(store.main) == graph)

        let contents = try await store.contents()
        let again = try await store.main.importReporting(
            Newsroom.Article.self, from: try graph.document(using: &generator))
        #expect(again.inserted == 0 && again.updated == 0 && again.pendingLinks == 0)
        #expect(try await store.contents() == contents)
    }

    @Test(arguments: 0..<20)
    func `An imported graph is sent as it was imported`(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed + 1000)
        let graph = RandomGraph(using: &generator)
        var conventions = APIConventions.jsonAPI
        conventions.saveMethod = .put
        let service = try Service(Newsroom.models, conventions: conventions, stub: StubTransport { _ in .status(204) })
        try await service.main.import(Newsroom.Article.self, from: try graph.document(using: &generator))
        for id in graph.articles.keys.sorted() {
            let article = try #require(try service.main.find(Newsroom.Article.self, id))
            var changed = graph
            changed.articles[id]?.title += "!"
            article.title += "!"
            try await article.save()
            let sent = try JSONSerialization.jsonObject(with: Data(service.stub.requests.last?.body?.bytes ?? []))
            let expected: [String: Any] = [
                "data": RandomGraph.withoutEmptyLists(changed.article(id, withComments: false))
            ]
            #expect(sent as? NSDictionary == expected as NSDictionary)
        }
        #expect(service.stub.requests.count == graph.articles.count)
    }
}
