extension SQL {
    /// `nil` for text that contains NUL.
    static func literal(_ value: StoredValue) -> String? {
        switch value {
        case .null: "NULL"
        // SQLite parses the sign after the digits, which exceed the greatest integer.
        case .integer(let value): value == .min ? "(-9223372036854775807 - 1)" : String(value)
        case .real(let value):
            value.isNaN ? "NULL" : value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
        case .text(let text):
            // A NUL would end the statement.
            text.utf8.contains(0)
                ? nil : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        case .blob(let bytes): "x'" + bytes.map { byte in byte.hex }.joined() + "'"
        }
    }
}

extension UInt8 {
    fileprivate var hex: String {
        let digits = String(self, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }
}
