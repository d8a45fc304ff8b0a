import Foundation
import RestfulData
import Testing

/// The same that `store.explain` prints, as data.
@MainActor @Suite struct ExplanationDataTests {
    @Test func `An explanation is encoded as JSON`() throws {
        let store = try Store(.temporary, models: Shop.models, api: API("https://example.com", conventions: .github))
        #expect(
            store.explanation(of: Payment.self)?.json == #"""
                {
                  "attributes" : [
                    {
                      "column" : "identifier",
                      "json" : "id",
                      "name" : "identifier",
                      "notes" : [

                      ],
                      "rule" : "\"id\" ↔ \"identifier\" (default convention)",
                      "type" : "INTEGER"
                    }
                  ],
                  "bodies" : [
                    {
                      "name" : "a list in a reply",
                      "rule" : "the API's conventions",
                      "value" : "at \"items\" or bare"
                    }
                  ],
                  "identity" : [
                    "identifier"
                  ],
                  "isEmbedded" : false,
                  "key" : "identifier",
                  "model" : "Payment",
                  "offline" : [
                    {
                      "name" : "a write",
                      "rule" : "StoreOptions(writes:)",
                      "value" : "is sent at once"
                    },
                    {
                      "name" : "a queued creation without a reply",
                      "rule" : "the API's conventions",
                      "value" : "waits for a decision"
                    },
                    {
                      "name" : "a change carries",
                      "rule" : "the API's conventions",
                      "value" : "no condition"
                    },
                    {
                      "name" : "a conflict of a queued change",
                      "rule" : "the API's conventions",
                      "value" : "waits for a decision"
                    }
                  ],
                  "relationships" : [
                    {
                      "deleteRule" : "nullify",
                      "inverse" : {
                        "model" : "Order",
                        "property" : "payments",
                        "rule" : "declared there"
                      },
                      "isList" : false,
                      "json" : [
                        "order",
                        "order_id"
                      ],
                      "name" : "order",
                      "owns" : false,
                      "rule" : "the name as it is",
                      "sending" : "sent as \"order_id\"",
                      "storage" : {
                        "column" : "order_id",
                        "table" : "payment"
                      },
                      "target" : "Order"
                    }
                  ],
                  "routes" : [
                    {
                      "method" : "GET",
                      "name" : "index",
                      "rule" : "the base URL",
                      "template" : "/payments"
                    },
                    {
                      "method" : "POST",
                      "name" : "create",
                      "rule" : "the base URL",
                      "template" : "/payments"
                    },
                    {
                      "method" : "GET",
                      "name" : "fetch",
                      "rule" : "the base URL and the key \"id\"",
                      "template" : "/payments/:id"
                    },
                    {
                      "method" : "PATCH",
                      "name" : "save",
                      "rule" : "the base URL and the key \"id\"",
                      "template" : "/payments/:id"
                    },
                    {
                      "method" : "DELETE",
                      "name" : "delete",
                      "rule" : "the base URL and the key \"id\"",
                      "template" : "/payments/:id"
                    }
                  ],
                  "table" : {
                    "name" : "payment",
                    "rule" : "words joined with \"_\""
                  },
                  "warnings" : [

                  ]
                }
                """#)
    }

    @Test func `An explanation has its parts as values`() throws {
        let store = try Store(
            .temporary, models: GitHub.models, api: API("https://api.github.com", conventions: .github))
        let issue = try #require(store.explanation(of: Issue.self))
        #expect(issue.description == store.explain(Issue.self))
        #expect(issue.table.name == "issue" && issue.identity == ["identifier"] && issue.key == "number")
        #expect(issue.attributes.first { $0.name == "createdAt" }?.column == "created_at")
        let comments = try #require(issue.relationships.first { $0.name == "comments" })
        #expect(comments.isList && comments.storage.table == "comment" && comments.storage.column == "issue_id")
        #expect(comments.inverse?.property == "issue" && comments.json == ["comment_list", "comment_list_ids"])
        let save = try #require(issue.routes.first { $0.name == "save" })
        #expect(save.method == "PATCH" && save.template == "/repos/:repository.full_name/issues/:number")
        #expect(issue.bodies.map(\.name) == ["a list in a reply"])
        #expect(store.explanations.map(\.model) == GitHub.models.map { "\($0)" })
        #expect(store.explanations.map(\.description).joined(separator: "\n") == store.explain())
    }

    @Model("/visits", changes: "/visits?since=:updated_at", policy: .ifOlder(than: .seconds(90)), tombstones: ["gone"])
    final class Visit {
        var identifier: Int?
        var updatedAt: Date?
    }

    @Test func `An explanation has the fetch policy and the sign of deleted objects`() throws {
        var conventions = APIConventions.default
        conventions.tombstones = ["deleted", "@removed"]
        let store = try Store(
            .temporary, models: [Visit.self] + Blog.models,
            api: API("https://api.example.com", conventions: conventions, policy: .cacheControl.orStored))
        let text = store.explain(Visit.self)
        #expect(text.contains("asks when the last answer is older than 90.0 seconds"))
        #expect(text.contains("GET /visits?since=:updated_at") && text.contains("has \"gone\""))
        let other = try #require(store.explanation(of: Post.self)).bodies
        #expect(
            other.map(\.value) == [
                "asks when the server's Cache-Control says so; has what is stored where the server can't be reached",
                "has \"deleted\" or \"@removed\"",
            ])
    }

    @Test func `An unknown class has no explanation, and a store without an API has no routes`() throws {
        let store = try Store(.temporary, models: Blog.models)
        #expect(store.explanation(of: Issue.self) == nil)
        #expect(store.explanation(of: Post.self)?.routes == [])
    }
}
