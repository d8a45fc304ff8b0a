import Foundation
import RestfulData
import Testing

/// Links and lists, on both sides.
@MainActor @Suite(.againstServices, .serialized) struct RelationshipTests {
    @Test(arguments: House.all) func `A changed list of links is sent to the service`(_ house: House) async throws {
        let visit = try await Visit(house)
        let tags = try await Tag.fetchAll(in: visit.main)
        let article = try await Article.fetch(key: 1, in: visit.main)
        article.tags = [tags[0]]
        try await article.save()
        #expect(article.tags.map(\.name) == ["swift"])
        article.tags = []
        try await article.save()
        #expect(try await visit.stored(1).tags.isEmpty)
        article.tags = [tags[3], tags[1]]
        try await article.save()
        #expect(try await visit.stored(1).tags.map(\.name).sorted() == ["json", "sqlite"])
    }

    @Test(arguments: House.all) func `A changed link is sent to the service`(_ house: House) async throws {
        let visit = try await Visit(house)
        let authors = try await Author.fetchAll(in: visit.main)
        let article = try await Article.fetch(key: 1, in: visit.main)
        article.author = authors[0]
        try await article.save()
        #expect(article.author === authors[0])
        #expect(try await visit.stored(1).author?.name == "Ada Lovelace")
    }

    @Test(arguments: House.all) func `An author's articles are fetched in pages and linked to the author`(
        _ house: House
    ) async throws {
        let visit = try await Visit(house)
        let author = try await Author.fetch(key: 1, in: visit.main)
        let articles = try await author.$articles.fetch(pages: .all())
        #expect(articles.map(\.identifier) == [3, 6, 9, 12, 15, 18, 21, 24])
        #expect(articles.allSatisfy { $0.author === author })
    }

    @Test(arguments: House.plain) func `A member is created and deleted through its list`(_ house: House) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 2, in: visit.main)
        let comment = Comment(in: visit.main)
        comment.body = "A word"
        try await article.$comments.add(comment)
        #expect(comment.identifier == 37 && comment.article === article)
        comment.body = "Another word"
        try await comment.save()
        let stored = try await visit.stored(2)
        #expect(try await stored.$comments.fetch().map(\.body) == ["Comment 1 on 2", "Another word"])
        try await article.$comments.delete(comment)
        #expect(comment.isDeleted)
        #expect(try await stored.$comments.fetch().map(\.body) == ["Comment 1 on 2"])
    }

    @Test(arguments: House.plain) func `A tag is created and added to an article, and removed without being deleted`(
        _ house: House
    ) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        let tag = Tag(in: visit.main)
        tag.name = "new"
        try await article.$tags.add(tag)
        #expect(tag.identifier == 5)
        let stored = try await visit.stored(1)
        #expect(try await stored.$tags.fetch().map(\.name) == ["sqlite", "rest", "new"])
        try await article.$tags.delete(tag)
        #expect(!tag.isDeleted && !article.tags.contains { $0 === tag })
        #expect(try await stored.$tags.fetch().map(\.name) == ["sqlite", "rest"])
        #expect(try await Tag.fetch(key: 5, in: visit.main) === tag)
    }
}
