/// A map from rows. Those of objects created locally are negative and mostly ascend, so adding one is an append. Others
/// are in an ``IntegerTable``.
struct RowTable<Value: BitwiseCopyable> {
    fileprivate struct Made: BitwiseCopyable {
        let row: Int64
        /// `nil` after the row was removed.
        var value: Value?
    }

    private var others = IntegerTable<Value>()
    /// Sorted by row.
    private var made = ChunkedList<Made>()
    private var gapCount = 0

    var count: Int { others.count + made.count - gapCount }

    @inline(__always)
    subscript(row: Int64) -> Value? {
        if row < 0, let index = index(of: row), let value = made[index].value { return value }
        return others[row]
    }

    /// Returns the former value.
    @discardableResult
    mutating func set(_ value: Value, for row: Int64) -> Value? {
        guard row < 0 else { return others.set(value, for: row) }
        if made.last.map({ $0.row < row }) ?? true {
            made.append(Made(row: row, value: value))
            return others.count == 0 ? nil : others.remove(row)
        }
        guard let index = index(of: row) else { return others.set(value, for: row) }
        let former = made[index].value
        if former == nil { gapCount -= 1 }
        made[index].value = value
        return former ?? others.remove(row)
    }

    @discardableResult
    mutating func remove(_ row: Int64) -> Value? {
        guard row < 0, let index = index(of: row), let value = made[index].value else { return others.remove(row) }
        made[index].value = nil
        gapCount += 1
        if gapCount > 16, gapCount * 2 > made.count {
            made = ChunkedList(made.lazy.filter { $0.value != nil })
            gapCount = 0
        }
        return value
    }

    mutating func reserve(_ count: Int) { others.reserve(count) }

    var pairs: [(key: Int64, value: Value)] {
        others.pairs + made.compactMap { made in made.value.map { (made.row, $0) } }
    }

    /// The index is at most the row's distance from the first one, as each row occurs once.
    private func index(of row: Int64) -> Int? {
        guard let first = made.first?.row, let last = made.last?.row, first <= row, row <= last else { return nil }
        // Rows ascend by at least one for each index, which bounds it from both ends.
        var low = max(0, made.count - 1 - Int(clamping: last - row))
        var high = min(made.count - 1, Int(clamping: row - first))
        while low <= high {
            let middle = low + (high - low) / 2
            let found = made[middle].row
            if found == row { return middle }
            if found < row { low = middle + 1 } else { high = middle - 1 }
        }
        return nil
    }
}
