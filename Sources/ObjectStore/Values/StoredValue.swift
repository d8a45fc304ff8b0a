import JSONBytes

/// A value in one of SQLite's five storage classes.
///
/// Dates are `real` (seconds since 1970), booleans `integer` 0 or 1, URLs, UUIDs and decimals `text`, and `Data`
/// `blob`.
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

// Texts are equal if their bytes are, as in SQLite and servers. For `String`, composed and decomposed "é" are equal, so
// such an edit would be lost.

extension StoredValue: Hashable {
    /// Compares storage classes and contents, texts by bytes.
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

    /// Hashes the storage class and the content.
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
    /// Compares numbers or texts of one attribute.
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
    func hasBytes(of other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = unsafe other.utf8.withContiguousStorageIfAvailable { unsafe hasBytes(UnsafeRawBufferPointer($0)) }
        return isSame ?? utf8.elementsEqual(other.utf8)
    }

    @unsafe
    func hasBytes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Comparing single elements takes several times as long. Bridged strings have no contiguous storage.
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
