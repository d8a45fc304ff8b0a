import Foundation
import RestfulData
import Testing

/// Features of Rails alone.
@MainActor @Suite(.against(.rails), .serialized) struct RailsTests {
    /// An article with the column of Rails' optimistic locking.
    @Model("/articles")
    final class LockedArticle {
        var identifier: Int?
        var title = ""
        var lockVersion = 0
    }

    @Test func `A save of an object changed elsewhere is a conflict`() async throws {
        let visit = try await Visit(.rails, models: [LockedArticle.self], putting: true)
        let article = try await LockedArticle.fetch(key: 1, in: visit.main)
        let other = try await LockedArticle.fetch(key: 1, in: visit.witness.main)
        other.title = "Theirs"
        try await other.save()
        article.title = "Ours"
        let error = await failure { try await article.save() }
        #expect(error?.reply?.kind == .conflict, "\(error as Any)")
        #expect(article.title == "Ours" && article.hasChanges)
        try await article.fetch()
        #expect(article.title == "Ours" && article.lockVersion == 1)
        try await article.save()
        #expect(article.lockVersion == 2 && !article.hasChanges)
    }
}
