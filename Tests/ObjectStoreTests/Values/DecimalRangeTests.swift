import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// A `Decimal` attribute accepts the values that can be read back.
@Suite struct DecimalRangeTests {
    private func isInRange(_ text: String) -> Bool {
        // The bytes live as long as the closure.
        unsafe Array(text.utf8).withUnsafeBytes { unsafe DecimalText.isInRange($0) }
    }

    @Test func `The range of decimals is the range that Foundation reads`() {
        var random = SeededGenerator(seed: 7)
        var wrong: [String] = []
        func look(_ text: String) { if isInRange(text) != (Decimal(stored: .text(text)) != nil) { wrong.append(text) } }
        for exponent in -240...240 {
            for count in [1, 2, 5, 19, 37, 38, 39, 40, 41, 60] {
                let digits = (0..<count).map { _ in "\(Int.random(in: 1...9, using: &random))" }.joined()
                look("\(digits)e\(exponent)")
                look("-\(digits)0E\(exponent)")
                look("\(digits.prefix(1)).\(digits.dropFirst())0e\(exponent)")
            }
            look("0e\(exponent)")
        }
        for zeros in 0...240 {
            for digits in ["1", "12345", String(repeating: "7", count: 38), String(repeating: "9", count: 45)] {
                look("0." + String(repeating: "0", count: zeros) + digits)
                look(digits + String(repeating: "0", count: zeros))
                look(digits + String(repeating: "0", count: zeros) + ".5")
            }
        }
        look("1e9223372036854775807")
        look("1e-99999999999999999999999")
        #expect(wrong.isEmpty, "\(wrong.count), the first: \(wrong.prefix(5))")
    }

    @MainActor
    @Test(arguments: ["1e128", "123e-130", "0." + String(repeating: "0", count: 126) + "12345"])
    func `A decimal beyond its range is a mismatch`(_ text: String) async throws {
        let store = try Store(of: [Sample.self])
        let outcome = try await store.main.take(Sample.self, "{\"id\": 1, \"decimal\": \(text)}")
        #expect(outcome.report.mismatchedCount == 1 && outcome.objects.first?.decimal == nil)
    }
}
