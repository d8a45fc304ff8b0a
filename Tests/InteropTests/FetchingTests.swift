import Foundation
import RestfulData
import Testing

/// The services' values, in the store.
@MainActor @Suite(.againstServices, .serialized) struct FetchingTests {
    @Test(arguments: House.all) func `A list is fetched page by page`(_ house: House) async throws {
        let visit = try await Visit(house)
        let articles = try await Article.fetchAll(pages: .all(), in: visit.main)
        #expect(articles.map(\.title) == (1...25).map { "Article \($0)" })
        #expect(visit.record.lines.count == 3, "\(visit.record.lines)")
        #expect(try await Article.fetchAll(in: visit.main).map(\.title) == (1...10).map { "Article \($0)" })
    }

    @Test(arguments: House.all) func `Each fetched value equals the service's`(_ house: House) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        #expect(article.slug == "article-1" && article.body == "The text of article 1.")
        #expect(article.state == .published && !article.isFeatured)
        #expect(article.publishedAt == Date(timeIntervalSince1970: 1_704_112_200.25))
        #expect(article.price == Decimal(string: "1.05"))
        let createdAt = try #require(article.createdAt)
        #expect(abs(createdAt.timeIntervalSinceNow) < 60)
        let draft = try await Article.fetch(key: 2, in: visit.main)
        #expect(draft.state == .draft && draft.publishedAt == nil)
    }

    @Test(arguments: House.all) func `An import of all articles rejects nothing and repeats without changes`(
        _ house: House
    ) async throws {
        let visit = try await Visit(house)
        let report = try await Article.fetchAllReporting(pages: .all(), in: visit.main).report
        #expect(report.rejectedCount == 0 && report.mismatchedCount == 0, "\(report)")
        let again = try await Article.fetchAllReporting(pages: .all(), in: visit.main).report
        #expect(again.inserted == 0 && again.updated == 0 && again.unlinked == 0, "\(again)")
    }

    @Test(arguments: House.all) func `Fetched articles are linked to their author and tags`(_ house: House) async throws
    {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        let author = try await Author.fetch(key: 2, in: visit.main)
        #expect(article.author === author && author.name == "Alan Turing")
        let tags = try await Tag.fetchAll(in: visit.main)
        #expect(article.tags.map(\.name) == ["sqlite", "rest"])
        #expect(article.tags.first === tags[1])
    }

    @Test(arguments: House.all) func `A date without a time is fetched as that day`(_ house: House) async throws {
        let visit = try await Visit(house)
        let authors = try await Author.fetchAll(in: visit.main)
        #expect(authors.map(\.name) == ["Ada Lovelace", "Alan Turing", "Grace Hopper"])
        let days = authors.map { $0.bornOn?.formatted(.iso8601.year().month().day()) }
        #expect(days == ["1815-12-10", "1912-06-23", nil])
    }

    @Test(arguments: House.all) func `The list of a fetched relationship is in the service's order`(_ house: House)
        async throws
    {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        let comments = try await article.$comments.fetch(pages: .all())
        #expect(comments.map(\.body) == (1...12).map { "Comment \($0) on 1" })
        #expect(article.comments.map(\.identifier) == (1...12).map { $0 })
        #expect(comments.allSatisfy { $0.article === article })
        let tags = try await article.$tags.fetch()
        #expect(tags.map(\.name) == ["sqlite", "rest"] && article.tags.map(\.name) == ["sqlite", "rest"])
    }

    @Test(arguments: House.all) func `A link to an object that wasn't fetched yet is set once the object is fetched`(
        _ house: House
    ) async throws {
        let visit = try await Visit(house)
        let comments = try await Comment.fetchAll("/articles/:nr/comments", ["nr": 1], in: visit.main)
        #expect(comments.count >= 10 && comments.allSatisfy { $0.author == nil })
        let authors = try await Author.fetchAll(in: visit.main)
        #expect(comments.prefix(3).map { $0.author?.name } == authors.map(\.name))
        let article = try await Article.fetch(key: 1, in: visit.main)
        #expect(comments.allSatisfy { $0.article === article })
    }

    @Test(arguments: House.all) func `An object that doesn't exist is reported as not found`(_ house: House)
        async throws
    {
        let visit = try await Visit(house)
        let error = await failure { _ = try await Article.fetch(key: 99, in: visit.main) }
        #expect(error?.reply?.kind == .notFound && error?.reply?.message != nil, "\(error as Any)")
    }
}
