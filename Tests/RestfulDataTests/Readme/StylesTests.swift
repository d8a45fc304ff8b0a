import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// The requests that the README describes for the house styles.
@MainActor @Suite struct StylesTests {
    @Test func `The requests in the README are the ones sent`() async throws {
        let readme = try String(contentsOf: ProjectFolder.root.appending(path: "README.md"), encoding: .utf8)
        let told = readme.matches(of: /\/\/ .*?(PATCH \/articles\/1.*)/).map { String($0.output.1) }
        var sent: [String] = []
        for service in Styles().services() {
            let stub = StubTransport { _ in .status(204) }
            let store = try Store(
                .temporary, models: [Styles.Author.self, Styles.Article.self, Styles.Comment.self],
                api: API(service.baseURL, conventions: service.conventions, transport: stub))
            let isDocument = service.conventions.document == .jsonAPI
            let ada = try await store.main.import(
                Styles.Author.self, from: Array((isDocument ? #"{"type": "authors", "id": "7"}"# : #"{"id": 7}"#).utf8)
            ).objects[0]
            let article = try await store.main.import(
                Styles.Article.self,
                from: Array((isDocument ? #"{"type": "articles", "id": "1"}"# : #"{"id": 1}"#).utf8)
            ).objects[0]
            article.title = "Notes"
            article.author = ada
            try await article.save()
            sent += stub.log
        }
        #expect(told.count == 4 && sent.count == 4)
        for (told, sent) in zip(told, sent) {
            let parts = told.split(separator: "…").map(String.init)
            #expect(sent.hasPrefix(parts[0]) && sent.hasSuffix(parts[parts.count - 1]), "\(sent)")
        }
    }
}
