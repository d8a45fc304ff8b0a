import Foundation
import RestfulData
import Testing

/// Features of JSON:API documents alone.
@MainActor @Suite(.against(.jsonAPI), .serialized) struct JSONAPITests {
    @Test func `Objects included in a document need no further request`() async throws {
        let visit = try await Visit(.jsonAPI)
        let article = try await Article.fetch(key: 1, in: visit.main)
        #expect(article.author?.name == "Alan Turing" && article.tags.map(\.name) == ["sqlite", "rest"])
        #expect(visit.record.lines == ["GET /articles/1 200"])
    }

    @Test func `A link to an object that isn't included is set once the object is fetched`() async throws {
        let visit = try await Visit(.jsonAPI)
        let article = try await Article.fetch(key: 1, in: visit.main)
        #expect(article.comments.isEmpty)
        let authors = try await Author.fetchAll(in: visit.main)
        let comments = try await Comment.fetchAll("/comments", in: visit.main)
        #expect(comments.count == 10 && article.comments.map(\.identifier) == (1...10).map { $0 })
        #expect(comments[0].article === article && comments[0].author === authors[0])
    }

    @Test func `A document can be requested with more included objects`() async throws {
        let visit = try await Visit(.jsonAPI)
        let article = try await Article.fetch(
            "/articles/:nr", ["nr": 1], query: ["include": "comments.author"], in: visit.main)
        #expect(article.comments.map(\.body) == (1...12).map { "Comment \($0) on 1" })
        #expect(article.comments.first?.author?.name == "Ada Lovelace")
    }

    @Test func `A resource is created, updated and deleted at its own URL`() async throws {
        let visit = try await Visit(.jsonAPI)
        let tag = Tag(in: visit.main)
        tag.name = "new"
        try await tag.create()
        #expect(tag.identifier == 5)
        tag.name = "renamed"
        try await tag.save()
        #expect(try await Tag.fetch(key: 5, in: visit.witness.main).name == "renamed")
        try await tag.delete()
        #expect(await failure { _ = try await Tag.fetch(key: 5, in: visit.witness.main) }?.reply?.kind == .notFound)
        #expect(visit.record.lines.map { $0.prefix { $0 != " " } } == ["POST", "PATCH", "DELETE"])
    }
}
