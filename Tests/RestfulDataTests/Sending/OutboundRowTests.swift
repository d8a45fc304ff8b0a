import ObjectStore
import RestfulDataTesting
import Testing

@testable import RestfulData

/// A row that is live in no context: stored rows and queued changes.
private struct PlainRow: OutboundRow, Sendable {
    let model: ModelSchema
    /// By Swift name.
    var values: [String: StoredValue] = [:]
    /// The targets of relationships, by Swift name.
    var rows: [String: [PlainRow]] = [:]
    var shapes: [String: WireShape] = [:]

    func storedValue(_ property: Property) -> StoredValue { values[property.name] ?? .null }

    func linkedRow(_ property: Property) -> (any OutboundRow)? { rows[property.name]?.first }

    func listedRows(_ property: Property) -> [any OutboundRow] { rows[property.name] ?? [] }

    func shape(_ property: Property) -> WireShape { shapes[property.name] ?? .standard }
}

/// URLs and bodies are created from rows that need not be live: they are the same as those of the live object.
@MainActor @Suite struct OutboundRowTests {
    /// All that is sent of a row, by its kind of request.
    private func requests(_ row: any OutboundRow, of service: Service) throws -> [String] {
        let client = try service.main.clients().main
        let whole = row.model.wholeProperties(with: row.model.declared)
        let bodies = try [OutboundObject.Purpose.create, .save].map { purpose in
            let object = try OutboundObject(row, sending: whole, for: purpose, in: client.schema)
            return String(decoding: object.body(in: client.envelopes.envelope(of: row.model).sent), as: UTF8.self)
        }
        return [
            try client.collectionURL(for: row).text + " " + bodies[0], try client.url(of: row).text + " " + bodies[1],
        ]
    }

    private func row(
        _ type: any Model.Type, _ values: [String: StoredValue], _ rows: [String: [PlainRow]] = [:], in service: Service
    ) throws -> PlainRow {
        let model = try #require(service.main.schema.model(for: type))
        return PlainRow(model: model, values: values, rows: rows)
    }

    @Test func `A row builds URLs with related values, and sends links by identity or key`() async throws {
        let service = try Service(GitHub.models, conventions: .github)
        let issue = try await service.imported(
            Issue.self,
            #"""
            {"id": 1, "number": 7, "title": "A", "state": "open", "user": {"id": 2, "login": "ada"},
             "repository": {"id": 3, "full_name": "octocat/hello"}, "assignees": [{"id": 2, "login": "ada"}],
             "labels": [{"id": 4, "name": "bug"}, {"id": 5, "name": "ui"}], "milestone": {"id": 6, "number": 9}}
            """#)
        let user = try row(User.self, ["identifier": .integer(2), "login": .text("ada")], in: service)
        let plain = try row(
            Issue.self,
            ["identifier": .integer(1), "number": .integer(7), "title": .text("A"), "state": .text("open")],
            [
                "user": [user], "assignees": [user],
                "repository": [
                    row(
                        Repository.self, ["identifier": .integer(3), "fullName": .text("octocat/hello")], in: service)
                ],
                "labels": [
                    row(Label.self, ["identifier": .integer(4), "name": .text("bug")], in: service),
                    row(Label.self, ["identifier": .integer(5), "name": .text("ui")], in: service),
                ],
                "milestone": [
                    row(Milestone.self, ["identifier": .integer(6), "number": .integer(9)], in: service)
                ],
            ], in: service)
        let body =
            #"{"id":1,"number":7,"title":"A","body":null,"state":"open","created_at":null,"user_id":2,"#
            + #""assignees":["ada"],"labels":["bug","ui"],"milestone":9}"#
        #expect(
            try requests(plain, of: service) == [
                "/repos/octocat/hello/issues " + body, "/repos/octocat/hello/issues/7 " + body,
            ])
        #expect(try requests(plain, of: service) == requests(issue._object, of: service))
    }

    @Test func `A row sends embedded objects whole`() async throws {
        let service = try Service(Shop.models)
        let order = try await service.imported(
            Order.self,
            #"""
            {"id": 1, "note": "n", "address": {"street": "a", "country": {"id": 9}, "tags": [{"text": "x"}]},
             "items": [{"name": "p", "count": 1}, {"name": "q", "count": 2}], "payments": []}
            """#)
        let address = try row(
            Address.self, ["street": .text("a")],
            [
                "country": [row(Country.self, ["identifier": .integer(9)], in: service)],
                "tags": [row(Tag.self, ["text": .text("x")], in: service)],
            ], in: service)
        let plain = try row(
            Order.self, ["identifier": .integer(1), "note": .text("n")],
            [
                "address": [address],
                "items": [
                    row(Item.self, ["name": .text("p"), "count": .integer(1)], in: service),
                    row(Item.self, ["name": .text("q"), "count": .integer(2)], in: service),
                ],
            ], in: service)
        let requests = try requests(plain, of: service)
        #expect(
            requests[1]
                == #"/orders/1 {"id":1,"note":"n","address":{"street":"a","country_id":9,"tags":[{"text":"x"}]},"#
                + #""items":[{"name":"p","count":1},{"name":"q","count":2}],"payment_ids":[]}"#)
        #expect(try requests == self.requests(order._object, of: service))
    }

    @Test func `A row sends nested objects, and values in the server's form`() async throws {
        let service = try Service()
        let post = try await service.imported(
            Post.self,
            #"""
            {"id": 5, "title": "t", "rating": "0.25", "is_public": 1, "tags": ["x"], "meta": {"source": "s"},
             "author_id": "7", "author": {"id": 7, "name": "Ada"}, "cover": {"id": 8, "width": 2}, "pictures": [], "readers": [],
             "comments": []}
            """#)
        var plain = try row(
            Post.self,
            [
                "identifier": .integer(5), "title": .text("t"), "rating": .real(0.25), "isPublic": .integer(1),
                "tags": .text(#"["x"]"#), "source": .text("s"),
            ],
            [
                "author": [row(Author.self, ["identifier": .integer(7), "name": .text("Ada")], in: service)],
                "cover": [row(Picture.self, ["identifier": .integer(8), "width": .integer(2)], in: service)],
            ], in: service)
        for property in plain.model.declared { plain.shapes[property.name] = post._object.shape(property) }
        let requests = try requests(plain, of: service)
        #expect(requests[1].contains(#""rating":"0.25","is_public":1"#))
        #expect(requests[1].contains(#""cover":{"id":8,"width":2}"#))
        #expect(try requests == self.requests(post._object, of: service))
    }

    @Test func `A row builds JSON:API documents`() async throws {
        let service = try Service(Library.models, conventions: .jsonAPI)
        let article = try await service.imported(Library.Article.self, Library.frontPage)
        _ = try await service.imported(
            Library.Article.self,
            #"{"data": {"type": "articles", "id": "1", "relationships": {"reviewers": {"data": []}}}}"#)
        let person = try row(Library.Person.self, ["identifier": .integer(9)], in: service)
        let comments = try [5, 12].map {
            try row(Library.Comment.self, ["identifier": .integer($0)], in: service)
        }
        let title = try #require(article.title)
        let plain = try row(
            Library.Article.self, ["identifier": .integer(1), "title": .text(title)],
            ["author": [person], "comments": comments], in: service)
        let requests = try requests(plain, of: service)
        #expect(requests[1].hasPrefix(#"/articles/1 {"data":{"type":"articles","id":"1","attributes":{"title":"#))
        #expect(requests[1].contains(#""author":{"data":{"type":"people","id":"9"}}"#))
        #expect(try requests == self.requests(article._object, of: service))
    }

    @Test func `A row without a needed value throws before anything is sent`() throws {
        let service = try Service(GitHub.models)
        let issue = try row(Issue.self, ["number": .integer(7)], in: service)
        let unnamed = try row(
            Issue.self, [:], ["user": [row(User.self, ["login": .text("ada")], in: service)]], in: service)
        let client = try service.main.clients().main
        let route = #expect(throws: APIError.self) { try client.url(of: issue) }
        #expect(route?.description.contains("needs a value for \":repository.full_name\"") == true, "\(route as Any)")
        let body = #expect(throws: APIError.self) {
            try OutboundObject(unnamed, sending: unnamed.model.declared, for: .save, in: client.schema)
        }
        guard case .unidentified(model: "Issue", property: "user", target: "User")? = body else {
            Testing.Issue.record("\(body as Any)")
            return
        }
    }
}
