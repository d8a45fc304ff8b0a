import Foundation
import ModelGenerator
import OpenAPIFiles
import RestfulData
import RestfulDataOpenAPI
import TestSupport
import Testing

/// Descriptions with mistakes in any place: each is refused by a typed error, or read with problems.
@Suite struct MutatedDescriptionTests {
    @Test(arguments: ["chirp.yaml", "till.json"], 1...12)
    func `A mutated description never traps`(_ name: String, _ seed: Int) throws {
        let url = ProjectFolder.test("OpenAPITests/Fixtures/\(name)")
        let whole = try [UInt8](Data(contentsOf: url))
        var random = SeededGenerator(seed: UInt64(seed))
        let models: [any Model.Type] = [
            Customer.self, CustomerBalanceTransaction.self, Address.self, Shipping.self, Card.self,
        ]
        let store = try Store(.temporary, models: models, api: API("https://till.example"))
        for _ in 0..<8 {
            let bytes = Self.mutated(whole, using: &random)
            let description: OpenAPIDescription
            do { description = try OpenAPIDescription(Data(bytes), named: name) } catch {
                #expect(!error.description.isEmpty)
                continue
            }
            #expect(!ModelSource(description).text.isEmpty)
            #expect(try !store.check(against: description).description.isEmpty)
        }
    }

    /// Texts that are removed, doubled, or exchanged.
    private static func mutated(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let start = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: Int.random(in: 0..<bytes.count, using: &random))
            case 2: bytes[start] = UInt8.random(in: 0...255, using: &random)
            default:
                let words = [
                    "object", "array", "$ref", "{}", "[]", "null", "#/components/schemas/Account", "/", "{id}",
                ]
                let word = words.randomElement(using: &random) ?? ""
                bytes.replaceSubrange(start..<min(end, start + word.utf8.count), with: word.utf8)
            }
            if bytes.isEmpty { bytes = [0x7B] }
        }
        return bytes
    }
}
