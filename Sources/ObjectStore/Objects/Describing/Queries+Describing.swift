extension ObjectQuery: CustomDebugStringConvertible {
    /// The query in one line, without the values of its conditions: `ObjectQuery<Issue> (conditions, 1 order, limit
    /// 20)`. ``explanation()`` has the statement.
    public var debugDescription: String {
        let notes = [
            condition == nil ? nil : "conditions", search == nil ? nil : "search",
            orders.isEmpty ? nil : "\(orders.count) \(orders.count == 1 ? "order" : "orders")",
            limit.map { "limit \($0)" }, offset == 0 ? nil : "offset \(offset)",
        ].compactMap(\.self)
        return "ObjectQuery<\(M.self)>" + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
    }
}

extension LiveResults: CustomDebugStringConvertible, CustomReflectable {
    /// The number of objects when the results were last read. Observation ignores it.
    public var debugDescription: String { "LiveResults<\(M.self)> (\(counted(known.count, "object")))" }

    /// The objects when the results were last read.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: known, displayStyle: .collection) }
}

extension LiveSections: CustomDebugStringConvertible, CustomReflectable {
    /// The number of sections and objects when they were last read. Observation ignores it.
    public var debugDescription: String {
        let objects = counted(known.reduce(0) { $0 + $1.count }, "object")
        return "LiveSections<\(M.self), \(Value.self)> (\(objects) in \(counted(known.count, "section")))"
    }

    /// The sections when they were last read.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: known, displayStyle: .collection) }
}

extension LiveSection: CustomDebugStringConvertible {
    /// The section's value and its number of objects.
    public var debugDescription: String { "LiveSection \(value) (\(counted(count, "object")))" }
}

extension LiveValue: CustomDebugStringConvertible, CustomReflectable {
    /// The value when it was last read. Observation ignores it.
    public var debugDescription: String { "LiveValue<\(M.self)> (\(known))" }

    /// The value when it was last read.
    public var customMirror: Mirror { Mirror(self, children: ["value": known]) }
}

extension LiveChange: CustomDebugStringConvertible {
    /// The number of objects, and of insertions, removals, moves and changes.
    public var debugDescription: String {
        let parts = [
            (insertions.count, "inserted"), (removals.count, "removed"), (moves.count, "moved"),
            (changes.count, "changed"),
        ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
        return "LiveChange<\(M.self)> (\(([counted(objects.count, "object")] + parts).joined(separator: ", ")))"
    }
}

extension Imported: CustomDebugStringConvertible {
    /// The number of objects, and the import's report.
    public var debugDescription: String { "Imported<\(M.self)> (\(counted(objects.count, "object")): \(report))" }
}

private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
