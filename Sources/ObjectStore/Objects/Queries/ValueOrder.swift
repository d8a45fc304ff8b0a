import Foundation
import GRDBSQLite
import JSONBytes

// The order of values: what SQLite does in the file is done the same in memory, for the objects that it can't see.

extension ModelSchema {
    /// The order of two values of a property, as SQL has it: negative when left comes first.
    func order(_ left: StoredValue, _ right: StoredValue, by property: PropertyIndex) -> Int {
        StoredValue.order(left, right, as: attributeKind(property))
    }

    /// The same of two values of a term that reads the model alone.
    func order(_ left: StoredValue, _ right: StoredValue, by term: Term) -> Int {
        StoredValue.order(left, right, as: kind(of: term))
    }

    /// How the values of a term that reads the model alone are stored.
    func kind(of term: Term) -> AttributeKind? {
        switch term {
        case .property(let property): index(of: property).flatMap(attributeKind)
        case .constant(.text): .decimal
        case .numbers(let pair):
            kind(of: pair.left)?.isDecimal == true || kind(of: pair.right)?.isDecimal == true ? .decimal : nil
        case .row, .linked, .count, .folded, .aggregate, .constant, .tooDeep: nil
        }
    }

    func attributeKind(_ property: PropertyIndex) -> AttributeKind? {
        guard contains(property), case .attribute(let kind, _, _) = self[property].kind else { return nil }
        return kind
    }
}

extension AttributeKind {
    /// Whether the values are numbers that are stored as text.
    var isDecimal: Bool {
        switch self {
        case .decimal, .wideInteger: true
        default: false
        }
    }

    /// By what SQLite compares the values, where that is not their bytes.
    var collation: String? {
        switch self {
        case .decimal, .wideInteger: DecimalCollation.name
        case .json, .list, .set, .dictionary: JSONCollation.name(unordered: unorderedLevels)
        default: nil
        }
    }

    /// What ``JSONCollation`` has to know of arrays, dictionaries and `Codable` values; `nil` for others.
    var jsonLevels: UInt? {
        switch self {
        case .json, .list, .set, .dictionary: unorderedLevels
        default: nil
        }
    }

    /// A bit for each level at which the values are sets, the outermost the lowest: 0b10 for `[String: Set<Int>]`.
    private var unorderedLevels: UInt {
        switch self {
        case .set(let element): element.unorderedLevels << 1 | 1
        case .list(let element), .dictionary(let element): element.unorderedLevels << 1
        default: 0
        }
    }

    /// Whether numbers over 2^63-1 are stored as negative ones.
    var isUnsigned: Bool { if case .unsigned = self { true } else { false } }
}

extension StoredValue {
    /// The order of two values that are stored as a kind has it.
    static func order(_ left: StoredValue, _ right: StoredValue, as kind: AttributeKind?) -> Int {
        switch (kind, left, right) {
        case (.unsigned?, .integer(let left), .integer(let right)):
            StoredValue.order(UInt64(bitPattern: left), UInt64(bitPattern: right))
        case (.decimal?, .text(let left), .text(let right)), (.wideInteger?, .text(let left), .text(let right)):
            DecimalCollation.order(left, right)
        case (let kind?, .text(let left), .text(let right)):
            kind.jsonLevels.map { JSONCollation.order(left, right, unordered: $0) }
                ?? StoredValue.order(.text(left), .text(right))
        default: StoredValue.order(left, right)
        }
    }
}

extension StoredValue {
    /// SQLite's order of values (https://sqlite.org/datatype3.html §4.1): NULL, numbers, text by bytes, blobs. Negative
    /// when left comes first.
    static func order(_ left: StoredValue, _ right: StoredValue) -> Int {
        if left.rank != right.rank { return left.rank - right.rank }
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return order(left, right)
        case (.text(let left), .text(let right)): return order(Array(left.utf8), Array(right.utf8))
        case (.blob(let left), .blob(let right)): return order(left, right)
        case (.integer(let left), .real(let right)): return order(of: left, right)
        case (.real(let left), .integer(let right)): return -order(of: right, left)
        default: break
        }
        guard let left = Double(stored: left), let right = Double(stored: right) else { return 0 }
        return order(left, right)
    }

    static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }

    /// Of numbers that `Double` has not, too, as SQLite orders them (`sqlite3IntFloatCompare`).
    private static func order(of whole: Int64, _ real: Double) -> Int {
        guard !real.isNaN, real >= -0x1p63 else { return 1 }
        guard real < 0x1p63 else { return -1 }
        let integer = Int64(real)
        return whole == integer ? order(Double(whole), real) : order(whole, integer)
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    /// Whole numbers and texts as a JSON array that SQLite reads back as the same values; `nil` when there are others.
    static func jsonArray(_ values: [StoredValue]) -> String? {
        var objects: [Any] = []
        for value in values {
            switch value {
            case .integer(let number): objects.append(number)
            // SQLite ends a text at a NUL within JSON.
            case .text(let text) where !text.utf8.contains(0): objects.append(text)
            default: return nil
            }
        }
        return (try? JSONSerialization.data(withJSONObject: objects)).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Compares decimal numbers, which are stored as text, by their value: "9" comes before "10", and "1.50" is "1.5".
enum DecimalCollation {
    static let name = "restful_decimal"

    /// Makes the collation known to a connection that doesn't know it yet.
    static func register(on connection: Connection) throws {
        try unsafe connection.addCollation(name) { _, leftCount, left, rightCount, right in
            Int32(DecimalCollation.order(unsafe collated(left, leftCount), unsafe collated(right, rightCount)))
        }
    }

    /// Negative when left comes first. Text that isn't a number comes before all numbers, in the order of its bytes.
    static func order(_ left: String, _ right: String) -> Int {
        switch (DecimalText(left), DecimalText(right)) {
        case (let left?, let right?): DecimalText.order(left, right)
        case (nil, nil): StoredValue.order(.text(left), .text(right))
        case (nil, _): -1
        case (_, nil): 1
        }
    }
}

/// Compares arrays, dictionaries and `Codable` values, which are stored as JSON text in the server's own spelling, by
/// what they say: spaces, the order of keys, how a number is written, and members that are null make no difference, nor
/// does the order of a set's elements.
enum JSONCollation {
    /// By the levels at which the values are sets, which SQLite gives back with each comparison.
    static func name(unordered: UInt) -> String { unordered == 0 ? "restful_json" : "restful_json_\(unordered)" }

    /// Makes the collation known to a connection that doesn't know it yet.
    static func register(on connection: Connection, unordered: UInt) throws {
        // A number where SQLite takes a pointer, which nobody follows.
        let levels = unsafe UnsafeMutableRawPointer(bitPattern: unordered)
        try unsafe connection.addCollation(name(unordered: unordered), context: levels) {
            levels, leftCount, left, rightCount, right in
            Int32(
                JSONCollation.order(
                    unsafe collated(left, leftCount), unsafe collated(right, rightCount),
                    unordered: UInt(bitPattern: levels)))
        }
    }

    /// Negative when left comes first.
    static func order(_ left: String, _ right: String, unordered: UInt) -> Int {
        if left.hasBytes(of: right) { return 0 }
        return StoredValue.order(
            .text(canonical(left, unordered: unordered)), .text(canonical(right, unordered: unordered)))
    }

    /// One text for all that say the same.
    static func canonical(_ text: String, unordered: UInt) -> String {
        JSONValue(text.utf8)?.canonical(unordered: unordered).text ?? text
    }
}

extension JSONValue {
    fileprivate func canonical(unordered: UInt) -> JSONValue {
        switch self {
        case .number(let text): return DecimalText(text).map { .number($0.integerText ?? $0.canonicalText) } ?? self
        case .array(let elements):
            let elements = elements.map { $0.canonical(unordered: unordered >> 1) }
            guard unordered & 1 == 1 else { return .array(elements) }
            // What is null is no element of a set.
            let texts = Dictionary(
                elements.filter { $0 != .null }.map { ($0.text ?? "", $0) }, uniquingKeysWith: { first, _ in first })
            return .array(texts.sorted { $0.key < $1.key }.map(\.value))
        case .object(let members):
            return .object(
                members.filter { $0.value != .null }.mapValues { $0.canonical(unordered: unordered >> 1) })
        case .null, .bool, .string: return self
        }
    }
}

extension DecimalText {
    /// The same for all texts of a number.
    var canonicalText: String {
        if digits.isEmpty { return "0" }
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + "e\(exponent)"
    }
}

/// What SQLite gives a collation.
func collated(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
    unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
}

extension Connection {
    func addCollation(
        _ name: String, context: UnsafeMutableRawPointer? = nil,
        _ order: @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?) -> Int32
    ) throws {
        if (try? statement("SELECT '' < '' COLLATE \(name)")) != nil { return }
        let code = unsafe sqlite3_create_collation_v2(handle, name, SQLITE_UTF8, context, order, nil)
        guard code == SQLITE_OK else { throw failure(code, name) }
    }
}
