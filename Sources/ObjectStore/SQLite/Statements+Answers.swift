// The statements of `_answer`, which has the server's answers and what they vouch for, and `_answer_change`, which has
// the rows that were changed since.
//
// An answer vouches for the rows that were read of its body. Whether they are still as they were is not noted with each
// row, which would cost each import: it is asked when the answer is to be used. A transaction notes the few ranges of
// rows that it has changed, and an answer that meets none of those since it was stored is intact.

extension Statements {
    /// The answers to a question, whoever has asked it, without their rows.
    func answers(to question: String) throws(SQLiteFailure) -> [KeptAnswer] {
        let read = try connection.statement(
            """
            SELECT id, credential, variant, model, url, vary, etag, modified, checked, age, lifetime, stale_if_error, \
            must_revalidate, detail, checked_change, vouched, stale_while_revalidate FROM _answer WHERE question = ? ORDER BY id
            """)
        read.bind(.text(question), at: 1)
        var found: [(id: Int64, answer: StoredAnswer, change: Int64, vouched: [UInt8])] = []
        while try read.step() {
            guard let table = schema.roots.first(where: { $0.tableName == read.text(3) })?.table else { continue }
            let key = StoredAnswer.Key(question: question, credential: read.text(1), variant: read.text(2))
            var answer = StoredAnswer(key: key, table: table, url: read.text(4), checkedAt: read.real(8))
            answer.vary = read.text(5)
            answer.entityTag = read.isNull(6) ? nil : read.text(6)
            answer.lastModified = read.isNull(7) ? nil : read.text(7)
            answer.age = Int(clamping: read.integer(9))
            answer.lifetime = read.isNull(10) ? nil : Int(clamping: read.integer(10))
            answer.staleIfError = read.isNull(11) ? nil : Int(clamping: read.integer(11))
            answer.staleWhileRevalidate = read.isNull(16) ? nil : Int(clamping: read.integer(16))
            answer.mustRevalidate = read.integer(12) != 0
            answer.detail = read.value(13).bytes
            found.append((read.integer(0), answer, read.integer(14), read.value(15).bytes))
        }
        return try found.map { entry throws(SQLiteFailure) in
            KeptAnswer(
                id: entry.id, answer: entry.answer,
                isIntact: try isIntact(entry.vouched, since: entry.change))
        }
    }

    /// Whether no row has changed of those that an answer vouches for.
    ///
    /// - Complexity: linear in what has changed since it was last looked at.
    private func isIntact(_ vouched: [UInt8], since change: Int64) throws(SQLiteFailure) -> Bool {
        guard change >= 0 else { return false }
        let read = try connection.statement(
            "SELECT id, kind, first, last FROM _answer_change WHERE id >= ? ORDER BY id")
        read.bind(change, at: 1)
        defer { read.reset() }
        // The last one that the answer knows is kept, as long as there is no gap.
        guard try read.step() else { return change == 0 }
        guard read.integer(0) == max(change, 1) else { return false }
        guard let vouched = VouchedRows(coded: vouched) else { return false }
        var isFirst = change > 0
        repeat {
            if !isFirst, let rows = vouched.kinds[read.integer(1)], read.integer(2) <= read.integer(3),
                rows.meets(read.integer(2)...read.integer(3))
            {
                return false
            }
            isFirst = false
        } while try read.step()
        return true
    }

    /// What was read of an answer's body; `nil` when it is gone.
    func answeredRows(_ id: Int64) throws(SQLiteFailure) -> AnsweredRows? {
        let read = try connection.statement(
            "SELECT roots, element_count, is_list, object_count FROM _answer WHERE id = ?")
        read.bind(id, at: 1)
        guard try read.step() else { return nil }
        defer { read.reset() }
        guard let roots = [RowID](coded: read.value(0).bytes) else { return nil }
        var rows = AnsweredRows()
        rows.roots = roots
        rows.elementCount = Int(clamping: read.integer(1))
        rows.isList = read.integer(2) != 0
        rows.objectCount = Int(clamping: read.integer(3))
        return rows
    }

    /// The last row of each table that an answer was.
    func lastAnsweredRows() throws(SQLiteFailure) -> [TableID: RowID] {
        let read = try connection.statement("SELECT model, roots FROM _answer")
        let tables = Dictionary(schema.roots.map { ($0.tableName, $0.table) }) { first, _ in first }
        var last: [TableID: RowID] = [:]
        while try read.step() {
            guard case .text(let name) = read.value(0), let table = tables[name],
                let row = [RowID](coded: read.value(1).bytes)?.max()
            else { continue }
            last[table] = max(last[table] ?? row, row)
        }
        return last
    }

    /// All answers, by the rows of which they have said something.
    func answersByRow() throws(SQLiteFailure) -> AnswersByRow {
        let read = try connection.statement("SELECT id, checked, vouched FROM _answer")
        return try AnswersByRow { () throws(SQLiteFailure) in
            while try read.step() {
                guard let vouched = VouchedRows(coded: read.value(2).bytes) else { continue }
                return ((read.integer(0), read.real(1)), vouched)
            }
            return nil
        }
    }

    var hasAnswers: Bool {
        get throws(SQLiteFailure) {
            let read = try connection.statement("SELECT EXISTS (SELECT 1 FROM _answer)")
            defer { read.reset() }
            return try read.step() && read.integer(0) != 0
        }
    }

    // MARK: Writing

    /// The answers that are kept, and the notes of what has changed, at most.
    private static let answerLimit: Int64 = 10_000
    private static let changeLimit: Int64 = 10_000

    /// Stores an answer in the place of the one with its key, under a number that none had before.
    ///
    /// - Parameter vouched: what it vouches for; `nil` where it vouches for nothing.
    func write(_ answer: StoredAnswer, _ rows: AnsweredRows, vouching vouched: VouchedRows?) throws(SQLiteFailure) {
        let write = try connection.statement(
            """
            INSERT OR REPLACE INTO _answer (id, question, credential, variant, model, url, vary, etag, modified, checked, age, lifetime, \
            stale_if_error, stale_while_revalidate, must_revalidate, detail, roots, element_count, is_list, object_count, vouched, \
            checked_change) \
            VALUES ((SELECT coalesce(max(id), 0) + 1 FROM _answer), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \
            ?, ?, iif(?, (SELECT coalesce(max(id), 0) FROM _answer_change), -1))
            """)
        write.bind([
            .text(answer.key.question), .text(answer.key.credential), .text(answer.key.variant),
            .text(schema[answer.table].tableName), .text(answer.url), .text(answer.vary),
            answer.entityTag.map { .text($0) } ?? .null, answer.lastModified.map { .text($0) } ?? .null,
            .real(answer.checkedAt), .integer(Int64(answer.age)),
            answer.lifetime.map { .integer(Int64($0)) } ?? .null,
            answer.staleIfError.map { .integer(Int64($0)) } ?? .null,
            answer.staleWhileRevalidate.map { .integer(Int64($0)) } ?? .null, .integer(answer.mustRevalidate ? 1 : 0),
            .blob(answer.detail), .blob(rows.roots.coded), .integer(Int64(rows.elementCount)),
            .integer(rows.isList ? 1 : 0), .integer(Int64(rows.objectCount)), .blob(vouched?.coded ?? []),
            .integer(vouched == nil ? 0 : 1),
        ])
        try write.run()
        let prune = try connection.statement("DELETE FROM _answer WHERE id <= (SELECT max(id) FROM _answer) - ?")
        prune.bind(Self.answerLimit, at: 1)
        try prune.run()
    }

    /// Notes that the server has said that an intact answer is as it was.
    func confirmAnswer(_ id: Int64, as answer: StoredAnswer) throws(SQLiteFailure) {
        let write = try connection.statement(
            """
            UPDATE _answer SET checked = ?, age = ?, lifetime = ?, stale_if_error = ?, stale_while_revalidate = ?, \
            must_revalidate = ?, etag = ?, modified = ?, detail = ?, \
            checked_change = (SELECT coalesce(max(id), 0) FROM _answer_change) WHERE id = ?
            """)
        write.bind([
            .real(answer.checkedAt), .integer(Int64(answer.age)),
            answer.lifetime.map { .integer(Int64($0)) } ?? .null,
            answer.staleIfError.map { .integer(Int64($0)) } ?? .null,
            answer.staleWhileRevalidate.map { .integer(Int64($0)) } ?? .null, .integer(answer.mustRevalidate ? 1 : 0),
            answer.entityTag.map { .text($0) } ?? .null, answer.lastModified.map { .text($0) } ?? .null,
            .blob(answer.detail), .integer(id),
        ])
        try write.run()
    }

    /// Notes rows that have changed. Only the newest notes are kept: an answer that knows none of them is not intact.
    func noteChanged(_ rows: RowRanges, _ kind: Int64) throws(SQLiteFailure) {
        let write = try connection.statement("INSERT INTO _answer_change (kind, first, last) VALUES (?, ?, ?)")
        for range in rows.ranges {
            write.bind(kind, at: 1)
            write.bind(range.lowerBound, at: 2)
            write.bind(range.upperBound, at: 3)
            try write.run()
        }
        let prune = try connection.statement(
            "DELETE FROM _answer_change WHERE id <= (SELECT max(id) FROM _answer_change) - ?")
        prune.bind(Self.changeLimit, at: 1)
        try prune.run()
    }

    /// No answer vouches for anything any more; when each came is still known.
    func spoilAnswers() throws(SQLiteFailure) {
        try connection.statement("UPDATE _answer SET checked_change = -1").run()
    }
}

extension StoredValue {
    fileprivate var bytes: [UInt8] { if case .blob(let bytes) = self { bytes } else { [] } }
}
