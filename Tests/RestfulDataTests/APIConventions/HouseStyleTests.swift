import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The same program against a service of each house style: the requests are the style's, the store is the same.
@MainActor @Suite struct HouseStyleTests {
    private typealias Author = Newsroom.Author
    private typealias Article = Newsroom.Article
    private typealias Comment = Newsroom.Comment

    @Test(arguments: StyledService.all)
    func `One program works with every style`(_ style: StyledService) async throws {
        let service = try Service(
            Newsroom.models, conventions: style.conventions, stub: StubTransport { style.reply(to: $0) })
        try await Self.run(in: service.main)
        #expect(service.stub.log == style.log)
        for request in service.stub.requests {
            #expect(request.headerFields[.accept] == style.conventions.mediaType)
            #expect(request.headerFields[.contentType] == (request.body == nil ? nil : style.conventions.mediaType))
        }
        #expect(try await service.store.contents() == Self.contents)
    }

    static func run(in context: ObjectContext) async throws {
        let ada = Author(in: context)
        ada.fullName = "Ada Lovelace"
        try await ada.create()

        let article = Article(in: context)
        article.title = "Notes"
        article.author = ada
        article.reviewers = [ada]
        try await article.create()

        article.title = "Notes on the Engine"
        article.author = nil
        try await article.save()
        try await article.fetch()
        #expect(article.author === ada)

        let comment = Comment(in: context)
        comment.text = "First!"
        comment.article = article
        try await comment.create()
        comment.text = "Second."
        try await comment.save()
        try await comment.delete()

        let all = try await Article.fetchAll(pages: .all(), in: context)
        #expect(all.map(\.identifier) == [1, 2, 3])
        #expect(try await ada.$articles.fetch().map(\.identifier) == [3, 1])
        let none = try await Article.fetchAll("/articles/drafts", in: context)
        #expect(none.isEmpty)
    }

    static let contents = """
        Author 7
          identifier = 7
          fullName = "Ada Lovelace"
          articles → Article 3, Article 1
        Article 1
          identifier = 1
          title = "Notes on the Engine"
          wordCount = 20000
          author → Author 7
          reviewers → Author 7
        Article 2
          identifier = 2
          title = "Two"
          wordCount = 2
        Article 3
          identifier = 3
          title = "Three"
          wordCount = 3
          author → Author 7

        """
}
