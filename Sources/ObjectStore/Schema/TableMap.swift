package struct TableMap<Value> {
    private var values: [Value]

    package init(repeating value: Value, count: Int) { values = Array(repeating: value, count: count) }

    /// - Parameter value: makes each value from the table's model.
    package init(_ schema: Schema, _ value: (ModelSchema) throws -> Value) rethrows {
        values = try schema.roots.map(value)
    }

    @inline(__always)
    package subscript(table: TableID) -> Value {
        get { values[table.rawValue] }
        set { values[table.rawValue] = newValue }
        _modify { yield &values[table.rawValue] }
    }

    package func contains(_ table: TableID) -> Bool { values.indices.contains(table.rawValue) }

    package var ids: [TableID] { values.indices.map(TableID.init) }
    package var all: [Value] { values }
    package var count: Int { values.count }
}

extension TableMap: Sendable where Value: Sendable {}
