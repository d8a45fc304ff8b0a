/// A condition on the rows of a table: a ``QueryPredicate`` without its types. SQLite answers it for the file's rows, and
/// ``holds(for:)`` the same for objects whose edits the file doesn't know.
indirect enum Condition: Sendable {
    enum Comparison: String, Sendable {
        case equal = "IS"
        case unequal = "IS NOT"
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    case compare(property: PropertyIndex, Comparison, StoredValue)
    case isAmong(property: PropertyIndex, [StoredValue])
    case contains(property: PropertyIndex, String)
    /// The words of a search occur in the model's searchable attributes.
    case found(TextMatch)
    /// The opposite of one that is not joined; made by ``not(_:)``.
    case isNot(Condition)
    /// Made by ``and(_:_:)`` and ``or(_:_:)`` only, which keep it balanced.
    case both(ConditionPair)
    /// Conditions within each other beyond ``maximumDepth``: every question is refused.
    case tooDeep

    /// How deep conditions may stand within each other. SQLite's parser has room for 100 symbols at once (YYSTACKDEPTH,
    /// https://sqlite.org/compile.html#yystackdepth), and what stands around the condition needs some of them.
    static let maximumDepth = 80

    /// How much of the parser's room the condition takes, at least.
    var depth: Int {
        switch self {
        case .compare, .contains: 8
        case .isAmong, .found: 16
        case .isNot(let condition): 5 + condition.depth
        case .both(let pair): pair.depth
        case .tooDeep: Self.maximumDepth + 1
        }
    }
}

// MARK: - Joined conditions

/// Two conditions of which both hold, or one of which does.
///
/// Any number of conditions, joined one by one, make a tree whose height is the logarithm of their number: it is read by
/// recursion here, and by a parser with little room in SQLite.
struct ConditionPair: Sendable {
    let isAnd: Bool
    let left: Condition
    let right: Condition
    /// Of the pairs of the same kind from here on.
    let height: Int
    let depth: Int

    fileprivate init(isAnd: Bool, _ left: Condition, _ right: Condition) {
        self.isAnd = isAnd
        (self.left, self.right) = (left, right)
        height = 1 + max(left.height(isAnd), right.height(isAnd))
        let (deeper, other) = left.depth >= right.depth ? (left, right) : (right, left)
        depth = 1 + max(deeper.depth, 2 + other.depth)
    }
}

extension Condition {
    static func and(_ left: Condition, _ right: Condition) -> Condition { joined(isAnd: true, left, right) }
    static func or(_ left: Condition, _ right: Condition) -> Condition { joined(isAnd: false, left, right) }

    /// The opposite; of joined conditions the joined opposites, as the parser has more to keep for a `NOT`.
    static func not(_ condition: Condition) -> Condition {
        switch condition {
        case .isNot(let inner): inner
        case .both(let pair): joined(isAnd: !pair.isAnd, not(pair.left), not(pair.right))
        case .tooDeep: .tooDeep
        case .compare, .isAmong, .contains, .found: .isNot(condition)
        }
    }

    fileprivate func height(_ isAnd: Bool) -> Int {
        if case .both(let pair) = self, pair.isAnd == isAnd { pair.height } else { 0 }
    }

    /// Joins two balanced trees to one (as AVL trees are: Adelson-Velsky, Landis 1962).
    private static func joined(isAnd: Bool, _ left: Condition, _ right: Condition) -> Condition {
        let lead = left.height(isAnd) - right.height(isAnd)
        if lead > 1, case .both(let pair) = left {
            return balanced(isAnd: isAnd, pair.left, joined(isAnd: isAnd, pair.right, right))
        }
        if lead < -1, case .both(let pair) = right {
            return balanced(isAnd: isAnd, joined(isAnd: isAnd, left, pair.left), pair.right)
        }
        return pair(isAnd: isAnd, left, right)
    }

    /// A pair of trees whose heights differ by two at most, turned so that they differ by one at most.
    private static func balanced(isAnd: Bool, _ left: Condition, _ right: Condition) -> Condition {
        let lead = left.height(isAnd) - right.height(isAnd)
        if lead > 1, case .both(let outer) = left {
            if case .both(let inner) = outer.right, outer.left.height(isAnd) < outer.right.height(isAnd) {
                return pair(
                    isAnd: isAnd, pair(isAnd: isAnd, outer.left, inner.left), pair(isAnd: isAnd, inner.right, right))
            }
            return pair(isAnd: isAnd, outer.left, pair(isAnd: isAnd, outer.right, right))
        }
        if lead < -1, case .both(let outer) = right {
            if case .both(let inner) = outer.left, outer.right.height(isAnd) < outer.left.height(isAnd) {
                return pair(
                    isAnd: isAnd, pair(isAnd: isAnd, left, inner.left), pair(isAnd: isAnd, inner.right, outer.right))
            }
            return pair(isAnd: isAnd, pair(isAnd: isAnd, left, outer.left), outer.right)
        }
        return pair(isAnd: isAnd, left, right)
    }

    private static func pair(isAnd: Bool, _ left: Condition, _ right: Condition) -> Condition {
        let pair = ConditionPair(isAnd: isAnd, left, right)
        return pair.depth > maximumDepth ? .tooDeep : .both(pair)
    }
}

// MARK: - As SQL

/// A statement that asks a query, with the values of its parameters.
struct QueryStatement {
    var text: String
    var parameters: [StoredValue] = []
    private var hasConditions = false
    private var isTooDeep = false

    init(_ text: String) { self.text = text }

    /// Adds conditions that all have to hold.
    mutating func append(_ conditions: [Condition?], of model: ModelSchema) {
        for condition in conditions.compactMap(\.?.folded) {
            if case .tooDeep = condition { isTooDeep = true }
            append(condition.sql(model, &parameters))
        }
    }

    /// Adds a condition that has to hold too.
    mutating func append(_ condition: String) {
        text += (hasConditions ? " AND " : " WHERE ") + condition
        hasConditions = true
    }

    /// - Throws: ``StoreError/oversizedQuery(model:limit:)``.
    func checkLimits(of model: ModelSchema) throws(StoreError) {
        if isTooDeep {
            throw .oversizedQuery(model: model.modelName, limit: "about 60 levels of && and || within each other")
        }
        // SQLITE_MAX_VARIABLE_NUMBER: https://sqlite.org/limits.html
        if parameters.count > 32_766 { throw .oversizedQuery(model: model.modelName, limit: "32766 values") }
    }
}

extension Condition {
    /// The condition as SQL with parameters, whose values are appended.
    func sql(_ model: ModelSchema, _ parameters: inout [StoredValue]) -> String {
        switch self {
        case .compare(let property, let comparison, let value):
            parameters.append(value)
            return model.comparison(of: property, comparison, with: value)
        case .isAmong(let property, let values): return membership(of: model.term(property), in: values, &parameters)
        case .contains(let property, let text):
            parameters.append(.text(text))
            return "instr(lower(\(model.term(property))), lower(?)) > 0"
        case .found(let match):
            parameters.append(.text(match.expression))
            return "_id IN (\(match.index.matchingRows))"
        case .both(let pair):
            // The order makes no difference but to the parser, which has less to keep when the deeper one comes first.
            let (first, second) =
                pair.left.depth >= pair.right.depth ? (pair.left, pair.right) : (pair.right, pair.left)
            let sql = first.sql(model, &parameters)
            return "(\(sql) \(pair.isAnd ? "AND" : "OR") \(second.sql(model, &parameters)))"
        case .isNot(let condition):
            // What is unknown of a NULL counts as false, as in Swift.
            return "NOT ifnull(\(condition.sql(model, &parameters)), 0)"
        case .tooDeep: return "0"
        }
    }

    /// The same, where several values that one property may have are asked for together, so that its index is read once.
    fileprivate var folded: Condition {
        guard case .both(let pair) = self else { return self }
        if pair.isAnd { return .and(pair.left.folded, pair.right.folded) }
        var (others, values): ([Condition], [PropertyIndex: [StoredValue]]) = ([], [:])
        gather(&others, &values)
        let folded = values.sorted { $0.key < $1.key }.map { property, values in
            values.count == 1
                ? Condition.compare(property: property, .equal, values[0]) : .isAmong(property: property, values)
        }
        let all = others + folded
        return all.first.map { all.dropFirst().reduce($0, Condition.or) } ?? self
    }

    /// The conditions of which one has to hold, and by property the values of which it has to be one.
    private func gather(_ others: inout [Condition], _ values: inout [PropertyIndex: [StoredValue]]) {
        switch self {
        case .compare(let property, .equal, let value) where !value.isNull: values[property, default: []].append(value)
        case .both(let pair) where !pair.isAnd:
            pair.left.gather(&others, &values)
            pair.right.gather(&others, &values)
        default: others.append(folded)
        }
    }

    /// Whole numbers and texts go as one JSON array, however many there are: SQLite limits the number of parameters
    /// (https://sqlite.org/limits.html). The column stands by itself, so that its index is used; what is unknown of a NULL
    /// counts as false where a condition is not, or is asked.
    private func membership(of term: String, in values: [StoredValue], _ parameters: inout [StoredValue]) -> String {
        let isNull = values.contains(.null) ? " OR \(term) IS NULL" : ""
        let others = values.filter { !$0.isNull }
        if let json = StoredValue.jsonArray(others) {
            parameters.append(.text(json))
            return "(\(term) IN (SELECT value FROM json_each(?))\(isNull))"
        }
        parameters += others
        let list = others.map { _ in "?" }.joined(separator: ", ")
        return "(\(term) IN (\(list))\(isNull))"
    }

    /// Whether a comparison needs ``DecimalCollation``.
    func comparesDecimals(_ model: ModelSchema) -> Bool {
        switch self {
        case .compare(let property, _, _), .isAmong(let property, _): model.isDecimal(property)
        case .contains, .found, .tooDeep: false
        case .both(let pair): pair.left.comparesDecimals(model) || pair.right.comparesDecimals(model)
        case .isNot(let condition): condition.comparesDecimals(model)
        }
    }
}

extension ModelSchema {
    /// The column of a property, with the collation that its values are compared by.
    fileprivate func term(_ property: PropertyIndex) -> String {
        guard contains(property), let column = column(of: property) else { return "NULL" }
        return isDecimal(property) ? "\(column.sqlName) COLLATE \(DecimalCollation.name)" : column.sqlName
    }

    /// Compares a property with the next parameter.
    fileprivate func comparison(
        of property: PropertyIndex, _ comparison: Condition.Comparison, with value: StoredValue
    ) -> String {
        let (term, symbol) = (term(property), comparison.rawValue)
        guard isUnsigned(property), case .integer(let bits) = value else { return "\(term) \(symbol) ?" }
        // Numbers over 2^63-1 are stored as negative ones, and greater than all others.
        if comparison == .equal || comparison == .unequal { return "\(term) \(symbol) ?" }
        return "(\(term) < 0, \(term)) \(symbol) (\(bits < 0 ? 1 : 0), ?)"
    }

    /// The terms that order by a property.
    func orderTerms(_ property: PropertyIndex) -> [String] {
        let term = term(property)
        return isUnsigned(property) ? ["\(term) < 0", term] : [term]
    }
}

// MARK: - For an object in memory

extension Condition {
    /// Whether the condition holds for an object in memory.
    func holds(for state: ObjectState) -> Bool {
        switch self {
        case .compare(let property, let comparison, let value):
            let stored = state.stored(property)
            return comparison.holds(stored, value, order: state.model.order(stored, value, by: property))
        case .isAmong(let property, let values):
            let stored = state.stored(property)
            return values.contains { state.model.order(stored, $0, by: property) == 0 }
        case .contains(let property, let text):
            guard case .text(let value) = state.stored(property) else { return false }
            return Self.contains(Self.lowercasedASCII(value), Self.lowercasedASCII(text))
        case .found(let match): return match.unsaved[state.localID] != nil
        case .both(let pair):
            return pair.isAnd
                ? pair.left.holds(for: state) && pair.right.holds(for: state)
                : pair.left.holds(for: state) || pair.right.holds(for: state)
        case .isNot(let condition): return !condition.holds(for: state)
        case .tooDeep: return false
        }
    }

    /// As SQLite's `lower` does it.
    private static func lowercasedASCII(_ text: String) -> [UInt8] {
        text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }

    /// As SQLite's `instr` does it: byte by byte.
    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard !part.isEmpty else { return true }
        guard text.count >= part.count else { return false }
        return (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
    }
}

extension Condition.Comparison {
    /// - Parameter order: of the two values; negative when left comes first.
    fileprivate func holds(_ left: StoredValue, _ right: StoredValue, order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .unequal: order != 0
        case .less: order < 0 && !left.isNull && !right.isNull
        case .lessOrEqual: order <= 0 && !left.isNull && !right.isNull
        case .greater: order > 0 && !left.isNull && !right.isNull
        case .greaterOrEqual: order >= 0 && !left.isNull && !right.isNull
        }
    }
}

// MARK: - As a context sees it

extension Condition {
    /// The same condition where links to rows that the context has deleted and not saved count as nil, and a row that became
    /// one with another stands for that one.
    func seen(by context: ObjectContext, _ model: ModelSchema) -> Condition {
        switch self {
        case .compare(let property, let comparison, .null):
            let gone = context.unsavedDeletions(referencedBy: property, of: model)
            guard !gone.isEmpty else { return self }
            let referencesGone = Condition.isAmong(property: property, gone)
            return comparison == .equal ? .or(self, referencesGone) : .and(self, .not(referencesGone))
        case .compare(let property, let comparison, let value):
            guard !context.survivors.isEmpty, let target = model.linkTarget(of: property), let row = value.row else {
                return self
            }
            let survivor = context.survivor(of: RecordID(table: target, row: row))
            return .compare(property: property, comparison, StoredValue(survivor))
        case .isAmong, .contains, .found, .tooDeep: return self
        case .both(let pair):
            let (left, right) = (pair.left.seen(by: context, model), pair.right.seen(by: context, model))
            return pair.isAnd ? .and(left, right) : .or(left, right)
        case .isNot(let condition): return .not(condition.seen(by: context, model))
        }
    }
}

extension ObjectContext {
    fileprivate func unsavedDeletions(referencedBy property: PropertyIndex, of model: ModelSchema) -> [StoredValue] {
        guard let target = model.linkTarget(of: property), unsaved.count(in: target) > 0 else { return [] }
        return unsaved.objects(in: target).map(\._object).filter(\.isDeleted).map { StoredValue($0.localID) }
    }
}
