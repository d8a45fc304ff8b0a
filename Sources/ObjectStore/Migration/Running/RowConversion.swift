/// Makes a table's new rows of its old ones, and counts what does not convert.
struct RowConversion {
    private struct Failure {
        let conversion: ValueConversion
        var count: Int
        let example: StoredValue
    }

    private let rebuild: TableRebuild
    private let table: ModelSchema
    /// The old columns that are read.
    let oldColumns: [String]
    /// By the new column: the place of the old one that fills it.
    private let places: [Int?]
    private let unsentPlace: Int?
    /// By the property: the new column that keeps it, for steps in code.
    private let columns: [Int: Int]
    /// The old properties, with the places of their columns.
    private let oldPlaces: [(property: String, place: Int)]
    /// By the new column.
    private var failures: [Int: Failure] = [:]

    init(_ rebuild: TableRebuild, _ table: ModelSchema) {
        self.rebuild = rebuild
        self.table = table
        var names: [String] = []
        func place(of name: String) -> Int {
            if let known = names.firstIndex(of: name) { return known }
            names.append(name)
            return names.count - 1
        }
        places = rebuild.columns.map { _, source in
            switch source {
            case .copy(let old), .fill(let old, _), .convert(let old, _): place(of: old)
            case .constant: nil
            }
        }
        oldPlaces = rebuild.steps.isEmpty ? [] : rebuild.oldColumns.map { ($0.property, place(of: $0.column)) }
        columns = table.columns.reduce(into: [:]) { columns, column in
            columns[column.property] = rebuild.columns.firstIndex { $0.name == column.name }
        }
        unsentPlace = names.firstIndex(of: "_unsent")
        oldColumns = names
    }

    /// The values of the new columns.
    mutating func convert(_ row: RawStatement) throws -> [StoredValue] {
        let old = oldColumns.indices.map { row.value(Int32($0)) }
        var failed: Set<Int> = []
        var new = rebuild.columns.indices.map { column in
            value(of: column, old, &failed)
        }
        if !rebuild.steps.isEmpty { try apply(old, &new, &failed) }
        for column in failed.sorted() { note(column, old) }
        return new
    }

    private func value(of column: Int, _ old: [StoredValue], _ failed: inout Set<Int>) -> StoredValue {
        switch rebuild.columns[column].source {
        case .constant(let value): return value
        case .copy: return places[column].map { old[$0] } ?? .null
        case .fill(_, let value): return places[column].map { old[$0].isNull ? value : old[$0] } ?? value
        case .convert(_, let conversion):
            let standIn = conversion.to.isOptional ? StoredValue.null : conversion.to.defaultValue
            guard let value = places[column].map({ old[$0] }), !value.isNull else { return standIn }
            if let converted = conversion(value) { return converted }
            failed.insert(column)
            return standIn
        }
    }

    private mutating func note(_ column: Int, _ old: [StoredValue]) {
        guard case .convert(_, let conversion) = rebuild.columns[column].source, let place = places[column] else {
            return
        }
        failures[column, default: Failure(conversion: conversion, count: 0, example: old[place])].count += 1
    }

    // MARK: Steps in code

    private func apply(_ old: [StoredValue], _ new: inout [StoredValue], _ failed: inout Set<Int>) throws {
        let oldRow = OldRow(values: oldValues(old))
        for step in rebuild.steps {
            var values = columns.mapValues { new[$0] }
            let changed: Set<Int>
            do {
                changed = try step.body(oldRow, &values)
            } catch {
                throw MigrationFailure(migration: step.migration, error: error)
            }
            for property in changed {
                guard let column = columns[property] else { continue }
                new[column] = values[property] ?? .null
                failed.remove(column)
            }
            noteUnsent(step, changed, old, &new)
        }
    }

    private func oldValues(_ old: [StoredValue]) -> [String: StoredValue] {
        var values: [String: StoredValue] = [:]
        for (property, place) in oldPlaces { values[property] = old[place] }
        return values
    }

    /// What a step makes of changes that the server has not confirmed is as unconfirmed.
    private func noteUnsent(_ step: RowStep, _ changed: Set<Int>, _ old: [StoredValue], _ new: inout [StoredValue]) {
        guard let place = unsentPlace, case .text(let text) = old[place],
            let column = rebuild.columns.firstIndex(where: { $0.name == "_unsent" }), case .text(let now) = new[column]
        else { return }
        guard UnsentChanges(text: text).bases.keys.contains(where: step.replaced.contains) else { return }
        var unsent = UnsentChanges(text: now)
        for property in changed where table.properties.indices.contains(property) {
            unsent.bases[table.properties[property].name] = .null
        }
        new[column] = unsent.text.map(StoredValue.text) ?? .null
    }

    // MARK: Problems

    /// What did not convert, each with a value for example.
    var problems: [String] {
        failures.sorted { $0.key < $1.key }.map { column, failure in
            let name = "\(rebuild.model).\(failure.conversion.to.name)"
            let remedy =
                "set it in a `Migration` with `rows(of: \(rebuild.model).self)`, or declare a property of another name "
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

/// An error that a step in code threw.
struct MigrationFailure: Error {
    let migration: String
    let error: any Error
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
