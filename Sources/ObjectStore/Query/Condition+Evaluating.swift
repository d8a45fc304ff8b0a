extension Condition {
    /// Whether the condition holds for an object in memory, whose edits the file does not know.
    func holds(for state: ObjectState) -> Bool {
        switch self {
        case .compare(let property, let comparison, let value):
            comparison.holds(
                state.stored(property), value, order: state.table.order(state.stored(property), value, by: property))
        case .isAmong(let property, let values):
            values.contains { state.table.order(state.stored(property), $0, by: property) == 0 }
        case .contains(let property, let text):
            if case .text(let value) = state.stored(property) {
                Self.contains(Self.lowercasedASCII(value), Self.lowercasedASCII(text))
            } else {
                false
            }
        case .and(let left, let right): left.holds(for: state) && right.holds(for: state)
        case .or(let left, let right): left.holds(for: state) || right.holds(for: state)
        case .not(let condition): !condition.holds(for: state)
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
