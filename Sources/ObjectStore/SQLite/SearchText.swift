/// A text of words, without query syntax.
struct SearchText: Sendable {
    private let text: String
    private let isBeingTyped: Bool

    init(_ text: String, isBeingTyped: Bool) {
        self.text = text
        self.isBeingTyped = isBeingTyped
    }

    /// The distinct parts between spaces. The last part stays last. FTS5 splits a part further, and these pieces must
    /// be consecutive. A NUL would end the expression, so it separates.
    private var words: [String] {
        let all = text.unicodeScalars.split { $0.properties.isWhitespace || $0.value == 0 }.map(String.init)
        guard let last = all.last else { return [] }
        var seen: Set<String> = [last]
        return all.dropLast().filter { seen.insert($0).inserted } + [last]
    }

    /// Matches texts with all of the words (https://sqlite.org/fts5.html#full_text_query_syntax). Words without letters
    /// and digits have no effect.
    var expression: String {
        words.map {
            "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        }
        .joined(separator: " ") + (isBeingTyped && !words.isEmpty ? "*" : "")
    }

    /// Whether the text restricts the result.
    func hasWords() throws -> Bool {
        // These are words for any tokenizer.
        if text.utf8.contains(where: { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }) {
            return true
        }
        if words.isEmpty { return false }
        // Only a text with words matches itself.
        return try !UnsavedText.excerpts(from: [[text]], matching: expression, SearchMarks()).isEmpty
    }
}

struct SearchMarks: Sendable {
    var before = ""
    var after = ""
    /// An excerpt's length, 1 to 64 (FTS5's limit).
    var words = 16
}

/// Searches unsaved objects with a full text index in memory, so results are those of the file's index.
enum UnsavedText {
    /// Excerpts of the matching objects, by their index.
    ///
    /// - Parameter texts: for each object, the text of each searchable attribute.
    static func excerpts(
        from texts: [[String?]], matching expression: String, _ marks: SearchMarks
    ) throws -> [Int: String] {
        guard let columns = texts.first?.indices.map({ "c\($0)" }).joined(separator: ", ") else { return [:] }
        return try Connection.inMemory { connection in
            try connection.knowWords()
            try connection.execute(
                "CREATE VIRTUAL TABLE unsaved USING fts5(\(columns), tokenize='\(SearchTokenizer.declaration)')")
            let values = texts[0].map { _ in ", ?" }.joined()
            let insert = try connection.statement("INSERT INTO unsaved (rowid, \(columns)) VALUES (?\(values))")
            for (place, texts) in texts.enumerated() {
                insert.bind(Int64(place), at: 1)
                for (column, text) in texts.enumerated() {
                    insert.bind(text.map(StoredValue.text) ?? .null, at: Int32(column + 2))
                }
                try insert.run()
            }
            let find = try connection.statement(
                "SELECT rowid, snippet(unsaved, -1, ?, ?, '…', ?) FROM unsaved WHERE unsaved MATCH ?")
            find.bind(marks.parameters + [.text(expression)])
            var excerpts: [Int: String] = [:]
            while try find.step() { excerpts[Int(find.integer(0))] = find.text(1) }
            return excerpts
        }
    }
}

extension SearchMarks {
    var parameters: [StoredValue] {
        [.text(before), .text(after), .integer(Int64(min(max(words, 1), 64)))]
    }
}
