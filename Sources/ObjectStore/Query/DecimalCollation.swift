import GRDBSQLite

/// Compares decimal numbers, which are stored as text, by their value: "9" comes before "10", and "1.50" is "1.5".
enum DecimalCollation {
    static let name = "restful_decimal"

    /// Makes the collation known to a connection that does not know it yet.
    static func register(on connection: Connection) throws {
        if (try? connection.statement("SELECT '' < '' COLLATE \(name)")) != nil { return }
        let code = unsafe sqlite3_create_collation_v2(
            connection.handle, name, SQLITE_UTF8, nil,
            { _, leftCount, left, rightCount, right in
                Int32(
                    DecimalCollation.order(
                        unsafe DecimalCollation.text(left, leftCount), unsafe DecimalCollation.text(right, rightCount)))
            }, nil)
        guard code == SQLITE_OK else { throw connection.failure(code, name) }
    }

    /// Negative when left comes first. Text that is no number comes before all numbers, in the order of its bytes.
    static func order(_ left: String, _ right: String) -> Int {
        switch (DecimalText(left), DecimalText(right)) {
        case (let left?, let right?): DecimalText.order(left, right)
        case (nil, nil): StoredValue.order(.text(left), .text(right))
        case (nil, _): -1
        case (_, nil): 1
        }
    }

    private static func text(_ bytes: UnsafeRawPointer?, _ count: Int32) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }
}
