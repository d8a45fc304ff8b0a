import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@Model(
    "/users", object: "/users/:id", index: "/users/all", create: "/signup", update: "/users/:id/edit",
    delete: "/users/:id/close")
private final class Member {
    var identifier: Int?
    var name = ""
}

@Model("/me", object: "/me", index: "/people", update: "/profile")
private final class Owner {
    var identifier: Int?
    var name = ""
}

@Model("/plans", update: "/plans/:zzzzzz")
private final class Plan {
    var identifier: Int?
    var title = ""
}

@Model("/invoices")
private final class Invoice {
    var identifier: Int?
    var number = ""
    var isDraft = true
}

extension Invoice: CustomURLs {
    func url(to verb: ObjectVerb) -> URLTemplate? {
        switch verb {
        case .update where isDraft: "/drafts/\(number)"
        case .create: "/drafts"
        case .delete: "/invoices/:id/void"
        default: nil
        }
    }
}

/// A URL of its own for each verb.
@MainActor @Suite struct VerbURLTests {
    private nonisolated static let user = #"{"id": 5, "name": "Ada"}"#

    @Test func `RoundedRobot's verbs are sent to their own URLs`() async throws {
        let service = try Service(
            [Member.self],
            stub: StubTransport { request in
                request.method == .post
                    ? .json(Self.user, status: 201)
                    : request.url.path() == "/users/all" ? .json("[]") : .json(Self.user)
            })
        let user = Member(in: service.main)
        user.name = "Ada"
        try await user.create()
        try await user.fetch(.reload)
        user.name = "Eve"
        try await user.save()
        _ = try await Member.fetchAll(in: service.main)
        try await user.delete()
        #expect(
            service.stub.log == [
                #"POST /signup {"name":"Ada"}"#, "GET /users/5", #"PATCH /users/5/edit {"name":"Eve"}"#,
                "GET /users/all", "DELETE /users/5/close",
            ])
    }

    @Test func `A custom DELETE URL isn't used to check whether the object is gone`() async throws {
        let service = try Service(
            [Member.self],
            stub: StubTransport { request in request.url.path() == "/users" ? .json("[]") : .status(404) })
        let user = try await service.imported(Member.self, Self.user)
        try await user.delete()
        #expect(user.isDeleted)
        #expect(service.stub.log == ["DELETE /users/5/close", "GET /users/5", "GET /users"])
    }

    @Test func `A URL template without names needs no identity`() async throws {
        let service = try Service([Owner.self], stub: StubTransport { _ in .status(204) })
        let owner = try await service.imported(Owner.self, Self.user)
        owner.name = "Eve"
        try await owner.save()
        #expect(service.stub.log == [#"PATCH /profile {"name":"Eve"}"#])
    }

    @Test func `Routes can be computed from the object`() async throws {
        let service = try Service(
            [Invoice.self],
            stub: StubTransport { request in
                request.method == .post ? .json(#"{"id": 7, "number": "A/1"}"#, status: 201) : .status(204)
            })
        let invoice = Invoice(in: service.main)
        invoice.number = "A/1"
        try await invoice.create()
        invoice.number = "A/2"
        try await invoice.save()
        invoice.isDraft = false
        try await invoice.save()
        try await invoice.delete()
        #expect(
            service.stub.log == [
                #"POST /drafts {"number":"A/1"}"#, #"PATCH /drafts/A%2F2 {"number":"A/2"}"#,
                #"PATCH /invoices/7 {"is_draft":false}"#, "DELETE /invoices/7/void",
            ])
    }

    @Test func `The explanation names each verb's URL and its reason`() throws {
        let service = try Service([Member.self], stub: StubTransport([:]))
        let explanation = try #require(service.store.explanation(of: Member.self))
        #expect(
            explanation.routes.map { "\($0.name) \($0.method) \($0.template): \($0.rule)" } == [
                "index GET /users/all: declared by index:", "create POST /signup: declared by create:",
                "fetch GET /users/:id: the base URL and the key \"id\"",
                "save PATCH /users/:id/edit: declared by update:",
                "delete DELETE /users/:id/close: declared by delete:",
            ])
    }

    @Test func `An unknown name in a route is reported when the store opens`() {
        let error = #expect(throws: StoreError.self) { try Service([Plan.self], stub: StubTransport([:])) }
        #expect("\(String(describing: error))".contains("update URL"))
    }
}
