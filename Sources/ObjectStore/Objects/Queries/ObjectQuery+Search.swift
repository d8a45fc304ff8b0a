extension ObjectQuery {
    /// Returns a query for the objects with all words of a text in their searchable attributes, best matches first
    /// unless the query has another order.
    ///
    /// ```swift
    /// let found = try context.query(Issue.self).search("crash café").where { $0.state == .open }.limit(20).fetch()
    /// ```
    ///
    /// The text is plain user input, without query syntax. Words are found in all attributes declared
    /// `@Attribute(searchable: true)`, in any order, whatever their case and accents. Characters other than letters and
    /// digits separate words; those separated by other characters than spaces have to follow each other: `foo-bar`
    /// finds "foo bar". A text without letters and digits finds all objects. A second call replaces the words.
    ///
    /// The rank is bm25 (https://sqlite.org/fts5.html#the_bm25_function): rare words and short texts count more.
    /// Objects found only by unsaved edits come first.
    ///
    /// Accents are those of Latin, Greek and Cyrillic letters, and the points of Hebrew and Arabic. In Chinese,
    /// Japanese, Thai, Lao, Khmer, Burmese and Korean text, any part between spaces is found. Hiragana and katakana
    /// differ, as do simplified and traditional characters. Emoji aren't letters.
    ///
    /// - Parameter asTyped: whether the user is still typing the last word, which then stands for all words that begin
    ///   with it.
    /// - Throws: ``fetch()``, ``count()`` and ``searchResults(marking:and:words:)`` throw
    ///   ``StoreError/notSearchable(model:)`` for a model without such an attribute.
    public func search(_ text: String, asTyped: Bool = false) -> ObjectQuery {
        var query = self
        query.search = SearchText(text, isBeingTyped: asTyped)
        return query
    }

    /// Fetches the objects, each with the part of its text that has the words of ``search(_:asTyped:)``.
    ///
    /// ```swift
    /// for result in try context.query(Issue.self).search("crash").searchResults(marking: "**", and: "**") {
    ///     print(result.object.title, result.excerpt)      // "… it will **crash** when …"
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - before: inserted before each found word.
    ///   - after: inserted after each found word.
    ///   - words: the length of an excerpt in words, from 1 to 64. Omitted text is "…".
    /// - Throws: the errors of ``fetch()``.
    /// - Complexity: as ``fetch()``, with one more statement that visits all found rows. Text is read only for the
    ///   objects returned.
    public func searchResults(
        marking before: String = "", and after: String = "", words: Int = 16
    ) throws(StoreError) -> [SearchResult<M>] {
        let model = try context.model(of: M.self)
        context.catchUp()
        let marks = SearchMarks(before: before, after: after, words: words)
        let match = try searchMatch(model, marks)
        let query = try inContextView(model)
        let objects = try query.fetch(model, matching: match)
        guard let match else { return objects.map { SearchResult(object: $0, excerpt: "", rank: nil) } }
        let found = try excerpts(of: objects.map(\._object.localID), by: match, marks)
        return objects.map { object in
            let row = object._object.localID
            return SearchResult(
                object: object, excerpt: match.excerpt(of: row) ?? found[row]?.text ?? "",
                rank: match.changed?[row] == nil ? found[row]?.rank : nil)
        }
    }
}

/// An object that a search found.
public struct SearchResult<M: Model> {
    /// The object, live in the context.
    public let object: M
    /// Some words of the attribute with the most matches, which are marked. Empty if the search has no words.
    public let excerpt: String
    /// The bm25 rank of the object's row: negative, the lower the better. `nil` if only unsaved edits match, or the
    /// search has no words.
    public let rank: Double?
}

struct SearchMatch: Sendable {
    let index: SearchIndex
    let expression: String
    /// Matching unsaved objects, each with an excerpt. Their rows in the file are ignored.
    let unsaved: [RowID: String]
    /// Rows that another program has changed, each with an excerpt; `nil` if the index is up to date.
    let changed: [RowID: String]?

    func excerpt(of row: RowID) -> String? { unsaved[row] ?? changed?[row] }

    /// - Parameter parameter: the SQL parameter of the search expression.
    func rows(_ parameter: String) -> String {
        index.rows(matching: parameter, orAmong: changed?.keys.sorted())
    }

    func rankedRows(_ parameter: String) -> String {
        index.rankedRows(matching: parameter, orAmong: changed?.keys.sorted())
    }
}

extension ObjectQuery {
    /// `nil` without a search, or if the text has no words.
    func searchMatch(_ model: ModelSchema, _ marks: SearchMarks = SearchMarks()) throws(StoreError) -> SearchMatch? {
        guard let search else { return nil }
        guard let index = SearchIndex(context.schema[model.table]) else {
            throw .notSearchable(model: model.modelName)
        }
        return try context.reading { (reader) throws in
            guard try search.hasWords() else { return nil }
            let expression = search.expression
            let objects = context.unsaved.objects(in: model.table).map { context.current($0)._object }
            let found = try UnsavedText.excerpts(
                from: objects.map { index.texts(of: $0) }, matching: expression, marks)
            return SearchMatch(
                index: index, expression: expression,
                unsaved: Dictionary(
                    found.map { (objects[$0].localID, $1) }, uniquingKeysWith: { first, _ in first }),
                changed: try index.changedRows(matching: expression, marks, on: reader.reading().connection))
        }
    }

    func narrowed(by match: SearchMatch?) -> ObjectQuery {
        match.map { narrowed(by: .found($0)) } ?? self
    }

    // MARK: By rank

    func ranked(of model: ModelSchema, by match: SearchMatch) throws(StoreError) -> [M] {
        // A draft's queries read its parent's list edits.
        guard isOwn(model) || context.unsaved.isEmpty && context.base == nil else {
            return try rankedWithUnsaved(of: model, by: match)
        }
        let unsaved = context.unsaved.objects(in: model.table)
        guard !unsaved.isEmpty else {
            let selection = rankedSelection(of: model, match, limit: limit, offset: offset)
            return try context.stepping(through: selection, of: model) { (statement) throws in
                try context.objects(M.self, of: model, from: statement)
            }
        }
        let edited = Set(unsaved.map(\._object.localID))
        let known = try excerpts(of: Array(edited), by: match, SearchMarks())
        let query = narrowed(by: match)
        let found = unsaved.compactMap { context.current($0) as? M }.filter(query.holds)
            .map { Ranked(object: $0, rank: known[$0._object.localID]?.rank) }
        let end = limit.flatMap { Self.sum($0, offset) }
        let rows = try rankedRows(of: model, match, except: edited, limit: end)
        let all = (found + rows).sorted().dropFirst(offset).map(\.object)
        return limit.map { Array(all.prefix($0)) } ?? all
    }

    /// Used if unsaved objects of other tables count. All matches are fetched and then sorted.
    private func rankedWithUnsaved(of model: ModelSchema, by match: SearchMatch) throws(StoreError) -> [M] {
        var query = narrowed(by: match)
        (query.limit, query.offset) = (nil, 0)
        let objects = try query.matches(of: model)
        let known = try excerpts(of: objects.map(\._object.localID), by: match, SearchMarks())
        let all = objects.map { Ranked(object: $0, rank: known[$0._object.localID]?.rank) }.sorted()
            .dropFirst(offset).map(\.object)
        return limit.map { Array(all.prefix($0)) } ?? all
    }

    /// Leaves out the rows of unsaved objects.
    private func rankedRows(
        of model: ModelSchema, _ match: SearchMatch, except edited: Set<RowID>, limit: Int?
    ) throws(StoreError) -> [Ranked<M>] {
        let selection = rankedSelection(
            of: model, match, limit: limit.flatMap { Self.sum($0, edited.count) }, offset: 0)
        return try context.stepping(through: selection, of: model) { (statement) throws in
            let rank = Int32(model.columns.count + 1)
            var found: [Ranked<M>] = []
            defer { statement.reset() }
            while found.count < limit ?? .max, try statement.step() {
                guard !edited.contains(statement.row(0)) else { continue }
                let place = statement.real(rank)
                if let object = context.object(M.self, of: model, from: statement) {
                    found.append(Ranked(object: object, rank: place))
                }
            }
            return found
        }
    }

    func rankedSelection(
        of model: ModelSchema, _ match: SearchMatch, limit: Int?, offset: Int
    ) -> QueryStatement {
        var writer = QueryWriter(context.schema, unsaved: nil)
        let place = writer.begin(model)
        let filter = writer.filter(condition, at: place)
        let ranks = match.rankedRows(writer.bind(.text(match.expression)))
        var text = "SELECT \(place.columns), \(SearchIndex.rank) FROM \(writer.source(place)) "
        text += "JOIN (\(ranks)) ON _found_row = \(place.row.id)\(filter) ORDER BY \(SearchIndex.rank), \(place.row.id)"
        if limit != nil || offset > 0 {
            text += " LIMIT \(writer.bind(.integer(Int64(limit ?? -1)))) OFFSET \(writer.bind(.integer(Int64(offset))))"
        }
        return QueryStatement(text, writer)
    }

    private func excerpts(
        of rows: [RowID], by match: SearchMatch, _ marks: SearchMarks
    ) throws(StoreError) -> [RowID: (rank: Double, text: String)] {
        guard !rows.isEmpty else { return [:] }
        let list = "[" + rows.map { String($0.rawValue) }.joined(separator: ",") + "]"
        return try context.reading { (reader) throws in
            let statement = try reader.reading().connection.statement(match.index.excerpts)
            statement.bind(marks.parameters + [.text(match.expression), .text(list)])
            var found: [RowID: (rank: Double, text: String)] = [:]
            while try statement.step() { found[statement.row(0)] = (statement.real(1), statement.text(2)) }
            return found
        }
    }
}

extension QueryWriter {
    /// A join that provides ``SearchIndex/rank``; NULL for rows that don't match in the file.
    mutating func ranks(of match: SearchMatch, at place: Place) -> String {
        " LEFT JOIN (\(match.rankedRows(bind(.text(match.expression))))) ON _found_row = \(place.row.id)"
    }
}

/// Objects without a rank come first.
private struct Ranked<M: Model>: Comparable {
    let object: M
    let rank: Double?

    private var place: (Double, RowID) { (rank ?? -.infinity, object._object.localID) }

    static func < (left: Ranked, right: Ranked) -> Bool { left.place < right.place }
    static func == (left: Ranked, right: Ranked) -> Bool { left.place == right.place }
}

extension SearchIndex {
    /// `nil` if no rows were changed by another program since they were indexed.
    fileprivate func changedRows(
        matching expression: String, _ marks: SearchMarks, on connection: Connection
    ) throws -> [RowID: String]? {
        guard try connection.hasChangedText(self) else { return nil }
        let statement = try connection.statement(changedTexts)
        defer { statement.reset() }
        var (rows, texts): ([RowID], [[String?]]) = ([], [])
        while try statement.step() {
            rows.append(statement.row(0))
            texts.append((1...Int32(columnCount)).map { statement.isNull($0) ? nil : statement.text($0) })
        }
        let found = try UnsavedText.excerpts(from: texts, matching: expression, marks)
        return Dictionary(found.map { (rows[$0], $1) }) { first, _ in first }
    }

    fileprivate func texts(of state: ObjectState) -> [String?] {
        model.searchable.map { column in
            guard state.model.has(column.property), case .text(let text) = state.stored(column.property) else {
                return nil
            }
            return text
        }
    }
}
