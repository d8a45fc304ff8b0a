/// Ranges, since rows from one body mostly have consecutive numbers.
package struct RowRanges: Sendable, Hashable {
    /// Ascending, with a gap between any two.
    package private(set) var ranges: [ClosedRange<Int64>] = []

    package init() {}

    /// - Complexity: O(n log n).
    init(_ rows: some Sequence<RowID>) {
        for row in rows.map(\.rawValue).sorted() {
            if let last = ranges.last, last.upperBound == row || last.upperBound &+ 1 == row {
                ranges[ranges.count - 1] = last.lowerBound...row
            } else {
                ranges.append(row...row)
            }
        }
    }

    var isEmpty: Bool { ranges.isEmpty }

    /// - Complexity: O(log n).
    func meets(_ other: ClosedRange<Int64>) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < other.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= other.upperBound
    }

    /// At most `count` ranges: the smallest gaps are closed.
    ///
    /// - Parameter count: at least 1.
    func coarsened(to count: Int) -> RowRanges {
        guard ranges.count > count else { return self }
        let gaps = (1..<ranges.count).sorted { gap(before: $0) > gap(before: $1) }.prefix(count - 1)
        var coarse = RowRanges()
        var start = 0
        for cut in gaps.sorted() + [ranges.count] {
            coarse.ranges.append(ranges[start].lowerBound...ranges[cut - 1].upperBound)
            start = cut
        }
        return coarse
    }

    /// Exact up to 64 bits.
    private func gap(before index: Int) -> UInt64 {
        UInt64(bitPattern: ranges[index].lowerBound &- ranges[index - 1].upperBound)
    }
}

// MARK: As bytes

/// Small integers take few bytes: seven bits in each byte, the lowest first, the sign in the lowest bit.
struct NumberCoder {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ number: Int64) {
        var rest = UInt64(bitPattern: (number << 1) ^ (number >> 63))
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

struct NumberDecoder {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    /// `nil` at the end, and for invalid bytes.
    mutating func next() -> Int64? {
        var (number, shift) = (UInt64(0), UInt64(0))
        while let byte = rest.popFirst() {
            guard shift < 64 else { return nil }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1) }
            shift += 7
        }
        return nil
    }
}

extension RowRanges {
    func write(to coder: inout NumberCoder) {
        coder.append(Int64(ranges.count))
        var last: Int64 = 0
        for range in ranges {
            coder.append(range.lowerBound &- last)
            coder.append(range.upperBound &- range.lowerBound)
            last = range.upperBound
        }
    }

    init?(from decoder: inout NumberDecoder) {
        guard let count = decoder.next(), count >= 0 else { return nil }
        var last: Int64 = 0
        for _ in 0..<count {
            guard let start = decoder.next(), let length = decoder.next(), length >= 0 else { return nil }
            let first = last &+ start
            last = first &+ length
            guard first <= last else { return nil }
            ranges.append(first...last)
        }
    }
}

extension [RowID] {
    var coded: [UInt8] {
        var coder = NumberCoder()
        var last: Int64 = 0
        for row in self {
            coder.append(row.rawValue &- last)
            last = row.rawValue
        }
        return coder.bytes
    }

    init?(coded bytes: [UInt8]) {
        self = []
        var decoder = NumberDecoder(bytes)
        var last: Int64 = 0
        while !decoder.isAtEnd {
            guard let difference = decoder.next() else { return nil }
            last &+= difference
            append(RowID(last))
        }
    }
}
