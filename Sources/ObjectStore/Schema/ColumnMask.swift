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

    /// Those that are not in the other.
    @inline(__always)
    func subtracting(_ other: ColumnMask) -> ColumnMask {
        var rest = self
        rest.words &= ~other.words
        return rest
    }

    /// Those of both.
    @inline(__always)
    func intersection(_ other: ColumnMask) -> ColumnMask {
        var shared = self
        shared.words &= other.words
        return shared
    }

    @inline(__always)
    mutating func removeAll() { words = .zero }

    var isEmpty: Bool { words == .zero }

    /// 64 of the columns, the first one's bit the lowest.
    @inline(__always)
    subscript(word word: Int) -> Int64 {
        get { Int64(bitPattern: words[word & 3]) }
        set { words[word & 3] = UInt64(bitPattern: newValue) }
    }
}
