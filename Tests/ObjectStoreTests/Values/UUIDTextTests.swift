import Foundation
import TestSupport
import Testing

@testable import ObjectStore

/// Foundation is the oracle.
@Suite struct UUIDTextTests {
    @Test func `A UUID in any letter case is read as Foundation reads it`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let uuid = UUID.random(using: &generator)
            let mixed = String(uuid.uuidString.map { Bool.random(using: &generator) ? Character($0.lowercased()) : $0 })
            for text in [uuid.uuidString, uuid.uuidString.lowercased(), mixed] {
                #expect(UUIDText.value(of: text) == uuid && UUID(stored: .text(text)) == uuid)
                #expect(isCapital(text) == (text == uuid.uuidString))
            }
        }
    }

    @Test func `A text that Foundation refuses as a UUID is refused`() {
        let text = "123E4567-E89B-12D3-A456-426614174000"
        var others = [
            "", "-", String(text.dropLast()), text + "0", " " + text.dropLast(), "{" + text.dropFirst(),
            text.replacing("-", with: ""), text.replacing("-", with: "0"), text + "\0", "１" + text.dropFirst(3),
        ]
        for index in text.indices {
            for character in "-gG:/@`0 é" where text[index] != character {
                let changed = text.replacingCharacters(in: index...index, with: String(character))
                if UUID(uuidString: changed) == nil { others.append(changed) }
            }
        }
        #expect(others.count > 100)
        for other in others where UUID(uuidString: other) == nil {
            #expect(UUIDText.value(of: other) == nil && isCapital(other) == nil, "\(other)")
        }
    }

    private func isCapital(_ text: String) -> Bool? {
        // The bytes live as long as the closure.
        unsafe Array(text.utf8).withUnsafeBytes { unsafe UUIDText.isCapital($0) }
    }
}

extension UUID {
    fileprivate static func random(using generator: inout SeededGenerator) -> UUID {
        let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
