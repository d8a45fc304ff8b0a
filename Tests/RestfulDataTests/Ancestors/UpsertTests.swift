import Foundation
import RestfulData
import TestSupport
import Testing

@Model
private final class Dwelling {
    var identifier: Int?
    var city = ""
    var street: String?
    var land: Land?
}

@Model(identity: "code")
private final class Land {
    var code: String?
    var name = ""
}

@Model(identity: "row", "column")
private final class Square {
    var row: Int?
    var column: Int?
    var text = ""
}

@Model
private final class Flake {
    var identifier: UInt64?
    var name = ""
}

/// Objects from dictionaries.
@MainActor @Suite struct UpsertTests {
    private static func context() throws -> ObjectContext {
        try Store(.temporary, models: [Dwelling.self, Land.self, Square.self]).main
    }

    @Test func `NCC's upsert takes a dictionary and a separate identity`() async throws {
        let context = try Self.context()
        let address = try await context.upsert(Dwelling.self, ["city": "Bonn", "street": "Ring 1"], identity: 3)
        #expect(address.identifier == 3 && address.city == "Bonn" && !address.hasChanges)
        let same = try await context.upsert(Dwelling.self, ["city": "Ulm"], identity: 3)
        #expect(same === address && address.city == "Ulm" && address.street == "Ring 1")
        #expect(try context.query(Dwelling.self).count() == 1)
    }

    @Test func `NCC's insert takes a dictionary with its identity and nested objects`() async throws {
        let context = try Self.context()
        let address = try await context.upsert(Dwelling.self, ["id": 3, "land": ["code": "DE", "name": "Germany"]])
        #expect(address.identifier == 3 && address.land?.name == "Germany")
        let land = try await context.upsert(Land.self, ["name": "Deutschland"], identity: "DE")
        #expect(land === address.land && land.name == "Deutschland")
    }

    @Test func `An upsert takes the greatest unsigned number as the identity`() async throws {
        let context = try Store(.temporary, models: [Flake.self]).main
        let flake = try await context.upsert(Flake.self, ["name": "a"], identity: UInt64.max)
        #expect(flake.identifier == UInt64.max)
        #expect(try await context.upsert(Flake.self, ["name": "b"], identity: UInt64.max) === flake)
        #expect(flake.name == "b")
    }

    @Test func `An unsaved edit survives an upsert`() async throws {
        let context = try Self.context()
        let address = try await context.upsert(Dwelling.self, ["city": "Bonn"], identity: 3)
        address.city = "Ulm"
        _ = try await context.upsert(Dwelling.self, ["city": "Berlin", "street": "Ring 1"], identity: 3)
        #expect(address.city == "Ulm" && address.street == "Ring 1")
    }

    @Test(
        arguments: [
            ["city": "Bonn"], [1, 2], "text", ["id": 3, "city": ["name": "Bonn"]], [["id": 3], ["id": 4]],
        ] as [JSONValue])
    func `An upsert without an identity is rejected`(_ values: JSONValue) async throws {
        let context = try Self.context()
        let error = await #expect(throws: StoreError.self) { _ = try await context.upsert(Dwelling.self, values) }
        guard case .rejected? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(try context.query(Dwelling.self).count() == 0)
    }

    @Test func `An upsert with one value for an identity of two parts throws`() async throws {
        let context = try Self.context()
        let error = await #expect(throws: StoreError.self) {
            _ = try await context.upsert(Square.self, ["text": "x"], identity: 1)
        }
        guard case .wrongIdentity(model: "Square", parts: ["row", "column"], given: 1)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        let cell = try await context.upsert(Square.self, ["row": 1, "column": 2, "text": "x"])
        #expect(cell.text == "x")
    }

    @Test func `A number that JSON doesn't have is an error, however deep it is`() async throws {
        let context = try Self.context()
        let deep = (0..<600).reduce(JSONValue.number("1")) { inner, _ in .array([inner]) }
        for values: JSONValue in [["id": 1, "city": .number("1x")], ["id": 1, "city": deep]] {
            let error = await #expect(throws: StoreError.self) { _ = try await context.upsert(Dwelling.self, values) }
            guard case .json? = error else {
                Testing.Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
