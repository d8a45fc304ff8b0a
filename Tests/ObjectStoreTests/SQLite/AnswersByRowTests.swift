import TestSupport
import Testing

@testable import ObjectStore

@Suite struct AnswersByRowTests {
    /// Random answers, of few rows and of many, against a look at each of them.
    @Test(arguments: 0..<50) func `An index of answers by row finds the same answers as a scan`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let tables = [TableID(0), TableID(1)]
        let answers = (0..<Int.random(in: 0...40, using: &random)).map { number in
            var covered = CoveredRows()
            for table in tables where Bool.random(using: &random) {
                let start = Int64.random(in: 1...100, using: &random)
                let count = Int64.random(in: 1...(Bool.random(using: &random) ? 3 : 80), using: &random)
                let rows = (start..<start + count).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
                covered.kinds[CoveredRows.kind(table)] = RowRanges(rows.map { RowID($0) })
            }
            return (answer: (id: Int64(number), checkedAt: Double(number) / 2), covered: covered)
        }
        var rest = answers[...]
        let index = try AnswersByRow { () throws(SQLiteFailure) in rest.popFirst().map { ($0.answer, $0.covered) } }
        for table in tables {
            for row in Int64(0)...190 {
                let expected = answers.filter {
                    $0.covered.kinds[CoveredRows.kind(table)]?.meets(row...row) == true
                }
                let found = index.answers(about: RecordID(table: table, row: RowID(row)))
                #expect(Set(found.map(\.id)) == Set(expected.map(\.answer.id)) && found.count == expected.count)
                #expect(found.allSatisfy { $0.checkedAt == Double($0.id) / 2 })
            }
        }
    }
}
