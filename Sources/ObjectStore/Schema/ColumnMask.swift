/// A set of columns. A table has at most 256.
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

    func union(_ other: ColumnMask) -> ColumnMask {
        var union = self
        union.words |= other.words
        return union
    }

    @inline(__always)
    func subtracting(_ other: ColumnMask) -> ColumnMask {
        var rest = self
        rest.words &= ~other.words
        return rest
    }

    @inline(__always)
    func intersection(_ other: ColumnMask) -> ColumnMask {
        var shared = self
        shared.words &= other.words
        return shared
    }

    @inline(__always)
    mutating func removeAll() { words = .zero }

    var isEmpty: Bool { words == .zero }

    /// 64 columns. The lowest bit is the first column's.
    @inline(__always)
    subscript(word word: Int) -> Int64 {
        get { Int64(bitPattern: words[word & 3]) }
        set { words[word & 3] = UInt64(bitPattern: newValue) }
    }
}
