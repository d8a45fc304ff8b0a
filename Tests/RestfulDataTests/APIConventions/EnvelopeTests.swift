import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model("/categories")
private final class Category {
    var identifier: Int?
    var name = ""
    @Relationship(json: "category", inverse: nil) var parent: Category?
    var data: String?
}

@Model("/invoices", envelope: .named("response.invoice"))
private final class Invoice {
    var identifier: Int?
    var total = 0
}

@Model("/plain", envelope: .none)
private final class Plain {
    var identifier: Int?
    var name = ""
}

@Model("/rows", envelope: .list("result.rows"))
private final class Row {
    var identifier: Int?
    var name = ""
}

/// Envelopes of objects and lists, in requests and replies.
@MainActor @Suite struct EnvelopeTests {
    private func service(_ envelopes: APIConventions.Envelopes, _ reply: String) throws -> Service {
        var conventions = APIConventions.rails
        conventions.envelopes = envelopes
        return try Service(
            [Category.self, Invoice.self, Plain.self], conventions: conventions,
            stub: StubTransport { _ in .json(reply) })
    }

    @Test(
        arguments: [
            (.byName, #"{"category": {"id": 5, "name": "A"}}"#),
            (.byName, #"{"id": 5, "name": "A"}"#),
            // A category has a category: the body is the object itself, as it has an identity.
            (.byName, #"{"id": 5, "name": "A", "category": {"id": 1}}"#),
            (.byName, #"{"category": {"id": 5, "name": "A", "category": {"id": 1}}}"#),
            (.byName, #"{"categories": [{"id": 5, "name": "A"}]}"#),
            (.keyed("data"), #"{"meta": {"data": 1}, "data": {"id": 5, "name": "A"}}"#),
            (.keyed("data"), #"{"id": 5, "name": "A", "data": "words"}"#),
            (.keyed("response.result"), #"{"response": {"status": "ok", "result": {"id": 5, "name": "A"}}}"#),
            (.keyed("response.result"), #"[{"id": 5, "name": "A"}, {"id": 6}]"#),
            (.lists("items"), #"{"total": 1, "items": [{"id": 5, "name": "A"}]}"#),
            (.lists("items"), #"{"id": 5, "name": "A"}"#),
        ] as [(APIConventions.Envelopes, String)])
    func `An object is found in its envelope and without one`(
        _ envelopes: APIConventions.Envelopes, _ reply: String
    ) async throws {
        let service = try service(envelopes, reply)
        let category = try await Category.fetch(key: 5, in: service.main)
        #expect(category.identifier == 5 && category.name == "A")
        try await category.fetch()
    }

    @Test(
        arguments: [
            (.byName, #"{"categories": [{"id": 1}, {"id": 2}], "total": 2}"#, [1, 2]),
            (.byName, #"[{"id": 1}, {"id": 2}]"#, [1, 2]), (.byName, #"{"categories": null}"#, []),
            (.byName, #"{"categories": []}"#, []), (.byName, #"{"id": 3}"#, [3]),
            (.keyed("data"), #"{"data": [{"id": 1}]}"#, [1]),
            (.keyed("a.b"), #"{"a": {"c": [{"id": 9}], "b": [{"id": 1}]}}"#, [1]),
            (APIConventions.Envelopes(list: ["rows", "items"]), #"{"items": [{"id": 1}]}"#, [1]),
        ] as [(APIConventions.Envelopes, String, [Int])])
    func `A list is found in its envelope and without one`(
        envelopes: APIConventions.Envelopes, reply: String, identifiers: [Int]
    ) async throws {
        let service = try service(envelopes, reply)
        #expect(try await Category.fetchAll(in: service.main).compactMap(\.identifier) == identifiers)
    }

    @Test(arguments: [
        (#"{"error": "no such thing"}"#, "categories"), (#"{}"#, "categories"),
        (#"{"categories": 7, "x": [{"id": 1}]}"#, "categories"),
    ])
    func `A reply without the envelope or any property names the missing key`(
        _ reply: String, _ key: String
    ) async throws {
        let service = try service(.byName, reply)
        let error = await failure { _ = try await Category.fetchAll(in: service.main) }
        guard case .noObject("Category", let report, _) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(report.rejected.map(\.reason) == [.noEnvelope(missing: key)])
        #expect("\(try #require(error))".hasSuffix("the body: neither \"\(key)\" nor anything of a Category"))
        #expect(try service.main.query(Category.self).count() == 0)
    }

    @Test func `A refetch without the envelope names the missing key`() async throws {
        let service = try service(.keyed("data"), #"{"message": "gone"}"#)
        let category = try await service.imported(Category.self, #"{"id": 5, "name": "A"}"#)
        let error = await failure { try await category.fetch() }
        guard case .noObject(_, let report, _) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(report.rejected.map(\.reason) == [.noEnvelope(missing: "data")])
    }

    @Test(
        arguments: [
            (.none, #"{"name":"B"}"#), (.byName, #"{"category":{"name":"B"}}"#),
            (.keyed("data"), #"{"data":{"name":"B"}}"#),
            (.keyed("a.b"), #"{"a":{"b":{"name":"B"}}}"#), (.lists("items"), #"{"name":"B"}"#),
        ] as [(APIConventions.Envelopes, String)])
    func `Requests wrap their objects in the envelope`(_ envelopes: APIConventions.Envelopes, _ body: String)
        async throws
    {
        let service = try service(envelopes, #"{"status": "ok"}"#)
        let category = try await service.imported(Category.self, #"{"id": 5, "name": "A"}"#)
        category.name = "B"
        try await category.save()
        #expect(service.stub.log == ["PATCH /categories/5 \(body)"])
        #expect(!category.hasChanges && category.name == "B")
    }

    @Test func `A model's own envelope beats the API's`() async throws {
        let service = try service(
            .byName, #"{"response": {"invoices": [{"id": 1}], "invoice": {"id": 2, "total": 7}}}"#)
        let invoice = Invoice(in: service.main)
        invoice.total = 3
        try await invoice.create()
        #expect(invoice.identifier == 2 && invoice.total == 7)
        #expect(try await Invoice.fetchAll(in: service.main).map(\.identifier) == [1])
        #expect(service.stub.log[0] == #"POST /invoices {"response":{"invoice":{"total":3}}}"#)
    }

    @Test func `A model without an envelope sends and reads bare objects`() async throws {
        let service = try service(.byName, #"{"id": 1, "plain": {"id": 9}}"#)
        let plain = Plain(in: service.main)
        plain.name = "A"
        try await plain.create()
        #expect(plain.identifier == 1)
        #expect(service.stub.log == [#"POST /plain {"name":"A"}"#])
    }

    @Test func `Lists may have an envelope that single objects lack`() async throws {
        var conventions = APIConventions.rails
        conventions.envelopes = .byName
        let service = try Service(
            [Row.self], conventions: conventions,
            stub: StubTransport { request in
                request.url.path().hasSuffix("rows")
                    ? .json(#"{"result": {"rows": [{"id": 1, "name": "a"}]}}"#) : .json(#"{"id": 1, "name": "b"}"#)
            })
        let row = try #require(try await Row.fetchAll(in: service.main).first)
        row.name = "b"
        try await row.save()
        #expect(service.stub.log.last == #"PATCH /rows/1 {"name":"b"}"# && row.name == "b")
    }

    @Test func `A relationship's list is read from the envelope of its target model`() async throws {
        var conventions = APIConventions.rails
        conventions.envelopes = .byName
        let service = try Service(
            conventions: conventions,
            stub: StubTransport { request in
                .json(
                    request.line.hasSuffix("favourite")
                        ? #"{"post": null}"# : #"{"authors": [{"id": 8}, {"id": 9}], "posts": [{"id": 1}]}"#)
            })
        let author = try await service.imported(
            Author.self, #"{"id": 7, "favourite": {"id": 3}, "friends": [{"id": 1}]}"#)
        #expect(try await author.$friends.fetch().map(\.identifier) == [8, 9])
        #expect(author.friends.map(\.identifier) == [8, 9], "the reply is the whole list")
        #expect(try await author.$favourite.fetch() == nil)
        #expect(author.favourite == nil)
    }

    @Test func `Invalid envelopes are listed when the store opens`() {
        var conventions = APIConventions.rails
        conventions.envelopes = .keyed("a..b")
        #expect(problems(conventions) { $0.contains("Plain's envelope") } == [])
        #expect(
            problems(conventions) { $0.hasPrefix("Category") } == [
                #"Category's envelope "a..b" has an empty key; write keys with dots between them, as in "response.issue""#
            ])
        conventions = .jsonAPI
        conventions.envelopes = .byName
        #expect(
            problems(conventions) { $0.contains("envelope") } == [
                "the API's conventions wrap objects in envelopes, but JSON:API documents have their own",
                "Invoice declares an envelope, but JSON:API documents have their own",
                "Plain declares an envelope, but JSON:API documents have their own",
            ])
    }

    private func problems(_ conventions: APIConventions, _ isMeant: (String) -> Bool) -> [String] {
        do {
            _ = try Service([Category.self, Invoice.self, Plain.self], conventions: conventions)
            return []
        } catch StoreError.models(let problems) {
            return Array(Set(problems)).filter(isMeant).sorted {
                (problems.firstIndex(of: $0) ?? 0) < (problems.firstIndex(of: $1) ?? 0)
            }
        } catch {
            return ["\(error)"]
        }
    }
}
