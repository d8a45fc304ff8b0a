/// Which stored answers have said what a row is, for one state of the file: as many rows as there are on a screen ask
/// that one after the other.
struct AnswersByRow {
    /// A stored answer: its number, and when it was last checked.
    typealias Answer = (id: Int64, checkedAt: Double)

    /// Rows that an answer vouches for.
    private struct Stretch {
        let rows: ClosedRange<Int64>
        let answer: Int
        /// How far any goes of the part of the tree whose root this is.
        var end: Int64
    }

    private var answers: [Answer] = []
    /// By kind: a balanced tree, in the order in which they begin, whose root is in the middle, and so on.
    private var stretches: [Int64: [Stretch]] = [:]

    /// - Parameter next: the next answer, and what it vouches for.
    /// - Complexity: O(n log n) in the stretches of rows.
    init(_ next: () throws(SQLiteFailure) -> (Answer, VouchedRows)?) throws(SQLiteFailure) {
        var found: [Int64: [Stretch]] = [:]
        while let (answer, vouched) = try next() {
            for (kind, rows) in vouched.kinds {
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

    /// - Complexity: O(log n) for each that is found.
    func answers(about record: RecordID) -> [Answer] {
        var found: [Answer] = []
        if let tree = stretches[VouchedRows.kind(record.table)] {
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
