/// What somebody searches for: words, none of which is syntax.
struct SearchText: Sendable {
    private let text: String
    /// Whether the last word is the beginning of one.
    private let isBeingTyped: Bool

    init(_ text: String, isBeingTyped: Bool) {
        self.text = text
        self.isBeingTyped = isBeingTyped
    }

    /// What is between spaces, each once, the last one last. FTS5 parts it further where it has other characters than
    /// letters and digits: these parts have to follow each other. A NUL would end the expression.
    private var words: [String] {
        let all = text.unicodeScalars.split { $0.properties.isWhitespace || $0.value == 0 }.map(String.init)
        guard let last = all.last else { return [] }
        var seen: Set<String> = [last]
        return all.dropLast().filter { seen.insert($0).inserted } + [last]
    }

    /// The words as a full text expression, all of which have to occur
    /// (https://sqlite.org/fts5.html#full_text_query_syntax). One without letters and digits says nothing.
    var expression: String {
        // A quote within a string is written twice.
        words.map {
            "\"" + $0.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        }
        .joined(separator: " ") + (isBeingTyped && !words.isEmpty ? "*" : "")
    }

    /// Whether anything is asked for: whether there is a letter or digit.
    func hasWords() throws -> Bool {
        // These are some for any tokenizer.
        if text.utf8.contains(where: { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) }) {
            return true
        }
        if words.isEmpty { return false }
        // A text has all of its own words, if it has any.
        return try !UnsavedText.excerpts(from: [[text]], matching: expression, SearchMarks()).isEmpty
    }
}

/// How an excerpt of a text shows what was found.
struct SearchMarks: Sendable {
    var before = ""
    var after = ""
    /// How many words it has at most; FTS5 takes 64.
    var words = 16
}

/// The texts of objects that the file doesn't know, searched as it would search them: by an index of the same kind in
/// memory.
enum UnsavedText {
    /// The excerpts of those that have what an expression asks for, by the place of each text.
    ///
    /// - Parameter texts: of each object, the text of each searchable attribute.
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
    /// What the statements take.
    var parameters: [StoredValue] {
        [.text(before), .text(after), .integer(Int64(min(max(words, 1), 64)))]
    }
}
