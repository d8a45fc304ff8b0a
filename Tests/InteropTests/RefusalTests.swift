import Foundation
import RestfulData
import Testing

/// Requests that the services reject.
@MainActor @Suite(.againstServices, .serialized) struct RefusalTests {
    @Test(arguments: House.all) func `Validation errors have Swift names, and the corrected object is created`(
        _ house: House
    ) async throws {
        let visit = try await Visit(house)
        let author = try await Author.fetch(key: 1, in: visit.main)
        let article = Article(in: visit.main)
        article.slug = "article-1"
        article.price = -1
        article.author = author
        let error = await failure { try await article.create() }
        #expect(error?.reply?.kind == .validation)
        #expect(error?.reply?.fields.keys.sorted() == ["price", "slug", "title"], "\(error as Any)")
        #expect(article.isInserted && article.identifier == nil && article.author === author)

        article.title = "A title"
        article.slug = "another"
        article.price = 1
        try await article.create()
        #expect(article.identifier == 26)
    }

    @Test(arguments: House.all) func `A rejected edit remains pending`(_ house: House) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        article.title = ""
        article.body = "Kept"
        let error = await failure { try await article.save() }
        #expect(error?.reply?.kind == .validation && error?.reply?.fields.keys.sorted() == ["title"])
        #expect(error?.reply?.fields["title"]?.first?.contains("blank") == true)
        #expect(Set(article.changedProperties) == ["title", "body"])
        article.title = "Mended"
        try await article.save()
        let stored = try await visit.stored(1)
        #expect(stored.title == "Mended" && stored.body == "Kept")
    }

    @Test(arguments: House.all) func `A validation error about a link has the relationship's name`(_ house: House)
        async throws
    {
        let visit = try await Visit(house)
        let article = Article(in: visit.main)
        article.title = "A title"
        article.slug = "without-author"
        let error = await failure { try await article.create() }
        #expect(error?.reply?.kind == .validation)
        #expect(error?.reply?.fields.keys.sorted() == ["author"], "\(error as Any)")
    }

    @Test(.against(.djangoREST)) func `A validation error about no property is the error's message`() async throws {
        let visit = try await Visit(.djangoREST)
        let article = try await Article.fetch(key: 1, in: visit.main)
        article.isFeatured = true
        article.state = .draft
        article.title = "Featured"
        let error = await failure { try await article.save() }
        #expect(error?.reply?.kind == .validation && error?.description.contains("A draft can't be featured.") == true)
        #expect(article.title == "Featured" && article.hasChanges)
    }
}
