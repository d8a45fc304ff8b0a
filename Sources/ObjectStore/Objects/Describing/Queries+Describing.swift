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
    /// The last read number of objects, without observation.
    public var debugDescription: String { "LiveResults<\(M.self)> (\(counted(known.count, "object")))" }

    /// The last read objects.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: known, displayStyle: .collection) }
}

extension LiveSections: CustomDebugStringConvertible, CustomReflectable {
    /// The last read numbers of sections and objects, without observation.
    public var debugDescription: String {
        let objects = counted(known.reduce(0) { $0 + $1.count }, "object")
        return "LiveSections<\(M.self), \(Value.self)> (\(objects) in \(counted(known.count, "section")))"
    }

    /// The last read sections.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: known, displayStyle: .collection) }
}

extension LiveSection: CustomDebugStringConvertible {
    /// The section's value and its number of objects.
    public var debugDescription: String { "LiveSection \(value) (\(counted(count, "object")))" }
}

extension LiveValue: CustomDebugStringConvertible, CustomReflectable {
    /// The last read value, without observation.
    public var debugDescription: String { "LiveValue<\(M.self)> (\(known))" }

    /// The last read value.
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
