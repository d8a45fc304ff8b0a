import TestSupport
import Testing

@testable import ObjectStore

/// The rows that an answer confirms, as ranges and as bytes.
@Suite struct RowRangesTests {
    private static func rows(_ random: inout SeededGenerator) -> Set<Int64> {
        let width: Int64 = [10, 100, .max].randomElement(using: &random) ?? 10
        let count = Int.random(in: 0..<60, using: &random)
        return Set((0..<count).map { _ in Int64.random(in: -width...width, using: &random) })
    }

    @Test(arguments: 1...50) func `Row ranges contain exactly their rows`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rows = Self.rows(&random)
        let ranges = RowRanges(rows.map { RowID($0) } + rows.map { RowID($0) })
        #expect(Set(ranges.ranges.map(\.lowerBound)).count == ranges.ranges.count)
        for row in rows.flatMap({ [$0, $0 &+ 1, $0 &- 1] }) {
            #expect(ranges.meets(row...row) == rows.contains(row))
        }
        for _ in 0..<50 {
            let ends = [Int64.random(in: -120...120, using: &random), Int64.random(in: -120...120, using: &random)]
            let range = ends.min()!...ends.max()!
            #expect(ranges.meets(range) == rows.contains { range.contains($0) })
        }
    }

    @Test(arguments: 1...50) func `Coarsened row ranges contain at least their rows`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let rows = Self.rows(&random)
        let count = Int.random(in: 1...8, using: &random)
        let ranges = RowRanges(rows.map { RowID($0) })
        let coarse = ranges.coarsened(to: count)
        #expect(coarse.ranges.count == min(count, ranges.ranges.count))
        for row in rows { #expect(coarse.meets(row...row)) }
        if ranges.ranges.count <= count { #expect(coarse == ranges) }
    }

    @Test(arguments: 1...50) func `Row ranges are restored from their bytes, and any bytes are safe to read`(
        _ seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        var covered = CoveredRows()
        for kind in Int64(-3)...3 {
            let ranges = RowRanges(Self.rows(&random).map { RowID($0) })
            if !ranges.isEmpty { covered.kinds[kind] = ranges }
        }
        #expect(CoveredRows(coded: covered.coded) == covered)
        let order = Self.rows(&random).map { RowID($0) }.shuffled(using: &random)
        #expect([RowID](coded: order.coded) == order)
        // Damaged bytes are other rows, or none.
        var bytes = covered.coded
        for _ in 0..<20 where !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            _ = CoveredRows(coded: bytes)
            _ = [RowID](coded: bytes)
        }
    }
}
