import Foundation
import GRDBSQLite
import JSONBytes

// The order of values in memory equals SQLite's in the file.

extension ModelSchema {
    /// Negative if left comes first.
    func order(_ left: StoredValue, _ right: StoredValue, by property: PropertyIndex) -> Int {
        StoredValue.order(left, right, as: attributeKind(property))
    }

    /// For a term that reads only the row itself. Negative if left comes first.
    func order(_ left: StoredValue, _ right: StoredValue, by term: Term) -> Int {
        StoredValue.order(left, right, as: kind(of: term))
    }

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
    /// Whether values are numbers stored as text.
    var isDecimal: Bool {
        switch self {
        case .decimal, .wideInteger: true
        default: false
        }
    }

    /// `nil` if SQLite's own order is used.
    var collation: String? {
        switch self {
        case .decimal, .wideInteger: DecimalCollation.name
        case .json, .list, .set, .dictionary: JSONCollation.name(unordered: unorderedLevels)
        default: nil
        }
    }

    /// The parameter of ``JSONCollation``.
    var jsonLevels: UInt? {
        switch self {
        case .json, .list, .set, .dictionary: unorderedLevels
        default: nil
        }
    }

    /// Bit mask of the levels that are sets. The outermost has the lowest bit: 0b10 for `[String: Set<Int>]`.
    private var unorderedLevels: UInt {
        switch self {
        case .set(let element): element.unorderedLevels << 1 | 1
        case .list(let element), .dictionary(let element): element.unorderedLevels << 1
        default: 0
        }
    }

    /// Whether integers over 2^63-1 are stored as negative ones.
    var isUnsigned: Bool { if case .unsigned = self { true } else { false } }
}

extension StoredValue {
    /// Negative if left comes first.
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
    /// SQLite's order (https://sqlite.org/datatype3.html §4.1): NULL, numbers, text by bytes, blobs. Negative if left
    /// comes first.
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

    /// Compares exactly, as SQLite's `sqlite3IntFloatCompare`, even if `Double` can't represent the integer.
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

    /// `nil` if SQLite couldn't read the values back unchanged.
    static func jsonArray(_ values: [StoredValue]) -> String? {
        var objects: [Any] = []
        for value in values {
            switch value {
            case .integer(let number): objects.append(number)
            // In JSON, SQLite ends a text at a NUL.
            case .text(let text) where !text.utf8.contains(0): objects.append(text)
            default: return nil
            }
        }
        return (try? JSONSerialization.data(withJSONObject: objects)).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Compares decimals, stored as text, by value: "9" comes before "10", and "1.50" equals "1.5".
enum DecimalCollation {
    static let name = "restful_decimal"

    static func register(on connection: Connection) throws {
        try unsafe connection.addCollation(name) { _, leftCount, left, rightCount, right in
            Int32(DecimalCollation.order(unsafe collated(left, leftCount), unsafe collated(right, rightCount)))
        }
    }

    /// Negative if left comes first. Text that isn't a number comes before all numbers, in byte order.
    static func order(_ left: String, _ right: String) -> Int {
        switch (DecimalText(left), DecimalText(right)) {
        case (let left?, let right?): DecimalText.order(left, right)
        case (nil, nil): StoredValue.order(.text(left), .text(right))
        case (nil, _): -1
        case (_, nil): 1
        }
    }
}

/// Compares values stored as JSON text by content. It ignores spaces, the order of keys, the notation of numbers, null
/// members, and the order of a set's elements.
enum JSONCollation {
    /// Each mask of levels with sets has a collation, to which SQLite passes the mask.
    static func name(unordered: UInt) -> String { unordered == 0 ? "restful_json" : "restful_json_\(unordered)" }

    static func register(on connection: Connection, unordered: UInt) throws {
        // Safe: the context pointer is an integer that is never dereferenced.
        let levels = unsafe UnsafeMutableRawPointer(bitPattern: unordered)
        try unsafe connection.addCollation(name(unordered: unordered), context: levels) {
            levels, leftCount, left, rightCount, right in
            Int32(
                JSONCollation.order(
                    unsafe collated(left, leftCount), unsafe collated(right, rightCount),
                    unordered: UInt(bitPattern: levels)))
        }
    }

    /// Negative if left comes first.
    static func order(_ left: String, _ right: String, unordered: UInt) -> Int {
        if left.hasBytes(of: right) { return 0 }
        return StoredValue.order(
            .text(canonical(left, unordered: unordered)), .text(canonical(right, unordered: unordered)))
    }

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
            // Null isn't an element of a set.
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
    var canonicalText: String {
        if digits.isEmpty { return "0" }
        return (isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self) + "e\(exponent)"
    }
}

/// SQLite guarantees `count` bytes.
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
