import Foundation
import HTTPTypes
import RestfulData
import Testing

/// Unchanged objects are sent once, thanks to the validators of the services' frameworks and the store's contents.
@MainActor @Suite(.againstServices, .serialized) struct ConditionalTests {
    /// A reply's validators.
    private static func validators(_ url: String) async throws -> String {
        let reply = try await HTTPTransport.standard.send(APIRequest(.get, url))
        let tag = reply.headerFields[.eTag].map { $0.hasPrefix("W/") ? "weak" : "strong" }
        return [tag, reply.headerFields[.lastModified].map { _ in "date" }].compactMap(\.self).joined(separator: " ")
    }

    @Test(
        arguments: [
            (.rails, "/articles", "weak"), (.rails, "/articles/1", "weak"), (.rails, "/authors", "weak date"),
            (.rails, "/tags", "strong"), (.rails, "/articles/1/comments", "date"),
            (.djangoREST, "/articles/", "strong"),
            (.djangoREST, "/articles/1/", "strong"), (.camelCase, "/articles", "weak"),
            (.jsonAPI, "/articles", "date"),
            (.jsonAPI, "/articles/1", "date"), (.jsonAPI, "/articles/1/comments", ""),
        ] as [(House, String, String)])
    func `Each service sends the expected validators`(_ house: House, _ path: String, _ validators: String) async throws
    {
        guard let address = house.address else { return }
        #expect(try await Self.validators(address + path) == validators, "\(house.name) \(path)")
    }

    @Test(arguments: House.all) func `Each page of an unchanged list is a 304`(_ house: House) async throws {
        let visit = try await Visit(house)
        let bodies = try await visit.bodies()
        let first = try await Article.fetchAllReporting(pages: .all(), in: visit.main)
        #expect(first.source == .network && first.objects.count == 25)
        #expect(try await visit.bodies() == bodies + 3)
        visit.record.forget()
        let again = try await Article.fetchAllReporting(pages: .all(), in: visit.main)
        #expect(again.source == .validated && again.objects.elementsEqual(first.objects, by: ===))
        #expect(again.report.inserted == 0 && again.report.updated == 0, "\(again.report)")
        #expect(visit.record.lines.count == 3 && visit.record.lines.allSatisfy { $0.hasSuffix(" 304") })
        #expect(try await visit.bodies() == bodies + 3)
    }

    @Test(arguments: House.all) func `An unchanged list of one page is a 304`(_ house: House) async throws {
        let visit = try await Visit(house)
        let authors = try await Author.fetchAllReporting(in: visit.main)
        let tags = try await Tag.fetchAllReporting(in: visit.main)
        let bodies = try await visit.bodies()
        let sameAuthors = try await Author.fetchAllReporting(in: visit.main)
        let sameTags = try await Tag.fetchAllReporting(in: visit.main)
        #expect(sameAuthors.source == .validated && sameAuthors.objects.elementsEqual(authors.objects, by: ===))
        #expect(sameTags.source == .validated && sameTags.objects.elementsEqual(tags.objects, by: ===))
        #expect(authors.objects.count == 3 && tags.objects.count == 4)
        #expect(try await visit.bodies() == bodies)
    }

    @Test(arguments: House.all) func `An unchanged object is a 304`(_ house: House) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 3, in: visit.main)
        let title = article.title
        let bodies = try await visit.bodies()
        #expect(try await Article.fetch(key: 3, in: visit.main) === article)
        try await article.fetch()
        #expect(article.title == title && article.slug == "article-3")
        #expect(try await visit.bodies() == bodies)
        #expect(visit.record.lines.map { $0.suffix(3) } == ["200", "304", "304"])
    }

    @Test(arguments: House.plain) func `Each page of an unchanged relationship is a 304`(_ house: House)
        async throws
    {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 1, in: visit.main)
        let comments = try await article.$comments.fetch(pages: .all())
        let tags = try await article.$tags.fetch()
        let bodies = try await visit.bodies()
        let again = try await article.$comments.fetchReporting(pages: .all())
        #expect(again.source == .validated && again.objects.elementsEqual(comments, by: ===))
        #expect(article.comments.elementsEqual(comments, by: ===) && comments.count == 12)
        let sameTags = try await article.$tags.fetchReporting()
        #expect(sameTags.source == .validated && sameTags.objects.elementsEqual(tags, by: ===) && tags.count == 2)
        #expect(try await visit.bodies() == bodies)
    }

    @Test(arguments: House.all) func `A changed object is sent again and imported`(_ house: House) async throws {
        let visit = try await Visit(house)
        let before = try await Article.fetchAll(pages: .all(), in: visit.main)
        let article = try await Article.fetch(key: 12, in: visit.main)
        let theirs = try await visit.stored(12)
        theirs.title = "Another"
        try await theirs.save()
        visit.record.forget()
        let again = try await Article.fetchAllReporting(pages: .all(), in: visit.main)
        #expect(again.report.updated == 1 && again.report.inserted == 0, "\(again.report)")
        #expect(again.objects.elementsEqual(before, by: ===) && article.title == "Another")
        // By the date of the last change, all pages have changed.
        let isByDate = house.name == House.jsonAPI.name
        #expect(again.source == (isByDate ? .network : .validated))
        let statuses = visit.record.lines.map { $0.suffix(3) }
        #expect(statuses == (isByDate ? ["200", "200", "200"] : ["304", "200", "304"]))
        theirs.title = "A third"
        try await theirs.save()
        try await article.fetch()
        #expect(article.title == "A third")
        #expect(visit.record.lines.last?.hasSuffix(" 200") == true)
    }

    @Test(arguments: House.all) func `An object created elsewhere is seen in the next fetch of the list`(_ house: House)
        async throws
    {
        let visit = try await Visit(house)
        let before = try await Tag.fetchAll(in: visit.main)
        _ = try await Tag.fetchAll(in: visit.witness.main)
        let tag = Tag(in: visit.witness.main)
        tag.name = "new"
        try await tag.create()
        let added = try await Tag.fetchAllReporting(in: visit.main)
        #expect(added.source == .network && added.objects.map(\.name) == before.map(\.name) + ["new"])
    }

    @Test(arguments: House.all) func `An object that was deleted elsewhere is reported as not found, despite the cache`(
        _ house: House
    ) async throws {
        let visit = try await Visit(house)
        let article = try await Article.fetch(key: 25, in: visit.main)
        try await visit.stored(25).delete()
        let error = await failure { try await article.fetch() }
        #expect(error?.reply?.kind == .notFound, "\(error as Any)")
    }

    @Test(arguments: House.all) func `After a save, no request is conditional on an older answer`(_ house: House)
        async throws
    {
        let visit = try await Visit(house)
        let article = try await visit.sent(5)
        article.title = "Ours"
        try await article.save()
        visit.record.forget()
        let all = try await Article.fetchAllReporting(in: visit.main)
        #expect(all.objects.contains { $0 === article } && article.title == "Ours" && !article.hasChanges)
        try await article.fetch()
        #expect(article.title == "Ours")
        // The condition would be a validator from before this store's own change.
        #expect(visit.record.lines.allSatisfy { $0.hasSuffix(" 200") }, "\(visit.record.lines)")
    }

    @Test(.against(.djangoREST)) func `Each language has its own cached answer`() async throws {
        let visit = try await Visit(.djangoREST)
        func fetch(_ language: String) async throws -> AnswerSource? {
            try await API.withHeaders([.acceptLanguage: language]) {
                try await Tag.fetchAllReporting(in: visit.main).source
            }
        }
        #expect(try await fetch("en") == .network)
        #expect(try await fetch("en") == .validated)
        #expect(try await fetch("de") == .network)
        #expect(try await fetch("de") == .validated)
        #expect(try await fetch("en") == .validated)
    }
}

extension Visit {
    /// How many bodies the service has answered GETs with.
    fileprivate func bodies() async throws -> Int {
        let address = try #require(house.address)
        let reply = try await HTTPTransport.standard.send(APIRequest(.get, address + "/sent"))
        return try #require(Int(String(decoding: reply.body, as: UTF8.self)))
    }

    /// An article that the store knows, with its list and author.
    fileprivate func sent(_ identifier: Int) async throws -> Article {
        _ = try await Author.fetchAll(in: main)
        _ = try await Tag.fetchAll(in: main)
        _ = try await Article.fetchAll(in: main)
        return try await Article.fetch(key: identifier, in: main)
    }
}
