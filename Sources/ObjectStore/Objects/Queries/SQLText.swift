/// SQL for what a query has no words for. What is put into it is bound as a value, never made part of the text; a token
/// of a property stands for its column, a model for its table:
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

    /// Text without values.
    public init(stringLiteral text: String) { parts = [.text(text)] }

    /// Text with values.
    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// What comes to be one text.
    public struct StringInterpolation: StringInterpolationProtocol {
        var parts: [Part] = []

        /// An empty text.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds SQL.
        public mutating func appendLiteral(_ literal: String) { parts.append(.text(literal)) }

        /// Adds a value, which is bound.
        public mutating func appendInterpolation(_ value: some AttributeValue) { parts.append(.value(value.stored)) }

        /// Adds a value that may be nil, which is NULL.
        public mutating func appendInterpolation<V: AttributeValue>(_ value: V?) {
            parts.append(.value(value?.stored ?? .null))
        }

        /// Adds a value as it is stored.
        public mutating func appendInterpolation(_ value: StoredValue) { parts.append(.value(value)) }

        /// Adds a model's table.
        public mutating func appendInterpolation<M: Model>(_ model: M.Type) { parts.append(.table(model)) }

        /// Adds the column of an attribute, with its table.
        public mutating func appendInterpolation<M: Model, V>(_ attribute: Attribute<M, V>) {
            parts.append(.column(M.self, PropertyReference(attribute.description)))
        }

        /// Adds the column of a link, with its table: the target's `_id`.
        public mutating func appendInterpolation<M: Model, D: Model>(_ link: ToOne<M, D>) {
            parts.append(.column(M.self, PropertyReference(link.description)))
        }
    }
}

/// A row that SQL gave.
public struct SQLRow: Sendable {
    /// The names of the columns, as SQLite has them.
    public let columns: [String]
    /// Their values.
    public let values: [StoredValue]

    /// A column's value; `nil` where it is NULL, of another type, or not there.
    public subscript<V: AttributeValue>(column: Int, as type: V.Type = V.self) -> V? {
        values.indices.contains(column) ? V(stored: values[column]) : nil
    }

    /// The same by the column's name.
    public subscript<V: AttributeValue>(name: String, as type: V.Type = V.self) -> V? {
        columns.firstIndex(of: name).flatMap { V(stored: values[$0]) }
    }
}

extension SQLText {
    /// The text, whose values are bound by a closure that says what stands for each.
    ///
    /// - Throws: ``StoreError/models(_:)`` for a model that the store was not opened with.
    func text(_ schema: Schema, _ bind: (StoredValue) -> String) throws(StoreError) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .text(let literal): text += literal
            case .value(let value): text += bind(value)
            case .table(let type): text += try model(type, schema).sqlName
            case .column(let type, let property):
                let model = try model(type, schema)
                let column = model.index(of: property).flatMap { model.column(of: $0) }?.sqlName ?? "NULL"
                text += "\(model.sqlName).\(column)"
            }
        }
        return text
    }

    private func model(_ type: any Model.Type, _ schema: Schema) throws(StoreError) -> ModelSchema {
        guard let model = schema.model(for: type) else {
            throw .models(["\(type) is not among the models that the store was opened with"])
        }
        return model
    }
}

extension ObjectQuery {
    /// Those for which an SQL condition holds, together with all other conditions; unsaved objects count.
    ///
    /// - Throws: when the query is asked, ``StoreError/unanswerable(model:reason:)`` for what SQLite doesn't take.
    public func `where`(sql: SQLText) -> ObjectQuery { narrowed(by: .sql(sql)) }
}

extension ObjectContext {
    /// The rows that a `SELECT` gives of the file; unsaved edits are not among them.
    ///
    /// - Throws: ``StoreError/unanswerable(model:reason:)`` for what SQLite doesn't take, for several statements, and
    ///   for one that reads nothing: nothing can be written by it.
    public func rows(_ sql: SQLText) throws(StoreError) -> [SQLRow] {
        catchUp()
        var values: [StoredValue] = []
        let text = try sql.text(schema) {
            values.append($0)
            return "?\(values.count)"
        }
        guard text.contains(where: \.isLetter) else {
            throw .unanswerable(model: "SQL", reason: "there is no statement")
        }
        return try reading { (reader) throws in
            let connection = try reader.reading().connection
            try DecimalCollation.register(on: connection)
            try ExactNumbers.register(on: connection)
            try TextFolding.register(on: connection)
            do {
                let statement = try RawStatement(connection, text)
                if let problem = statement.problemAsQuestion {
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
