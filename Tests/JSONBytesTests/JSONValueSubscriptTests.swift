import JSONBytes
import Testing

/// Values within JSON values.
@Suite struct JSONValueSubscriptTests {
    @Test func `Members and elements are found by keys and indexes, and nothing traps`() {
        let json: JSONValue = ["list": [["id": 7], 8]]
        #expect(json["list"]?[0]?["id"]?.integer == 7 && json["list"]?[1] == 8)
        #expect(json["list"]?[2] == nil && json["list"]?[-1] == nil && json["list"]?[Int.max] == nil)
        #expect(json[0] == nil && json["none"] == nil && json["list"]?["id"] == nil)
    }
}
