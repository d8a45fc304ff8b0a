// swift-format-ignore-file: AmbiguousTrailingClosureOverload
// The result type of the closure selects the overload.

// Queries for numbers, values and groups. Each is one statement that includes unsaved objects.

public import Foundation

extension ObjectQuery {
    /// Returns whether the query finds an object. It counts rows, and fetches no object.
    public func exists() throws(StoreError) -> Bool { try limit(Swift.min(1, limit ?? 1), offset: offset).count() > 0 }

    // MARK: One value of all

    /// Returns the sum of a value, without nil; 0 for an empty result.
    ///
    /// - Throws: ``StoreError/unanswerable(model:reason:)`` if the sum is outside the type's range or precision.
    public func sum<V: QuerySummable, E: QueryExpression<M, V>>(
        _ value: (M.Properties) -> E
    ) throws(StoreError) -> V { try sum(of: value(M.properties).term) }

    /// Returns the sum of an optional value, without nil; 0 for an empty result.
    public func sum<V: QuerySummable, E: QueryExpression<M, V?>>(
        _ value: (M.Properties) -> E
    ) throws(StoreError) -> V { try sum(of: value(M.properties).term) }

    /// Returns the mean of a value; `nil` for an empty result.
    public func average<V: QuerySummable, E: QueryExpression<M, V>>(
        _ value: (M.Properties) -> E
    ) throws(StoreError) -> Double? { try mean(of: value(M.properties).term)?.double }

    /// Returns the mean of an optional value, without nil; `nil` for an empty result.
    public func average<V: QuerySummable, E: QueryExpression<M, V?>>(
        _ value: (M.Properties) -> E
    ) throws(StoreError) -> Double? { try mean(of: value(M.properties).term)?.double }

    /// Returns the mean of a decimal, with 38 digits; `nil` for an empty result.
    ///
    /// - Throws: ``StoreError/unanswerable(model:reason:)`` if the sum has more digits.
    public func average<E: QueryExpression<M, Decimal>>(_ value: (M.Properties) -> E) throws(StoreError) -> Decimal? {
        try decimalMean(of: value(M.properties).term)
    }

    /// Returns the mean of an optional decimal, without nil; `nil` for an empty result.
    public func average<E: QueryExpression<M, Decimal?>>(_ value: (M.Properties) -> E) throws(StoreError) -> Decimal? {
        try decimalMean(of: value(M.properties).term)
    }

    /// Returns the least value; `nil` for an empty result.
    public func min<V, E: QueryExpression<M, V>>(_ value: (M.Properties) -> E) throws(StoreError) -> V? {
        try extreme(.minimum, value(M.properties).queryValue)
    }

    /// Returns the least of an optional value; `nil` if no object has one.
    public func min<V, E: QueryExpression<M, V?>>(_ value: (M.Properties) -> E) throws(StoreError) -> V? {
        try extreme(.minimum, value(M.properties).queryValue).flatMap(\.self)
    }

    /// Returns the greatest value; `nil` for an empty result.
    public func max<V, E: QueryExpression<M, V>>(_ value: (M.Properties) -> E) throws(StoreError) -> V? {
        try extreme(.maximum, value(M.properties).queryValue)
    }

    /// Returns the greatest of an optional value; `nil` if no object has one.
    public func max<V, E: QueryExpression<M, V?>>(_ value: (M.Properties) -> E) throws(StoreError) -> V? {
        try extreme(.maximum, value(M.properties).queryValue).flatMap(\.self)
    }

    private func extreme<V>(_ aggregate: Term.Aggregate, _ value: QueryValue<M, V>) throws(StoreError) -> V? {
        guard let found = try self.aggregate(aggregate, of: value.term) else { return nil }
        if let reason = value.refusal?(found) { throw .unanswerable(model: "\(M.self)", reason: reason) }
        return value.decode(found)
    }

    private func sum<V: QuerySummable>(of term: Term) throws(StoreError) -> V {
        guard let sum = try aggregate(.sum, of: term) else { return V.zero }
        guard let number = V(sum: sum) else {
            throw .unanswerable(model: "\(M.self)", reason: V.sumProblem)
        }
        return number
    }

    private func mean(of term: Term) throws(StoreError) -> Mean? {
        try aggregate(.average, of: term).flatMap { Mean($0) }
    }

    private func decimalMean(of term: Term) throws(StoreError) -> Decimal? {
        guard let mean = try mean(of: term) else { return nil }
        guard let decimal = mean.decimal else {
            throw .unanswerable(model: "\(M.self)", reason: Decimal.sumProblem)
        }
        return decimal
    }

    /// `nil` if no object has a value.
    private func aggregate(_ aggregate: Term.Aggregate, of term: Term) throws(StoreError) -> StoredValue? {
        guard limit != nil || offset > 0 else {
            var query = self
            query.orders = []
            let all = ValueQuery(query: query, terms: [.aggregate(aggregate, term)], isAggregate: true) { $0[0] }
            return try all.fetch().first.flatMap { $0.isNull ? nil : $0 }
        }
        // Only objects within the limit count.
        let values = ValueQuery(query: self, terms: [term]) { $0[0] }
        let kind = context.schema.kind(of: term, in: try context.model(of: M.self))
        guard aggregate == .minimum || aggregate == .maximum else { return try values.aggregated(aggregate, kind) }
        let isBefore = { (left: StoredValue, right: StoredValue) in StoredValue.order(left, right, as: kind) < 0 }
        let all = try values.fetch().filter { !$0.isNull }
        return aggregate == .minimum ? all.min(by: isBefore) : all.max(by: isBefore)
    }

    // MARK: Values

    /// Selects values of the objects, in the query's order.
    ///
    /// ```swift
    /// for (number, login) in try context.query(Issue.self).select({ ($0.number, $0.user.login) }).fetch() { … }
    /// ```
    public func select<each V: Sendable>(
        _ values: (M.Properties) -> (repeat any QueryExpression<M, each V>)
    ) -> ValueQuery<M, (repeat each V)> { selection(repeat (each values(M.properties)).queryValue) }

    /// Selects one value of the objects, in the query's order: `query.select { $0.number }`.
    public func select<V, E: QueryExpression<M, V>>(_ value: (M.Properties) -> E) -> ValueQuery<M, V> {
        selection(value(M.properties).queryValue)
    }

    func selection<V>(_ value: QueryValue<M, V>) -> ValueQuery<M, V> {
        var all = ValueQuery(query: self, terms: [value.term]) { value.decode($0[0]) }
        all.refusals[0] = value.refusal
        return all
    }

    func selection<each V: Sendable>(_ values: repeat QueryValue<M, each V>) -> ValueQuery<M, (repeat each V)> {
        var (terms, refusals): ([Term], [Int: (StoredValue) -> String?]) = ([], [:])
        for value in repeat each values {
            refusals[terms.count] = value.refusal
            terms.append(value.term)
        }
        var all = ValueQuery<M, (repeat each V)>(query: self, terms: terms) {
            let row = ReadValues($0)
            return (repeat row.next(each values))
        }
        all.refusals = refusals
        return all
    }

    /// Groups the objects by a value, for aggregates.
    ///
    /// ```swift
    /// let counts = try context.query(Issue.self).grouped(by: { $0.user.login }).counts()
    /// ```
    public func grouped<E: QueryExpression>(by value: (M.Properties) -> E) -> GroupedQuery<M, E.Value>
    where E.Root == M { GroupedQuery(query: self, key: value(M.properties).queryValue) }
}

private final class ReadValues {
    private let values: [StoredValue]
    private var place = 0

    init(_ values: [StoredValue]) { self.values = values }

    func next<Root, V>(_ value: QueryValue<Root, V>) -> V {
        defer { place += 1 }
        return value.decode(place < values.count ? values[place] : .null)
    }
}

// MARK: - Rows of values

/// A query for values of objects, which takes effect when you fetch; see `ObjectQuery.select`.
public struct ValueQuery<M: Model, Row> {
    var query: ObjectQuery<M>
    var terms: [Term]
    var groups: [Term] = []
    var isAggregate = false
    var isDistinct = false
    /// Applied after grouping.
    private var limit: Int?
    /// By index of the term: why a value can't be represented.
    var refusals: [Int: (StoredValue) -> String?] = [:]
    let decode: ([StoredValue]) -> Row

    init(
        query: ObjectQuery<M>, terms: [Term], groups: [Term] = [], isAggregate: Bool = false,
        decode: @escaping ([StoredValue]) -> Row
    ) {
        self.query = query
        self.terms = terms
        self.groups = groups
        self.isAggregate = isAggregate
        self.decode = decode
    }

    /// Returns each distinct row once, at its first position; in the order of their values if the query has no order.
    public func distinct() -> ValueQuery {
        var query = self
        query.isDistinct = true
        return query
    }

    /// Returns the rows.
    ///
    /// - Throws: the errors of ``ObjectQuery/fetch()``.
    public func fetch() throws(StoreError) -> [Row] {
        var rows: [Row] = []
        try stepping(wrap: { text, _ in text }, body: { rows.append(decode($0)) })
        return rows
    }

    /// Returns the first row; `nil` if there is none.
    public func first() throws(StoreError) -> Row? {
        var query = self
        query.limit = 1
        return try query.fetch().first
    }

    /// Calls `body` with each row of one state of the file. They are kept in memory only if the query reads unsaved
    /// objects.
    public func visit(_ body: (Row) -> Void) throws(StoreError) {
        guard try !readsUnsavedRows() else {
            // Other queries made meanwhile would change the temporary tables with unsaved rows.
            for row in try fetch() { body(row) }
            return
        }
        try stepping(wrap: { text, _ in text }, body: { body(decode($0)) })
    }

    private func readsUnsavedRows() throws(StoreError) -> Bool {
        let model = try query.context.model(of: M.self)
        query.context.catchUp()
        return try query.context.unsavedRows(of: tablesRead(query, model)) != nil
    }

    private func tablesRead(_ query: ObjectQuery<M>, _ model: ModelSchema) -> TablesRead {
        var read = query.tablesRead(model)
        for term in terms + groups { read.add(term, model) }
        return read
    }

    /// `nil` if no row has a value.
    fileprivate func aggregated(_ aggregate: Term.Aggregate, _ kind: AttributeKind?) throws(StoreError) -> StoredValue?
    {
        var value = StoredValue.null
        try stepping(
            wrap: { "SELECT \($1.aggregate(aggregate, of: "_value", kind)) FROM (\($0))" }, body: { value = $0[0] })
        return value.isNull ? nil : value
    }

    private func stepping(
        wrap: (String, inout QueryWriter) -> String, body: ([StoredValue]) -> Void
    ) throws(StoreError) {
        let context = query.context
        let model = try context.model(of: M.self)
        let match = try query.searchMatch(model)
        let seen = try withinLimit.inContextView(model).narrowed(by: match)
        try context.checkObjects((terms + groups).flatMap(\.objects))
        let read = tablesRead(seen, model)
        context.noteQueriedTables(of: read)
        var writer = QueryWriter(context.schema, unsaved: try context.unsavedRows(of: read))
        var asked = self
        asked.terms = terms.map { $0.inView(of: context, model) }
        asked.groups = groups.map { $0.inView(of: context, model) }
        let inner = asked.text(of: seen, model, rankedBy: match, &writer)
        let text = wrap(inner, &writer)
        let count = Int32(terms.count)
        try context.stepping(through: QueryStatement(text, writer), of: model, isOwn: true) { (statement) throws in
            while try statement.step() {
                let values = (0..<count).map(statement.value)
                if let reason = refusals.lazy.compactMap({ $1(values[$0]) }).first {
                    statement.reset()
                    throw StoreError.unanswerable(model: model.modelName, reason: reason)
                }
                body(values)
            }
        }
    }

    /// Groups contain only objects within the limit.
    private var withinLimit: ObjectQuery<M> {
        get throws(StoreError) {
            try groups.isEmpty ? query : query.withoutLimit()
        }
    }

    private func text(
        of query: ObjectQuery<M>, _ model: ModelSchema, rankedBy match: SearchMatch?, _ writer: inout QueryWriter
    ) -> String {
        let place = writer.begin(model)
        let values = terms.map { writer.sql($0, at: place) }
        let groups = groups.map { writer.sql($0, at: place) }
        var orders = ordering(of: query).flatMap { writer.orderTerms($0, at: place) }
        let ranks = query.orders.isEmpty && groups.isEmpty && !isDistinct && !isAggregate ? match : nil
        if ranks != nil { orders.append(SearchIndex.rank) }
        if groups.isEmpty, !isDistinct || !query.orders.isEmpty { orders.append(place.row.id) }
        let filter = writer.filter(query.condition, at: place)
        let names = values.indices.map { $0 == 0 ? "_value" : "_value\($0)" }
        let selected = zip(values, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
        let source = writer.source(place) + (ranks.map { writer.ranks(of: $0, at: place) } ?? "") + filter
        let order = orders.joined(separator: ", ")
        var text: String
        if isDistinct, !query.orders.isEmpty {
            // DISTINCT would take the position of any of the equal rows.
            let all = names.joined(separator: ", ")
            let rows = "SELECT \(selected), row_number() OVER (ORDER BY \(order)) AS _place FROM \(source)"
            text = "SELECT \(all) FROM (\(rows)) GROUP BY \(all) ORDER BY min(_place)"
        } else {
            text = "SELECT \(isDistinct ? "DISTINCT " : "")\(selected) FROM \(source)"
            if !groups.isEmpty { text += " GROUP BY " + groups.joined(separator: ", ") }
            if !isAggregate, !order.isEmpty { text += " ORDER BY " + order }
        }
        let most = [query.limit, limit].compactMap(\.self).min()
        if most != nil || query.offset > 0 {
            let limit = writer.bind(.integer(Int64(most ?? -1)))
            text += " LIMIT \(limit) OFFSET \(writer.bind(.integer(Int64(query.offset))))"
        }
        return text
    }

    /// Groups, and distinct values without an order, are ordered by value.
    private func ordering(of query: ObjectQuery<M>) -> [QueryOrder] {
        guard !groups.isEmpty else {
            return isDistinct && query.orders.isEmpty ? terms.map { QueryOrder(ascending: $0) } : query.orders
        }
        return groups.map { group in
            let stated = query.orders.first { group.path != nil && $0.term.path == group.path }
            return stated ?? QueryOrder(ascending: group)
        }
    }
}

// MARK: - Groups

/// The objects of a query grouped by a value; see `grouped(by:)`.
public struct GroupedQuery<M: Model, Key: Sendable> {
    let query: ObjectQuery<M>
    let key: QueryValue<M, Key>

    /// Returns the number of objects with each value, in the values' order. This is descending if the query orders by
    /// that value so.
    public func counts() throws(StoreError) -> [(key: Key, count: Int)] {
        let decode = key.decode
        var all = ValueQuery(query: query, terms: [key.term, .aggregate(.count, .row)], groups: [key.term]) {
            (key: decode($0[0]), count: Int(stored: $0[1]) ?? 0)
        }
        all.refusals[0] = key.refusal
        return try all.fetch()
    }

    /// Selects aggregates of each group, in the order of the groups' values:
    ///
    /// ```swift
    /// query.grouped { $0.state }.select { ($0.count, $0.max { $0.createdAt }) }.fetch()
    /// ```
    ///
    /// - Throws: The fetch throws ``StoreError/unanswerable(model:reason:)`` if a sum is outside the type's range or
    ///   precision.
    public func select<each V: Sendable>(
        _ values: (QueryGroup<M>) -> (repeat any QueryExpression<M, each V>)
    ) -> ValueQuery<M, (key: Key, values: (repeat each V))> {
        selection(repeat (each values(QueryGroup())).queryValue)
    }

    private func selection<each V: Sendable>(
        _ values: repeat QueryValue<M, each V>
    ) -> ValueQuery<M, (key: Key, values: (repeat each V))> {
        let decode = key.decode
        var (terms, refusals): ([Term], [Int: (StoredValue) -> String?]) = ([key.term], [:])
        refusals[0] = key.refusal
        for value in repeat each values {
            refusals[terms.count] = value.refusal
            terms.append(value.term)
        }
        var all = ValueQuery<M, (key: Key, values: (repeat each V))>(query: query, terms: terms, groups: [key.term]) {
            let row = ReadValues(Array($0.dropFirst()))
            return (key: decode($0[0]), values: (repeat row.next(each values)))
        }
        all.refusals = refusals
        return all
    }
}

extension GroupedQuery {
    /// Selects an aggregate of each group: `select { $0.max { $0.createdAt } }`.
    public func select<V, E: QueryExpression<M, V>>(
        _ value: (QueryGroup<M>) -> E
    ) -> ValueQuery<M, (key: Key, value: V)> {
        let (value, decodeKey) = (value(QueryGroup()).queryValue, key.decode)
        var all = ValueQuery(query: query, terms: [key.term, value.term], groups: [key.term]) {
            (key: decodeKey($0[0]), value: value.decode($0[1]))
        }
        (all.refusals[0], all.refusals[1]) = (key.refusal, value.refusal)
        return all
    }
}

/// The objects of one group.
public struct QueryGroup<M: Model>: Sendable {
    /// The number of objects.
    public var count: QueryValue<M, Int> {
        QueryValue(term: .aggregate(.count, .row), decode: { Int(stored: $0) ?? 0 }, encode: { $0.stored })
    }

    /// The sum of a value; nil if no object has a value.
    public func sum<V: QuerySummable, E: QueryExpression<M, V>>(_ value: (M.Properties) -> E) -> QueryValue<M, V?> {
        sum(value(M.properties).term)
    }

    /// The sum of an optional value, without nil; nil if no object has a value.
    public func sum<V: QuerySummable, E: QueryExpression<M, V?>>(_ value: (M.Properties) -> E) -> QueryValue<M, V?> {
        sum(value(M.properties).term)
    }

    /// The mean of a value.
    public func average<V: QuerySummable, E: QueryExpression<M, V>>(
        _ value: (M.Properties) -> E
    ) -> QueryValue<M, Double?> { mean(value(M.properties).term) }

    /// The mean of an optional value, without nil.
    public func average<V: QuerySummable, E: QueryExpression<M, V?>>(
        _ value: (M.Properties) -> E
    ) -> QueryValue<M, Double?> { mean(value(M.properties).term) }

    /// The least value.
    public func min<E: QueryExpression>(_ value: (M.Properties) -> E) -> QueryValue<M, E.Value?> where E.Root == M {
        optional(.minimum, value(M.properties).queryValue)
    }

    /// The greatest value.
    public func max<E: QueryExpression>(_ value: (M.Properties) -> E) -> QueryValue<M, E.Value?> where E.Root == M {
        optional(.maximum, value(M.properties).queryValue)
    }

    private func sum<V: QuerySummable>(_ term: Term) -> QueryValue<M, V?> {
        QueryValue(
            term: .aggregate(.sum, term), decode: { V(sum: $0) }, encode: { $0?.stored ?? .null },
            refusal: { $0.isNull || V(sum: $0) != nil ? nil : V.sumProblem })
    }

    private func mean(_ term: Term) -> QueryValue<M, Double?> {
        QueryValue(
            term: .aggregate(.average, term), decode: { Mean($0)?.double }, encode: { $0?.stored ?? .null })
    }

    private func optional<V>(_ aggregate: Term.Aggregate, _ value: QueryValue<M, V>) -> QueryValue<M, V?> {
        QueryValue(
            term: .aggregate(aggregate, value.term), decode: { $0.isNull ? nil : value.decode($0) },
            encode: { $0.map(value.encode) ?? .null })
    }
}
