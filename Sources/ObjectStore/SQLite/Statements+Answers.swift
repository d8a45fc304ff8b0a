// `_answer` has stored responses to GET requests and the rows that each covers, `_answer_change` ranges of rows that
// were changed since. A response is checked before use, so a transaction only records a few ranges.

extension Statements {
    private static let answerColumns =
        """
        id, question, credential, variant, model, url, vary, etag, modified, checked, age, lifetime, stale_if_error, \
        must_revalidate, detail, checked_change, vouched, stale_while_revalidate
        """

    /// Responses stored for all accounts, without their rows.
    ///
    /// - Complexity: linear in their number, which is limited to a few.
    func answers(to question: String) throws(SQLiteFailure) -> [UncheckedAnswer] {
        let read = try connection.statement("SELECT \(Self.answerColumns) FROM _answer WHERE question = ? ORDER BY id")
        read.bind(.text(question), at: 1)
        var found: [UncheckedAnswer] = []
        while try read.step() { if let answer = answer(from: read) { found.append(answer) } }
        return found
    }

    func answer(_ id: Int64) throws(SQLiteFailure) -> UncheckedAnswer? {
        let read = try connection.statement("SELECT \(Self.answerColumns) FROM _answer WHERE id = ?")
        read.bind(id, at: 1)
        guard try read.step() else { return nil }
        defer { read.reset() }
        return answer(from: read)
    }

    /// `nil` if the table is missing in the schema.
    private func answer(from read: RawStatement) -> UncheckedAnswer? {
        guard let table = schema.roots.first(where: { $0.tableName == read.text(4) })?.table else { return nil }
        let key = StoredAnswer.Key(question: read.text(1), credential: read.text(2), variant: read.text(3))
        var answer = StoredAnswer(key: key, table: table, url: read.text(5), checkedAt: read.real(9))
        answer.vary = read.text(6)
        answer.entityTag = read.isNull(7) ? nil : read.text(7)
        answer.lastModified = read.isNull(8) ? nil : read.text(8)
        answer.age = Int(clamping: read.integer(10))
        answer.lifetime = read.isNull(11) ? nil : Int(clamping: read.integer(11))
        answer.staleIfError = read.isNull(12) ? nil : Int(clamping: read.integer(12))
        answer.staleWhileRevalidate = read.isNull(17) ? nil : Int(clamping: read.integer(17))
        answer.mustRevalidate = read.integer(13) != 0
        answer.detail = read.value(14).bytes
        return UncheckedAnswer(
            id: read.integer(0), answer: answer, change: read.integer(15), covered: read.value(16).bytes)
    }

    /// In their order.
    ///
    /// - Complexity: linear in their number.
    func changeNotes(after last: Int64) throws(SQLiteFailure) -> [(id: Int64, note: ChangeNotes.Note)] {
        let read = try connection.statement(
            "SELECT id, kind, first, last FROM _answer_change WHERE id > ? ORDER BY id")
        read.bind(last, at: 1)
        var notes: [(id: Int64, note: ChangeNotes.Note)] = []
        while try read.step() {
            let note = ChangeNotes.Note(kind: read.integer(1), first: read.integer(2), last: read.integer(3))
            notes.append((read.integer(0), note))
        }
        return notes
    }

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

    /// URLs without secrets, the most recently checked first.
    ///
    /// - Complexity: linear in all stored responses.
    func answeredURLs(of table: TableID) throws(SQLiteFailure) -> [String] {
        let read = try connection.statement(
            "SELECT url FROM _answer WHERE model = ? GROUP BY url ORDER BY max(checked) DESC, url")
        read.bind(.text(schema[table].tableName), at: 1)
        var urls: [String] = []
        while try read.step() { urls.append(read.text(0)) }
        return urls
    }

    /// By table: the largest row at the top level of a stored response.
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

    func answersByRow() throws(SQLiteFailure) -> AnswersByRow {
        let read = try connection.statement("SELECT id, checked, vouched FROM _answer")
        return try AnswersByRow { () throws(SQLiteFailure) in
            while try read.step() {
                guard let covered = CoveredRows(coded: read.value(2).bytes) else { continue }
                return ((read.integer(0), read.real(1)), covered)
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

    /// The most stored responses, and the most of one request, which has one for each credential and set of `Vary`
    /// values.
    private static let answerLimit: Int64 = 10_000
    private static let answerLimitOfQuestion: Int64 = 8
    /// Ids between deletions of the oldest, since finding these scans the table.
    private static let answersBetweenLooks: Int64 = 128

    /// Replaces a response with the same key, and gives it a new id.
    ///
    /// - Parameter covered: the rows that it covers. `nil` makes the response count as changed.
    func write(_ answer: StoredAnswer, _ rows: AnsweredRows, covering covered: CoveredRows?) throws(SQLiteFailure) {
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
            .integer(rows.isList ? 1 : 0), .integer(Int64(rows.objectCount)), .blob(covered?.coded ?? []),
            .integer(covered == nil ? 0 : 1),
        ])
        try write.run()
        try dropAnswers(to: answer.key.question, besides: connection.lastInsertedKey)
    }

    /// Deletes the least recently checked of one request, and the oldest of all.
    ///
    /// - Parameter newest: the response just written. It stays even if the clock was set back.
    private func dropAnswers(to question: String, besides newest: Int64) throws(SQLiteFailure) {
        let drop = try connection.statement(
            """
            DELETE FROM _answer WHERE id IN (SELECT id FROM _answer WHERE question = ?1 AND id <> ?2 \
            ORDER BY checked DESC, id DESC LIMIT -1 OFFSET ?3)
            """)
        drop.bind([.text(question), .integer(newest), .integer(Self.answerLimitOfQuestion - 1)])
        try drop.run()
        guard newest.isMultiple(of: Self.answersBetweenLooks) else { return }
        let dropOldest = try connection.statement(
            "DELETE FROM _answer WHERE id <= (SELECT id FROM _answer ORDER BY id DESC LIMIT 1 OFFSET ?)")
        dropOldest.bind(Self.answerLimit, at: 1)
        try dropOldest.run()
    }

    /// Records that the server has confirmed an intact response (304).
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

    /// Only the newest records are kept. A response that is older than all of them counts as changed.
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
        prune.bind(Int64(ChangeNotes.limit), at: 1)
        try prune.run()
    }

    /// The account's responses to this request count as changed, for all `Vary` values.
    func spoilAnswers(to key: StoredAnswer.Key) throws(SQLiteFailure) {
        let spoil = try connection.statement(
            "UPDATE _answer SET checked_change = -1 WHERE question = ? AND credential = ? AND checked_change >= 0")
        spoil.bind([.text(key.question), .text(key.credential)])
        try spoil.run()
    }

    /// All responses count as changed. Their times stay.
    func spoilAnswers() throws(SQLiteFailure) {
        try connection.statement("UPDATE _answer SET checked_change = -1 WHERE checked_change >= 0").run()
    }
}

extension StoredValue {
    fileprivate var bytes: [UInt8] { if case .blob(let bytes) = self { bytes } else { [] } }
}
