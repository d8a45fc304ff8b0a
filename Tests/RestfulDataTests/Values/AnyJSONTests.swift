import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Models with attributes of any JSON.
@Model("/hooks")
private final class Hook {
    var identifier: Int?
    var payload: JSONValue?
    var settings: [String: JSONValue] = [:]
    var steps: [JSONValue]?
    var state: JSONValue = ["ready": false]
    var origin: Origin?

    nonisolated struct Origin: Codable, Equatable {
        var name = ""
        var rest: JSONValue?
    }
}

/// Attributes whose form only the server knows.
@MainActor @Suite struct AnyJSONTests {
    private func service() throws -> Service {
        try Service([Hook.self], stub: StubTransport { _ in .status(204) })
    }

    @Test func `Any JSON is read into a JSON attribute, nulls within it included`() async throws {
        let service = try service()
        let hook = try await service.imported(
            Hook.self,
            """
            {"id": 1, "payload": {"b": [1.50, null, {"x": true}], "a": "é"}, "settings": {"on": null, "limit": 12345678901234567890},
             "steps": [null, "go", [], 2], "state": 7, "origin": {"name": "web", "rest": {"at": [0.1]}}}
            """)
        #expect(hook.payload == ["a": "é", "b": [.number("1.50"), .null, ["x": true]]])
        #expect(hook.settings == ["on": .null, "limit": .number("12345678901234567890")])
        #expect(hook.steps == [.null, "go", [], 2] && hook.state == 7)
        #expect(hook.origin == Hook.Origin(name: "web", rest: ["at": [0.1]]))
        _ = try await service.imported(Hook.self, #"{"id": 1, "payload": null, "state": null, "steps": []}"#)
        #expect(hook.payload == nil && hook.state == ["ready": false] && hook.steps == [])
    }

    @Test func `A JSON attribute is sent as it came until it is changed`() async throws {
        let service = try service()
        let hook = try await service.imported(Hook.self, #"{"id":1,"payload":{"b":1.0,"a":2},"steps":[1,null]}"#)
        hook.payload = ["a": 2, "b": .number("1.0")]
        hook.steps = [1, .null]
        #expect(!hook.hasChanges)
        hook.settings["theme"] = ["dark": true]
        try await hook.save(using: .put)
        hook.steps?.append(["a": .null])
        hook.origin = Hook.Origin(name: "app", rest: [1, 2.5, "x", .null])
        try await hook.save()
        hook.payload = .null
        try await hook.save()
        #expect(
            service.stub.log == [
                #"PUT /hooks/1 {"id":1,"payload":{"b":1.0,"a":2},"settings":{"theme":{"dark":true}},"steps":[1,null]}"#,
                #"PATCH /hooks/1 {"steps":[1,null,{"a":null}],"origin":{"name":"app","rest":[1,2.5,"x",null]}}"#,
                #"PATCH /hooks/1 {"payload":null}"#,
            ])
    }

    @Test func `Queries compare JSON by value`() async throws {
        let service = try service()
        _ = try await service.imported(
            Hook.self, #"[{"id":1,"payload":{"b":1.0,"a":[2]}},{"id":2,"payload":{"a":[2],"b":2}}]"#)
        let found = try service.main.query(Hook.self).where { $0.payload == ["a": [2], "b": 1] }.fetch()
        #expect(found.map(\.identifier) == [1])
    }

    @Test(arguments: [JSONValue.number("1,5"), ["a": [.number("")]], AnyJSONTests.nested(501)])
    func `A JSON value that can't be written or is too deep is refused by name`(_ value: JSONValue) async throws {
        let service = try service()
        let hook = try await service.imported(Hook.self, #"{"id":1}"#)
        hook.payload = value
        await #expect { try await service.main.save() } throws: { error in
            guard case StoreError.unsendable(let model, let property, _) = error else { return false }
            return (model, property) == ("Hook", "payload")
        }
        hook.payload = Self.nested(500)
        try await service.main.save()
        #expect(hook.payload == Self.nested(500))
    }

    nonisolated static func nested(_ depth: Int) -> JSONValue {
        (0..<depth).reduce(1) { value, _ in .array([value]) }
    }

    @Test func `Coding a JSON value keeps every digit`() throws {
        let text =
            #"[-9223372036854775808,18446744073709551615,0.1,12345678901234567890.12345,1e-200,true,"\u00e9",null,{}]"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        let again = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        #expect(again == value)
        #expect(
            value.array?.prefix(4).map { $0 } == [
                .number("-9223372036854775808"), .number("18446744073709551615"), .number("0.1"),
                .number("12345678901234567890.12345"),
            ])
        #expect(value.array?[4].double == 1e-200 && value.array?.last == [:])
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([JSONValue.number("x")]) }
    }

    /// Foundation's decoder may refuse such a number itself.
    @Test(arguments: ["1e400", "[1, {\"a\": [-1e999]}]"])
    func `A number beyond a decoder's range is reported as a number`(_ text: String) throws {
        #expect {
            try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        } throws: { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return false }
            return context.debugDescription.contains("number") || context.debugDescription.contains("Number")
        }
    }
}
