import Foundation
import RestfulDataTesting
import Testing

@testable import RestfulData

@Model("/accounts")
final class Account {
    var identifier: Int?
    var name = ""
    var tags: [String] = []
    @Attribute(access: .readOnly, alwaysSent: true) var lockVersion: Int?
    @Attribute(alwaysSent: true) var kind: String?
    @Relationship(inverse: "owner") var items: [Holding]
}

@Model("/holdings", saveMethod: .patch)
final class Holding {
    var identifier: Int?
    var note: String?
    @Attribute(alwaysSent: true) var revision: Int?
    var owner: Account?
}

/// Attributes that go along with each request.
@MainActor @Suite struct AlwaysSentTests {
    private func service(_ saveMethod: API.SaveMethod = .patch) throws -> Service {
        try Service([Account.self, Holding.self], saveMethod: saveMethod, stub: StubTransport { _ in .status(204) })
    }

    @Test func `Always-sent attributes accompany other changes and cause no request of their own`() async throws {
        let service = try service()
        let account = try await service.imported(
            Account.self, #"{"id": 1, "name": "a", "lock_version": 3, "kind": "k"}"#)
        try await account.save()
        account.name = "b"
        try await account.save()
        account.kind = "l"
        try await account.save()
        #expect(
            service.stub.log == [
                #"PATCH /accounts/1 {"name":"b","lock_version":3,"kind":"k"}"#,
                #"PATCH /accounts/1 {"kind":"l","lock_version":3}"#,
            ])
        #expect(!account.hasChanges && account.unsentProperties == [])
    }

    @Test func `Always-sent attributes without a value are left out`() async throws {
        let service = try service()
        let account = Account(in: service.main)
        account.name = "a"
        try await account.create()
        #expect(service.stub.log == [#"POST /accounts {"name":"a"}"#])
    }

    @Test func `A PUT has each always-sent attribute once`() async throws {
        let service = try service(.put)
        let account = try await service.imported(
            Account.self, #"{"id": 1, "name": "a", "lock_version": 3, "kind": "k"}"#)
        account.name = "b"
        try await account.save()
        #expect(service.stub.log == [#"PUT /accounts/1 {"id":1,"name":"b","lock_version":3,"kind":"k"}"#])
    }

    @Test func `A member's link is sent with always-sent attributes`() async throws {
        let service = try service()
        let account = try await service.imported(Account.self, #"{"id": 1}"#)
        let holding = try await service.imported(Holding.self, #"{"id": 2, "revision": 8}"#)
        try await account.$items.add(holding)
        #expect(service.stub.log == [#"PATCH /holdings/2 {"revision":8,"owner_id":1}"#])
    }

    @Test func `An always-sent value set back during a member's request is sent`() async throws {
        let service = try service()
        let account = try await service.imported(Account.self, #"{"id": 1}"#)
        let holding = try await service.imported(Holding.self, #"{"id": 2, "revision": 8}"#)
        holding.revision = 9
        try await account.$items.add(holding)
        holding.revision = 8
        #expect(holding.unsentProperties == ["revision"])
        try await holding.save()
        #expect(
            service.stub.log == [
                #"PATCH /holdings/2 {"revision":9,"owner_id":1}"#, #"PATCH /holdings/2 {"revision":8}"#,
            ])
        #expect(!service.main.hasChanges)
    }

    // MARK: Lists in forms

    @Test(arguments: [
        (APIConventions.FormLists.brackets, "tags%5B%5D=a%2Cb&tags%5B%5D=c"),
        (.indexes, "tags%5B0%5D=a%2Cb&tags%5B1%5D=c"), (.repeated, "tags=a%2Cb&tags=c"),
        (.joined(by: "|"), "tags=a%2Cb%7Cc"), (.joined(by: " "), "tags=a%2Cb%20c"),
    ])
    func `A form's lists are written in the declared style`(_ lists: APIConventions.FormLists, _ body: String)
        async throws
    {
        var conventions = APIConventions.default
        conventions.bodies = .form
        conventions.formLists = lists
        let service = try Service(
            [Account.self, Holding.self], conventions: conventions, stub: StubTransport { _ in .status(204) })
        let account = try await service.imported(Account.self, #"{"id": 1}"#)
        account.tags = ["a,b", "c"]
        try await account.save()
        account.tags = []
        try await account.save()
        #expect(service.stub.log == ["PATCH /accounts/1 \(body)", "PATCH /accounts/1 tags="])
    }

    @Test(arguments: [
        (#"[{"x": 1}, {"x": 2, "y": 3}]"#, "[x]=1 [x]=2 [y]=3"),
        (#"[{"x": 1, "y": 1}, {"y": 2}]"#, "[x]=1 [y]=1 [y]=2"),
        // The second element has the first one's keys first.
        (#"[{"y": 1}, {"x": 2, "y": 3}]"#, "[y]=1 [y]=3 [x]=2"),
        (#"[{"x": 1}, {"tags": ["a", "b"], "x": 2}]"#, "[x]=1 [x]=2 [tags][]=a [tags][]=b"),
        (#"[{"card": {"n": 1}}, {"card": {"m": 1, "n": 2}}]"#, "[card][n]=1 [card][n]=2 [card][m]=1"),
        (#"[{"x": 1}, {"y": 2}]"#, nil), (#"[{}]"#, nil), (#"[{"x": 1}, {}]"#, nil),
        (#"[{"tags": ["a"]}, {"tags": ["b"]}]"#, nil),
    ])
    func `Objects of a list in brackets are distinguished in a form, or refused`(_ list: String, _ expected: String?)
        throws
    {
        let json = Array(#"{"spots": \#(list)}"#.utf8)
        guard let expected else {
            #expect(throws: FormBody.Refusal.meltingObjects(["spots"])) { try FormBody(json) }
            #expect(throws: Never.self) { try FormBody(json, lists: .indexes) }
            return
        }
        let names = try FormBody(json).pairs.map { $0.removingPercentEncoding?.dropFirst("spots[]".count) ?? "" }
        #expect(names.joined(separator: " ") == expected)
    }

    @Test(arguments: [["a,b", "c"], [""], [","]], [APIConventions.Envelopes.none, .byName])
    func `A joined list that would be read as another is refused by name`(
        _ tags: [String], _ envelopes: APIConventions.Envelopes
    ) async throws {
        var conventions = APIConventions.default
        conventions.bodies = .form
        conventions.formLists = .joined()
        conventions.envelopes = envelopes
        let service = try Service(
            [Account.self, Holding.self], conventions: conventions, stub: StubTransport { _ in .status(204) })
        let body = #"{"id": 1, "tags": ["a"]}"#
        let account = try await service.imported(Account.self, body)
        account.tags = tags
        let error = await failure { try await account.save() }
        guard case .unjoinable(model: "Account", property: "tags", separator: ",")? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
        #expect(service.stub.log == [] && account.tags == tags && account.hasChanges)
        // Nothing was sent, so the server's value is certain.
        account.tags = ["a"]
        #expect(!account.hasChanges)
        account.tags = ["", "b"]
        try await account.save()
        #expect(service.stub.log.count == 1 && service.stub.log[0].hasSuffix("=%2Cb"), "\(service.stub.log)")
    }
}
