/// The values of ``Condition/isAmong(_:_:)``. A condition in memory is evaluated for many objects, so many values also
/// form a set.
struct AmongValues: Sendable {
    let all: [StoredValue]
    /// Nil for few values.
    private let set: Set<StoredValue>?
    private let hasIntegers: Bool
    private let hasReals: Bool

    init(_ values: [StoredValue]) {
        all = values
        guard values.count > 16 else {
            (set, hasIntegers, hasReals) = (nil, false, false)
            return
        }
        set = Set(values)
        hasIntegers = values.contains { if case .integer = $0 { true } else { false } }
        hasReals = values.contains { if case .real = $0 { true } else { false } }
    }

    /// Whether a value of an attribute kind is one of the values. Nil: a comparison with each decides, since equal
    /// values may be stored in different ways.
    ///
    /// - Complexity: O(1).
    func contains(_ value: StoredValue, as kind: AttributeKind?) -> Bool? {
        guard let set else { return nil }
        if set.contains(value) { return true }
        switch value {
        case .null, .blob: return false
        case .integer: return hasReals ? nil : false
        case .real: return hasIntegers ? nil : false
        case .text:
            if case .url? = kind { return nil }
            return kind?.collation == nil ? false : nil
        }
    }
}

extension Condition {
    static func isAmong(_ term: Term, _ values: [StoredValue]) -> Condition { .among(term, AmongValues(values)) }
}
