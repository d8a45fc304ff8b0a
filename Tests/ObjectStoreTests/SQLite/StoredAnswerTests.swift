import RestfulData
import Testing

@testable import ObjectStore

/// The number of stored answers, and the rows changed since each was checked.
@MainActor @Suite struct StoredAnswerTests {
    @Model final class Item {
        var identifier: Int?
    }

    private nonisolated static func answer(_ question: Int, by credential: Int, checkedAt time: Double) -> StoredAnswer
    {
        StoredAnswer(
            key: StoredAnswer.Key(question: "\(question)", credential: "\(credential)"), table: TableID(0), url: "",
            checkedAt: time)
    }

    @Test func `The most recently checked answers to a question are kept with the newest`() async throws {
        let store = try Store(.temporary, models: [Item.self])
        let kept = try await store.file.write { writer in
            for credential in 1...20 {
                // The third has been confirmed since. The clock was set back before the last one came.
                let time = credential == 3 ? 1000 : credential == 20 ? 0 : Double(credential)
                let answer = Self.answer(1, by: credential, checkedAt: time)
                try writer.statements.write(answer, AnsweredRows(), covering: nil)
            }
            let kept = try writer.statements.answers(to: "1").map(\.answer.key.credential)
            return (kept, ChangeSet(writer.schema))
        }
        #expect(kept == [3, 14, 15, 16, 17, 18, 19, 20].map { "\($0)" })
    }

    @Test func `The number of stored answers is limited, and the newest are kept`() async throws {
        let store = try Store(.temporary, models: [Item.self])
        let counts = try await store.file.write { writer in
            func write(_ question: Int) throws {
                let answer = Self.answer(question, by: 1, checkedAt: 1)
                try writer.statements.write(answer, AnsweredRows(), covering: nil)
            }
            func count() throws -> Int64 {
                let read = try writer.connection.statement("SELECT count(*) FROM _answer")
                defer { read.reset() }
                return try read.step() ? read.integer(0) : 0
            }
            try write(0)
            for _ in 0..<11_000 { try write(1) }
            let few = try count()
            for question in 2..<12_000 { try write(question) }
            let isThere = try [0, 1, 1950, 11_999].map { try !writer.statements.answers(to: "\($0)").isEmpty }
            return ((few, try count(), isThere), ChangeSet(writer.schema))
        }
        #expect(counts.0 == 2 && (10_000..<10_128).contains(counts.1))
        #expect(counts.2 == [false, false, true, true])
    }

    private func unchecked(_ change: Int64, _ rows: [Int64]) -> UncheckedAnswer {
        var covered = CoveredRows()
        covered.kinds[0] = RowRanges(rows.map { RowID($0) })
        return UncheckedAnswer(
            id: 1, answer: Self.answer(1, by: 1, checkedAt: 0), change: change, covered: covered.coded)
    }

    @Test func `An answer is intact if no change since its note concerns its rows`() {
        var notes = ChangeNotes()
        #expect(notes.leaveIntact(unchecked(0, [5])) && !notes.leaveIntact(unchecked(1, [5])))
        func note(_ id: Int64, _ row: Int64) -> (id: Int64, note: ChangeNotes.Note) {
            (id, ChangeNotes.Note(kind: 0, first: row, last: row))
        }
        notes.take([note(1, 5), note(2, 6)])
        notes.take([note(2, 6), note(3, 7)])
        #expect(notes.last == 3)
        #expect((0...4).map { notes.leaveIntact(unchecked($0, [5])) } == [false, true, true, true, false])
        #expect((0...3).map { notes.leaveIntact(unchecked($0, [7])) } == [false, false, false, true])
        #expect(!notes.leaveIntact(unchecked(.max, [5])))
        #expect(!notes.leaveIntact(unchecked(-1, [])) && notes.leaveIntact(unchecked(0, [8])))
        // One that knows none of those that are left.
        notes.take([note(9, 1)])
        #expect(notes.last == 9 && !notes.leaveIntact(unchecked(3, [5])) && notes.leaveIntact(unchecked(8, [5])))
        for id in Int64(10)...30_000 { notes.take([note(id, 1)]) }
        #expect(
            notes.last == 30_000 && !notes.leaveIntact(unchecked(9, [5])) && notes.leaveIntact(unchecked(29_000, [5])))
    }
}
