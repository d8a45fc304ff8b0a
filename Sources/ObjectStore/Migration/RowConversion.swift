/// Makes a table's new rows of its old ones, and counts what does not convert.
struct RowConversion {
    private struct Failure {
        let conversion: ValueConversion
        var count: Int
        let example: StoredValue
    }

    /// A row on its way.
    private struct Row {
        /// By ``oldColumns``.
        let old: [StoredValue]
        /// By the new column, as the two below.
        var new: [StoredValue] = []
        /// The columns whose old value does not convert.
        var failed: Set<Int> = []
    }

    private let rebuild: TableRebuild
    /// The old columns that are read.
    let oldColumns: [String]
    /// By the new column: the index of the old one that fills it.
    private let sources: [Int?]
    /// The new column that keeps a property, for steps in code.
    private let columns: [PropertyIndex: Int]
    /// The old properties, with the indexes of their columns.
    private let oldProperties: [(name: String, column: Int)]
    /// The old and the new column with the unsent changes.
    private let unsent: (old: Int, new: Int)?
    /// By the new column.
    private var failures: [Int: Failure] = [:]

    init(_ rebuild: TableRebuild) {
        self.rebuild = rebuild
        var names: [String] = []
        func index(of name: String) -> Int {
            if let known = names.firstIndex(of: name) { return known }
            names.append(name)
            return names.count - 1
        }
        sources = rebuild.columns.map { _, source in
            switch source {
            case .copy(let old), .fill(let old, _), .convert(let old, _): index(of: old)
            case .constant: nil
            }
        }
        oldProperties = rebuild.steps.isEmpty ? [] : rebuild.oldColumns.map { ($0.property, index(of: $0.column)) }
        columns = rebuild.model.columns.reduce(into: [:]) { columns, column in
            columns[column.property] = rebuild.columns.firstIndex { $0.name == column.name }
        }
        let new = rebuild.columns.firstIndex { $0.name == "_unsent" }
        unsent = names.firstIndex(of: "_unsent").flatMap { old in new.map { (old, $0) } }
        oldColumns = names
    }

    /// The values of the new columns.
    ///
    /// - Throws: a ``MigrationFailure`` when a step in code throws.
    mutating func convert(_ statement: RawStatement) throws -> [StoredValue] {
        var row = Row(old: oldColumns.indices.map { statement.value(Int32($0)) })
        row.new = rebuild.columns.indices.map { value(of: $0, in: &row) }
        for step in rebuild.steps { try apply(step, to: &row) }
        for column in row.failed.sorted() { note(failureOf: column, in: row) }
        return row.new
    }

    private func value(of column: Int, in row: inout Row) -> StoredValue {
        let old = sources[column].map { row.old[$0] } ?? .null
        switch rebuild.columns[column].source {
        case .constant(let value): return value
        case .copy: return old
        case .fill(_, let value): return old.isNull ? value : old
        case .convert(_, let conversion):
            let standIn = conversion.to.isOptional ? StoredValue.null : conversion.to.defaultValue
            if old.isNull { return standIn }
            if let converted = conversion(old) { return converted }
            row.failed.insert(column)
            return standIn
        }
    }

    private mutating func note(failureOf column: Int, in row: Row) {
        guard case .convert(_, let conversion) = rebuild.columns[column].source, let old = sources[column] else {
            return
        }
        failures[column, default: Failure(conversion: conversion, count: 0, example: row.old[old])].count += 1
    }

    // MARK: Steps in code

    private func apply(_ step: RowStep, to row: inout Row) throws {
        var old: [String: StoredValue] = [:]
        for (name, column) in oldProperties { old[name] = row.old[column] }
        var values = columns.mapValues { row.new[$0] }
        let changed: Set<PropertyIndex>
        do {
            changed = try step.body(OldRow(values: old), &values)
        } catch {
            throw MigrationFailure(migration: step.migration, error: error)
        }
        for property in changed {
            guard let column = columns[property] else { continue }
            row.new[column] = values[property] ?? .null
            row.failed.remove(column)
        }
        noteUnsent(changed, by: step, in: &row)
    }

    /// What a step makes of changes that the server has not confirmed is as unconfirmed.
    private func noteUnsent(_ changed: Set<PropertyIndex>, by step: RowStep, in row: inout Row) {
        guard let unsent, case .text(let before) = row.old[unsent.old], case .text(let now) = row.new[unsent.new],
            UnsentChanges(text: before).bases.keys.contains(where: step.replaced.contains)
        else { return }
        var changes = UnsentChanges(text: now)
        for property in changed where rebuild.model.contains(property) {
            changes.bases[rebuild.model[property].name] = .null
        }
        row.new[unsent.new] = changes.text.map(StoredValue.text) ?? .null
    }

    // MARK: Problems

    /// What did not convert, each with a value for example.
    var problems: [String] {
        failures.sorted { $0.key < $1.key }.map { column, failure in
            let model = rebuild.model.modelName
            let name = "\(model).\(failure.conversion.to.name)"
            let remedy =
                "set it in a `Migration` with `rows(of: \(model).self)`, or declare a property of another name "
                + "beside it"
            if failure.conversion.from == "unknown real" {
                return
                    "\(name) was a number or a date, which this older file does not say: open it once with the models "
                    + "that made it, or \(remedy)"
            }
            let rows = failure.count == 1 ? "1 row holds" : "\(failure.count) rows hold"
            return "\(name) expects \(failure.conversion.expectation), and \(rows) something else, such as "
                + "\(failure.example.exampleText): \(remedy)"
        }
    }
}

extension StoredValue {
    /// The value as a message shows it.
    fileprivate var exampleText: String {
        switch self {
        case .null: "null"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let text): "\"\(text.prefix(40))\"" + (text.count > 40 ? "…" : "")
        case .blob(let bytes): "\(bytes.count) bytes"
        }
    }
}
