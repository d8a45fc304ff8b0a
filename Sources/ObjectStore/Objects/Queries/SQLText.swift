/// SQL for conditions and queries beyond the query methods. Interpolated values are bound as parameters. A property
/// stands for its column, a model for its table:
///
/// ```swift
/// let odd = context.query(Issue.self).where(sql: "\(Issue.properties.number) % \(2) = 1")
/// let rows = try context.rows("SELECT count(*) FROM \(Issue.self) WHERE \(Issue.properties.title) GLOB \(pattern)")
/// ```
public struct SQLText: ExpressibleByStringInterpolation, Sendable {
    enum Part: Sendable {
        case text(String)
        case value(StoredValue)
        case table(any Model.Type)
        case column(any Model.Type, PropertyReference)
    }

    let parts: [Part]

    /// Creates SQL without values.
    public init(stringLiteral text: String) { parts = [.text(text)] }

    /// Creates SQL with values.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// Collects the parts of an interpolated text.
    public struct StringInterpolation: StringInterpolationProtocol {
        var parts: [Part] = []

        /// Creates an empty text.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends SQL.
        public mutating func appendLiteral(_ literal: String) { parts.append(.text(literal)) }

        /// Appends a value as a parameter.
        public mutating func appendInterpolation(_ value: some AttributeValue) { parts.append(.value(value.stored)) }

        /// Appends an optional value as a parameter. nil is NULL.
        public mutating func appendInterpolation<V: AttributeValue>(_ value: V?) {
            parts.append(.value(value?.stored ?? .null))
        }

        /// Appends a value in its stored form.
        public mutating func appendInterpolation(_ value: StoredValue) { parts.append(.value(value)) }

        /// Appends a model's table.
        public mutating func appendInterpolation<M: Model>(_ model: M.Type) { parts.append(.table(model)) }

        /// Appends the column of an attribute, with its table.
        public mutating func appendInterpolation<M: Model, V>(_ attribute: Attribute<M, V>) {
            parts.append(.column(M.self, PropertyReference(attribute.description)))
        }

        /// Appends the column of a link, with its table. It contains the target's `_id`.
        public mutating func appendInterpolation<M: Model, D: Model>(_ link: ToOne<M, D>) {
            parts.append(.column(M.self, PropertyReference(link.description)))
        }
    }
}

/// A row of the result of SQL.
public struct SQLRow: Sendable {
    /// The names of the columns in SQLite.
    public let columns: [String]
    /// The values of the columns.
    public let values: [StoredValue]

    /// A column's value; `nil` if it is NULL, missing or of another type.
    public subscript<V: AttributeValue>(column: Int, as type: V.Type = V.self) -> V? {
        values.indices.contains(column) ? V(stored: values[column]) : nil
    }

    /// A column's value by name; `nil` if it is NULL, missing or of another type.
    public subscript<V: AttributeValue>(name: String, as type: V.Type = V.self) -> V? {
        columns.firstIndex(of: name).flatMap { V(stored: values[$0]) }
    }
}

extension SQLText {
    /// - Parameter bind: binds a value and returns the parameter's name.
    /// - Throws: ``StoreError/models(_:)`` for an unknown model; ``StoreError/unanswerable(model:reason:)`` for a value
    ///   within quotes, and for a parameter without a value.
    func text(_ schema: Schema, _ bind: (StoredValue) -> String) throws(StoreError) -> String {
        var (text, scanner) = ("", SQLScanner())
        for part in parts {
            if case .value(let value) = part {
                // Within quotes, SQLite would take the parameter's name for text.
                guard scanner.isInCode else {
                    let reason = "a value is within quotes or a comment; values are bound, so leave the quotes out"
                    throw .unanswerable(model: "SQL", reason: reason)
                }
                scanner.skipValue()
                text += bind(value)
            } else {
                let written = try written(part, schema)
                scanner.read(written)
                text += written
            }
        }
        guard !scanner.hasParameter else {
            let reason = "a parameter such as ? has no value; interpolate the value in its place"
            throw .unanswerable(model: "SQL", reason: reason)
        }
        return text
    }

    private func written(_ part: Part, _ schema: Schema) throws(StoreError) -> String {
        switch part {
        case .value: return ""
        case .text(let literal): return literal
        case .table(let type): return try model(type, schema).sqlName
        case .column(let type, let property):
            let model = try model(type, schema)
            let column = model.index(of: property).flatMap { model.column(of: $0) }?.sqlName ?? "NULL"
            return "\(model.sqlName).\(column)"
        }
    }

    private func model(_ type: any Model.Type, _ schema: Schema) throws(StoreError) -> ModelSchema {
        guard let model = schema.model(for: type) else {
            throw .models(["\(type) is not among the models that the store was opened with"])
        }
        return model
    }
}

extension ObjectQuery {
    /// Adds a condition in SQL. Unsaved objects count.
    ///
    /// - Throws: The fetch throws ``StoreError/unanswerable(model:reason:)`` if SQLite rejects the SQL, or a value is
    ///   within quotes.
    public func `where`(sql: SQLText) -> ObjectQuery { narrowed(by: .sql(sql)) }
}

extension ObjectContext {
    /// Returns the rows of a `SELECT` from the file. Unsaved edits don't count.
    ///
    /// - Throws: ``StoreError/unanswerable(model:reason:)`` if SQLite rejects the SQL, a value is within quotes, or the
    ///   SQL isn't one query, so that it can't write to the file.
    public func rows(_ sql: SQLText) throws(StoreError) -> [SQLRow] {
        catchUp()
        var values: [StoredValue] = []
        let text = try sql.text(schema) {
            values.append($0)
            return "?\(values.count)"
        }
        var scanner = SQLScanner()
        scanner.read(text)
        guard !scanner.firstWord.isEmpty else {
            throw .unanswerable(model: "SQL", reason: "there is no statement")
        }
        return try reading { (reader) throws in
            let connection = try reader.reading().connection
            try DecimalCollation.register(on: connection)
            try ExactNumbers.register(on: connection)
            try TextFolding.register(on: connection)
            do {
                let statement = try RawStatement(connection, text)
                if let problem = statement.queryProblem {
                    throw StoreError.unanswerable(model: "SQL", reason: problem)
                }
                for (place, value) in values.enumerated() { statement.bind(value, at: Int32(place + 1)) }
                let columns = statement.columnNames
                var rows: [SQLRow] = []
                while try statement.step() {
                    rows.append(SQLRow(columns: columns, values: columns.indices.map { statement.value(Int32($0)) }))
                }
                return rows
            } catch let failure as SQLiteFailure where failure.isOfText {
                throw StoreError.unanswerable(model: "SQL", reason: failure.message)
            }
        }
    }
}
