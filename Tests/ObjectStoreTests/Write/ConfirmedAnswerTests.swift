import Testing

@testable import ObjectStore

/// Answers confirmed by the server and kept in memory.
@Suite struct ConfirmedAnswerTests {
    private func kept(_ id: Int64, checkedAt time: Double = 1) -> KeptAnswer {
        let answer = StoredAnswer(
            key: StoredAnswer.Key(question: "\(id)"), table: TableID(0), url: "", checkedAt: time)
        var kept = KeptAnswer(id: id, answer: answer, isIntact: true)
        kept.rows.roots = (0..<1000).map { RowID($0) }
        return kept
    }

    @Test func `Confirmed answers are written in batches, each once`() {
        let memory = FileMemory()
        for id in 1...100 { memory.note(kept(Int64(id))) }
        var written: Set<Int64> = []
        for count in [64, 36, 0] {
            let some = memory.unwrittenAnswers(limit: 64)
            #expect(some.count == count && written.isDisjoint(with: some.map(\.id)))
            memory.noteWritten(some)
            written.formUnion(some.map(\.id))
        }
        #expect(written.count == 100 && memory.checkedAt(1) == 1)
        // An answer confirmed again meanwhile must be written again.
        let older = kept(1)
        memory.note(kept(1, checkedAt: 2))
        memory.noteWritten([older])
        #expect(memory.unwrittenAnswers(limit: 64).map(\.id) == [1] && memory.checkedAt(1) == 2)
    }

    /// The clock was set back after the file was written.
    @Test func `An answer's earlier check time counts while the file has the replaced one`() {
        let memory = FileMemory()
        func stored(checkedAt time: Double) -> UncheckedAnswer {
            UncheckedAnswer(id: 1, answer: kept(1, checkedAt: time).answer, change: 0, covered: [])
        }
        func note(_ time: Double, over former: UncheckedAnswer) {
            var kept = KeptAnswer(memory.newest(former), isIntact: true)
            kept.answer.checkedAt = time
            memory.note(kept)
        }
        func newest(_ time: Double) -> Double { memory.newest(stored(checkedAt: time)).answer.checkedAt }
        note(10, over: stored(checkedAt: 100))
        #expect(newest(100) == 10 && memory.checkedAt(1, written: 100) == 10)
        // Confirmed since, and still to be written.
        note(20, over: stored(checkedAt: 100))
        #expect(newest(100) == 20 && memory.checkedAt(1, written: 100) == 20)
        memory.noteWritten(memory.unwrittenAnswers(limit: 64))
        #expect(newest(20) == 20 && newest(100) == 20)
        // Another process has confirmed it later.
        #expect(newest(30) == 30 && memory.checkedAt(1, written: 30) == 30)
    }

    @Test func `Confirmed answers keep no rows, and their number is limited`() {
        let memory = FileMemory()
        for id in 1...1000 { memory.note(kept(Int64(id))) }
        #expect(memory.unwrittenAnswers(limit: .max).allSatisfy { $0.rows.roots.isEmpty })
        memory.noteWritten(memory.unwrittenAnswers(limit: 999))
        memory.note(kept(1001))
        #expect(memory.unwrittenAnswers(limit: .max).count == 2)
        // Those that are only remembered give way.
        #expect((1...1000).count { memory.checkedAt(Int64($0)) != nil } == 1 && memory.checkedAt(1001) == 1)
    }
}
