/// A value as SQLite keeps it: one of the five storage classes.
///
/// Dates are `real` (seconds since 1970), booleans `integer` 0 or 1, URLs, UUIDs and decimals `text`, `Data` is `blob`.
public enum StoredValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Whether this is `null`.
    public var isNull: Bool { self == .null }
}

/// The declared type of a column in a STRICT table.
public enum ColumnType: String, Sendable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
    case blob = "BLOB"
}
