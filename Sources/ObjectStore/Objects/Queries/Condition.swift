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
    case and(Condition, Condition)
    case or(Condition, Condition)
    case not(Condition)
}

// MARK: - As SQL

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
        case .and(let left, let right):
            return "(\(left.sql(model, &parameters)) AND \(right.sql(model, &parameters)))"
        case .or(let left, let right):
            return "(\(left.sql(model, &parameters)) OR \(right.sql(model, &parameters)))"
        case .not(let condition):
            // What is unknown of a NULL counts as false, as in Swift.
            return "NOT ifnull(\(condition.sql(model, &parameters)), 0)"
        }
    }

    /// Whole numbers and texts go as one JSON array, however many there are: SQLite limits the number of parameters
    /// (https://sqlite.org/limits.html).
    private func membership(of term: String, in values: [StoredValue], _ parameters: inout [StoredValue]) -> String {
        let isNull = values.contains(.null) ? " OR \(term) IS NULL" : ""
        let others = values.filter { !$0.isNull }
        if let json = StoredValue.jsonArray(others) {
            parameters.append(.text(json))
            return "(ifnull(\(term) IN (SELECT value FROM json_each(?)), 0)\(isNull))"
        }
        parameters += others
        let list = others.map { _ in "?" }.joined(separator: ", ")
        return "(ifnull(\(term) IN (\(list)), 0)\(isNull))"
    }

    /// Whether a comparison needs ``DecimalCollation``.
    func comparesDecimals(_ model: ModelSchema) -> Bool {
        switch self {
        case .compare(let property, _, _), .isAmong(let property, _): model.isDecimal(property)
        case .contains: false
        case .and(let left, let right), .or(let left, let right):
            left.comparesDecimals(model) || right.comparesDecimals(model)
        case .not(let condition): condition.comparesDecimals(model)
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
        case .and(let left, let right): return left.holds(for: state) && right.holds(for: state)
        case .or(let left, let right): return left.holds(for: state) || right.holds(for: state)
        case .not(let condition): return !condition.holds(for: state)
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

// MARK: - With unsaved deletions

extension Condition {
    /// The same condition where links to rows that the context has deleted and not saved count as nil.
    func seen(by context: ObjectContext, _ model: ModelSchema) -> Condition {
        switch self {
        case .compare(let property, let comparison, .null):
            let gone = context.unsavedDeletions(referencedBy: property, of: model)
            guard !gone.isEmpty else { return self }
            let referencesGone = Condition.isAmong(property: property, gone)
            return comparison == .equal ? .or(self, referencesGone) : .and(self, .not(referencesGone))
        case .compare, .isAmong, .contains: return self
        case .and(let left, let right): return .and(left.seen(by: context, model), right.seen(by: context, model))
        case .or(let left, let right): return .or(left.seen(by: context, model), right.seen(by: context, model))
        case .not(let condition): return .not(condition.seen(by: context, model))
        }
    }
}

extension ObjectContext {
    fileprivate func unsavedDeletions(referencedBy property: PropertyIndex, of model: ModelSchema) -> [StoredValue] {
        guard model.contains(property), let link = model[property].link, unsaved.containsOne(of: link.target) else {
            return []
        }
        return unsavedObjects.map(\._object).filter { $0.isDeleted && $0.model.table == link.target }
            .map { StoredValue($0.localID) }
    }
}
