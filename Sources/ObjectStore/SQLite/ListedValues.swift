import GRDBSQLite

/// Passes values to a statement as one JSON array. Values other than integers are encoded, because JSON in SQLite isn't
/// exact and ends a text at a NUL.
enum ListedValues {
    static let name = "restful_value"

    /// Values other than integers and nulls become texts that begin with a letter for their type.
    static func jsonArray(_ values: [StoredValue]) -> String {
        "[" + values.map(element).joined(separator: ",") + "]"
    }

    private static func element(_ value: StoredValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): String(number)
        case .real(let number): "\"r\(number.bitPattern)\""
        case .text(let text): "\"t\(hexadecimal(text.utf8))\""
        case .blob(let bytes): "\"b\(hexadecimal(bytes))\""
        }
    }

    private static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]] }
        return String(decoding: text, as: UTF8.self)
    }

    static func register(on connection: Connection) throws {
        if (try? connection.statement("SELECT \(name)(0)")) != nil { return }
        let code = unsafe sqlite3_create_function_v2(
            connection.handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
            { context, _, arguments in
                // One argument, as declared. Its bytes are valid until the call returns.
                guard let value = unsafe arguments?[0], unsafe sqlite3_value_type(value) == SQLITE_TEXT,
                    let start = unsafe sqlite3_value_text(value)
                else {
                    return unsafe sqlite3_result_value(context, arguments?[0])
                }
                let text = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
                unsafe ListedValues.give(text, to: context)
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw connection.failure(code, name) }
    }

    private static func give(_ text: UnsafeBufferPointer<UInt8>, to context: OpaquePointer?) {
        let isText = unsafe text.first == UInt8(ascii: "t")
        if unsafe text.first == UInt8(ascii: "r") {
            let bits = unsafe UInt64(String(decoding: text.dropFirst(), as: UTF8.self)) ?? 0
            return unsafe sqlite3_result_double(context, Double(bitPattern: bits))
        }
        // SQLITE_TRANSIENT makes SQLite copy the bytes. The extra byte gives an empty buffer an address, since SQLite
        // takes a missing one for NULL.
        let bytes = unsafe ListedValues.bytes(of: text) + [0]
        unsafe bytes.withUnsafeBytes { bytes in
            let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            let count = Int32(clamping: bytes.count - 1)
            guard isText else { return unsafe sqlite3_result_blob(context, bytes.baseAddress, count, transient) }
            unsafe sqlite3_result_text(
                context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count, transient)
        }
    }

    private static func bytes(of text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        func number(_ digit: UInt8) -> UInt8 { digit < UInt8(ascii: "a") ? digit &- 0x30 : digit &- 0x57 }
        return stride(from: 1, to: text.count - 1, by: 2).map { index in
            unsafe number(text[index]) << 4 | number(text[index + 1])
        }
    }
}
