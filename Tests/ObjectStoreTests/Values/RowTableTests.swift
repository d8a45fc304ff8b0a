import TestSupport
import Testing

@testable import ObjectStore

@Suite struct RowTableTests {
    /// Locally created rows come in their order, with others between them, and those of the file in any.
    @Test(arguments: 1...20) func `A row table equals a dictionary`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = RowTable<Int>()
        var known: [Int64: Int] = [:]
        var next: Int64 = -1_000_000
        for step in 0..<600 {
            let row: Int64
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                next += Int64.random(in: 1...3, using: &random)
                row = next
            case 2: row = Int64.random(in: -1_000_010...next, using: &random)
            default: row = Int64.random(in: 1...50, using: &random)
            }
            if Int.random(in: 0..<3, using: &random) > 0 {
                #expect(table.set(step, for: row) == known.updateValue(step, forKey: row))
            } else {
                let taken = known.keys.randomElement(using: &random) ?? row
                #expect(table.remove(taken) == known.removeValue(forKey: taken))
            }
            #expect(table[row] == known[row])
            #expect(table.count == known.count)
        }
        #expect(Dictionary(uniqueKeysWithValues: table.pairs.map { ($0.key, $0.value) }) == known)
        for row in -1_000_010...next { #expect(table[row] == known[row]) }
        for row in known.keys { #expect(table.remove(row) == known[row]) }
        #expect(table.count == 0 && table.pairs.isEmpty)
    }
}
