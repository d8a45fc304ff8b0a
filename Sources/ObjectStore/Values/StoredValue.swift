import JSONBytes

/// A value as SQLite keeps it: one of the five storage classes.
///
/// Dates are `real` (seconds since 1970), booleans `integer` 0 or 1, URLs, UUIDs and decimals `text`, `Data` is `blob`.
public enum StoredValue: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Whether this is `null`.
    public var isNull: Bool { if case .null = self { true } else { false } }
}

// MARK: - Equality

// Texts are equal when their bytes are, as for SQLite and for servers: a `String` is also equal to the same characters
// in other code points ("é" as one or as two), and setting those would be no edit.

extension StoredValue: Hashable {
    /// Whether both are the same value of the same storage class; of texts, whether their bytes are the same.
    public static func == (left: StoredValue, right: StoredValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.text(let left), .text(let right)): left.hasBytes(of: right)
        case (.blob(let left), .blob(let right)): left == right
        default: false
        }
    }

    /// Hashes the storage class and the value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value)
        case .text(var text):
            text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
        case .blob(let bytes): hasher.combine(bytes)
        }
    }
}

extension StoredValue {
    /// Whether one value of an attribute comes before another: by number, or as text.
    package func isBefore(_ other: StoredValue) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        case (.integer(let left), .real(let right)): Double(left) < right
        case (.real(let left), .integer(let right)): left < Double(right)
        case (.text(let left), .text(let right)): left < right
        default: false
        }
    }
}

extension String {
    /// Whether the texts are the same, code point by code point.
    func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = unsafe other.utf8.withContiguousStorageIfAvailable { unsafe hasBytes(UnsafeRawBufferPointer($0)) }
        return isSame ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether these bytes are its UTF-8.
    @unsafe
    func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Elements one by one take several times as long; texts that are Objective-C's have no other way.
        let isSame = unsafe utf8.withContiguousStorageIfAvailable { unsafe equal(UnsafeRawBufferPointer($0), bytes) }
        return unsafe isSame ?? utf8.elementsEqual(bytes)
    }
}

/// The declared type of a column in a STRICT table.
public enum ColumnType: String, Sendable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
    case blob = "BLOB"
}
