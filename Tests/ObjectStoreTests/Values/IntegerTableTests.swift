import TestSupport
import Testing

@testable import ObjectStore

/// A table that behaves as a dictionary would.
@Suite struct IntegerTableTests {
    /// Numbers that follow each other, far ones, and the ends.
    private let keys: [Int64] = (-8...8).map { $0 } + (0..<8).map { $0 << 32 } + [.min, .min + 1, .max, .max - 1]

    private func pairs(_ table: IntegerTable<Int>) -> [Int64: Int] {
        Dictionary(uniqueKeysWithValues: table.pairs.map { ($0.key, $0.value) })
    }

    @Test(arguments: 1...20) func `An integer table equals a dictionary`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (table, known): (IntegerTable<Int>, [Int64: Int]) = (IntegerTable(), [:])
        for step in 0..<600 {
            if step % 250 == 249 {
                table.removeAll()
                known.removeAll()
            }
            guard let key = keys.randomElement(using: &random) else { continue }
            if Int.random(in: 0..<3, using: &random) < (step / 100 % 2 == 0 ? 2 : 1) {
                #expect(table.set(step, for: key) == known.updateValue(step, forKey: key))
            } else {
                #expect(table.remove(key) == known.removeValue(forKey: key))
            }
            #expect(table.count == known.count)
            #expect(keys.allSatisfy { table[$0] == known[$0] })
        }
        #expect(pairs(table) == known)
    }

    @Test func `An integer table finds thousands of keys after removals`() {
        var table = IntegerTable<Int>()
        table.reserve(5_000)
        for key in 0..<10_000 { table.set(key, for: Int64(key) * 7) }
        for key in 0..<10_000 where key % 3 == 0 { #expect(table.remove(Int64(key) * 7) == key) }
        #expect((0..<10_000).allSatisfy { table[Int64($0) * 7] == ($0 % 3 == 0 ? nil : $0) })
        #expect(table[1] == nil)
        #expect(table.count == 6_666)
        table.removeAll()
        #expect(table.count == 0 && table[7] == nil && table.pairs.isEmpty)
        table.set(1, for: 7)
        #expect(table[7] == 1 && table.count == 1)
    }
}
