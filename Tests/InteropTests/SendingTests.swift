import Foundation
import RestfulData
import Testing

/// The store's values, in the services.
@MainActor @Suite(.againstServices, .serialized) struct SendingTests {
    @Test(arguments: House.all) func `A created object has its identity, values and links at the service`(
        _ house: House
    ) async throws {
        let visit = try await Visit(house)
        let author = try await Author.fetch(key: 3, in: visit.main)
        let tags = try await Tag.fetchAll(in: visit.main)
        let article = Article(in: visit.main)
        article.title = "“Quoted” \\ \u{1F600}\n"
        article.slug = "new"
        article.state = .published
        article.price = Decimal(string: "12345678.90")
        article.publishedAt = Date(timeIntervalSince1970: 1_700_000_000.5)
        article.author = author
        article.tags = [tags[0], tags[3]]
        try await article.create()
        #expect(article.identifier == 26 && article.createdAt != nil && !article.hasChanges)
        #expect(article.author === author && article.tags.map(\.name) == ["swift", "json"])

        let stored = try await visit.stored(26)
        #expect(stored.title.trimmingCharacters(in: .newlines) == "“Quoted” \\ \u{1F600}" && stored.slug == "new")
        #expect(stored.state == .published && stored.price == Decimal(string: "12345678.90"))
        #expect(stored.publishedAt == Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(stored.author?.name == "Grace Hopper" && stored.tags.map(\.name).sorted() == ["json", "swift"])
    }

    @Test(arguments: House.all) func `Only changed values are sent`(_ house: House) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        try await article.save()
        #expect(visit.record.writes.isEmpty)
        article.title = "Another"
        try await article.save()
        #expect(visit.record.writes.count == 1 && !article.hasChanges)
        #expect(visit.record.writes[0].hasPrefix("PATCH ") && !visit.record.writes[0].contains("slug"))
        let stored = try await visit.stored(1)
        #expect(stored.title == "Another" && stored.slug == "article-1")
    }

    @Test(arguments: House.plain) func `A PUT sends all values and leaves the others unchanged`(_ house: House)
        async throws
    {
        let visit = try await Visit(house, putting: true)
        _ = try await Tag.fetchAll(in: visit.main)
        _ = try await Author.fetchAll(in: visit.main)
        let article = try await Article.fetch(key: 1, in: visit.main)
        article.title = "Another"
        try await article.save()
        #expect(visit.record.writes.count == 1 && visit.record.writes.first?.hasPrefix("PUT ") == true)
        let stored = try await visit.stored(1)
        #expect(stored.title == "Another" && stored.slug == "article-1" && stored.price == Decimal(string: "1.05"))
        #expect(stored.publishedAt == Date(timeIntervalSince1970: 1_704_112_200.25))
        #expect(stored.author?.name == "Alan Turing" && stored.tags.map(\.name) == ["sqlite", "rest"])
    }

    @Test(arguments: House.all) func `An attribute set to nil is nil at the service`(_ house: House) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        article.publishedAt = nil
        article.price = nil
        try await article.save()
        #expect(article.publishedAt == nil && article.price == nil)
        let stored = try await visit.stored(1)
        #expect(stored.publishedAt == nil && stored.price == nil && stored.title == "Article 1")
    }

    @Test(arguments: House.all) func `A saved date comes back unchanged`(_ house: House) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        for seconds in [0, 1_234_567_890, 1_709_164_799.999, 4_102_444_800] {
            article.publishedAt = Date(timeIntervalSince1970: seconds)
            try await article.save()
            let stored = try await visit.stored(1)
            let publishedAt = try #require(stored.publishedAt)
            #expect(abs(publishedAt.timeIntervalSince1970 - seconds) < 0.000_001)
        }
    }

    @Test(arguments: House.all) func `A day is saved as that day`(_ house: House) async throws {
        let visit = try await Visit(house)
        let author = try await Author.fetch(key: 1, in: visit.main)
        author.bornOn = Date(timeIntervalSince1970: 86_400 * 365)
        try await author.save()
        let stored = try await Author.fetch(key: 1, in: visit.witness.main)
        #expect(stored.bornOn == Date(timeIntervalSince1970: 86_400 * 365))
    }

    @Test(arguments: House.all) func `A saved decimal loses no digit`(_ house: House) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        for digits in ["0.1", "0", "99999999.99", "2.50"] {
            article.price = Decimal(string: digits)
            try await article.save()
            let stored = try await visit.stored(1)
            #expect(stored.price == Decimal(string: digits))
        }
    }

    @Test(arguments: House.all) func `A deleted object is gone from the store and the service`(_ house: House)
        async throws
    {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        try await article.delete()
        #expect(try article.isDeleted && visit.main.find(Article.self, 1) == nil)
        let again = await failure { _ = try await Article.fetch(key: 1, in: visit.main) }
        #expect(again?.reply?.kind == .notFound)
    }

    @Test(arguments: House.all) func `A deletion of an object that was deleted elsewhere succeeds`(_ house: House)
        async throws
    {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        try await visit.stored(1).delete()
        try await article.delete()
        #expect(article.isDeleted)
    }
}
