import GRDBSQLite

/// Folds texts by ``LetterFolding``, with the same result in SQLite and in memory.
enum TextFolding {
    static let name = "restful_fold"

    /// Equal for texts that differ only in case, diacritics or width: "élan" and "Élan".
    static func folded(_ text: String) -> String {
        var isPlain = true
        for byte in text.utf8 where byte >= 0x80 {
            isPlain = false
            break
        }
        if isPlain { return text.lowercased() }
        var scalars: [UInt32] = []
        var known: (number: UInt32, page: LetterFolding.Page)?
        for scalar in text.unicodeScalars {
            let number = scalar.value >> 7
            let page = known.flatMap { $0.number == number ? $0.page : nil } ?? LetterFolding.page(of: scalar.value)
            known = (number, page)
            let entry = page[scalar.value]
            if entry.role != .ignored { for scalar in page.scalars(entry) { add(scalar, to: &scalars) } }
        }
        return String(String.UnicodeScalarView(scalars.compactMap(Unicode.Scalar.init)))
    }

    private static func add(_ scalar: UInt32, to scalars: inout [UInt32]) {
        if let last = scalars.last, let composed = LetterFolding.composed(last, scalar) {
            scalars[scalars.count - 1] = composed
        } else {
            scalars.append(scalar)
        }
    }

    static func register(on connection: Connection) throws {
        if (try? connection.statement("SELECT \(name)('')")) != nil { return }
        let code = unsafe sqlite3_create_function_v2(
            connection.handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
            { context, _, arguments in
                // One argument, as declared. Its bytes are valid until the call returns.
                guard let value = unsafe arguments?[0], unsafe sqlite3_value_type(value) == SQLITE_TEXT,
                    let bytes = unsafe sqlite3_value_text(value)
                else { return unsafe sqlite3_result_null(context) }
                let count = unsafe Int(sqlite3_value_bytes(value))
                var text = unsafe TextFolding.folded(
                    String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
                text.withUTF8 { bytes in
                    // SQLITE_TRANSIENT makes SQLite copy the bytes. It would take a missing address for NULL.
                    guard let base = bytes.baseAddress else { return unsafe sqlite3_result_text(context, "", 0, nil) }
                    unsafe sqlite3_result_text(
                        context, UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self),
                        Int32(clamping: bytes.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
                }
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw connection.failure(code, name) }
    }
}
