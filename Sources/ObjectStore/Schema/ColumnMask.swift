/// A set of a table's columns: which of them an object's JSON has values for. A table has at most 256.
struct ColumnMask: Hashable {
    private var words: SIMD4<UInt64> = .zero

    static let limit = 256

    @inline(__always)
    mutating func insert(_ column: Int) {
        words[column >> 6 & 3] |= 1 << UInt64(column & 63)
    }

    mutating func remove(_ column: Int) {
        words[column >> 6 & 3] &= ~(1 << UInt64(column & 63))
    }

    @inline(__always)
    func contains(_ column: Int) -> Bool {
        words[column >> 6 & 3] & (1 << UInt64(column & 63)) != 0
    }

    /// The columns of either.
    func union(_ other: ColumnMask) -> ColumnMask {
        var union = self
        union.words |= other.words
        return union
    }

    @inline(__always)
    mutating func removeAll() { words = .zero }
}
