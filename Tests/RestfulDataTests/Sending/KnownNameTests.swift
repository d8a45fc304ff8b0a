import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// References to other objects and to deleted ones in a body.
@MainActor @Suite struct KnownNameTests {
    @Test func `A body names other objects by the identity that the server knows`() async throws {
        let service = try Service(GitHub.models, conventions: .github, stub: StubTransport { _ in .status(204) })
        let issue = try await service.imported(
            Issue.self, #"{"id": 1, "number": 7, "repository": {"id": 3, "full_name": "o/a"}}"#)
        let label = try await service.imported(Label.self, #"{"id": 4, "name": "bug"}"#)
        label.name = "defect"
        issue.labels = [label]
        try await issue.save()
        #expect(service.stub.log == [#"PATCH /repos/o/a/issues/7 {"labels":["bug"]}"#])
        #expect(label.unsentProperties == ["name"])
    }

    @Model("/customers") final class Customer {
        var identifier: Int?
        var metadata: [String: String] = [:]
    }

    @Test func `A form empties a dictionary and unsets removed keys`() async throws {
        var conventions = APIConventions.default
        conventions.bodies = .form
        let service = try Service([Customer.self], conventions: conventions, stub: StubTransport { _ in .status(204) })
        let customer = try await service.imported(
            Customer.self, #"{"id": 1, "metadata": {"a": "1", "b": "2", "c": "3"}}"#)
        customer.metadata["b"] = nil
        try await service.main.save()
        customer.metadata["c"] = "4"
        try await customer.save()
        customer.metadata = [:]
        try await customer.save()
        #expect(
            service.stub.requests.map { String(decoding: $0.body?.bytes ?? [], as: UTF8.self) } == [
                "metadata%5Ba%5D=1&metadata%5Bc%5D=4&metadata%5Bb%5D=", "metadata%5Ba%5D=&metadata%5Bc%5D=",
            ])
        customer.metadata = ["d": "5"]
        try await customer.save()
        #expect(
            service.stub.requests.last.map { String(decoding: $0.body?.bytes ?? [], as: UTF8.self) }
                == "metadata%5Bd%5D=5")
    }

    @Model("/accounts", saveMethod: .post) final class Account {
        struct Extra: Codable, Equatable {
            var a: String?
            var tags: [String: String] = [:]
        }

        var identifier: Int?
        var prices: [String: [String: Int]] = [:]
        var extra: Extra?
        @Relationship(inverse: nil) var seat: Seat?
    }

    @Model(embedded: true) final class Seat {
        var street = ""
        var metadata: [String: String] = [:]
    }

    @Test(arguments: [false, true]) func `A form unsets removed keys of nested dictionaries`(isSaved: Bool) async throws
    {
        var conventions = APIConventions.default
        conventions.bodies = .form
        let service = try Service(
            [Account.self, Seat.self], conventions: conventions, stub: StubTransport { _ in .status(204) })
        let account = try await service.imported(
            Account.self,
            #"""
            {"id": 1, "prices": {"x": {"p": 1, "q": 2}, "y": {"r": 3}}, "extra": {"a": "b", "tags": {"k": "v", "l": "w"}},
             "seat": {"street": "s", "metadata": {"m": "1", "n": "2"}}}
            """#)
        @MainActor func sent() async throws -> String? {
            if isSaved { try await service.main.save() }
            try await account.save()
            return service.stub.requests.last.flatMap {
                String(decoding: $0.body?.bytes ?? [], as: UTF8.self).removingPercentEncoding
            }
        }
        account.prices["x"]?["q"] = nil
        #expect(try await sent() == "prices[x][p]=1&prices[x][q]=&prices[y][r]=3")
        account.prices["x"] = [:]
        #expect(try await sent() == "prices[x][p]=&prices[y][r]=3")
        account.extra?.tags["l"] = nil
        #expect(try await sent() == "extra[a]=b&extra[tags][k]=v&extra[tags][l]=")
        account.seat?.metadata["n"] = nil
        #expect(try await sent() == "seat[street]=s&seat[metadata][m]=1&seat[metadata][n]=")
        account.seat?.metadata = [:]
        #expect(try await sent() == "seat[street]=s&seat[metadata][m]=")
    }
}
