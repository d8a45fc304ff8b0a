extension Condition {
    /// The condition as SQL with parameters, whose values are appended.
    func sql(_ table: ModelSchema, _ parameters: inout [StoredValue]) -> String {
        switch self {
        case .compare(let property, let comparison, let value):
            parameters.append(value)
            return table.comparison(property, comparison.rawValue, value)
        case .isAmong(let property, let values): return membership(table.term(property), values, &parameters)
        case .contains(let property, let text):
            parameters.append(.text(text))
            return "instr(lower(\(table.term(property))), lower(?)) > 0"
        case .and(let left, let right):
            return "(\(left.sql(table, &parameters)) AND \(right.sql(table, &parameters)))"
        case .or(let left, let right):
            return "(\(left.sql(table, &parameters)) OR \(right.sql(table, &parameters)))"
        case .not(let condition):
            // What is unknown of a NULL counts as false, as in Swift.
            return "NOT ifnull(\(condition.sql(table, &parameters)), 0)"
        }
    }

    /// Whole numbers and texts go as one JSON array, whatever their number: SQLite limits how many parameters there are
    /// (https://sqlite.org/limits.html).
    private func membership(_ term: String, _ values: [StoredValue], _ parameters: inout [StoredValue]) -> String {
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
    func comparesDecimals(_ table: ModelSchema) -> Bool {
        switch self {
        case .compare(let property, _, _), .isAmong(let property, _): table.isDecimal(property)
        case .contains: false
        case .and(let left, let right), .or(let left, let right):
            left.comparesDecimals(table) || right.comparesDecimals(table)
        case .not(let condition): condition.comparesDecimals(table)
        }
    }
}

extension ModelSchema {
    /// The column of a property, with the collation that its values are compared by.
    func term(_ property: Int) -> String {
        guard properties.indices.contains(property), let column = properties[property].column else { return "NULL" }
        let name = SQL.quoted(columns[column].name)
        return isDecimal(property) ? "\(name) COLLATE \(DecimalCollation.name)" : name
    }

    /// Compares a property with the next parameter.
    func comparison(_ property: Int, _ symbol: String, _ value: StoredValue) -> String {
        let term = term(property)
        guard isUnsigned(property), case .integer(let bits) = value else { return "\(term) \(symbol) ?" }
        // Numbers over 2^63-1 are stored as negative ones, and greater than all others.
        return "(\(term) < 0, \(term)) \(symbol) (\(bits < 0 ? 1 : 0), ?)"
    }

    /// The terms that order by a property.
    func orderTerms(_ property: Int) -> [String] {
        let term = term(property)
        return isUnsigned(property) ? ["\(term) < 0", term] : [term]
    }

    /// Whether the values are numbers that are stored as text.
    func isDecimal(_ property: Int) -> Bool {
        switch attributeKind(property) {
        case .decimal?, .wideInteger?: true
        default: false
        }
    }

    private func isUnsigned(_ property: Int) -> Bool {
        if case .unsigned? = attributeKind(property) { true } else { false }
    }

    private func attributeKind(_ property: Int) -> AttributeKind? {
        guard properties.indices.contains(property), case .attribute(let kind, _, _) = properties[property].kind else {
            return nil
        }
        return kind
    }

    /// The order of two values of a property, as SQL has it: negative when left comes first.
    func order(_ left: StoredValue, _ right: StoredValue, by property: Int) -> Int {
        switch (attributeKind(property), left, right) {
        case (.unsigned?, .integer(let left), .integer(let right)):
            StoredValue.order(UInt64(bitPattern: left), UInt64(bitPattern: right))
        case (.decimal?, .text(let left), .text(let right)), (.wideInteger?, .text(let left), .text(let right)):
            DecimalCollation.order(left, right)
        default: StoredValue.order(left, right)
        }
    }
}
