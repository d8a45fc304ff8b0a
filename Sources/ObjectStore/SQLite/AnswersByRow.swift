/// Finds the stored responses that cover a row, for one state of the file.
struct AnswersByRow {
    /// A stored response's id, and its last check in seconds since 1970.
    typealias Answer = (id: Int64, checkedAt: Double)

    private struct Stretch {
        let rows: ClosedRange<Int64>
        let answer: Int
        /// The greatest row in the subtree with this root.
        var end: Int64
    }

    private var answers: [Answer] = []
    /// Ranges of rows by ``CoveredRows/kind(_:)``: an interval tree as a sorted array. The root of a range is its
    /// middle element.
    private var stretches: [Int64: [Stretch]] = [:]

    /// - Parameter next: the next response and the rows that it covers, `nil` at the end.
    /// - Complexity: O(n log n) in the ranges of rows.
    init(_ next: () throws(SQLiteFailure) -> (Answer, CoveredRows)?) throws(SQLiteFailure) {
        var found: [Int64: [Stretch]] = [:]
        while let (answer, covered) = try next() {
            for (kind, rows) in covered.kinds {
                found[kind, default: []] += rows.ranges.map { range in
                    Stretch(rows: range, answer: answers.count, end: range.upperBound)
                }
            }
            answers.append(answer)
        }
        stretches = found.mapValues { stretches in
            var tree = stretches.sorted { $0.rows.lowerBound < $1.rows.lowerBound }
            _ = Self.setEnds(in: &tree, from: 0, to: tree.count)
            return tree
        }
    }

    private static func setEnds(in tree: inout [Stretch], from start: Int, to end: Int) -> Int64 {
        guard start < end else { return .min }
        let root = (start + end) / 2
        let below = max(setEnds(in: &tree, from: start, to: root), setEnds(in: &tree, from: root + 1, to: end))
        tree[root].end = max(tree[root].end, below)
        return tree[root].end
    }

    /// - Complexity: O(log n) for each response that is found.
    func answers(about record: RecordID) -> [Answer] {
        var found: [Answer] = []
        if let tree = stretches[CoveredRows.kind(record.table)] {
            find(record.row.rawValue, in: tree, from: 0, to: tree.count, &found)
        }
        return found
    }

    private func find(_ row: Int64, in tree: [Stretch], from start: Int, to end: Int, _ found: inout [Answer]) {
        guard start < end, case let root = (start + end) / 2, tree[root].end >= row else { return }
        find(row, in: tree, from: start, to: root, &found)
        guard tree[root].rows.lowerBound <= row else { return }
        if tree[root].rows.upperBound >= row { found.append(answers[tree[root].answer]) }
        find(row, in: tree, from: root + 1, to: end, &found)
    }
}
