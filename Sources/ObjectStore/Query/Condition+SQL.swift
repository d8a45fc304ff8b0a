extension Condition {
    /// The condition as SQL with parameters, whose values are appended.
    func sql(_ table: Table, _ parameters: inout [StoredValue]) -> String {
        switch self {
        case .compare(let property, let comparison, let value):
            parameters.append(value)
            return "\(column(property, table)) \(comparison.rawValue) ?"
        case .isAmong(let property, let values):
            // IS, so that nil is among values that include it.
            let tests = values.map { value in
                parameters.append(value)
                return "\(column(property, table)) IS ?"
            }
            return tests.isEmpty ? "0" : "(\(tests.joined(separator: " OR ")))"
        case .contains(let property, let text):
            parameters.append(.text(text))
            return "instr(lower(\(column(property, table))), lower(?)) > 0"
        case .and(let left, let right):
            return "(\(left.sql(table, &parameters)) AND \(right.sql(table, &parameters)))"
        case .or(let left, let right):
            return "(\(left.sql(table, &parameters)) OR \(right.sql(table, &parameters)))"
        case .not(let condition):
            // What is unknown of a NULL counts as false, as in Swift.
            return "NOT ifnull(\(condition.sql(table, &parameters)), 0)"
        }
    }

    private func column(_ property: Int, _ table: Table) -> String {
        guard table.properties.indices.contains(property), let column = table.properties[property].column else {
            return "NULL"
        }
        return SQL.quoted(table.columns[column].name)
    }

    /// The same for an object in memory, whose edits the file does not know.
    func holds(for state: ObjectState) -> Bool {
        switch self {
        case .compare(let property, let comparison, let value):
            Self.compare(state.stored(property), comparison, value)
        case .isAmong(let property, let values): values.contains(state.stored(property))
        case .contains(let property, let text):
            if case .text(let value) = state.stored(property) {
                Self.lowercasedASCII(value).contains(Self.lowercasedASCII(text))
            } else {
                false
            }
        case .and(let left, let right): left.holds(for: state) && right.holds(for: state)
        case .or(let left, let right): left.holds(for: state) || right.holds(for: state)
        case .not(let condition): !condition.holds(for: state)
        }
    }

    private static func compare(_ left: StoredValue, _ comparison: Comparison, _ right: StoredValue) -> Bool {
        switch comparison {
        case .equal: return StoredValue.order(left, right) == 0
        case .unequal: return StoredValue.order(left, right) != 0
        default: break
        }
        guard !left.isNull, !right.isNull else { return false }
        let order = StoredValue.order(left, right)
        return switch comparison {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        case .equal, .unequal: false
        }
    }

    /// As SQLite's `lower` does it.
    private static func lowercasedASCII(_ text: String) -> String {
        String(
            decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}

extension StoredValue {
    /// SQLite's order of values (https://sqlite.org/datatype3.html §4.1): NULL, numbers, text by bytes, blobs. Negative when
    /// left comes first.
    static func order(_ left: StoredValue, _ right: StoredValue) -> Int {
        if left.rank != right.rank { return left.rank - right.rank }
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return left == right ? 0 : left < right ? -1 : 1
        case (.text(let left), .text(let right)): return compare(Array(left.utf8), Array(right.utf8))
        case (.blob(let left), .blob(let right)): return compare(left, right)
        default: break
        }
        guard let left = Double(stored: left), let right = Double(stored: right) else { return 0 }
        return left == right ? 0 : left < right ? -1 : 1
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }
}
