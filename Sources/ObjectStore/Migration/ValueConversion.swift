import Foundation
import JSONBytes

/// Converts values to another kind without loss, as an import would.
struct ValueConversion: Sendable {
    /// The old kind's name in files.
    let from: String
    let to: Property
    /// The new kind, for messages.
    let expectation: String

    private let kind: AttributeKind
    private let column: ImportColumn

    /// Nil if every value can stay as it is.
    init?(from old: DescribedProperty, to new: Property) {
        guard case .attribute(let kind, _, _) = new.kind, let from = old.kind,
            !Self.isContained(from, old.range, in: kind)
        else { return nil }
        self.from = from
        to = new
        self.kind = kind
        expectation = kind.expectation
        column = ImportColumn(kind)
    }

    /// Whether each value has the same stored form in the new kind.
    private static func isContained(_ old: String, _ range: [Int64]?, in new: AttributeKind) -> Bool {
        switch (old, new) {
        case ("boolean", .integer(let all)): all.contains(0) && all.contains(1)
        case ("boolean", .unsigned): true
        case ("integer", .integer(let all)):
            range.map { $0.count == 2 && all.contains($0[0]) && all.contains($0[1]) } ?? (all == .min ... .max)
        case ("integer", .unsigned): range.map { $0.count == 2 && $0[0] >= 0 } ?? false
        case ("decimal", .text), ("url", .text), ("uuid", .text): true
        default: old == new.name
        }
    }

    /// Returns nil if the new kind lacks such a value.
    func callAsFunction(_ value: StoredValue) -> StoredValue? {
        if value.isNull { return .null }
        guard keepsInteger(value) else { return nil }
        if let direct = direct(value) { return direct }
        guard let json = json(of: value) else { return nil }
        return read(json)
    }

    /// Whether a floating-point type holds a whole number exactly. Other values and kinds pass.
    private func keepsInteger(_ value: StoredValue) -> Bool {
        switch (from, value) {
        case ("unsigned", .integer(let number)): isExact(UInt64(bitPattern: number))
        case (_, .integer(let number)): isExact(number)
        case ("integer128", .text(let text)): Int128(text).map { isExact($0) } ?? true
        case ("unsigned128", .text(let text)): UInt128(text).map { isExact($0) } ?? true
        default: true
        }
    }

    private func isExact<Integer: FixedWidthInteger>(_ number: Integer) -> Bool {
        switch column.code {
        case .real: Integer(exactly: Double(number)) == number
        case .float: Integer(exactly: Float(number)) == number
        default: true
        }
    }

    /// Converts values whose kind JSON would lose.
    private func direct(_ value: StoredValue) -> StoredValue? {
        switch (column.code, value) {
        case (.integer, .integer(let number)) where from != "unsigned":
            number >= column.low && number <= column.high ? value : nil
        case (.real, .real) where from == "date", (.date, .real) where from == "real" || from == "unknown real": value
        case (.text, .blob(let bytes)): .text(Data(bytes).base64EncodedString())
        default: nil
        }
    }

    /// The JSON that the server would have sent.
    private func json(of value: StoredValue) -> String? {
        switch (from, value) {
        case ("boolean", .integer(let number)):
            column.code == .text || column.code == .json ? (number == 0 ? "false" : "true") : String(number)
        case ("unsigned", .integer(let number)): String(UInt64(bitPattern: number))
        case ("date", .real(let seconds)) where column.code == .text || column.code == .json:
            Self.quoted(Self.dateText(seconds))
        case ("unknown real", .real) where column.code == .text: nil
        // 0.1, instead of all digits of the nearest `Float`.
        case ("float", .real(let number)) where number.isFinite: WireText.float(number)
        case (_, .real(let number)): number.isFinite ? Self.number(number) : nil
        case (_, .integer(let number)): String(number)
        case (_, .text(let text)) where keepsJSON: text
        case (_, .text(let text)): Self.quoted(text)
        case (_, .blob(let bytes)): Self.quoted(Data(bytes).base64EncodedString())
        case (_, .null): "null"
        }
    }

    /// Whether texts are JSON. Those of numbers are, too.
    private var keepsJSON: Bool {
        ["json", "decimal", "integer128", "unsigned128"].contains(from) || from.hasPrefix("list of ")
            || from.hasPrefix("dictionary of ")
    }

    /// `42` for 42.0, so that it reads as an integer.
    private static func number(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? "\(number)"
    }

    /// ISO 8601 with up to six digits of a fraction, which reads back as the same seconds; a number in years without
    /// such a text.
    private static func dateText(_ seconds: Double) -> String {
        let seconds = (seconds * 1_000_000).rounded() / 1_000_000
        guard yearsWithText.contains(seconds) else { return "\(seconds)" }
        var digits = 6
        var fraction = DateText.parts(of: seconds, digits: digits).fraction
        while digits > 0, fraction.isMultiple(of: 10) {
            fraction /= 10
            digits -= 1
        }
        var shape = WireShape.standard
        shape.fractionDigits = digits
        return DateText.text(seconds, shape) ?? "\(seconds)"
    }

    /// Seconds since 1970, from the year 1 to the year 9999.
    private static let yearsWithText = -62_135_596_800.0..<253_402_300_800.0

    private static func quoted(_ text: String) -> String? {
        (try? JSONEncoder().encode([text])).map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
    }

    /// Reads the JSON as an import does.
    private func read(_ json: String) -> StoredValue? {
        var memory = ImportMemory()
        // The bytes outlive the reader and the slot, whose value is copied.
        return unsafe Array(json.utf8).withUnsafeBytes { bytes in
            guard var reader = try? unsafe JSONReader(unsafe: bytes),
                let slot = try? kind.slot(&reader, dates: .automatic, &memory)
            else { return nil }
            return slot.stored
        }
    }
}

// MARK: Rows

struct RowConversion {
    private struct Failure {
        let conversion: ValueConversion
        var count: Int
        let example: StoredValue
    }

    private struct Row {
        /// The values of ``oldColumns``.
        let old: [StoredValue]
        /// Values by index of the new column, like `failed`.
        var new: [StoredValue] = []
        /// The columns whose old value failed to convert.
        var failed: Set<Int> = []
    }

    private let rebuild: TableRebuild
    let oldColumns: [String]
    /// The index of the old column, by the new one.
    private let sources: [Int?]
    /// The new columns by property, for steps in code.
    private let columns: [PropertyIndex: Int]
    private let oldProperties: [(name: String, column: Int)]
    private let unsent: (old: Int, new: Int)?
    /// The new column and bit of each property in ``LoadedMask``.
    private let loadedBits: [PropertyIndex: (column: Int, bit: Int)]
    /// By step: the old column that says whether the replaced properties were loaded.
    private let loadedBefore: [Int?]
    /// Failures by new column.
    private var failures: [Int: Failure] = [:]

    init(_ rebuild: TableRebuild) {
        self.rebuild = rebuild
        var names: [String] = []
        func index(of name: String) -> Int {
            if let known = names.firstIndex(of: name) { return known }
            names.append(name)
            return names.count - 1
        }
        sources = rebuild.columns.map { _, source in source.oldColumn.map { index(of: $0) } }
        oldProperties = rebuild.steps.isEmpty ? [] : rebuild.oldColumns.map { ($0.property, index(of: $0.column)) }
        columns = rebuild.model.columns.reduce(into: [:]) { columns, column in
            columns[column.property] = rebuild.columns.firstIndex { $0.name == column.name }
        }
        let new = rebuild.columns.firstIndex { $0.name == "_unsent" }
        unsent = names.firstIndex(of: "_unsent").flatMap { old in new.map { (old, $0) } }
        let model = rebuild.model
        loadedBits = model.columns.reduce(into: [:]) { places, column in
            guard let place = model.loadedBit(of: model[column.property]),
                let index = rebuild.columns.firstIndex(where: { $0.name == place.column })
            else { return }
            places[column.property] = (index, place.bit)
        }
        loadedBefore = rebuild.steps.enumerated().map { number, step in
            step.replaced.isEmpty ? nil : index(of: LoadedUpdate.column(ofStep: number))
        }
        oldColumns = names
    }

    /// - Throws: ``MigrationFailure`` if a step in code throws.
    mutating func convert(_ statement: RawStatement) throws -> [StoredValue] {
        var row = Row(old: oldColumns.indices.map { statement.value(Int32($0)) })
        row.new = rebuild.columns.indices.map { value(of: $0, in: &row) }
        for number in rebuild.steps.indices { try apply(number, to: &row) }
        for column in row.failed.sorted() { note(failureOf: column, in: row) }
        return row.new
    }

    private func value(of column: Int, in row: inout Row) -> StoredValue {
        let old = sources[column].map { row.old[$0] } ?? .null
        let new = rebuild.columns[column].source.value(from: old)
        if !new.isConverted { row.failed.insert(column) }
        return new.value
    }

    private mutating func note(failureOf column: Int, in row: Row) {
        guard case .convert(_, let conversion) = rebuild.columns[column].source, let old = sources[column] else {
            return
        }
        failures[column, default: Failure(conversion: conversion, count: 0, example: row.old[old])].count += 1
    }

    // MARK: Steps in code

    private func apply(_ number: Int, to row: inout Row) throws {
        let step = rebuild.steps[number]
        var old: [String: StoredValue] = [:]
        for (name, column) in oldProperties { old[name] = row.old[column] }
        let before = columns.mapValues { row.new[$0] }
        var values = before
        let changed: Set<PropertyIndex>
        do {
            changed = try step.body(OldRow(values: old), rebuild.model, &values)
        } catch {
            throw MigrationFailure(migration: step.migration, error: error)
        }
        for property in changed {
            guard let column = columns[property] else { continue }
            row.new[column] = values[property] ?? .null
            row.failed.remove(column)
        }
        noteUnsent(changed, before, by: step, in: &row)
        noteLoaded(changed, by: number, in: &row)
    }

    /// The values that replace pending edits are pending edits, too.
    private func noteUnsent(
        _ changed: Set<PropertyIndex>, _ before: [PropertyIndex: StoredValue], by step: RowStep, in row: inout Row
    ) {
        guard let unsent, case .text(let then) = row.old[unsent.old], case .text(let now) = row.new[unsent.new],
            UnsentChanges(text: then).entries.keys.contains(where: step.replaced.contains)
        else { return }
        var changes = UnsentChanges(text: now)
        for property in changed where rebuild.model.contains(property) {
            let name = UnsentUpdate.stepMark + rebuild.model[property].name
            guard !changes.contains(name) else { continue }
            let base = isLoaded(property, in: row) ? before[property] : nil
            changes.entries[name] = UnsentChanges.Entry(base: base ?? .null)
        }
        row.new[unsent.new] = changes.text.map(StoredValue.text) ?? .null
    }

    /// Values that replace loaded ones count as loaded, too.
    private func noteLoaded(_ changed: Set<PropertyIndex>, by number: Int, in row: inout Row) {
        guard let loaded = loadedBefore[number], row.old[loaded] == .integer(1) else { return }
        for property in changed {
            guard let (column, bit) = loadedBits[property] else { continue }
            row.new[column] = .integer(word(column, of: row) | 1 << bit)
        }
    }

    private func isLoaded(_ property: PropertyIndex, in row: Row) -> Bool {
        loadedBits[property].map { word($0.column, of: row) >> $0.bit & 1 == 1 } ?? false
    }

    private func word(_ column: Int, of row: Row) -> Int64 {
        if case .integer(let word) = row.new[column] { word } else { 0 }
    }

    // MARK: Problems

    /// The failed conversions, with an example each.
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

extension ColumnSource {
    /// A value that doesn't convert becomes null, or the default.
    func value(from old: StoredValue) -> (value: StoredValue, isConverted: Bool) {
        switch self {
        case .constant(let value): return (value, true)
        case .copy: return (old, true)
        case .fill(_, let value): return (old.isNull ? value : old, true)
        case .each(let property): return (property.defaultValue, true)
        case .fillEach(_, let property): return (old.isNull ? property.defaultValue : old, true)
        case .convert(_, let conversion):
            if !old.isNull, let converted = conversion(old) { return (converted, true) }
            return (conversion.to.isOptional ? .null : conversion.to.defaultValue, old.isNull)
        }
    }
}

extension StoredValue {
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
