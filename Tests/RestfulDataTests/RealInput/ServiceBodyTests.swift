import Foundation
import RestfulData
import TestSupport
import Testing

/// Bodies in the shape of services other than GitHub, imported by the conventions of each.
@Suite @MainActor struct ServiceBodyTests {
    private static func body(_ path: String) throws -> Data {
        try Data(contentsOf: ProjectFolder.test("Bodies/" + path))
    }

    /// Imports a list twice, and holds the second time to changing nothing.
    private static func list<Object: Model>(
        _ type: Object.Type, of path: String, at keyPath: JSONKeyPath? = nil, in store: Store
    ) async throws -> [Object] {
        let data = try body(path)
        _ = try await store.main.importReporting(type, from: data, at: keyPath)
        let again = try await store.main.importReporting(type, from: data, at: keyPath)
        #expect(again.inserted + again.updated + again.unlinked == 0, "\(again)")
        return try store.main.query(type).fetch()
    }

    @Test func `Posts of Rails are imported with authors and tags`() async throws {
        let store = try Store(
            .temporary, models: [RailsPost.self, RailsAuthor.self, RailsTag.self], conventions: .rails)
        _ = try await Self.list(RailsPost.self, of: "rails/posts-wrapped.json", at: "posts", in: store)
        let posts = try await Self.list(RailsPost.self, of: "rails/posts.json", in: store)
            .sorted { ($0.identifier ?? 0) < ($1.identifier ?? 0) }
        #expect(posts.map(\.identifier) == [1, 2, 3, 4])
        #expect(posts.map { $0.author?.name } == ["Ada", nil, "Ada", "Ada"])
        #expect(posts.map(\.tags.count) == [2, 0, 2, 2])
        #expect(posts.map(\.rating) == [4.5, nil, 4.5, 4.5])
        #expect(posts[0].createdAt == Date(timeIntervalSince1970: 1_770_091_506.789))
    }

    @Test func `Articles of Django REST Framework are imported from their pages`() async throws {
        let store = try Store(.temporary, models: [DjangoArticle.self, DjangoPerson.self], conventions: .djangoREST)
        _ = try await Self.list(DjangoArticle.self, of: "django/articles.json", at: "results", in: store)
        let articles = try await Self.list(
            DjangoArticle.self, of: "django/articles-page-2.json", at: "results", in: store
        )
        .sorted { ($0.identifier ?? 0) < ($1.identifier ?? 0) }
        #expect(articles.map(\.identifier) == [1, 2, 3])
        #expect(articles.map(\.price) == [12.5, 12.5, nil])
        #expect(articles.map { $0.author?.username } == ["grace", nil, "grace"])
        #expect(articles.map { $0.readAt == nil } == [false, true, false])
    }

    @Test func `Articles of JSON:API are imported with included resources`() async throws {
        let store = try Store(
            .temporary, models: [JSONAPIArticle.self, JSONAPIPerson.self, JSONAPIComment.self], conventions: .jsonAPI)
        let articles = try await Self.list(JSONAPIArticle.self, of: "jsonapi/articles.json", in: store)
            .sorted { ($0.identifier ?? 0) < ($1.identifier ?? 0) }
        #expect(articles.map(\.title) == ["JSON:API paints my bikeshed!", ""])
        #expect(articles.map { $0.author?.firstName } == ["Dan", nil])
        #expect(articles[0].comments.map(\.body) == ["First!", "I like XML better"])
    }

    @Test func `Charges of a payment service are imported with a customer's identity or object`() async throws {
        let store = try Store(.temporary, models: [PaidCharge.self, PayingCustomer.self])
        _ = try await Self.list(PaidCharge.self, of: "stripe/charges.json", at: "data", in: store)
        #expect(try store.main.query(PayingCustomer.self).fetch().map(\.identifier) == ["cus_00000002"])
        _ = try await Self.list(PayingCustomer.self, of: "stripe/customers.json", at: "data", in: store)
        let charges = try store.main.query(PaidCharge.self).order(by: { $0.identifier }).fetch()
        #expect(charges.map(\.amount) == [1_099, 2_198, 0])
        #expect(charges.map { $0.customer?.email } == ["c1@example.com", "c2@example.com", nil])
    }

    @Test func `Statuses of a social network keep identities beyond a Double's precision`() async throws {
        let store = try Store(.temporary, models: [SocialStatus.self, SocialAccount.self])
        let statuses = try await Self.list(SocialStatus.self, of: "mastodon/statuses.json", in: store)
            .sorted { ($0.identifier ?? "") < ($1.identifier ?? "") }
        #expect(statuses.map { $0.identifier?.suffix(4) } == ["0123", "0124", "0125"])
        #expect(statuses.map { $0.account?.username } == ["ann", "ben", "ben"])
        #expect(statuses[2].reblog === statuses[0])
        #expect(statuses[0].content == "<p>Land ho!<br>\u{A0}🏝️</p>")
    }
}

@Model("/posts")
final class RailsPost {
    var identifier: Int?
    var title = ""
    var rating: Decimal?
    var createdAt: Date?
    var author: RailsAuthor?
    var tags: [RailsTag]
}

@Model("/authors")
final class RailsAuthor {
    var identifier: Int?
    var name = ""
}

@Model("/tags")
final class RailsTag {
    var identifier: Int?
    var name = ""
}

@Model("/articles")
final class DjangoArticle {
    var identifier: Int?
    var title = ""
    var price: Decimal?
    var readAt: Date?
    var author: DjangoPerson?
}

@Model("/people")
final class DjangoPerson {
    var identifier: Int?
    var username = ""
}

@Model("/articles", resourceType: "articles")
final class JSONAPIArticle {
    var identifier: Int?
    var title = ""
    var author: JSONAPIPerson?
    var comments: [JSONAPIComment]
}

@Model("/people", resourceType: "people")
final class JSONAPIPerson {
    var identifier: Int?
    var firstName = ""
}

@Model("/comments", resourceType: "comments")
final class JSONAPIComment {
    var identifier: Int?
    var body = ""
    @Relationship(inverse: nil) var author: JSONAPIPerson?
}

@Model("/v1/charges")
final class PaidCharge {
    var identifier: String?
    var amount = 0
    var customer: PayingCustomer?
}

@Model("/v1/customers")
final class PayingCustomer {
    var identifier: String?
    var email: String?
}

@Model("/api/v1/statuses")
final class SocialStatus {
    var identifier: String?
    var content = ""
    var account: SocialAccount?
    @Relationship(inverse: nil) var reblog: SocialStatus?
}

@Model("/api/v1/accounts")
final class SocialAccount {
    var identifier: String?
    var username = ""
}
